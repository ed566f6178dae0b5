package feed

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// builder makes vehicles of records.
type builder struct {
	profile *dealer.Profile
	m       *mapping
	report  *Report
	// asOf is the time "new" and "future" are judged by; zero judges nothing.
	asOf time.Time
	// scope are the rooftops that rows may be of; empty: all.
	scope                []string
	statuses, conditions map[string]string
	rooftops             map[string]string
	memos                [members]memo
	lines                [members]cellMemo
	bodyTypes            memo

	rec record
	v   *inventory.Vehicle
	why string // the feed's word for a unit that is not listed
}

func newBuilder(p *dealer.Profile, rep *Report, asOf time.Time) *builder {
	b := &builder{
		profile: p, report: rep, asOf: asOf,
		statuses: map[string]string{}, conditions: map[string]string{}, rooftops: map[string]string{}, bodyTypes: memo{},
	}
	for word, state := range p.Feed.Statuses {
		b.statuses[squash(word)] = state
	}
	for word, c := range p.Feed.Conditions {
		b.conditions[squash(word)] = c
	}
	for i := range b.memos {
		b.memos[i] = memo{}
	}
	return b
}

func (b *builder) warn(text string) { b.report.warn(b.rec.line, text) }

// at is the text of one column, as it came.
func (b *builder) at(column int) string {
	if column >= len(b.rec.fields) {
		return ""
	}
	return text(b.rec.fields[column])
}

// cell is the member's text as it came, the profile's constant where it is
// blank or says it is absent, else empty.
func (b *builder) cell(m member) string {
	for _, c := range b.m.by[m] {
		if s := b.at(c); s != "" {
			if !isAbsent(s) {
				return s
			}
		}
	}
	return b.profile.Feed.Constants[m.String()]
}

// line is the member's first column as one clean line; like cell, it falls
// back on the profile's constant.
func (b *builder) line(m member) string {
	for _, c := range b.m.by[m] {
		if c < len(b.rec.fields) {
			if s := b.lines[m].line(b.rec.fields[c]); s != "" {
				return s
			}
		}
	}
	if len(b.profile.Feed.Constants) == 0 {
		return ""
	}
	return b.profile.Feed.Constants[m.String()]
}

// build makes the vehicle, or says why the row is rejected.
func (b *builder) build(rec record) (v inventory.Vehicle, why, rejected string) {
	b.rec, b.why = rec, ""
	b.v = &v
	if reason := b.identity(); reason != "" {
		return v, "", reason
	}
	l := &v.Listing
	l.Make, l.Model, l.Trim = b.names()
	switch {
	case l.Make == "":
		return v, "", "no make"
	case l.Model == "":
		return v, "", "no model"
	}
	b.year()
	if l.Year == nil && l.VIN == "" {
		return v, "", "neither a model year nor a valid VIN"
	}
	b.state()
	b.kind()
	b.rooftop()
	if len(b.scope) > 0 && !slices.Contains(b.scope, l.Rooftop) {
		return v, "", "of a rooftop that this source is not about"
	}
	b.money()
	b.mileage()
	b.specs()
	b.electric()
	b.media()
	b.dates()
	b.attributes()
	v.Key = inventory.KeyOf(*l)
	return v, b.why, ""
}

func (b *builder) identity() string {
	l := &b.v.Listing
	raw := strings.ToUpper(unmarked(b.line(mVIN)))
	switch {
	case isVIN(raw):
		l.VIN = raw
		if !checkDigitHolds(raw) {
			b.warn("VIN with a wrong check digit")
		}
	case raw == "" || isMask(raw):
		if raw != "" {
			b.warn("VIN that is one character repeated; not used")
		}
	case isID(raw):
		l.VehicleID = raw
		b.warn("VIN that is not 17 characters of A-Z and 0-9 without I, O, Q; kept as vehicle_id")
	default:
		b.warn("VIN that names no unit; not used")
	}
	if s := unmarked(b.line(mStock)); isID(s) {
		l.Stock = s
	}
	if id := b.line(mVehicleID); isID(id) && !isMaskedID(id) {
		if upper := strings.ToUpper(id); isVIN(upper) && l.VIN == "" {
			l.VIN = upper
		} else if l.VehicleID = id; !b.m.has(mStock) && upper != l.VIN && stockLike(id) {
			l.Stock = id
		}
	}
	if l.VIN == "" && l.Stock == "" && l.VehicleID == "" {
		if !b.m.identified() {
			return "no identity (no vin, stock or id column)"
		}
		return "no vin, stock number or id"
	}
	return ""
}

