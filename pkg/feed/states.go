package feed

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/inventory"
)

// order ranks states: where several columns speak, the one that hides most counts.
var order = []inventory.State{inventory.Available, inventory.InTransit, inventory.Pending, inventory.Hidden, inventory.Sold}

// state reads every status column. A blank one says nothing; a word nobody
// knows hides the unit.
func (b *builder) state() {
	b.v.State = inventory.Available
	for _, c := range b.m.by[mStatus] {
		if s := b.at(c); s != "" && !isAbsent(s) {
			b.raise(line1(s))
		}
	}
	if s := b.profile.Feed.Constants["status"]; s != "" && !b.m.has(mStatus) {
		b.raise(s)
	}
	if s := b.line(mSold); s != "" {
		if sold, ok := parseBool(s); ok && sold {
			b.set(inventory.Sold, "sold")
		} else if !ok {
			b.raise(s)
		}
	}
}

func (b *builder) raise(word string) {
	state, ok := b.statuses[squash(word)]
	if !ok {
		state, ok = vocabularies()["status"].find(word)
	}
	if !ok {
		state = string(inventory.Hidden)
		b.warn("status " + strconv.Quote(safe(word)) + " is unknown; the unit is hidden until feed.statuses maps it")
	}
	b.set(inventory.State(state), word)
}

func (b *builder) set(s inventory.State, word string) {
	if slices.Index(order, s) <= slices.Index(order, b.v.State) {
		return
	}
	b.v.State = s
	if !s.Listed() {
		b.why = safe(strings.ToLower(word))
	}
}

// kind gives condition and vehicle type. Feeds put either, or a body, into
// columns called type.
func (b *builder) kind() {
	l := &b.v.Listing
	condition := b.condition(b.line(mCondition), true)
	for _, c := range b.m.by[mVehicleType] {
		s := line1(b.at(c))
		if s == "" || isAbsent(s) {
			continue
		}
		if found := b.condition(s, false); found != "" {
			if condition == "" {
				condition = found
			}
			continue
		}
		if t := b.memos[mVehicleType].of(s, vehicleType); t != "" && l.VehicleType == "" {
			l.VehicleType = t
		}
	}
	if l.VehicleType == "" {
		l.VehicleType = b.memos[mVehicleType].of(b.profile.Feed.Constants["vehicle_type"], vehicleType)
	}
	if used, ok := parseBool(b.line(mUsed)); ok && condition == "" {
		condition = "new"
		if used {
			condition = "used"
		}
	}
	if certified, ok := parseBool(b.line(mCertified)); ok && certified || b.condition(b.line(mCertified), false) == "cpo" {
		if condition == "new" {
			b.warn("certified and new; the certificate is not shown")
		} else {
			condition = "cpo"
		}
	}
	if condition == "new" && l.Year != nil && !b.asOf.IsZero() && int(*l.Year) < b.asOf.Year()-2 {
		b.warn("condition new with a model year older than two years; condition left out")
		condition = ""
	}
	l.Condition = condition
}

func (b *builder) condition(s string, must bool) string {
	if s == "" {
		return ""
	}
	c, ok := b.conditions[squash(s)]
	if !ok {
		c, ok = vocabularies()["condition"].find(s)
	}
	if !ok && must {
		b.warn("condition " + strconv.Quote(safe(s)) + " is unknown; left out")
	}
	return c
}

// vehicleType reads a type or category. Parts that disagree, or of which one is
// unknown, give no type: "motorcycle/powersports" is no promise.
func vehicleType(s string) string {
	if s == "" {
		return ""
	}
	voc := vocabularies()["vehicle_type"]
	if t, ok := voc.exact[squash(s)]; ok {
		return t
	}
	all := ""
	for part := range strings.FieldsFuncSeq(s, func(c rune) bool { return c == '/' || c == ',' || c == '&' || c == '>' || c == listMark }) {
		t, ok := voc.find(part)
		if !ok || all != "" && t != all {
			return ""
		}
		all = t
	}
	return all
}
