package lead

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// accept makes the answer to a new lead: the result, and a message with the
// next step that holds nothing of the buyer. visit is nil when the lead asks for
// none.
func accept(leadID string, req *aap.LeadRequest, p *dealer.Profile, f found, visit *outcome) (Answer, error) {
	result := aap.LeadResult{LeadID: leadID, Status: aap.LeadReceived, Dealer: contact(p, f.rooftop)}
	sentences := []string{fmt.Sprintf("%s received the lead and will follow up%s.", business(p, f.rooftop), by(req.Customer))}
	if f.note != "" {
		sentences = append(sentences, f.note)
	}
	if visit != nil {
		result.Appointment = &visit.result
		sentences = append(sentences, visit.said)
	}
	data, err := aap.AppendValue(nil, result)
	return Answer{Data: data, Message: strings.Join(sentences, " ")}, err
}

func (a Answer) reply() aap.Reply { return aap.Reply{Data: a.Data, Message: a.Message} }

// visitWords names a kind of visit, in the words of whatever contract.
func visitWords(kind string) string {
	visit := map[string]string{
		aap.AppointmentSales:     "sales visit",
		aap.AppointmentService:   "service visit",
		aap.AppointmentTestDrive: "test drive",
		aap.AppointmentTradeIn:   "trade-in appraisal",
		"showroom_visit":         "showroom visit",
		"handover":               "handover",
		"phone_call":             "phone call",
		"video_call":             "video call",
		"trade_in_appraisal":     "trade-in appraisal",
	}[kind]
	if visit == "" {
		visit = "visit"
	}
	return visit
}

func nextStep(a *aap.Appointment, kind string, now time.Time) string {
	visit := visitWords(kind)
	at, err := parseTime(a.AppointmentAt)
	switch {
	case a.AppointmentAt == "":
		return "The " + visit + " is requested, not booked; the dealer will propose a time."
	case err == nil && at.Before(now):
		return "The " + visit + " is requested, not booked; the time asked for has passed, so the dealer will propose another."
	}
	return "The " + visit + " is requested, not booked; the dealer will confirm the time."
}

// by names the preferred channel where the customer can be reached on it.
func by(who aap.Customer) string {
	switch {
	case who.PreferredContact == "email" && who.Email != "":
		return " by email"
	case who.PreferredContact == "phone" && who.Phone != "":
		return " by phone"
	case who.PreferredContact == "sms" && who.Phone != "":
		return " by text message"
	}
	return ""
}

func business(p *dealer.Profile, r *dealer.Rooftop) string {
	name := p.Name
	if r != nil {
		name = r.Name
	}
	const long = 200
	if runes := []rune(name); len(runes) > long {
		return string(runes[:long]) + "…"
	}
	return name
}

// contact is whom the buyer calls: the rooftop, or the group under its own
// name when only another rooftop has a phone.
func contact(p *dealer.Profile, r *dealer.Rooftop) *aap.DealerContact {
	if r == nil {
		return nil
	}
	if phone := firstPhone(r); phone != "" {
		return &aap.DealerContact{Name: r.Name, Phone: phone}
	}
	for i := range p.Rooftops {
		if phone := firstPhone(&p.Rooftops[i]); phone != "" {
			return &aap.DealerContact{Name: p.Name, Phone: phone}
		}
	}
	return &aap.DealerContact{Name: r.Name}
}

// e164 is the form the response schema demands.
var e164 = regexp.MustCompile(`^\+[1-9][0-9]{1,14}$`)

func firstPhone(r *dealer.Rooftop) string {
	for _, phone := range r.Phones {
		if e164.MatchString(phone.Value) {
			return phone.Value
		}
	}
	return ""
}
