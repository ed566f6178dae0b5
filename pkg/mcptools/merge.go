package mcptools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// merged is the result of a search over all dealers.
type merged struct {
	Type string     `json:"type"`
	Data mergedData `json:"data"`
	// Notes say what a reader must know before comparing.
	Notes []string `json:"notes,omitempty"`
}

type mergedData struct {
	// Total adds up what the dealers that answered count; a car at two dealers
	// counts twice.
	Total    int          `json:"total"`
	Skip     int          `json:"skip"`
	Limit    int          `json:"limit"`
	Vehicles []entry      `json:"vehicles"`
	Dealers  []dealerPart `json:"dealers"`
}

// entry is one car: the offer that was vouched for last, and where else it is.
type entry struct {
	Dealer        string          `json:"dealer"`
	PriceIncludes string          `json:"price_includes"`
	Vehicle       json.RawMessage `json:"vehicle"`
	AlsoAt        []other         `json:"also_at,omitempty"`

	listing
}

// other is the same car at another dealer, or under another number.
type other struct {
	Dealer        string          `json:"dealer"`
	VehicleID     string          `json:"vehicle_id,omitempty"`
	Stock         string          `json:"stock,omitempty"`
	Price         json.RawMessage `json:"price,omitempty"`
	PriceIncludes string          `json:"price_includes"`
	UpdatedAt     string          `json:"updated_at,omitempty"`
}

