package feed

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// How a column is used when it fills no member.
const (
	UseUnmapped = "not used"
	UseDropped  = "dropped" // names what the dealer paid; never read
)

// maxListed caps each list of kinds, and what is shown of a list of rows;
// maxRowNotes caps lists of rows. Counts are always whole.
const (
	maxListed   = 200
	maxRowNotes = 10_000
)

// Report says what became of every row and column of a file. It holds no
// personal data and no money but the declared charges and published prices,
// and its texts are fit for a terminal and a spreadsheet.
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
	// WithoutPhotos counts units for sale that show no photo; PhotosMissing are
	// the first of them.
	WithoutPhotos int       `json:"without_photos"`
	PhotosMissing []RowNote `json:"photos_missing"`
	Warnings      []Warning `json:"warnings"`
	// Prices is the policy by which the price column was published.
	Prices  PricePolicy `json:"prices"`
	Columns []Column    `json:"columns"`
	Fill    []Fill      `json:"fill"`
	// Changes is what the import did, or would do, to the stored inventory;
	// nil when the file was only read.
	Changes *inventory.Outcome `json:"changes,omitempty"`
	// Differences names the vehicles of these changes that buyers notice, also
	// where a refused file marked some as sold.
	Differences *Differences `json:"differences,omitempty"`

	remains string // what buyers find when the file is refused

	warned map[string]int
	filled [members]int
	cells  []int // filled cells by column
}

// PricePolicy is what the profile declares about the price column.
type PricePolicy struct {
	Includes string       `json:"includes,omitempty"`
	Fees     []dealer.Fee `json:"fees,omitempty"`
	Currency string       `json:"currency,omitempty"`
	// Says is the policy in a sentence.
	Says string `json:"says"`
}

func policyOf(p dealer.Prices) PricePolicy {
	out := PricePolicy{Includes: p.Includes, Currency: p.Currency}
	switch p.Includes {
	case dealer.PricesComplete:
		out.Says = "The price column holds every mandatory charge; it is published as the price."
	case dealer.PricesWithoutFees:
		out.Fees = p.AddFees
		out.Says = "The mandatory charges are added to the price column; the sum is published as the price."
		if len(p.AddFees) == 0 {
			out.Says = "The profile declares that there are no mandatory charges; the price column is published as the price."
		}
	default:
		out.Says = "No price is published, only list prices: the profile does not say what the price column holds (prices.includes)."
	}
	return out
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
	// Filled is how many rows have a value; 0 of a dropped column.
	Filled int `json:"filled"`
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
		RejectedRows: []RowNote{}, MergedRows: []RowNote{}, PhotosMissing: []RowNote{}, Warnings: []Warning{}, Columns: []Column{}, Fill: []Fill{},
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
	if len(r.RejectedRows) < maxRowNotes {
		r.RejectedRows = append(r.RejectedRows, RowNote{line, reason})
	}
}

func (r *Report) merge(line int, reason string) {
	r.Merged++
	if len(r.MergedRows) < maxRowNotes {
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
func (r *Report) count(line int, v *inventory.Vehicle) {
	r.Accepted++
	if v.State.Listed() {
		r.Visible++
		if len(v.Listing.Photos) == 0 {
			r.WithoutPhotos++
			if len(r.PhotosMissing) < maxRowNotes {
				r.PhotosMissing = append(r.PhotosMissing, RowNote{line, unitName(&v.Listing)})
			}
		}
	}
	for m := range r.filled {
		if filled(&v.Listing, member(m)) {
			r.filled[m]++
		}
	}
}

// unitName is how people call a unit.
func unitName(l *aap.Vehicle) string {
	year := ""
	if l.Year != nil {
		year = fmt.Sprintf("%d ", *l.Year)
	}
	return safe(fmt.Sprintf("%s%s %s", year, l.Make, l.Model)) + ", " + safe(cmp.Or(l.Stock, l.VIN, l.VehicleID))
}

// fill counts the cells of a row that hold something.
func (r *Report) fill(fields [][]byte) {
	for i, cell := range fields {
		if i == len(r.cells) {
			r.cells = append(r.cells, 0)
		}
		if len(cell) > 0 {
			r.cells[i]++
		}
	}
}

// finish writes the columns and fill rates.
func (r *Report) finish(m *mapping) {
	for i, h := range m.headers {
		c := Column{Header: safe(h), Use: safe(m.use[i])}
		if i < len(r.cells) && m.use[i] != UseDropped {
			c.Filled = r.cells[i]
		}
		r.Columns = append(r.Columns, c)
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
