package lead_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// booker is a shop in Los Angeles, where noon is 5 in the morning of a
// Wednesday, that is open from 9 to 17 and books test drives of an hour.
func booker(t counter, policy string) *shop { return booking(open(), t, policy) }

func booking(s *shop, t counter, policy string) *shop {
	t.Helper()
	id := s.profile.ID
	s.profile = calendarProfile(t, "America/Los_Angeles", "09:00-17:00", "2026-06-12: closed, 2026-06-13: 10:00-12:00", "slot: 1h"+policy)
	s.profile.ID = id
	return s
}

// drive is a test drive at a time, of a buyer by number.
func drive(buyer int, at string) document {
	d := baseLead().with("/customer/email", fmt.Sprintf("buyer-%d@example.com", buyer)).with("/customer/phone", fmt.Sprintf("+1303%07d", buyer)).
		with("/appointment/appointment_type", "test_drive")
	if at != "" {
		d.with("/appointment/appointment_at", at)
	}
	return d
}

// slots tells who takes what, such as "06-10 09:00 2" for two.
func (s *shop) slots(t counter) []string {
	t.Helper()
	zone := s.profile.Rooftops[0].Location()
	all, err := s.store.Slots(context.Background(), s.profile.ID, "Harbor", "test_drive", noon.AddDate(-1, 0, 0), noon.AddDate(2, 0, 0), noon)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var out []string
	for _, slot := range all {
		out = append(out, fmt.Sprintf("%s %d", slot.Start.In(zone).Format("01-02 15:04"), len(slot.Leads)))
	}
	return out
}

// said is the outcome in short.
func said(a taken) string {
	v := a.Appointment
	if v == nil {
		return "none"
	}
	return strings.TrimSpace(v.Status + " " + v.ConfirmedAt + strings.Join(v.ProposedTimes, " "))
}

func TestAFreeSlotIsConfirmedAndEveryOtherTimeIsProposedOrLeftToPeople(t *testing.T) {
	const nine, ten, eleven, four = "2026-06-10T09:00:00-07:00", "2026-06-10T10:00:00-07:00", "2026-06-10T11:00:00-07:00", "2026-06-10T16:00:00-07:00"
	for _, v := range []struct{ name, policy, at, want string }{
		{"a free slot", "", nine, "confirmed " + nine},
		{"in another offset", "", "2026-06-10T18:00:00+02:00", "confirmed " + nine},
		{"in UTC with a fraction of nothing", "", "2026-06-10T16:00:00.000Z", "confirmed " + nine},
		{"in small letters", "", "2026-06-10t16:00:00z", "confirmed " + nine},
		{"the last slot of the day", "", four, "confirmed " + four},
		{"half a second late", "", "2026-06-10T09:00:00.5-07:00", "proposed " + nine + " " + ten + " " + eleven},
		{"between two slots, both equally near", "", "2026-06-10T10:30:00-07:00", "proposed " + ten + " " + eleven + " " + nine},
		{"at closing time", "", "2026-06-10T17:00:00-07:00", "proposed " + four + " 2026-06-10T15:00:00-07:00 2026-06-10T14:00:00-07:00"},
		{"in the night", "", "2026-06-11T01:00:00-07:00", "proposed 2026-06-11T09:00:00-07:00 " + four + " 2026-06-11T10:00:00-07:00"},
		{"on a holiday", "", "2026-06-12T12:00:00-07:00", "proposed 2026-06-11T16:00:00-07:00 2026-06-11T15:00:00-07:00 2026-06-11T14:00:00-07:00"},
		{"on a day with other hours", "", "2026-06-13T11:00:00-07:00", "confirmed 2026-06-13T11:00:00-07:00"},
		{"before that day begins", "", "2026-06-13T09:00:00-07:00", "proposed 2026-06-13T10:00:00-07:00 2026-06-13T11:00:00-07:00 2026-06-14T09:00:00-07:00"},
		{"too soon", "lead_time: 5h", nine, "proposed " + ten + " " + eleven + " 2026-06-10T12:00:00-07:00"},
		{"in a minute", "", "2026-06-10T12:01:00Z", "proposed " + nine + " " + ten + " " + eleven},
		{"just before now", "", "2026-06-10T11:59:59Z", "requested"},
		{"long ago", "", "1999-01-01T00:00:00Z", "requested"},
		{"the last day of the horizon", "horizon: 2d", "2026-06-11T16:00:00-07:00", "confirmed 2026-06-11T16:00:00-07:00"},
		{"past the horizon", "horizon: 2d", "2026-06-15T09:00:00-07:00", "requested"},
		{"far past the horizon", "", "9999-12-31T23:59:59Z", "requested"},
		{"a year ahead", "horizon: 366d", "2027-06-10T09:00:00-07:00", "confirmed 2027-06-10T09:00:00-07:00"},
		{"no time", "", "", "requested"},
		{"a date", "", "2026-06-10", "requested"},
		{"no offset", "", "2026-06-10T09:00:00", "requested"},
		{"no time at all", "", "tomorrow", "requested"},
		{"a leap second", "", "2026-06-10T16:59:60Z", "requested"},
	} {
		t.Run(v.name, func(t *testing.T) {
			policy := v.policy
			if policy != "" {
				policy = ", " + policy
			}
			s := booker(t, policy)
			a := s.accept(t, drive(1, v.at).bytes())
			if got := said(a); got != v.want {
				t.Fatalf("got  %s\nwant %s", got, v.want)
			}
			want := 0
			if a.Appointment.Status == aap.AppointmentConfirmed {
				want = 1
			}
			if got := s.slots(t); len(got) != want {
				t.Errorf("slots %v", got)
			}
			if a.Appointment.AppointmentID == "" || a.Dealer.Phone == "" || !strings.Contains(a.message, map[string]string{
				"confirmed": "is booked for", "proposed": "is not booked", "requested": "requested, not booked"}[a.Appointment.Status]) {
				t.Errorf("answer %s", a.raw)
			}
		})
	}
}