// dealerPart says what became of one dealer.
type dealerPart struct {
	Dealer string `json:"dealer"`
	// Status is answered, slow, refused or failed.
	Status   string `json:"status"`
	Contract string `json:"contract,omitempty"`
	Total    int    `json:"total"`
	// Compared is how many of the dealer's cars were looked at for this page.
	Compared  int    `json:"compared"`
	Code      string `json:"code,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Message   string `json:"message,omitempty"`
	Retryable bool   `json:"retryable,omitempty"`
}

// listing is what merging reads of a vehicle.
type listing struct {
	vin     string
	updated time.Time
	// A price is compared only with prices of the same meaning.
	priced, outTheDoor bool
	// number or text is the value that is sorted by, if the vehicle has it.
	number *float64
	text   string
}

// clocksDiffer is how far another clock may run ahead.
const clocksDiffer = 10 * time.Minute

var vin = regexp.MustCompile(`^[A-HJ-NPR-Z0-9]{17}$`)

// mergeShares puts the dealers' shares together; answered is false when nobody did.
func mergeShares(ctx context.Context, q *query, shares []share) (result merged, answered bool) {
	result = merged{Type: "network.search.result", Data: mergedData{Skip: q.skip, Limit: q.limit, Vehicles: []entry{}}}
	var all []entry
	byVIN := map[string]int{}
	meanings := map[bool]bool{}
	for _, s := range shares {
		part := partOf(ctx, s)
		result.Data.Dealers = append(result.Data.Dealers, part)
		if s.err != nil {
			continue
		}
		answered = true
		result.Data.Total += s.total
		if part.Compared < min(s.total, q.depth()) {
			result.Notes = append(result.Notes, fmt.Sprintf("Only the first %d of the %d cars of %s were compared: the order of what follows them is not sure.", part.Compared, s.total, part.Dealer))
		}
		for _, raw := range s.vehicles {
			e := newEntry(q, s, raw)
			if e.priced {
				meanings[e.outTheDoor] = true
			}
			if at, seen := byVIN[e.vin]; seen && e.vin != "" {
				all[at] = together(all[at], e)
				continue
			}
			byVIN[e.vin] = len(all)
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, q.compare)
	if len(meanings) > 1 {
		result.Notes = append(result.Notes, mixedPrices(q))
	}
	if q.depth() >= deepest {
		result.Notes = append(result.Notes, fmt.Sprintf("Only the first %d cars of each dealer can be compared; narrow the filters to see more.", deepest))
	}
	if !answered {
		result.Notes = append(result.Notes, "No dealer answered; 'dealers' says why and what to do.")
	}
	result.Data.Vehicles = append(result.Data.Vehicles, all[min(q.skip, len(all)):min(q.depth(), len(all))]...)
	return result, answered
}

// mixedPrices warns where prices of two meanings stand side by side.
func mixedPrices(q *query) string {
	note := "Prices do not all include the same: see price_includes of each car, and do not compare across it."
	if q.sort.Field == "price" {
		note += " Cars whose price leaves tax, title and registration out come first, the out-the-door ones after them."
	}
	return note
}

func partOf(ctx context.Context, s share) dealerPart {
	part := dealerPart{Dealer: s.member.title(), Status: "answered", Contract: s.version.Label, Total: s.total, Compared: len(s.vehicles)}
	if s.err == nil {
		return part
	}
	if refused, ok := s.err.(*Refusal); ok {
		part.Status, part.Code = "refused", string(refused.Code)
		part.Message = "The dealer refused this search. Its own tool tells why."
		return part
	}
	f := failureOf(ctx, s.err)
	part.Status, part.Reason, part.Message, part.Retryable = "failed", f.Reason, f.Message, f.Retryable
	if f.Reason == "slow" {
		part.Status = "slow"
	}
	return part
}

// newEntry reads a vehicle. A member that is not what it should be counts as absent.
func newEntry(q *query, s share, raw json.RawMessage) entry {
	e := entry{Dealer: s.member.title(), PriceIncludes: priceMeaning(s.version), Vehicle: raw}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members) // an object, but perhaps one with faulty strings
	e.priced, e.outTheDoor = numberOf(members["price"]) != nil, s.version.PriceIsOutTheDoor
	if number := strings.ToUpper(strings.TrimSpace(textOf(members["vin"]))); vin.MatchString(number) {
		e.vin = number
	}
	// A time to come vouches for nothing: it would put its dealer first.
	if at, err := time.Parse(time.RFC3339, textOf(members["updated_at"])); err == nil && !at.After(q.now.Add(clocksDiffer)) {
		e.updated = at
	}
	switch value := members[q.sort.Field]; q.sort.Field {
	case "make", "model", "stock":
		e.text = strings.ToLower(textOf(value))
	case "updated_at":
		if !e.updated.IsZero() {
			seconds := float64(e.updated.UnixMilli())
			e.number = &seconds
		}
	default:
		e.number = numberOf(value)
	}
	return e
}

// numberOf is nil for what is no number.
func numberOf(raw json.RawMessage) *float64 {
	var number *float64
	if json.Unmarshal(raw, &number) != nil {
		return nil
	}
	return number
}

func textOf(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // anything else is no text
	return s
}

// together makes one entry of the same car twice: the one vouched for last
// stands for both, the first one where that is equal.
func together(a, b entry) entry {
	if b.updated.After(a.updated) {
		a, b = b, a
		a.AlsoAt, b.AlsoAt = b.AlsoAt, nil
	}
	var v struct {
		VehicleID any             `json:"vehicle_id"`
		Stock     any             `json:"stock"`
		Price     json.RawMessage `json:"price"`
		UpdatedAt any             `json:"updated_at"`
	}
	_ = json.Unmarshal(b.Vehicle, &v)
	o := other{Dealer: b.Dealer, Price: v.Price, PriceIncludes: b.PriceIncludes}
	o.VehicleID, _ = v.VehicleID.(string)
	o.Stock, _ = v.Stock.(string)
	o.UpdatedAt, _ = v.UpdatedAt.(string)
	a.AlsoAt = append(a.AlsoAt, o)
	return a
}

// compare is the asked order: vehicles without the value last, whichever way.
func (q *query) compare(a, b entry) int {
	if order := cmp.Compare(absent(a), absent(b)); order != 0 {
		return order
	}
	if q.sort.Field == "price" && a.outTheDoor != b.outTheDoor {
		if b.outTheDoor {
			return -1
		}
		return 1
	}
	var order int
	switch {
	case a.number != nil && b.number != nil:
		order = cmp.Compare(*a.number, *b.number)
	case a.text != "" && b.text != "":
		order = strings.Compare(a.text, b.text)
	}
	if q.sort.Order == "desc" {
		return -order
	}
	return order
}

func absent(e entry) int {
	if e.number == nil && e.text == "" {
		return 1
	}
	return 0
}
