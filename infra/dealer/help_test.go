package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// commandsBelow are the command and all below it, as they are typed.
func commandsBelow(c *cobra.Command, path ...string) [][]string {
	all := [][]string{path}
	for _, sub := range c.Commands() {
		if sub.Name() != "help" {
			all = append(all, commandsBelow(sub, append(slices.Clone(path), sub.Name())...)...)
		}
	}
	return all
}

func TestEveryCommandExplainsItselfWithAnExample(t *testing.T) {
	var none bytes.Buffer
	paths := commandsBelow(newRoot(streams{in: &none, out: &none, err: &none}))
	if len(paths) < 25 {
		t.Fatalf("only %d commands were found", len(paths))
	}
	for _, path := range paths {
		t.Run(strings.Join(path, " "), func(t *testing.T) {
			r := dealerCommand(t, "", append(path, "--help")...)
			if r.code != 0 || r.err != "" {
				t.Fatalf("exit code %d: %s", r.code, r.err)
			}
			_, examples, ok := strings.Cut(r.out, "\nExamples:\n")
			if example, _, _ := strings.Cut(examples, "\n"); !ok || !strings.Contains(example, strings.Join(append([]string{"dealer"}, path...), " ")) {
				t.Errorf("no example begins with the command:\n%s", r.out)
			}
			head, _, _ := strings.Cut(r.out, "\nUsage:\n")
			for line := range strings.Lines(head) {
				if utf8.RuneCountInString(line) > 84 {
					t.Errorf("too wide for a terminal: %s", line)
				}
			}
			if strings.Count(r.out, "Flags:\n") > 1 || strings.Contains(r.out, "Additional") {
				t.Errorf("flags or commands outside their sections:\n%s", r.out)
			}
		})
	}
}

func TestExamplesOfCommandsThatNeedTheProfileNameIt(t *testing.T) {
	for _, command := range []string{"vehicle", "vehicle sold", "vehicle hold", "vehicle release", "vehicle price", "appointments move"} {
		out := dealerCommand(t, "", append(strings.Fields(command), "--help")...).out
		_, examples, _ := strings.Cut(out, "\nExamples:\n")
		if example, _, _ := strings.Cut(examples, "\n"); !strings.HasSuffix(example, " --data DIR --profile dealer.yaml") {
			t.Errorf("%s: pasted, this is refused: %s", command, example)
		}
		if command != "vehicle" && !strings.Contains(out, "--data DIR --profile FILE [flags]\n") {
			t.Errorf("the usage does not ask for the profile:\n%s", out)
		}
	}
}

func TestHelpPutsWhatBelongsTogetherUnderOneHeading(t *testing.T) {
	for _, c := range []struct {
		args  []string
		order []string
	}{
		{[]string{"--help"}, []string{"Run an agent:", "  init ", "  run ", "  import ", "Look after it:", "  leads ", "  appointments", "Talk to agents:", "  call ", "Lead documents:", "  adf "}},
		{[]string{"leads", "list", "--help"}, []string{"Flags:", "--json", "Whose leads and vehicles:", "--data", "On AWS:", "--leads-table"}},
		{[]string{"mcp", "--help"}, []string{"Commands:", "  install", "Flags:", "Dealers elsewhere:", "--agent ", "An agent of its own:", "--profile"}},
	} {
		out := dealerCommand(t, "", c.args...).out
		for _, want := range c.order {
			before, rest, ok := strings.Cut(out, want)
			if !ok {
				t.Errorf("%v: %q does not come where it should, after\n%s", c.args, want, before)
				break
			}
			out = rest
		}
	}
}

func TestWrongCommandLinesAreToldInPlainWords(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"leads", "lst"}, "dealer: dealer leads has no command \"lst\"; did you mean list? `dealer leads --help` names them\n"},
		{[]string{"adf", "paint"}, "dealer: dealer adf has no command \"paint\"; `dealer adf --help` names them\n"},
		{[]string{"docter"}, "dealer: dealer has no command \"docter\"; did you mean doctor? `dealer --help` names them\n"},
		{[]string{"import"}, "dealer: dealer import needs --profile, --feed and --data\n"},
		{[]string{"import", "--feed", "x"}, "dealer: dealer import needs --profile and --data\n"},
		{[]string{"publish", "--dir", "x"}, "dealer: dealer publish needs --profile\n"},
		{[]string{"call"}, "dealer: usage: dealer call URL SKILL [JSON | @FILE | -]; `dealer call --help` explains it\n"},
		{[]string{"leads", "list", "today", "--data", "x"}, "dealer: \"today\" is too much; usage: dealer leads list --data DIR; `dealer leads list --help` explains it\n"},
	} {
		if r := dealerCommand(t, "", c.args...); r.code != 2 || r.err != c.want || r.out != "" {
			t.Errorf("%v: exit code %d\n got %s want %s%s", c.args, r.code, r.err, c.want, r.out)
		}
	}
}

func TestAnAgentThatDoesNotAnswerIsToldWithWhatToDo(t *testing.T) {
	r := dealerCommand(t, "", "call", "http://127.0.0.1:1", "dealer.information")
	if r.code != 1 || !strings.Contains(r.err, "no agent answers at http://127.0.0.1:1 (") || !strings.Contains(r.err, "is it running, and is that its address?") {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
}
