package feed

import (
	"maps"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/inventory"
)

// How a column is used when it fills no member.
const (
	UseUnmapped = "not used"
	UseDropped  = "dropped" // names what the dealer paid; never read
)

// maxListed caps each list of single rows; counts are always whole.
const maxListed = 200

// Report says what became of every row and column of a file. It holds no
// personal data and no money, and its texts are fit for a terminal and a
// spreadsheet.
type Report struct {
	File     string    `json:"file"`
	Format   string    `json:"format,omitempty"`
	Encoding string    `json:"encoding,omitempty"`
	FeedTime time.Time `json:"feed_time,omitzero"`
	DryRun   bool      `json:"dry_run,omitempty"`
	// Refused is why the file was not taken; empty when it was.
	Refused string `json:"refused,omitempty"`

	// Rows is Accepted + Merged + Rejected.
	Rows     int `json:"rows"`
	Accepted int `json:"accepted"`
	Visible  int `json:"visible"`
	Merged   int `json:"merged"`
	Rejected int `json:"rejected"`
	// Hidden counts accepted units that are not for sale, by the feed's own word.
	Hidden map[string]int `json:"hidden"`

	// RejectedBy counts by reason; RejectedRows and MergedRows are the first
	// of them, in file order.
	RejectedBy   map[string]int `json:"rejected_by"`
	RejectedRows []RowNote      `json:"rejected_rows"`
	MergedRows   []RowNote      `json:"merged_rows"`
	Warnings     []Warning      `json:"warnings"`
	Columns      []Column       `json:"columns"`
	Fill         []Fill         `json:"fill"`
	// Changes is what the import did, or would do, to the stored inventory;
	// nil when the file was only read.
	Changes *inventory.Outcome `json:"changes,omitempty"`

	warned map[string]int
	filled [members]int
}

// RowNote is one row by its line in the file, counted from 1; in JSON feeds
// the line of the object.
type RowNote struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// Warning is one kind of trouble that cost no row, with how often it was met
// and the first line of it; line 0 speaks of the whole file.
type Warning struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
	Line  int    `json:"line,omitempty"`
}

// Column is one column of the file and the member it fills, UseUnmapped or
// UseDropped.
type Column struct {
	Header string `json:"header"`
	Use    string `json:"use"`
}

// Fill is how many accepted units have a member.
type Fill struct {
	Member string  `json:"member"`
	Count  int     `json:"count"`
	Share  float64 `json:"share"`
}

func newReport(file string) Report {
	return Report{
		File: safe(file), Hidden: map[string]int{}, RejectedBy: map[string]int{},
		RejectedRows: []RowNote{}, MergedRows: []RowNote{}, Warnings: []Warning{}, Columns: []Column{}, Fill: []Fill{},
		warned: map[string]int{},
	}
}

func (r *Report) reject(line int, reason string) {
	r.Rejected++
	kind := reason
	if _, ok := r.RejectedBy[kind]; !ok && len(r.RejectedBy) >= maxListed {
		kind = "other"
	}
	r.RejectedBy[kind]++
	if len(r.RejectedRows) < maxListed {
		r.RejectedRows = append(r.RejectedRows, RowNote{line, reason})
	}
}

func (r *Report) merge(line int, reason string) {
	r.Merged++
	if len(r.MergedRows) < maxListed {
		r.MergedRows = append(r.MergedRows, RowNote{line, reason})
	}
}

// warn counts one kind of warning. Kinds beyond maxListed share one.
func (r *Report) warn(line int, text string) {
	at, ok := r.warned[text]
	if !ok {
		if len(r.Warnings) >= maxListed {
			text = "further kinds of warnings"
			if at, ok = r.warned[text]; ok {
				r.Warnings[at].Count++
				return
			}
		}
		at = len(r.Warnings)
		r.warned[text] = at
		r.Warnings = append(r.Warnings, Warning{Text: text, Line: line})
	}
	r.Warnings[at].Count++
}

func (r *Report) hide(reason string) {
	if _, ok := r.Hidden[reason]; !ok && len(r.Hidden) >= maxListed {
		reason = "other"
	}
	r.Hidden[reason]++
}

// count adds an accepted unit to the totals and the fill rates.
func (r *Report) count(v *inventory.Vehicle) {
	r.Accepted++
	if v.State.Listed() {
		r.Visible++
	}
	for m := range r.filled {
		if filled(&v.Listing, member(m)) {
			r.filled[m]++
		}
	}
}

// finish writes the columns and fill rates.
func (r *Report) finish(m *mapping) {
	for i, h := range m.headers {
		r.Columns = append(r.Columns, Column{safe(h), safe(m.use[i])})
	}
	for x, n := range r.filled {
		if n == 0 && !shown(member(x)) {
			continue
		}
		share := 0.0
		if r.Accepted > 0 {
			share = float64(n) / float64(r.Accepted)
		}
		r.Fill = append(r.Fill, Fill{member(x).String(), n, share})
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
