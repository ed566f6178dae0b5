package machine_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// books makes both rooftops open every day, with holidays, and gives test
// drives, or what else is named, a policy of their own.
func books(policies string) func(string) string {
	hours := ""
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		hours += day + `: "09:00-17:00", `
	}
	lines := "    hours: [{name: Sales, days: {" + strings.TrimSuffix(hours, ", ") + "}}]\n    holidays: {2026-05-04: closed}\n"
	return func(profile string) string {
		for _, zone := range []string{"America/Los_Angeles\n", "America/Denver\n"} {
			profile = strings.Replace(profile, "    timezone: "+zone, "    timezone: "+zone+lines, 1)
		}
		return profile + "leads: {appointments: {" + policies + "}}\n"
	}
}

const hourly = "test_drive: {mode: auto, slot: 1h}"

// driveOf is a test drive of a buyer by number.
func driveOf(buyer int, at, stock string) object {
	return object{
		"customer.email": fmt.Sprintf("buyer-%d@example.com", buyer), "customer.phone": fmt.Sprintf("+1415555%04d", buyer),
		"vehicle_of_interest": object{"stock": stock}, "appointment": object{"appointment_type": "test_drive", "appointment_at": at},
	}
}

// visitSaid is the outcome of an answer in short.
func visitSaid(a answer) string {
	visit, _ := a.payload.Data["appointment"].(object)
	said := fmt.Sprint(visit["status"])
	if at, ok := visit["confirmed_at"]; ok {
		said += fmt.Sprint(" ", at)
	}
	times, _ := visit["proposed_times"].([]any)
	for _, at := range times {
		said += fmt.Sprint(" ", at)
	}
	return said
}

func TestASlotIsConfirmedProposedOrRequestedOverHTTP(t *testing.T) {
	d := open(t, books(hourly))
	for _, v := range []struct{ name, at, stock, want string }{
		{"free", "2026-05-03T18:00:00Z", "T100", "confirmed 2026-05-03T11:00:00-07:00"},
		{"taken", "2026-05-03T11:00:00-07:00", "T100", "proposed 2026-05-03T10:00:00-07:00 2026-05-03T12:00:00-07:00 2026-05-03T09:00:00-07:00"},
		{"free at the other rooftop", "2026-05-03T18:00:00Z", "S200", "confirmed 2026-05-03T12:00:00-06:00"},
		{"a holiday", "2026-05-04T11:00:00-07:00", "T100", "proposed 2026-05-03T16:00:00-07:00 2026-05-03T15:00:00-07:00 2026-05-03T14:00:00-07:00"},
		{"past the horizon", "2026-08-03T18:00:00Z", "T100", "requested"},
		{"past", "2026-04-30T18:00:00Z", "T100", "requested"},
	} {
		a := d.skill(t, lead(driveOf(len(v.name), v.at, v.stock)))
		a.want("ok")
		if got := visitSaid(a); got != v.want || a.payload.Data["status"] != "received" {
			t.Errorf("%s: %s\nwant %s", v.name, got, v.want)
		}
		contact, _ := a.payload.Data["dealer"].(object)
		if phone, _ := contact["phone"].(string); !strings.HasPrefix(phone, "+1") || a.payload.Message == "" {
			t.Errorf("%s: no phone or message: %s", v.name, a.body)
		}
	}
}

func TestAProposedTimeIsBookedWhenSubmittedAgainOverHTTP(t *testing.T) {
	d := open(t, books(hourly))
	d.skill(t, lead(driveOf(1, "2026-05-03T18:00:00Z", "T100"))).want("ok")
	first := d.skill(t, lead(driveOf(2, "2026-05-03T18:00:00Z", "T100")))
	at := strings.Fields(visitSaid(first))[1]
	second := d.skill(t, lead(driveOf(2, at, "T100")))
	if visitSaid(second) != "confirmed "+at || second.payload.Data["lead_id"] == first.payload.Data["lead_id"] {
		t.Errorf("first %s\nsecond %s", first.body, second.body)
	}
}

func TestACrowdOverHTTPFillsASlotToItsCapacity(t *testing.T) {
	d := open(t, books("test_drive: {mode: auto, slot: 1h, capacity: 3}"))
	answers := make([]answer, 24)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = d.skill(t, lead(driveOf(i, "2026-05-03T18:00:00Z", "T100"))) })
	}
	wg.Wait()
	count := map[string]int{}
	for _, a := range answers {
		a.want("ok")
		count[strings.Fields(visitSaid(a))[0]]++
	}
	if count["confirmed"] != 3 || count["proposed"] != 21 {
		t.Errorf("%v, want 3 confirmed and 21 proposed", count)
	}
}

func TestARetryOfABookingIsAnsweredEqually(t *testing.T) {
	c := startClock(noon)
	d := openLot(t, readFile(t, "testdata/feed.json"), 5, c.now, books(hourly))
	edits := driveOf(1, "2026-05-03T18:00:00Z", "T100")
	edits["idempotency_key"] = "K"
	first := d.skill(t, lead(edits))
	if visitSaid(first) != "confirmed 2026-05-03T11:00:00-07:00" {
		t.Fatal(visitSaid(first))
	}
	// Also after the visit, and after the slot of an equal lead is full.
	for _, wait := range []time.Duration{0, time.Minute, 72 * time.Hour} {
		c.advance(wait)
		if again := d.skill(t, lead(edits)); !equalJSON(t, first.payload, again.payload) {
			t.Errorf("after %s: %s", wait, again.body)
		}
	}
}

func TestTheDocumentTellsABookedTimeFromARequestedOne(t *testing.T) {
	d := open(t, books(hourly))
	for buyer, want := range []string{
		"Booked test-drive: 2026-05-03 11:00 PT, 60 minutes.",
		"Requested test-drive: 2026-05-03 11:00 PT. Not booked; offered to the buyer: 2026-05-03 10:00 PT, 2026-05-03 12:00 PT, 2026-05-03 09:00 PT.",
	} {
		a := d.skill(t, lead(driveOf(buyer, "2026-05-03T18:00:00Z", "T100")))
		id, _ := a.payload.Data["lead_id"].(string)
		var xml string
		eventually(t, "the document is there", func() bool { xml = documents(t, d)[id]; return xml != "" })
		if !strings.Contains(xml, want) || strings.Contains(xml, "Booked") != (buyer == 0) {
			t.Errorf("%s is not in\n%s", want, xml)
		}
	}
}
