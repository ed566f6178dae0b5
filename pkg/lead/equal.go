package lead

import (
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// equals are the duplicate keys of a lead: one for the buyer's e-mail address
// and one for the phone number, each bound to what the lead asks for. Two
// leads are equal when they share one. Message, consent, source agent and
// submission time do not count; vehicle, trade-in and appointment do, because
// a buyer who picks another time after a proposal sends a new lead.
func equals(dealerID string, req *aap.LeadRequest, doc map[string]any) []string {
	wants := []any{
		wantedVehicle(doc["vehicle_of_interest"]),
		folded(emptyIsNil(doc["trade_in"])),
		wantedVisit(req.Appointment, doc["appointment"]),
	}
	var out []string
	for _, who := range [][2]string{
		{"email", strings.ToLower(strings.TrimSpace(req.Customer.Email))},
		{"phone", req.Customer.Phone},
	} {
		if who[1] != "" {
			out = append(out, digest([]any{dealerID, who[0], who[1], wants}))
		}
	}
	return out
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
	return folded(emptyIsNil(v))
}

// wantedVisit is the kind of visit and its time as an instant: the same moment
// in another offset is the same wish.
func wantedVisit(a *aap.Appointment, v any) any {
	if a == nil {
		return nil
	}
	at := a.AppointmentAt
	if t, err := parseTime(at); err == nil {
		at = t.UTC().Format(time.RFC3339Nano)
	}
	visit, _ := v.(map[string]any)
	return []any{a.AppointmentType, at, visit["duration_minutes"]}
}

func emptyIsNil(v any) any {
	if m, ok := v.(map[string]any); ok && len(m) == 0 {
		return nil
	}
	return v
}

// folded is v with letter case and outer blanks taken off every text.
func folded(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for name, member := range x {
			out[name] = folded(member)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = folded(item)
		}
		return out
	case string:
		return strings.ToLower(strings.TrimSpace(x))
	}
	return v
}

// parseTime reads an RFC 3339 time; the RFC allows small letters, which
// time.Parse refuses.
func parseTime(s string) (time.Time, error) {
	return time.Parse(time.RFC3339, strings.ToUpper(s))
}
