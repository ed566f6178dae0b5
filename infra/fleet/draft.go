package fleet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// cell is a value and the line it stands on.
type cell struct {
	text string
	line int
}

// draft is a fleet file before it is checked.
type draft struct {
	name, mode, bucket, prefix cell
	defaults                   row
	rows                       []row
}

// row is what the file says of one rooftop, or of all.
type row struct {
	line             int
	members          map[string]cell
	parameters, tags map[string]cell
}

func newRow(line int) row {
	return row{line: line, members: map[string]cell{}, parameters: map[string]cell{}, tags: map[string]cell{}}
}

// reader collects faults.
type reader struct {
	template  *Template
	unchecked bool // no template was given
	faults    []dealer.Fault
	// read counts the members read, those of an alias each time it is used.
	read int
}

const (
	// mostMembers are more than a group has that CloudFormation takes: 200
	// parameters or 50 tags.
	mostMembers = 250
	// mostRead is more than rooftops with all their parameters have.
	mostRead = 1_500_000
)

// mostFaults are more than anybody mends at once.
const mostFaults = 500

func (r *reader) add(line int, path, problem, fix string) {
	if len(r.faults) < mostFaults {
		r.faults = append(r.faults, dealer.Fault{Line: max(1, line), Path: path, Problem: problem, Fix: fix})
	}
}

var (
	fleetMembers   = []string{"fleet", "code_bucket", "code_prefix", "defaults", "rooftops", "mode"}
	sharedMembers  = []string{"region", "account", "role", "external_id", "stack", "profile"}
	rooftopMembers = append([]string{"id"}, sharedMembers...)
)

func (r *reader) yaml(body []byte) (d draft) {
	var root yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(body))
	err := decoder.Decode(&root)
	switch {
	case errors.Is(err, io.EOF):
		r.add(1, "", "the file is empty", "write at least fleet, code_bucket and rooftops")
		return d
	case err != nil:
		r.add(1, "", "this is not YAML: "+strings.TrimPrefix(err.Error(), "yaml: "), "check the indentation and the quotes there and on the line before")
		return d
	case decoder.Decode(new(yaml.Node)) == nil:
		r.add(1, "", "the file holds a second document", "remove the line ---")
	}
	for k, v := range r.pairs(root.Content[0], "", fleetMembers) {
		switch k.Value {
		case "fleet":
			d.name = r.scalar(v, "fleet")
		case "mode":
			d.mode = r.scalar(v, "mode")
		case "code_bucket":
			d.bucket = r.scalar(v, "code_bucket")
		case "code_prefix":
			d.prefix = r.scalar(v, "code_prefix")
		case "defaults":
			d.defaults = r.row(v, "defaults", sharedMembers)
		case "rooftops":
			if v.Kind != yaml.SequenceNode {
				r.add(v.Line, "rooftops", "is not a list", "write one rooftop below it for each stack, each beginning with - id:")
				continue
			}
			for i, item := range v.Content[:min(len(v.Content), most+1)] {
				d.rows = append(d.rows, r.row(item, fmt.Sprintf("rooftops[%d]", i), rooftopMembers))
			}
		}
	}
	return d
}

func (r *reader) row(n *yaml.Node, path string, known []string) row {
	out := newRow(n.Line)
	for k, v := range r.pairs(n, path, append([]string{"parameters", "tags"}, known...)) {
		at := path + "." + k.Value
		into := out.parameters
		switch k.Value {
		case "tags":
			into = out.tags
			fallthrough
		case "parameters":
			for name, value := range r.pairs(v, at, nil) {
				into[name.Value] = r.scalar(value, at+"."+name.Value)
			}
		default:
			out.members[k.Value] = r.scalar(v, at)
		}
	}
	return out
}

