package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
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
	// Rooftops are those whose whole stock the file is, by name: rows of others
	// are rejected, and cars of others stay as they are. Rows that name none are
	// of the only one. Empty: all.
	Rooftops []string
}

// maxVehicles caps the units of one file.
const maxVehicles = 500_000

// rows is a table whatever its format. A row is good until the next call; the
// columns may grow from row to row.
type rows interface {
	columns() []string
	next() (record, error)
}

// document is a table whose columns are paths, known only as rows are read.
type document interface {
	rows
	kind() string
	grown() bool
	// at is when the document says it was made, or zero.
	at() time.Time
	// skipped counts what may be vehicles and was not read, by name.
	skipped() map[string]int
	// names are what it holds where no vehicle was found.
	names() []string
}

// Read reads a whole export and normalises it by the profile. On a *Refusal
// the report still says what was found. Other errors come from src.Body or ctx.
func Read(ctx context.Context, src Source, p *dealer.Profile) (inventory.Batch, Report, error) {
	rep := newReport(src.Name)
	rep.Prices = policyOf(p.Prices)
	r := &reader{profile: scoped(p, src.Rooftops), report: &rep, vouched: src.Modified}
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
	packing string // how the file was packed, as the report says it
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

// failed tells a fault of the file from one of the way it came.
func (r *reader) failed(err error) error {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal
	}
	return fmt.Errorf("read the feed: %w", err)
}

func (r *reader) read(ctx context.Context, src Source) (inventory.Batch, error) {
	body, cleanUp, err := r.unpack(src.Body)
	defer cleanUp()
	if err != nil {
		return inventory.Batch{}, err
	}
	in, encoding, err := decode(body, r.profile.Feed.Encoding)
	if err != nil {
		return inventory.Batch{}, r.failed(err)
	}
	if err := r.open(in, encoding); err != nil {
		return inventory.Batch{}, err
	}
	r.remap(r.table.columns())
	if table, ok := r.table.(*records); ok && known(table.header, r.profile.Feed) == 0 {
		return inventory.Batch{}, r.refuse("no column of the header is known; map the columns in feed.columns (`dealer feed map` proposes how)")
	}
	r.b = newBuilder(r.profile, r.report, r.vouched)
	r.b.scope = src.Rooftops
	r.b.m = r.m
	guess := int(min(max(src.Size, 0)/1000, 20_000))
	r.units, r.at, r.stocks = make([]inventory.Vehicle, 0, guess), make(map[string]int, guess), make(map[string]string, guess)
	if err := r.rows(ctx); err != nil {
		return inventory.Batch{}, err
	}
	if r.report.Rows == 0 {
		return inventory.Batch{}, r.refuse("the file has no row below the names of its columns; see that the export has vehicles in it")
	}
	if !r.m.identified() {
		return inventory.Batch{}, r.refuse("no column is a VIN, a stock number or an id; map one in feed.columns")
	}
	if r.report.Accepted == 0 {
		return inventory.Batch{}, r.refuse("none of the %d rows is a vehicle: %s", r.report.Rows, advised(commonest(r.report.RejectedBy)))
	}
	r.asOf()
	r.mappingWarnings()
	r.report.FeedTime = r.vouched
	return inventory.Batch{Vehicles: r.units, VouchedAt: r.vouched, Rooftops: src.Rooftops}, nil
}

// scoped is the profile as it reads a file that is about some rooftops only.
func scoped(p *dealer.Profile, rooftops []string) *dealer.Profile {
	if len(rooftops) == 0 {
		return p
	}
	q := *p
	if len(rooftops) == 1 {
		q.Feed.Rooftop = rooftops[0]
		q.Feed.Constants = maps.Clone(q.Feed.Constants)
		delete(q.Feed.Constants, mRooftop.String())
	}
	return &q
}

func (r *reader) remap(headers []string) {
	r.m = newMapping(headers, r.profile.Feed)
	if r.b != nil {
		r.b.m = r.m
	}
}

func (r *reader) rows(ctx context.Context) error {
	doc, _ := r.table.(document)
	for {
		if r.report.Rows%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		rec, err := r.table.next()
		switch {
		case errors.Is(err, io.EOF):
			if doc != nil {
				r.stamp(doc)
			}
			return nil
		case errors.Is(err, errSyntax) || errors.Is(err, io.ErrUnexpectedEOF) && doc != nil:
			return r.refuse("the %s breaks off or is not well-formed (%s)", doc.kind(), safe(err.Error()))
		case errors.Is(err, errDoctype):
			return r.refuseDoctype(err)
		case err != nil:
			return r.failed(err)
		}
		if doc != nil && doc.grown() {
			r.remap(doc.columns())
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
	r.report.fill(rec.fields)
	v, why, rejected := r.b.build(rec)
	if rec.mended {
		r.report.warn(rec.line, "quotes in the wrong place; the row was read all the same")
	}
	if rec.unclean {
		r.report.warn(rec.line, "XML that is not well-formed; the element was read all the same")
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
	r.report.count(rec.line, &v)
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

// stamp takes the time a document gives itself, unless it lies ahead of the
// file's own.
func (r *reader) stamp(d document) {
	skipped := d.skipped()
	for _, name := range sortedKeys(skipped) {
		r.report.warn(0, fmt.Sprintf("%d elements <%s> were not read as vehicles", skipped[name], safe(name)))
	}
	if len(r.m.headers) == 0 && len(d.names()) > 0 {
		r.remap(d.names())
	}
	if at := d.at(); !at.IsZero() && (r.vouched.IsZero() || !at.After(r.vouched.Add(24*time.Hour))) {
		r.vouched = at
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
