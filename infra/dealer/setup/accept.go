package setup

import (
	"errors"
	"maps"
	"regexp"
	"strings"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Refusal is why an answer is not taken, in one sentence.
type Refusal struct {
	Why string
	// Instead is what was probably meant, an answer that would be taken; empty
	// when nothing can be told.
	Instead string
}

func (r *Refusal) Error() string { return r.Why }

// Accept takes an answer, or returns a *Refusal by the rules of the profile
// and of the template. Blanks around an answer do not count.
func Accept(a Answers, q Question, answer string) (Answers, error) {
	taken := a
	if err := q.take(&taken, strings.TrimSpace(answer)); err != nil {
		if refusal, ok := errors.AsType[*Refusal](err); ok {
			return a, refusal
		}
		return a, &Refusal{Why: err.Error()}
	}
	faults := taken.faults(q.paths)
	if len(faults) == 0 {
		return taken, nil
	}
	refusal := &Refusal{Why: said(faults[0], q.paths)}
	if meant, ok := instead(taken, faults); ok && meant != answer {
		if _, err := Accept(a, q, meant); err == nil {
			refusal.Instead = meant
		}
	}
	return a, refusal
}

// faults are those that loading the profile finds at the paths, or below.
func (a Answers) faults(paths []string) []dealer.Fault {
	_, err := dealer.Parse(a.whole().Profile())
	all, ok := errors.AsType[*dealer.Faults](err)
	if !ok {
		return nil
	}
	var out []dealer.Fault
	for _, f := range all.List {
		if f.Path == "" { // the document as a whole
			out = append(out, f)
		}
		for _, p := range paths {
			if rest, ok := strings.CutPrefix(f.Path, p); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				out = append(out, f)
				break
			}
		}
	}
	return out
}

// said is a fault without the path that the question itself is.
func said(f dealer.Fault, paths []string) string {
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(f.Path, p); ok && itself.MatchString(rest) {
			f.Path = ""
		}
	}
	f.Path = strings.TrimPrefix(f.Path, "rooftops[0].hours[0].days.")
	return f.String()
}

// itself is what follows a question's path in that of its answer, or of one of
// several.
var itself = regexp.MustCompile(`^(\[[0-9]+\])?$`)

// oneWord is a fix that is an answer as it stands, not a description of one.
var oneWord = regexp.MustCompile(`^write "?([^\s"]+)"?$`)

// instead makes an answer of the fixes.
func instead(a Answers, faults []dealer.Fault) (string, bool) {
	hours := maps.Clone(a.Hours)
	for _, f := range faults {
		m := oneWord.FindStringSubmatch(f.Fix)
		if m == nil {
			return "", false
		}
		day, ok := strings.CutPrefix(f.Path, "rooftops[0].hours[0].days.")
		if !ok {
			return m[1], true
		}
		hours[day] = m[1]
	}
	return written(hours), true
}

// Missing are the questions that must be answered and are not, by their flags.
func Missing(a Answers, given map[string]bool) []Question {
	var out []Question
	for _, q := range Questions() {
		if q.Applies(a) && q.Required(a) && !given[q.Flag] {
			out = append(out, q)
		}
	}
	return out
}

// check loads the profile as a whole.
func (a Answers) check() (*dealer.Profile, error) { return dealer.Parse(a.Profile()) }