// pairs walks a group of members; known is nil where any name may stand.
func (r *reader) pairs(n *yaml.Node, path string, known []string) func(func(k, v *yaml.Node) bool) {
	return func(yield func(k, v *yaml.Node) bool) {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		if n.Kind != yaml.MappingNode {
			r.add(n.Line, path, "is not a group of members", "write members below it, each as name: value")
			return
		}
		if len(n.Content) > 2*mostMembers {
			r.once(n.Line, path, fmt.Sprintf("has more than %d members", mostMembers), "keep those that the template has")
			return
		}
		if r.read += len(n.Content) / 2; r.read > mostRead {
			r.once(n.Line, "", fmt.Sprintf("takes the file over %d members", mostRead), "split the fleet; an alias counts each time it is used")
			return
		}
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			at := strings.TrimPrefix(path+"."+k.Value, ".")
			switch {
			case known != nil && !slices.Contains(known, k.Value):
				r.add(k.Line, at, "is not known", meant(k.Value, known))
				continue
			case seen[k.Value]:
				r.add(k.Line, at, "stands here twice", "keep one")
				continue
			}
			seen[k.Value] = true
			if !yield(k, v) {
				return
			}
		}
	}
}

func (r *reader) scalar(n *yaml.Node, path string) cell {
	line := n.Line
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		r.add(line, path, "is not a single value", "write one value behind the colon")
		return cell{"", line}
	}
	if n.ShortTag() == "!!null" {
		return cell{"", line}
	}
	return cell{n.Value, line}
}

// csv reads one rooftop a line. Columns are members of a rooftop, parameters by
// their names in the template, and tags as tag:NAME. An empty cell says nothing,
// nor do the empty columns and rows that spreadsheets leave behind; semicolons
// stand for commas, as spreadsheets write where the comma is in the numbers.
func (r *reader) csv(body []byte) (d draft) {
	d.defaults = newRow(1)
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	in.FieldsPerRecord = -1
	if first, _, _ := bytes.Cut(body, []byte("\n")); bytes.Contains(first, []byte(";")) && !bytes.Contains(first, []byte(",")) {
		in.Comma = ';'
	}
	head, err := in.Read()
	if err != nil {
		r.add(1, "", "the first line does not name the columns", "write for example id,region,role,DealerName")
		return d
	}
	for i, name := range head {
		head[i] = strings.TrimSpace(name)
		_, parameter := r.template.parameter(head[i])
		switch {
		case head[i] == "":
		case slices.Contains(head[:i], head[i]):
			r.add(1, head[i], "is the name of two columns", "keep one")
		case !parameter && !r.unchecked && !slices.Contains(rooftopMembers, head[i]) && (!strings.HasPrefix(head[i], tagColumn) || head[i] == tagColumn):
			r.add(1, head[i], "is no column that a fleet file has", meant(head[i], append(slices.Clone(rooftopMembers), r.template.names()...)))
		}
	}
	for len(d.rows) <= most {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return d
		}
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			r.add(parse.Line, "", "cannot be read: "+parse.Err.Error(), "put values with commas or quotes into quotes, and double the quotes inside")
			return d
		}
		if !slices.ContainsFunc(record, func(value string) bool { return strings.TrimSpace(value) != "" }) {
			continue
		}
		line, _ := in.FieldPos(0)
		if len(record) > len(head) {
			r.add(line, "", fmt.Sprintf("has %d cells under %d columns", len(record), len(head)), "put values with commas into quotes")
			continue
		}
		out := newRow(line)
		for i, value := range record {
			value = strings.TrimSpace(value)
			line, _ := in.FieldPos(i)
			switch tag, isTag := strings.CutPrefix(head[i], tagColumn); {
			case value == "":
			case head[i] == "":
				r.add(line, "", fmt.Sprintf("%q stands in a column without a name", value), "write the name of its column into the first line")
			case isTag:
				out.tags[tag] = cell{value, line}
			case slices.Contains(rooftopMembers, head[i]):
				out.members[head[i]] = cell{value, line}
			default:
				out.parameters[head[i]] = cell{value, line}
			}
		}
		d.rows = append(d.rows, out)
	}
	return d
}

// tagColumn begins the names of columns of tags.
const tagColumn = "tag:"
