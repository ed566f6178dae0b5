package doctor

import (
	"fmt"
	"io"
	"strings"
)

// areas are the headings of the text, by the first word of ids.
var areas = [][2]string{
	{"reach", "Reachability"}, {"card", "Agent card"}, {"contract", "Contracts"}, {"auth", "Access"}, {"skill", "Skills"}, {"errors", "Errors"},
	{"headers", "A2A headers"}, {"http", "HTTP"}, {"rest", "HTTP+JSON"}, {"consent", "Consent"}, {"lead", "Test lead"}, {"inventory", "Inventory"},
	{"schemas", "Schemas"}, {"manifest", "Contract manifest"}, {"mcp", "MCP"}, {"limits", "Quotas"}, {"speed", "Speed"}, {"inside", "Inside the stack"},
}

// style is how verdicts look.
type style map[Verdict][2]string

// WriteText writes the report for people: the findings by area, what to do
// about each that is not well, and one line with the verdict at the end.
func (r *Report) WriteText(w io.Writer) error { return r.write(w, style{}) }

// WriteColors is WriteText for terminals.
func (r *Report) WriteColors(w io.Writer) error {
	return r.write(w, style{Pass: {"\x1b[32m", "\x1b[0m"}, Warn: {"\x1b[33m", "\x1b[0m"}, Fail: {"\x1b[31m", "\x1b[0m"}, Skip: {"\x1b[2m", "\x1b[0m"}})
}

func (r *Report) write(w io.Writer, s style) error {
	var b strings.Builder
	for _, area := range areas {
		headed := false
		for _, f := range r.Findings {
			if prefix, _, _ := strings.Cut(f.ID, "."); prefix != area[0] {
				continue
			}
			if !headed {
				fmt.Fprintf(&b, "%s\n", area[1])
				headed = true
			}
			f.write(&b, s)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", r.line(s))
	_, err := io.WriteString(w, b.String())
	return err
}

func (f Finding) write(b *strings.Builder, s style) {
	of := strings.TrimSpace(f.Version + " " + f.Skill)
	if of != "" {
		of = " (" + of + ")"
	}
	fmt.Fprintf(b, "  %s%s%s  %s%s: %s\n", s[f.Verdict][0], f.Verdict, s[f.Verdict][1], f.Title, of, f.Seen)
	if f.Next == "" {
		return
	}
	fmt.Fprintf(b, "        %s [%s]\n        %s", f.Next, f.ID, f.Rule)
	if f.URL != "" {
		fmt.Fprintf(b, " <%s>", f.URL)
	}
	b.WriteByte('\n')
}

// line is the verdict in one sentence.
func (r *Report) line(s style) string {
	counts := fmt.Sprintf("%d passed, %d warnings, %d failed, %d skipped", r.Counts[Pass], r.Counts[Warn], r.Counts[Fail], r.Counts[Skip])
	said := map[Verdict]string{Pass: "PASS", Warn: "PASS with warnings", Fail: "FAIL"}[r.Verdict]
	if !r.Reachable {
		said = "UNREACHABLE"
	}
	if len(r.Versions) > 0 {
		counts += "; speaks AAP " + strings.Join(r.Versions, ", ")
	}
	return s[r.Verdict][0] + said + s[r.Verdict][1] + "  " + r.URL + ": " + counts
}
