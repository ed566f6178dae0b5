package lead

import (
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// What of the customer a lead gives and allows. Channels count only where the
// lead has the contact data they need.
const (
	givesEmail = 1 << iota
	givesPhone
	allowsEmail
	allowsPhone
	allowsSMS
)

// equals are the duplicate keys of a lead: its own, made of what it asks for,
// its contact data and the channels that may be used; and those of every lead
// that asks for the same and brings less. So a repeat is a duplicate only when
// one earlier lead already told the dealer all of it. Message, consent text,
// source agent and submission time do not count; vehicle, trade-in and
// appointment do, because a buyer who picks another time after a proposal
// sends a new lead.
//
// asked is the buyer's own word for the kind of visit: of several that an
// older contract tells apart, the newest makes one.
func equals(dealerID string, req *aap.LeadRequest, doc map[string]any, asked string) (own string, poorer []string) {
	wants := digestOf([]any{
		wantedVehicle(doc["vehicle_of_interest"]),
		emptyIsNil(doc["trade_in"]),
		wantedVisit(req.Appointment, doc["appointment"], asked),
	}, folded)
	email, phone := foldMail(req.Customer.Email), strings.TrimSpace(req.Customer.Phone)
	key := func(brings int) string {
		parts := []any{dealerID, wants, nil, nil, brings&allowsEmail != 0, brings&allowsPhone != 0, brings&allowsSMS != 0}
		if brings&givesEmail != 0 {
			parts[2] = email
		}
		if brings&givesPhone != 0 {
			parts[3] = phone
		}
		return digest(parts)
	}
	all := brings(email, phone, Channels(req.Customer, req.Consent))
	if !reachable(all) {
		return "", nil
	}
	for some := all - 1; some > 0; some-- {
		if some&^all == 0 && reachable(some) {
			poorer = append(poorer, key(some))
		}
	}
	return key(all), poorer
}

func brings(email, phone string, channels []string) int {
	all := 0
	if email != "" {
		all |= givesEmail
	}
	if phone != "" {
		all |= givesPhone
	}
	for _, channel := range channels {
		all |= map[string]int{"email": allowsEmail, "phone": allowsPhone, "sms": allowsSMS}[channel]
	}
	return all
}

// reachable reports whether a lead can bring this: at least one channel, and
// the contact data of each.
func reachable(brings int) bool {
	switch {
	case brings&(allowsEmail|allowsPhone|allowsSMS) == 0,
		brings&allowsEmail != 0 && brings&givesEmail == 0,
		brings&(allowsPhone|allowsSMS) != 0 && brings&givesPhone == 0:
		return false
	}
	return true
}

// wantedVehicle reduces a vehicle to its strongest identifier, so that a
// repeat that copies a newer price or description is still equal; a vehicle
// without one counts with all it says.
func wantedVehicle(v any) any {
	vehicle, _ := v.(map[string]any)
	text := func(name string) string { s, _ := vehicle[name].(string); return s }
	switch {
	case text("vin") != "":
		return []any{"vin", text("vin")}
	case text("stock") != "":
		return []any{"stock", inventory.FoldID(text("stock")), inventory.FoldID(text("rooftop"))}
	case text("vehicle_id") != "":
		return []any{"vehicle_id", inventory.FoldID(text("vehicle_id")), inventory.FoldID(text("rooftop"))}
	}
	return emptyIsNil(v)
}

// wantedVisit is the kind of visit and its time as an instant: the same moment
// in another offset is the same wish.
func wantedVisit(a *aap.Appointment, v any, asked string) any {
	if a == nil {
		return nil
	}
	at := a.AppointmentAt
	if t, err := parseTime(at); err == nil {
		at = t.UTC().Format(time.RFC3339Nano)
	}
	visit, _ := v.(map[string]any)
	wish := []any{a.AppointmentType, at, visit["duration_minutes"]}
	if asked != a.AppointmentType {
		wish = append(wish, asked)
	}
	return wish
}

func emptyIsNil(v any) any {
	if m, ok := v.(map[string]any); ok && len(m) == 0 {
		return nil
	}
	return v
}

// folded takes letter case and outer blanks off a text.
func folded(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// parseTime reads an RFC 3339 time; the RFC allows small letters, which
// time.Parse refuses.
func parseTime(s string) (time.Time, error) {
	return time.Parse(time.RFC3339, strings.ToUpper(s))
}