func TestOnlyTypesAndRooftopsThatAreAutomaticAreBooked(t *testing.T) {
	s := booker(t, "")
	for _, kind := range []string{"sales", "service", "trade_in"} {
		if a := s.accept(t, drive(1, "2026-06-10T09:00:00-07:00").with("/appointment/appointment_type", kind).bytes()); said(a) != "requested" {
			t.Errorf("%s: %s", kind, said(a))
		}
	}
	manual := open()
	if a := manual.accept(t, drive(1, "2026-06-10T09:00:00-07:00").bytes()); said(a) != "requested" {
		t.Errorf("manual: %s", said(a))
	}
}

func TestALongVisitTakesSlotsInARow(t *testing.T) {
	s := booker(t, ", buffer: 30m") // 09:00, 10:30, 12:00, 13:30, 15:00
	if a := s.accept(t, drive(1, "2026-06-10T09:00:00-07:00").with("/appointment/duration_minutes", 150).bytes()); said(a) != "confirmed 2026-06-10T09:00:00-07:00" {
		t.Fatal(said(a))
	}
	if got := s.slots(t); !slices.Equal(got, []string{"06-10 09:00 1", "06-10 10:30 1"}) {
		t.Fatalf("slots %v", got)
	}
	for minutes, want := range map[any]string{
		60:  "proposed 2026-06-10T12:00:00-07:00 2026-06-10T13:30:00-07:00 2026-06-10T15:00:00-07:00",
		151: "proposed 2026-06-10T12:00:00-07:00 2026-06-11T09:00:00-07:00 2026-06-11T10:30:00-07:00",
		// Longer than any day.
		600:  "requested",
		1e15: "requested",
	} {
		if a := s.accept(t, drive(2, "2026-06-10T10:30:00-07:00").with("/appointment/duration_minutes", minutes).bytes()); said(a) != want {
			t.Errorf("%v minutes: %s, want %s", minutes, said(a), want)
		}
	}
}

