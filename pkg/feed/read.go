package feed

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// Source is one export file.
type Source struct {
	// Name is shown in the report; it decides nothing.
	Name string
	// Size in bytes, 0 when unknown.
	Size int64
	// Modified is when the dealer's system wrote the file; a time inside the
	// file wins over it.
	Modified time.Time
	Body     io.Reader
}

// maxVehicles caps the units of one file.
const maxVehicles = 500_000

// rows is a table whatever its format. A row is good until the next call; the
// columns may grow from row to row.
type rows interface {
	columns() []string
	next() (record, error)
}

// Read reads a whole export and normalises it by the profile. On a *Refusal
// the report still says what was found. Other errors come from src.Body or ctx.
func Read(ctx context.Context, src Source, p *dealer.Profile) (inventory.Batch, Report, error) {
	rep := newReport(src.Name)
	r := &reader{profile: p, report: &rep, vouched: src.Modified}
	batch, err := r.read(ctx, src)
	if r.m != nil {
		rep.finish(r.m)
	}
	var refusal *Refusal
	if errors.As(err, &refusal) {
		if r.m != nil && len(refusal.Headers) == 0 {
			for i, h := range r.m.headers {
				if i == maxListed {
					break
				}
				refusal.Headers = append(refusal.Headers, safe(h))
			}
		}
		rep.Refused = refusal.Error()
	}
	if err != nil {
		return inventory.Batch{}, rep, err
	}
	return batch, rep, nil
}

type reader struct {
	profile *dealer.Profile
	report  *Report
	vouched time.Time
	table   rows
	m       *mapping
	b       *builder
	units   []inventory.Vehicle
	at      map[string]int // position by key
	stocks  map[string]string
}

func (r *reader) refuse(format string, args ...any) error {
	return &Refusal{Reason: fmt.Sprintf(format, args...)}
}

func (r *reader) read(ctx context.Context, src Source) (inventory.Batch, error) {
	in, encoding, err := decode(src.Body)
	if err != nil {
		return inventory.Batch{}, fmt.Errorf("read the feed: %w", err)
	}
	if err := r.open(in, encoding); err != nil {
		return inventory.Batch{}, err
	}
	r.remap(r.table.columns())
	r.b = newBuilder(r.profile, r.report, r.vouched)
	r.b.m = r.m
	guess := int(min(max(src.Size, 0)/1000, 20_000))
	r.units, r.at, r.stocks = make([]inventory.Vehicle, 0, guess), make(map[string]int, guess), make(map[string]string, guess)
	if err := r.rows(ctx); err != nil {
		return inventory.Batch{}, err
	}
	if r.report.Rows == 0 {
		return inventory.Batch{}, r.refuse("the file has no row")
	}
	if !r.m.identified() {
		return inventory.Batch{}, r.refuse("no column is a VIN, a stock number or an id; map one in feed.columns")
	}
	if r.report.Accepted == 0 {
		return inventory.Batch{}, r.refuse("none of the %d rows is a vehicle: %s", r.report.Rows, commonest(r.report.RejectedBy))
	}
	r.asOf()
	r.mappingWarnings()
	r.report.FeedTime = r.vouched
	return inventory.Batch{Vehicles: r.units, VouchedAt: r.vouched}, nil
}

// open chooses how the file is read.
func (r *reader) open(in *bufio.Reader, encoding string) error {
	head, _ := in.Peek(window)
	kind := form(head)
	switch kind {
	case formText:
	case formJSON:
		r.report.Format, r.report.Encoding = kind, encoding
		r.table = &objects{s: scanner{r: in, line: 1}, feed: r.profile.Feed, index: map[string]int{}, costs: map[string]bool{}}
		return nil
	default:
		r.report.Format = kind
		return r.refuse("the file is %s, which is not read; send delimited text with a header, or JSON", kind)
	}
	table, err := openRecords(newLines(in), knownColumns(r.profile.Feed))
	switch {
	case errors.Is(err, io.EOF):
		return r.refuse("the file is empty")
	case errors.Is(err, errHeader):
		return r.refuse("%v", err)
	case err != nil:
		return fmt.Errorf("read the feed: %w", err)
	}
	r.report.Encoding = encoding
	r.report.Format = map[byte]string{',': "comma", '\t': "tab", '|': "pipe", ';': "semicolon"}[table.s.delim]
	if r.report.Format == "" {
		r.report.Format = fmt.Sprintf("delimiter %q", table.s.delim)
	}
	r.report.Format += "-separated text"
	r.table = table
	r.remap(table.columns())
	if knownColumns(r.profile.Feed)(table.header) == 0 {
		return r.refuse("no column of the header is known; map the columns in feed.columns")
	}
	return nil
}

