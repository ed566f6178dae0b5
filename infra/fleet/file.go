package fleet

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// File is a fleet: the rooftops of one vendor and where their stacks are.
type File struct {
	// Name is the fleet's; it begins the names of stacks and is on every one as a tag.
	Name string
	// Mode is empty where each rooftop has a stack, and ModePooled where all share one.
	Mode string
	// CodeBucket keeps the code and the template. It may hold {region}, since
	// Lambda takes code from buckets of its own region only.
	CodeBucket string
	// CodePrefix begins the keys in that bucket, without a slash at the end.
	CodePrefix string
	// Region is that of the first rooftop, where the fleet's lock lies.
	Region   string
	Rooftops []Rooftop
}

// Rooftop is one stack of a fleet.
type Rooftop struct {
	ID    string
	Stack string
	Place stacks.Place
	// Profile is the path of the dealer profile that is uploaded; empty when
	// somebody else looks after it.
	Profile string
	// Parameters are complete: those given, and the template's defaults.
	Parameters map[string]string
	// Tags are the vendor's own.
	Tags map[string]string
	// Line of the file, counted from 1.
	Line int
}

// ModePooled is the mode of a fleet whose dealers share one stack, which is there
// already: rooftops are dealers, and what is brought is their profiles.
const ModePooled = "pooled"

// MaxFile is the largest fleet file that is read, in bytes.
const MaxFile = 8 << 20

// most rooftops in one file.
const most = 20_000

// Options are what the command line says besides the file; what is not empty
// wins over it.
type Options struct{ CodeBucket, CodePrefix string }

// Read reads a fleet file, CSV when its name ends in .csv and YAML otherwise, and
// checks it against the template. Without a template parameters are not checked,
// and what is read will do to look at stacks but not to change them. The error is a
// *dealer.Faults that lists every fault.
func Read(name string, body []byte, t *Template, o Options) (*File, error) {
	r := &reader{template: t}
	if t == nil {
		r.template, r.unchecked = &Template{}, true
	}
	var d draft
	switch {
	case len(body) > MaxFile:
		r.add(1, "", "the file is larger than 8 MB", "split the fleet")
	case strings.EqualFold(filepath.Ext(name), ".csv"):
		d = r.csv(body)
		if d.name.text == "" {
			base := filepath.Base(name)
			d.name = cell{strings.TrimSuffix(base, filepath.Ext(base)), 1}
		}
	default:
		d = r.yaml(body)
	}
	if o.CodeBucket != "" {
		d.bucket = cell{o.CodeBucket, 1}
	}
	if o.CodePrefix != "" {
		d.prefix = cell{o.CodePrefix, 1}
	}
	var f *File
	if len(r.faults) == 0 || len(d.rows) > 0 {
		f = r.assemble(d)
	}
	if len(r.faults) > 0 {
		slices.SortStableFunc(r.faults, func(a, b dealer.Fault) int { return cmp.Compare(a.Line, b.Line) })
		return nil, &dealer.Faults{Document: filepath.Base(name), List: r.faults}
	}
	return f, nil
}

// Only keeps the rooftops with these ids, in the file's order, and tells which
// ids are none.
func (f *File) Only(ids []string) (kept []Rooftop, unknown []string) {
	for _, r := range f.Rooftops {
		if slices.Contains(ids, r.ID) {
			kept = append(kept, r)
		}
	}
	for _, id := range ids {
		if !slices.ContainsFunc(f.Rooftops, func(r Rooftop) bool { return r.ID == id }) {
			unknown = append(unknown, id)
		}
	}
	return kept, unknown
}

// Places are where the fleet's stacks are, each once, in the file's order.
func (f *File) Places() []stacks.Place {
	var all []stacks.Place
	seen := map[stacks.Place]bool{}
	for _, r := range f.Rooftops {
		if !seen[r.Place] {
			seen[r.Place] = true
			all = append(all, r.Place)
		}
	}
	return all
}

// Bucket is the bucket of code in a region.
func (f *File) Bucket(region string) string {
	return strings.ReplaceAll(f.CodeBucket, "{region}", region)
}