func TestAProposedTimeSubmittedAgainIsBooked(t *testing.T) {
	s := booker(t, "")
	s.accept(t, drive(1, "2026-06-10T09:00:00-07:00").bytes())
	first := s.accept(t, drive(2, "2026-06-10T09:00:00-07:00").bytes())
	if first.Appointment.Status != aap.AppointmentProposed {
		t.Fatal(first.raw)
	}
	second := s.accept(t, drive(2, first.Appointment.ProposedTimes[0]).bytes())
	if said(second) != "confirmed "+first.Appointment.ProposedTimes[0] || second.LeadID == first.LeadID || second.Status != aap.LeadReceived {
		t.Fatal(second.raw)
	}
	// Either wish again is answered as before, and takes nothing.
	for at, want := range map[string]taken{"2026-06-10T09:00:00-07:00": first, first.Appointment.ProposedTimes[0]: second} {
		if again := s.accept(t, drive(2, at).bytes()); again.LeadID != want.LeadID || said(again) != said(want) || again.Status != aap.LeadDuplicate {
			t.Errorf("again: %s, want %s", again.raw, want.raw)
		}
	}
	if got := s.slots(t); !slices.Equal(got, []string{"06-10 09:00 1", "06-10 10:00 1"}) {
		t.Errorf("slots %v", got)
	}
}

func TestARefusedLeadTakesNoSlot(t *testing.T) {
	s := booker(t, "")
	s.refuse(t, drive(1, "2026-06-10T09:00:00-07:00").with("/consent/expires_at", "2026-06-10T11:59:59Z").bytes(), aap.InvalidConsent)
	s.refuse(t, drive(1, "2026-06-10T09:00:00-07:00").with("/vehicle_of_interest/vin", vinGhost).bytes(), aap.VehicleNotFound)
	first := s.accept(t, drive(1, "2026-06-10T09:00:00-07:00").with("/idempotency_key", "k").bytes())
	s.refuse(t, drive(1, "2026-06-10T10:00:00-07:00").with("/idempotency_key", "k").bytes(), aap.IdempotencyConflict)
	if got := s.slots(t); !slices.Equal(got, []string{"06-10 09:00 1"}) || said(first) == "requested" {
		t.Errorf("slots %v, %s", got, first.raw)
	}
}

func TestWindowsOfTheOldestContractAreTriedInTheirOrder(t *testing.T) {
	window := func(pairs ...string) []any {
		var out []any
		for i := 0; i < len(pairs); i += 2 {
			w := map[string]any{"start": pairs[i]}
			if pairs[i+1] != "" {
				w["end"] = pairs[i+1]
			}
			out = append(out, w)
		}
		return out
	}
	for _, v := range []struct {
		name, kind, want string
		windows          []any
	}{
		{"the start alone", "test_drive", "confirmed 2026-06-10T10:00:00-07:00", window("2026-06-10T17:00:00Z", "")},
		{"room inside", "test_drive", "confirmed 2026-06-10T11:00:00-07:00", window("2026-06-10T17:30:00Z", "2026-06-10T20:00:00Z")},
		{"the first one is taken", "test_drive", "confirmed 2026-06-10T15:00:00-07:00",
			window("2026-06-10T16:00:00Z", "2026-06-10T17:00:00Z", "2026-06-10T22:00:00Z", "2026-06-11T00:00:00Z")},
		{"too short", "test_drive", "proposed 2026-06-10T10:00:00-07:00 2026-06-10T11:00:00-07:00 2026-06-10T12:00:00-07:00",
			window("2026-06-10T17:00:00Z", "2026-06-10T17:45:00Z")},
		{"begun already", "test_drive", "confirmed 2026-06-10T10:00:00-07:00", window("2026-06-10T00:00:00Z", "2026-06-10T18:00:00Z")},
		{"backwards", "test_drive", "confirmed 2026-06-10T10:00:00-07:00", window("2026-06-10T17:00:00Z", "2026-06-10T16:00:00Z")},
		{"all of them past", "test_drive", "requested", window("2026-06-09T17:00:00Z", "", "2026-06-01T17:00:00Z", "2026-06-02T17:00:00Z")},
		{"a call", "phone_call", "requested", window("2026-06-10T17:00:00Z", "")},
	} {
		t.Run(v.name, func(t *testing.T) {
			s := booker(t, "")
			s.profile.Leads.Appointments["sales"] = s.profile.Leads.Appointments["test_drive"]
			s.accept(t, drive(1, "2026-06-10T09:00:00-07:00").bytes())
			a := s.acceptUnder(t, "v0.1", oldLead().with("/appointment", map[string]any{"appointment_type": v.kind, "requested_windows": v.windows}).bytes())
			if said(a) != v.want {
				t.Errorf("got  %s\nwant %s", said(a), v.want)
			}
		})
	}
}

