package feed

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Sizes of a sample.
const (
	sampleRows   = 500
	sampleValues = 3
	maxSampled   = 8 << 10 // bytes of one value
)

// What a proposal says of columns that are left out whatever they are called.
const (
	DroppedCost     = "what the dealer paid; never read"
	DroppedPersonal = "data about a person; not used"
)

// Proposal is how the columns of an export would best be read. No value of a
// dropped column is in it.
type Proposal struct {
	File     string `json:"file"`
	Format   string `json:"format,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	// Rows is how many were looked at, at most 500.
	Rows int `json:"rows"`
	// NoHeader says that the first row is a vehicle, not names of columns.
	NoHeader bool             `json:"no_header,omitempty"`
	Columns  []ProposedColumn `json:"columns"`
	// YAML is the part feed of a profile, ready to paste.
	YAML string `json:"yaml"`
}

// ProposedColumn is one column of the export.
type ProposedColumn struct {
	Header string `json:"header"`
	// Member is the vehicle member it fills; empty when none.
	Member string `json:"member,omitempty"`
	// Confidence is 0 to 1. From ProposedFrom on the column is in the YAML.
	Confidence float64 `json:"confidence"`
	Why        string  `json:"why,omitempty"`
	// Dropped is DroppedCost or DroppedPersonal; empty for other columns.
	Dropped string `json:"dropped,omitempty"`
	// Filled is the share of rows that have a value.
	Filled float64 `json:"filled"`
	// Samples are up to three different values, shortened to one line.
	Samples []string `json:"samples"`

	name   string // the header as the profile must write it
	values []string
	filled int
}

// ProposedFrom is the confidence from which a column is proposed.
const ProposedFrom = 0.5

// Propose looks at the first rows of an export. What the profile already says
// stands. The error is a *Refusal when the file cannot be read as a table.
func Propose(ctx context.Context, src Source, p *dealer.Profile) (Proposal, error) {
	rep := newReport(src.Name)
	r := &reader{profile: p, report: &rep}
	body, cleanUp, err := r.unpack(src.Body)
	defer cleanUp()
	if err != nil {
		return Proposal{}, err
	}
	in, encoding, err := decode(body, p.Feed.Encoding)
	if err != nil {
		return Proposal{}, r.failed(err)
	}
	if err := r.open(in, encoding); err != nil {
		return Proposal{}, err
	}
	out := Proposal{File: rep.File, Format: rep.Format, Encoding: rep.Encoding}
	sample := &sample{}
	if table, ok := r.table.(*records); ok && len(p.Feed.Header) == 0 && holdsValues(table.header, p.Feed) {
		out.NoHeader = true
		sample.add(cells(table.header))
		out.Rows++
		table.header = make([]string, len(table.header))
	}
	for out.Rows < sampleRows && ctx.Err() == nil {
		rec, err := r.table.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && out.Rows == 0 {
			return Proposal{}, r.failed(err)
		}
		if err != nil { // the rows before it were good enough to look at
			break
		}
		if rec.problem == "" {
			out.Rows++
			sample.add(rec.fields)
		}
	}
	if err := ctx.Err(); err != nil {
		return Proposal{}, err
	}
	headers := slices.Clone(r.table.columns())
	out.Columns = sample.columns(headers, out.Rows)
	guess(out.Columns, newMapping(headers, p.Feed))
	for i := range out.Columns {
		c := &out.Columns[i]
		if c.Dropped != "" {
			c.values = nil
			continue
		}
		for _, v := range c.values[:min(len(c.values), sampleValues)] {
			c.Samples = append(c.Samples, safe(v))
		}
	}
	out.YAML = out.yaml(p.Feed)
	return out, nil
}

func cells(texts []string) [][]byte {
	out := make([][]byte, len(texts))
	for i, s := range texts {
		out[i] = []byte(s)
	}
	return out
}

// holdsValues reports whether a header is a row of values: nothing in it is
// the name of a column, and something is a VIN or a model year.
func holdsValues(header []string, f dealer.Feed) bool {
	return known(header, f) == 0 && slices.ContainsFunc(header, func(s string) bool {
		return isVIN(strings.ToUpper(s)) || fits(mYear, s)
	})
}

// sample collects the different values of each column.
type sample struct {
	values []map[string]bool
	order  [][]string
	filled []int
}

func (s *sample) add(fields [][]byte) {
	for i, cell := range fields {
		if i == len(s.order) {
			s.values, s.order, s.filled = append(s.values, map[string]bool{}), append(s.order, nil), append(s.filled, 0)
		}
		v := strings.TrimSpace(text(cell[:min(len(cell), maxSampled)]))
		if v == "" || isAbsent(v) {
			continue
		}
		s.filled[i]++
		if !s.values[i][v] {
			s.values[i][v] = true
			s.order[i] = append(s.order[i], v)
		}
	}
}

func (s *sample) columns(headers []string, rows int) []ProposedColumn {
	out := make([]ProposedColumn, len(headers))
	for i, h := range headers {
		out[i] = ProposedColumn{Header: safe(h), name: h, Samples: []string{}}
		if i < len(s.order) {
			out[i].values, out[i].filled = s.order[i], s.filled[i]
			if rows > 0 {
				out[i].Filled = float64(s.filled[i]) / float64(rows)
			}
		}
	}
	return out
}