func (r *reader) remap(headers []string) {
	r.m = newMapping(headers, r.profile.Feed)
	if r.b != nil {
		r.b.m = r.m
	}
}

func (r *reader) rows(ctx context.Context) error {
	objects, _ := r.table.(*objects)
	for {
		if r.report.Rows%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		rec, err := r.table.next()
		switch {
		case errors.Is(err, io.EOF):
			if objects != nil {
				r.stamp(objects)
			}
			return nil
		case errors.Is(err, errSyntax) || errors.Is(err, io.ErrUnexpectedEOF) && objects != nil:
			return r.refuse("the JSON breaks off or is not well-formed (%s)", safe(err.Error()))
		case err != nil:
			return fmt.Errorf("read the feed: %w", err)
		}
		if objects != nil && objects.changed {
			r.remap(objects.columns())
		}
		r.report.Rows++
		r.row(rec)
		if len(r.units) > maxVehicles {
			return r.refuse("more than %d vehicles", maxVehicles)
		}
	}
}

func (r *reader) row(rec record) {
	if rec.problem != "" {
		r.report.reject(rec.line, rec.problem)
		return
	}
	v, why, rejected := r.b.build(rec)
	if rec.mended {
		r.report.warn(rec.line, "quotes in the wrong place; the row was read all the same")
	}
	if rec.latin {
		r.report.warn(rec.line, "text that is not UTF-8; read as Windows-1252")
	}
	if rec.short {
		r.report.warn(rec.line, "fewer fields than the header; the missing ones are blank")
	}
	if rejected != "" {
		r.report.reject(rec.line, rejected)
		return
	}
	if first, ok := r.at[v.Key]; ok {
		r.report.merge(rec.line, repeated(&r.units[first], &v))
		return
	}
	if s := v.Listing.Stock; s != "" {
		id := v.Listing.Rooftop + "/" + inventory.FoldID(s)
		if _, ok := r.stocks[id]; ok {
			r.report.warn(rec.line, "stock number that another unit of the file has too")
		}
		r.stocks[id] = v.Key
	}
	r.at[v.Key] = len(r.units)
	r.units = append(r.units, v)
	r.report.count(&v)
	if !v.State.Listed() {
		r.report.hide(why)
	}
}

// repeated names what differs between the kept row and a later one.
func repeated(kept, other *inventory.Vehicle) string {
	differ := differences(kept, other)
	if len(differ) == 0 {
		return "the same unit again"
	}
	return "the same unit again; differs in " + strings.Join(differ, ", ")
}

// stamp takes the time a JSON document gives itself, unless it lies ahead of
// the file's own.
func (r *reader) stamp(o *objects) {
	if o.stamp.IsZero() || !r.vouched.IsZero() && o.stamp.After(r.vouched.Add(24*time.Hour)) {
		return
	}
	r.vouched = o.stamp
	if len(r.m.headers) == 0 && len(o.seen) > 0 {
		r.remap(o.seen)
	}
}

// asOf keeps a row's own time from being later than the file's.
func (r *reader) asOf() {
	if r.vouched.IsZero() {
		return
	}
	limit := r.vouched.UTC().Format(time.RFC3339)
	for i := range r.units {
		if l := &r.units[i].Listing; l.UpdatedAt > limit {
			l.UpdatedAt = limit
		}
	}
}

func (r *reader) mappingWarnings() {
	for _, s := range r.m.missing {
		r.report.warn(0, "feed.columns names a column that the file does not have: "+s)
	}
	for _, s := range r.m.refused {
		r.report.warn(0, "feed.columns names a column about what the dealer paid; it is never read: "+s)
	}
	if len(r.m.clashes) > 0 {
		used := safe(r.m.headers[r.m.by[mPrice][0]])
		r.report.warn(0, "several price columns; "+used+" is used, not "+strings.Join(r.m.clashes, ", ")+"; feed.columns.price can name another")
	}
	for _, s := range r.m.saleOnly {
		r.report.warn(0, "price column "+s+" may hold for some buyers only; it is used when feed.columns.price names it")
	}
}

func commonest(reasons map[string]int) string {
	best := ""
	for _, reason := range sortedKeys(reasons) {
		if best == "" || reasons[reason] > reasons[best] {
			best = reason
		}
	}
	return best
}
