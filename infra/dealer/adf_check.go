package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/adf"
)

// checked is what `dealer adf check --json` prints.
type checked struct {
	// Valid: the ADF 1.0 DTD allows the document, and there is a lead in it.
	Valid  bool        `json:"valid"`
	Faults []adf.Fault `json:"faults"`
}

func newADFCheck(std streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check FILE.xml | -",
		Short: "Say what is wrong with an ADF document, and how to mend it",
		Long: `Check holds a document against XML and the ADF 1.0 DTD and prints each fault
with its line and what to do about it, then what the DTD allows and receivers
are known to stumble over. The exit code is 1 when there is a fault, and 0 when
there is advice only.

The DTD as it is in circulation does not parse; it is taken as meant. A document
type declaration of the document's own is refused: no lead needs one.`,
		Example: `  dealer adf check lead.xml`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
			var faults []adf.Fault
			err := readNamed(given[0], std.in, func(document io.Reader) (err error) {
				faults, err = adf.Check(document)
				return err
			})
			if err != nil {
				return err
			}
			result := checked{!slices.ContainsFunc(faults, serious), faults}
			if asJSON {
				result.Faults = append([]adf.Fault{}, faults...) // [] where there are none
				err = writeJSON(std.out, result)
			} else {
				err = result.write(std.out, given[0])
			}
			if err == nil && !result.Valid {
				err = errReported
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the faults as JSON")
	return cmd
}

func serious(f adf.Fault) bool { return f.Invalid || f.Fatal }

// write prints the faults before the advice, each in the order of lines.
func (c checked) write(out io.Writer, name string) error {
	var b bytes.Buffer
	faults, advice := 0, 0
	for _, f := range c.Faults {
		if serious(f) {
			faults++
			writeFault(&b, name, "", f)
		}
	}
	for _, f := range c.Faults {
		if !serious(f) {
			advice++
			writeFault(&b, name, "advice: ", f)
		}
	}
	switch {
	case faults > 0:
		fmt.Fprintf(&b, "%s: %s, so this is no valid ADF 1.0.\n", name, numbered(faults, "fault"))
	case advice > 0:
		fmt.Fprintf(&b, "%s: valid ADF 1.0, with %s.\n", name, numbered(advice, "piece")+" of advice")
	default:
		fmt.Fprintf(&b, "%s: valid ADF 1.0.\n", name)
	}
	_, err := out.Write(escapeControls(b.Bytes()))
	return err
}

func writeFault(b *bytes.Buffer, name, kind string, f adf.Fault) {
	at := ""
	if f.Path != "" {
		at = f.Path + ": "
	}
	fmt.Fprintf(b, "%s:%d: %s%s%s\n    %s\n", name, f.Line, kind, at, f.Problem, f.Mend)
}

func numbered(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// readNamed has the file read, or stdin for "-". A failure names it.
func readNamed(name string, stdin io.Reader, read func(io.Reader) error) error {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		stdin = f
	}
	if err := read(stdin); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func writeJSON(out io.Writer, value any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}