func isMaskedID(s string) bool { return len(s) > 3 && isMask(s) }

func (b *builder) year() {
	s := b.line(mYear)
	if s == "" {
		return
	}
	n, ok := plainInt(strings.TrimSuffix(s, ".0"))
	if !ok || n < 1900 || n > 2100 {
		b.warn("model year that is not one from 1900 to 2100; left out")
		return
	}
	b.v.Listing.Year = number(n)
}

// names gives make, model and trim. The make is put into its usual spelling, a
// make of two words is joined when the feed cut it, and a year, make (also as
// Chevy or VW) or trim that the model repeats is taken off it.
func (b *builder) names() (maker, model, trim string) {
	raw, model, trim := b.line(mMake), b.line(mModel), b.line(mTrim)
	if raw == "" {
		return "", model, trim
	}
	if first, rest, ok := strings.Cut(model, " "); ok {
		if full := makes()[squash(raw+first)]; full != "" && makes()[squash(raw)] != full && strings.Contains(full, " ") {
			return full, strings.TrimSpace(rest), trim
		}
	}
	maker = b.memos[mMake].of(raw, func(s string) string {
		if usual := makes()[squash(s)]; usual != "" {
			return usual
		}
		return s
	})
	if year, rest, ok := strings.Cut(model, " "); ok && rest != "" && len(year) == 4 && year == b.line(mYear) {
		model = rest
	}
	for _, prefix := range []string{maker, raw} {
		if n := len(prefix); len(model) > n+1 && model[n] == ' ' && strings.EqualFold(model[:n], prefix) {
			model = strings.TrimSpace(model[n:])
		}
	}
	if first, rest, ok := strings.Cut(model, " "); ok && rest != "" && makes()[squash(first)] == maker && !inventory.OwnModel(maker, model) {
		model = rest
	}
	return maker, withoutTrim(maker, model, trim), trim
}

// withoutTrim takes the trim, or the words that it begins with, off the end of
// a model, unless the model is one of its own with them (Bronco Sport). Of a
// part of the trim only plain words count: in Silverado 1500 with trim 1500 LT
// the number belongs to both.
func withoutTrim(maker, model, trim string) string {
	for cut := len(trim); cut > 0; cut = strings.LastIndexByte(trim[:cut], ' ') {
		start, whole := trim[:cut], cut == len(trim)
		if !whole && (len(start) < 2 || strings.ContainsAny(start, "0123456789")) {
			continue
		}
		name := model
		if strings.HasSuffix(name, ")") {
			name = strings.Replace(name[:len(name)-1], "(", "", 1)
		}
		n := len(name) - len(start)
		if n > 1 && name[n-1] == ' ' && strings.EqualFold(name[n:], start) && !inventory.OwnModel(maker, model) {
			return strings.TrimSpace(name[:n])
		}
	}
	return model
}

func (b *builder) rooftop() {
	only := b.profile.Feed.Rooftop
	if r := b.profile.Rooftop(only); r != nil {
		only = r.Name
	} else if only == "" && len(b.profile.Rooftops) == 1 {
		only = b.profile.Rooftops[0].Name
	}
	b.v.Listing.Rooftop = only
	name := b.line(mRooftop)
	for _, s := range []string{name, b.line(mRooftopCode)} {
		if s == "" {
			continue
		}
		known, ok := b.rooftops[s]
		if !ok {
			if r := b.profile.Rooftop(s); r != nil {
				known = r.Name
			}
			if len(b.rooftops) < 1<<16 {
				b.rooftops[s] = known
			}
		}
		if known != "" {
			b.v.Listing.Rooftop = known
			return
		}
	}
	if name != "" {
		b.warn("rooftop " + strconv.Quote(safe(name)) + " that the profile does not know; write it among the aliases of its rooftop")
	} else if only == "" && len(b.profile.Rooftops) > 1 {
		b.warn("no rooftop named")
	}
}

func number(n int64) *aap.Int {
	v := aap.Int(n)
	return &v
}
