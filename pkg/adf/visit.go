package adf

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// appointment words the visit with its times on the rooftop's clock, and never
// calls one booked that is not.
func (d *document) appointment(a *aap.Appointment) []string {
	what := "appointment (" + a.AppointmentType + ")"
	switch a.AppointmentType {
	case aap.AppointmentTestDrive:
		what = "test-drive"
	case aap.AppointmentTradeIn:
		what = "appointment (trade-in)"
	}
	if v := d.visit; v != nil {
		return []string{d.standing(what, v)}
	}
	told := d.told()
	if at, ok := parseTime(told.ConfirmedAt); ok {
		return []string{"Booked " + what + ": " + d.local(at) + "."}
	}
	when := "time to be agreed"
	if at, ok := parseTime(a.AppointmentAt); ok {
		when = d.local(at)
	} else if a.AppointmentAt != "" {
		when = a.AppointmentAt
	}
	said := []string{"Requested " + what + ": " + when + "."}
	var offered []string
	for _, text := range told.ProposedTimes {
		if at, ok := parseTime(text); ok {
			offered = append(offered, d.local(at))
		}
	}
	if len(offered) > 0 {
		said = append(said, "Not booked; offered to the buyer: "+strings.Join(offered, ", ")+".")
	}
	if a.DurationMinutes != nil {
		said = append(said, "Duration: "+whole(a.DurationMinutes)+" minutes.")
	}
	return said
}

// standing words a booked visit as it stands now.
func (d *document) standing(what string, v *lead.Visit) string {
	when := d.local(v.Start)
	if v.State == lead.Cancelled {
		return "Cancelled " + what + ": " + when + "."
	}
	when += ", " + strconv.Itoa(int(v.End.Sub(v.Start)/time.Minute)) + " minutes"
	if len(v.History) > 0 && !v.History[0].Start.Equal(v.Start) {
		when += ", moved from " + d.local(v.History[0].Start)
	}
	return "Booked " + what + ": " + when + "."
}

// told is the outcome that the buyer was told; empty when there was none.
func (d *document) told() aap.AppointmentResult {
	answer := d.record.Answer.Data
	if !d.record.Booked() && !bytes.Contains(answer, []byte(`"proposed_times"`)) {
		return aap.AppointmentResult{}
	}
	var data struct {
		Appointment aap.AppointmentResult `json:"appointment"`
	}
	_ = json.Unmarshal(answer, &data) // what does not read says nothing
	return data.Appointment
}

func (d *document) local(at time.Time) string { return localTime(at, d.rooftop.Location()) }
