package dealer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// MaxDocument is the largest profile Parse reads, in bytes.
const MaxDocument = 1 << 20

// Parse reads one YAML document into a Profile, fills the defaults and checks
// all of it. The error is a *Faults that lists everything that is wrong, at
// most the first thousand faults.
// Profile.Modified stays zero: the document does not know it.
func Parse(document []byte) (*Profile, error) {
	r := &reader{lines: map[string]int{}, broken: map[string]bool{}, budget: maxNodes, texts: maxTexts}
	p := &Profile{}
	if root := r.document(document); root != nil {
		r.read(root, p)
		if !r.spent {
			fillDefaults(p, r.has)
			check(p, r)
		}
	}
	if len(r.faults) > 0 {
		slices.SortStableFunc(r.faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
		if r.more > 0 {
			last := r.faults[len(r.faults)-1].Line
			r.faults = append(r.faults, Fault{Line: last, Problem: fmt.Sprintf("there are %d more faults", r.more), Fix: "mend these first"})
		}
		return nil, &Faults{List: r.faults}
	}
	return p, nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// document returns the root of the only document, or nil after a fault.
func (r *reader) document(b []byte) *yaml.Node {
	if len(b) > MaxDocument {
		r.add(1, "", fmt.Sprintf("the document has %d bytes, more than %d", len(b), MaxDocument), "remove what is not dealer profile")
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(b))
	var first, second yaml.Node
	if err := decoder.Decode(&first); err != nil {
		if errors.Is(err, io.EOF) {
			r.add(1, "", "the document is empty", "write at least id, name, rooftops and delivery")
			return nil
		}
		r.syntax(err)
		return nil
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		r.add(second.Line, "", "a second document begins here", "keep one document in the file: remove the line ---")
	case !errors.Is(err, io.EOF):
		r.syntax(err)
		return nil
	}
	if len(first.Content) != 1 {
		r.add(1, "", "the document is empty", "write at least id, name, rooftops and delivery")
		return nil
	}
	return first.Content[0]
}

func (r *reader) syntax(err error) {
	line, text := 1, err.Error()
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
		text = text[len(m[0]):]
	}
	r.add(line, "", "this is not YAML: "+text, "check the indentation and the quotes here and on the line before")
}
