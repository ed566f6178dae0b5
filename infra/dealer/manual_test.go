package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// manual is infra/README.md.
func manual(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shellWords parts a command line as a shell does.
func shellWords(t *testing.T, command string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\0' `+command).Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

var shownBlock = regexp.MustCompile("(?s)<!-- shown -->\n```console\n\\$ (.*?)\n```\n")

// steady is a pattern of a block's text: … is the rest of a line, and alone any lines.
func steady(text string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("(?s)^")
	for line := range strings.Lines(text) {
		if line == "…\n" {
			b.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `[^\n]*`))
	}
	return regexp.MustCompile(b.String() + "$")
}

// TestTheManualShowsWhatTheCommandsPrint walks the manual's way, with an
// emulator for AWS.
func TestTheManualShowsWhatTheCommandsPrint(t *testing.T) {
	blocks := shownBlock.FindAllStringSubmatch(manual(t), -1)
	if len(blocks) < 4 {
		t.Fatalf("the manual shows %d commands", len(blocks))
	}
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	client := cloudtest.Objects(larkspurStack(t))
	t.Chdir(t.TempDir())
	if err := os.Symlink(here, "infra"); err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		command, want := "", block[1]+"\n"
		for more := true; more; {
			var line string
			line, want, _ = strings.Cut(want, "\n")
			line, more = strings.CutSuffix(line, `\`)
			command += line
		}
		words := shellWords(t, command)
		if words[0] != "bin/dealer" {
			t.Errorf("%s: not a command of this repository", command)
			continue
		}
		if slices.Contains(words, "--stack") && words[1] == "import" {
			importFunction(t, client, "my-dealer/dealer.yaml")
		}
		// A person reads both ends on one terminal.
		var screen bytes.Buffer
		if code := execute(t.Context(), words[1:], streams{in: strings.NewReader(""), out: &screen, err: &screen}); code != 0 {
			t.Errorf("%s: exit code %d", command, code)
		}
		if !steady(want).MatchString(screen.String()) {
			t.Errorf("%s\nprints\n%s\nand the manual says\n%s", command, &screen, want)
		}
	}
}

var (
	inlineCode = regexp.MustCompile("`(bin/dealer [^`]*)`")
	codeLine   = regexp.MustCompile(`(?m)^(?:\$ )?(bin/dealer .*)$`)
	flagWord   = regexp.MustCompile(`--[a-z][a-z-]*`)
)

// TestTheManualsCommandsExist: those that are not run are known with all their flags.
func TestTheManualsCommandsExist(t *testing.T) {
	text := manual(t)
	seen := 0
	for _, m := range append(inlineCode.FindAllStringSubmatch(text, -1), codeLine.FindAllStringSubmatch(text, -1)...) {
		line := strings.TrimSuffix(m[1], `\`)
		words := strings.Fields(line)[1:]
		n := slices.IndexFunc(words, func(w string) bool { return !regexp.MustCompile(`^[a-z]+$`).MatchString(w) })
		if n < 0 {
			n = len(words)
		}
		help := dealerCommand(t, "", append(slices.Clone(words[:n]), "--help")...)
		if help.code != 0 || n == 0 {
			continue // the words that begin a block in prose
		}
		seen++
		for _, flag := range flagWord.FindAllString(line, -1) {
			if !strings.Contains(help.out, flag+" ") && !strings.Contains(help.out, flag+"\n") {
				t.Errorf("%s: there is no %s", line, flag)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d commands were found", seen)
	}
}

// TestTheManualKnowsEveryAlarmAndWhatStays compares its lists with the template.
func TestTheManualKnowsEveryAlarmAndWhatStays(t *testing.T) {
	template, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := manual(t)
	alarms := regexp.MustCompile(`(?m)^  ([A-Za-z]+Alarm):$`).FindAllStringSubmatch(string(template), -1)
	kept := regexp.MustCompile(`(?m)^  ([A-Za-z]+):\n    Type: .*\n(?:    Condition: .*\n)?    DeletionPolicy: Retain$`).FindAllStringSubmatch(string(template), -1)
	if len(alarms) < 10 || len(kept) < 4 {
		t.Fatalf("found %v and %v in the template", alarms, kept)
	}
	for _, m := range append(alarms, kept...) {
		if !strings.Contains(text, "`"+m[1]+"`") {
			t.Errorf("infra/README.md does not speak of %s", m[1])
		}
	}
	for _, m := range regexp.MustCompile("`([A-Za-z]+Alarm)`").FindAllStringSubmatch(text, -1) {
		if !strings.Contains(string(template), "\n  "+m[1]+":\n") {
			t.Errorf("infra/README.md speaks of %s, which there is not", m[1])
		}
	}
}
