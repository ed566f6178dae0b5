package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
)

// payloadLimit bounds what is read as a request; agents refuse more anyway.
const payloadLimit = 1 << 20

func newCall(std streams) *cobra.Command {
	var version string
	var given givenToken
	cmd := &cobra.Command{
		Use:   "call URL SKILL [JSON | @FILE | -]",
		Short: "Call one skill of any dealer agent, as a buyer's agent does",
		Long: `Call reads the agent card below URL, sends the request to the AAP endpoint it
names and prints the answer's payload. A request without "type" gets the
skill's. Of the contracts that the agent declares and this command speaks, the
newest is taken, or the one that --version names and no other. The exit code is
1 when the agent answers with an error, which is printed as it came. A bearer
token is taken from DEALER_TOKEN, or from where a flag says, never as an argument.

SKILL is one of:
  ` + strings.Join(skillIDs(), "\n  "),
		Example: `  dealer call http://127.0.0.1:8080 dealer.information
  dealer call http://127.0.0.1:8080 inventory.search '{"filters":{"make":["Honda"]}}'
  dealer call http://127.0.0.1:8080 lead.submit @lead.json
  dealer call https://agent.example.com dealer.information --token-file partner.token`,
		Args: args(cobra.RangeArgs(2, 3)),
		RunE: func(cmd *cobra.Command, words []string) error {
			skill, ok := aap.SkillByID(words[1])
			if !ok {
				return usageError{fmt.Errorf("no skill %q; the skills are %s", words[1], strings.Join(skillIDs(), ", "))}
			}
			if given.file == "-" && len(words) == 3 && words[2] == "-" {
				return usageError{errors.New("stdin holds the request or the token, not both; put one of them into a file")}
			}
			token, err := given.read(cmd, std.in)
			if err != nil {
				return err
			}
			client := a2a.Client{Token: token}
			if version != "" {
				v, err := versionNamed(version)
				if err != nil {
					return err
				}
				client.Versions = []aap.Version{v}
			}
			payload := []byte("{}")
			if len(words) == 3 {
				if payload, err = readArgument(words[2], std.in); err != nil {
					return err
				}
			}
			remote, err := client.Discover(cmd.Context(), words[0])
			if silent, ok := errors.AsType[*url.Error](err); ok {
				return fmt.Errorf("no agent answers at %s (%w); is it running, and is that its address?", words[0], silent.Err)
			}
			if err != nil {
				return err
			}
			answer, err := remote.Call(cmd.Context(), skill, payload)
			if refused, ok := errors.AsType[*a2a.Refusal](err); ok {
				if err := printJSON(std.out, refused.Payload); err != nil {
					return err
				}
				return errReported
			}
			if closed, ok := errors.AsType[*a2a.RPCError](err); ok && closed.Status == http.StatusUnauthorized {
				return fmt.Errorf("%s wants a bearer token that it knows (%w); put yours into %s, or name its file with --token-file", words[0], err, given.env)
			}
			if err != nil {
				return err
			}
			return printJSON(std.out, answer)
		},
	}
	given.flags(cmd)
	cmd.Flags().StringVar(&version, "version", "", "speak this contract of AAP and no other, such as `v1.0`")
	return cmd
}

// versionNamed is the contract that a flag names.
func versionNamed(label string) (aap.Version, error) {
	v, ok := aap.VersionByLabel(label)
	if !ok {
		return v, usageError{fmt.Errorf("no contract %q; the contracts are %s", label, strings.Join(versionLabels(), ", "))}
	}
	return v, nil
}

func versionLabels() []string {
	var labels []string
	for _, v := range aap.Versions() {
		labels = append(labels, v.Label)
	}
	return labels
}

func skillIDs() []string {
	var ids []string
	for _, s := range aap.Skills() {
		ids = append(ids, s.ID)
	}
	return ids
}

// readArgument takes JSON as it stands, from @file, or from stdin for "-".
func readArgument(arg string, stdin io.Reader) ([]byte, error) {
	switch name, isFile := strings.CutPrefix(arg, "@"); {
	case arg == "-":
		return io.ReadAll(io.LimitReader(stdin, payloadLimit))
	case isFile:
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, payloadLimit))
	}
	return []byte(arg), nil
}

func printJSON(out io.Writer, raw []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := out.Write(escapeControls(b.Bytes()))
	return err
}

// escapeControls writes what JSON lets stand in a string and a terminal obeys as
// escapes: a stranger's words must not steer it.
func escapeControls(raw []byte) []byte {
	if !bytes.ContainsFunc(raw, steers) {
		return raw
	}
	out := make([]byte, 0, len(raw)+16)
	for _, r := range string(raw) {
		if steers(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// steers reports whether a character is a late control (U+007F to U+009F), turns
// the direction of writing, or ends a line.
func steers(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}
