package adf_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestTheDocumentSaysWhatBecameOfTheVisit(t *testing.T) {
	at := func(clock string) time.Time {
		when, err := time.Parse(time.RFC3339, "2026-05-03T"+clock+"-07:00")
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	booked := lead.Visit{State: lead.Booked, Span: lead.Span{Start: at("11:00:00"), End: at("11:45:00")},
		History: []lead.VisitChange{{What: lead.Booked, Start: at("11:00:00")}}}
	moved, cancelled := booked.Clone(), booked.Clone()
	moved.Span = lead.Span{Start: at("14:30:00"), End: at("15:15:00")}
	cancelled.State = lead.Cancelled
	const confirmed = `{"lead_id":"x","status":"received","appointment":{"appointment_id":"y","status":"confirmed","confirmed_at":"2026-05-03T11:00:00-07:00"}}`
	for _, v := range []struct {
		name, answer, kind string
		visit              *lead.Visit
		want               string
	}{
		{"booked", confirmed, "test_drive", &booked, "Booked test-drive: 2026-05-03 11:00 PT, 45 minutes."},
		{"booked, as told", confirmed, "test_drive", nil, "Booked test-drive: 2026-05-03 11:00 PT."},
		{"a service visit", confirmed, "service", &booked, "Booked appointment (service): 2026-05-03 11:00 PT, 45 minutes."},
		{"moved", confirmed, "test_drive", &moved, "Booked test-drive: 2026-05-03 14:30 PT, 45 minutes, moved from 2026-05-03 11:00 PT."},
		{"cancelled", confirmed, "trade_in", &cancelled, "Cancelled appointment (trade-in): 2026-05-03 11:00 PT."},
		{"proposed", `{"appointment":{"appointment_id":"y","status":"proposed","proposed_times":["2026-05-03T12:00:00-07:00","2026-05-03T17:00:00Z"]}}`, "sales", nil,
			"Requested appointment (sales): 2026-05-03 11:00 PT. Not booked; offered to the buyer: 2026-05-03 12:00 PT, 2026-05-03 10:00 PT. Duration: 60 minutes."},
		{"requested", `{"appointment":{"appointment_id":"y","status":"requested"}}`, "sales", nil, "Requested appointment (sales): 2026-05-03 11:00 PT. Duration: 60 minutes."},
		{"an answer that does not read", `{"proposed_times":`, "sales", nil, "Requested appointment (sales): 2026-05-03 11:00 PT. Duration: 60 minutes."},
	} {
		req := request()
		req.Appointment = &aap.Appointment{AppointmentType: v.kind, AppointmentAt: "2026-05-03T18:00:00Z", DurationMinutes: number(60)}
		r := record(t, req)
		r.Answer.Data = []byte(v.answer)
		xml := render(t, r, profile(t, ""), adf.Options{Visit: v.visit})
		if !strings.Contains(xml, "<comments>"+v.want+"</comments>") {
			t.Errorf("%s: %s is not in\n%s", v.name, v.want, xml)
		}
	}
}
