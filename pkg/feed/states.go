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
		if c < len(b.rec.fields) {
			if s := b.lines[mStatus].line(b.rec.fields[c]); s != "" {
				b.status(c, s)
			}
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

// status reads a cell of a status column. Where the column asks whether a unit
// is on hold, yes and no answer that.
func (b *builder) status(column int, word string) {
	if held, answered := parseBool(word); answered && slices.Contains(headerWords(b.m.headers[column]), "hold") {
		if held {
			b.set(inventory.Hidden, "hold")
		}
		return
	}
	b.raise(word)
}

func (b *builder) raise(word string) {
	state := b.memos[mStatus].of(word, func(s string) string {
		if state, ok := b.statuses[squash(s)]; ok {
			return state
		}
		if state, ok := vocabularies()["status"].find(s); ok {
			return state
		}
		// "Sold to ..." and "hold for ..." are what their first word says.
		first := strings.Fields(spaced(s))
		if len(first) < 2 {
			return ""
		}
		switch state := vocabularies()["status"].exact[first[0]]; state {
		case "sold", "hidden", "pending":
			return state
		}
		return ""
	})
	if state == "" {
		state = string(inventory.Hidden)
		b.warn("status " + strconv.Quote(quotable(word)) + " is unknown; the unit is hidden until feed.statuses maps it")
	}
	b.set(inventory.State(state), word)
}

func (b *builder) set(s inventory.State, word string) {
	if slices.Index(order, s) <= slices.Index(order, b.v.State) {
		return
	}
	b.v.State = s
	if !s.Listed() {
		b.why = quotable(strings.ToLower(word))
	}
}

// kind gives condition and vehicle type. Feeds put either, or a body, into
// columns called type.
func (b *builder) kind() {
	l := &b.v.Listing
	condition := b.condition(b.line(mCondition), true)
	for _, c := range b.m.by[mVehicleType] {
		if c >= len(b.rec.fields) {
			continue
		}
		s := b.lines[mVehicleType].line(b.rec.fields[c])
		if s == "" {
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
	if s := b.line(mCertified); s != "" && b.memos[mCertified].of(s, b.isCertified) != "" {
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

// isCertified reads a certified column: yes, or a word for it.
func (b *builder) isCertified(s string) string {
	if yes, ok := parseBool(s); ok && !yes || !ok && b.condition(s, false) != "cpo" {
		return ""
	}
	return "yes"
}

func (b *builder) condition(s string, must bool) string {
	if s == "" {
		return ""
	}
	c := b.memos[mCondition].of(s, func(s string) string {
		if c, ok := b.conditions[squash(s)]; ok {
			return c
		}
		c, _ := vocabularies()["condition"].find(s)
		return c
	})
	if c == "" && must {
		b.warn("condition " + strconv.Quote(quotable(s)) + " is unknown; left out")
	}
	return c
}

// vehicleType reads a type or category. Parts that disagree, or of which one is
// unknown, give no type: "motorcycle/powersports" is no promise.
func vehicleType(s string) string {
	if s == "" {
		return ""
	}
	if _, nothing := vocabularies()["unsettled"].find(s); nothing {
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
