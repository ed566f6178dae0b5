package dealer

import (
	"slices"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Information is what dealer.information tells about the dealer. It shares no
// memory with the profile.
func (p *Profile) Information() aap.Information {
	out := aap.Information{Name: p.Name, WelcomeMessage: p.WelcomeMessage, Rooftops: make([]aap.Rooftop, len(p.Rooftops))}
	for i := range p.Rooftops {
		out.Rooftops[i] = p.Rooftops[i].Wire()
	}
	return out
}

// Wire is the rooftop as AAP writes it. Aliases stay inside.
func (r *Rooftop) Wire() aap.Rooftop {
	out := aap.Rooftop{
		Name: r.Name, LegalName: r.LegalName, Website: r.Website,
		Emails: wireContacts(r.Emails), Phones: wireContacts(r.Phones),
		Timezone: r.Timezone, Notes: r.Notes,
		Fees: wireFees(r.Fees), Capabilities: slices.Clone(r.Capabilities),
	}
	if g := r.Geo; g != nil {
		out.Geo = &aap.Geo{Latitude: g.Latitude, Longitude: g.Longitude}
	}
	if a := r.Address; a != nil {
		out.Address = &aap.Address{
			Country: a.Country, State: a.State, City: a.City,
			AddressLine1: a.Line1, AddressLine2: a.Line2, Zip: a.Zip,
		}
	}
	for _, s := range r.Hours {
		week := aap.Schedule{Name: s.Name, Value: make(map[string]*aap.Hours, len(s.Days))}
		for day, hours := range s.Days {
			week.Value[day] = nil
			if part := hoursForm.FindStringSubmatch(hours); part != nil {
				week.Value[day] = &aap.Hours{Open: part[1], Close: part[2]}
			}
		}
		out.Schedules = append(out.Schedules, week)
	}
	return out
}

func wireContacts(in []Contact) []aap.NamedValue {
	var out []aap.NamedValue
	for _, c := range in {
		out = append(out, aap.NamedValue{Name: c.Name, Value: c.Value})
	}
	return out
}

// wireFees keeps the difference between not disclosed (nil) and none (empty).
func wireFees(in []Fee) []aap.Fee {
	if in == nil {
		return nil
	}
	out := make([]aap.Fee, len(in))
	for i, f := range in {
		out[i] = aap.Fee{Name: f.Name, Amount: aap.Int(f.Amount)}
	}
	return out
}