// What was booked under other settings keeps its time and is seen.
func TestChangedSettingsSeeWhatIsBooked(t *testing.T) {
	s := booker(t, ", capacity: 3")
	for buyer := range 3 {
		s.accept(t, drive(buyer, "2026-06-10T10:00:00-07:00").bytes())
	}
	for _, v := range []struct{ name, hours, policy, at, want string }{
		{"less capacity", "09:00-17:00", "slot: 1h, capacity: 1", "2026-06-10T10:00:00-07:00", "proposed 2026-06-10T09:00:00-07:00 2026-06-10T11:00:00-07:00 2026-06-10T12:00:00-07:00"},
		{"other hours", "09:30-17:00", "slot: 1h", "2026-06-10T10:30:00-07:00", "proposed 2026-06-10T11:30:00-07:00 2026-06-10T12:30:00-07:00 2026-06-10T13:30:00-07:00"},
		{"longer slots", "08:00-17:00", "slot: 3h, capacity: 3", "2026-06-10T08:00:00-07:00", "proposed 2026-06-10T11:00:00-07:00 2026-06-10T14:00:00-07:00 2026-06-11T08:00:00-07:00"},
		{"shorter slots", "09:00-17:00", "slot: 30m, capacity: 3", "2026-06-10T10:30:00-07:00", "proposed 2026-06-10T11:00:00-07:00 2026-06-10T09:30:00-07:00 2026-06-10T11:30:00-07:00"},
		{"shorter slots with more room", "09:00-17:00", "slot: 30m, capacity: 4", "2026-06-10T10:30:00-07:00", "confirmed 2026-06-10T10:30:00-07:00"},
		{"and no more room after that", "09:00-17:00", "slot: 30m, capacity: 4", "2026-06-10T10:30:00-07:00", "proposed 2026-06-10T10:00:00-07:00 2026-06-10T11:00:00-07:00 2026-06-10T09:30:00-07:00"},
		{"closed now", "13:00-17:00", "slot: 1h", "2026-06-10T13:00:00-07:00", "confirmed 2026-06-10T13:00:00-07:00"},
	} {
		id := s.profile.ID
		s.profile = calendarProfile(t, "America/Los_Angeles", v.hours, "", v.policy)
		s.profile.ID = id
		if a := s.accept(t, drive(100+len(s.leads(t)), v.at).bytes()); said(a) != v.want {
			t.Errorf("%s: %s\nwant %s", v.name, said(a), v.want)
		}
	}
}

func TestAClockSetBackFindsTheSlotStillTaken(t *testing.T) {
	s := booker(t, "")
	s.accept(t, drive(1, "2026-06-10T09:00:00-07:00").bytes())
	s.setClock(noon.AddDate(0, 0, 5))
	s.accept(t, drive(2, "2026-06-16T09:00:00-07:00").with("/consent/granted_at", "2026-06-15T11:00:00Z").bytes())
	s.setClock(noon)
	if a := s.accept(t, drive(3, "2026-06-10T09:00:00-07:00").bytes()); a.Appointment.Status != aap.AppointmentProposed {
		t.Error(a.raw)
	}
}

func TestAFullHorizonIsLeftToPeople(t *testing.T) {
	s := open()
	s.profile = calendarProfile(t, "America/Los_Angeles", "09:00-17:00", "", "slot: 4h, horizon: 3d")
	var confirmed int
	var last taken
	for buyer := range 8 {
		last = s.accept(t, drive(buyer, "2026-06-11T09:00:00-07:00").bytes())
		for last.Appointment.Status == aap.AppointmentProposed {
			last = s.accept(t, drive(buyer, last.Appointment.ProposedTimes[0]).bytes())
		}
		if last.Appointment.Status == aap.AppointmentConfirmed {
			confirmed++
		}
	}
	if confirmed != 6 || last.Appointment.Status != aap.AppointmentRequested {
		t.Errorf("%d of 6 slots booked, and then %s", confirmed, last.raw)
	}
	if got := s.slots(t); len(got) != 6 {
		t.Errorf("slots %v", got)
	}
}
