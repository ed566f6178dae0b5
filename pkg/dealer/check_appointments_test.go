package dealer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// openHours is a rooftop with sales and service hours and two holidays.
const openHours = `hours: [{name: Sales, days: {monday: "09:00-19:00", saturday: "10:00-12:00", sunday: closed}}, ` +
	`{name: Service, days: {monday: "07:30-18:00"}}]` + "\n" + `holidays: {2026-12-25: closed, 2026-12-28: "10:00-13:00"}`

func booking(policy string) string {
	return rooftopWith(openHours) + "leads: {appointments: {test_drive: {mode: auto" + policy + "}}}\n"
}

func TestEachMistakeOfTheCalendarIsRefusedWithWhatToWriteInstead(t *testing.T) {
	const at = "leads.appointments.test_drive"
	for _, c := range []mistake{
		{"nobody knows when it is open", with("leads: {appointments: {test_drive: {mode: auto}}}\n"), at, `rooftop "Main Street" has none`, "add hours to rooftops[0]"},
		{"an unknown mode", with("leads: {appointments: {test_drive: {mode: automatic}}}\n"), at + ".mode", "is not known", "auto"},
		{"a slot of seconds", booking(", slot: 90s"), at + ".slot", "not whole minutes", "30m"},
		{"a slot of nothing", booking(", slot: 0s"), at + ".slot", "out of range", "5m to 12h"},
		{"a slot of days", booking(", slot: 2d"), at + ".slot", "out of range", "5m to 12h"},
		{"a slot longer than any day", booking(", slot: 11h"), at + ".slot", "longer than any rooftop is open", "shorter"},
		{"a buffer of seconds", booking(", buffer: 10s"), at + ".buffer", "not whole minutes", "10m"},
		{"no room", booking(", capacity: 0"), at + ".capacity", "out of range", "write 1"},
		{"no horizon", booking(", horizon: 0s"), at + ".horizon", "out of range", "366d"},
		{"an endless horizon", booking(", horizon: 400d"), at + ".horizon", "out of range", "366d"},
		{"a lead time past the horizon", booking(", horizon: 2d, lead_time: 2d"), at + ".lead_time", "not shorter than the horizon", "less than 48h"},
		{"an unknown schedule", booking(", schedule: Servise"), at + ".schedule", "no rooftop has hours named", "write Service"},
		{"a schedule of rooftops without names", with("leads: {appointments: {sales: {mode: auto, schedule: Sales}}}\n"), "leads.appointments.sales.schedule", "no rooftop has hours", "remove it"},
		{"two sources of hours", booking(`, schedule: Sales, days: {monday: "09:00-10:00"}`), at + ".schedule", "exclude each other", "remove one"},
		{"an unknown day", booking(`, days: {mon: "09:00-10:00", monday: "09:00-10:00"}`), at + ".days.mon", "is not known", "monday"},
		{"hours that end before they begin", booking(`, days: {monday: "19:00-09:00", tuesday: "09:00-10:00"}`), at + ".days.monday", "closes at 09:00", "earlier"},
		{"days without a slot", booking(`, days: {monday: "09:00-09:10", sunday: closed}`), at + ".days", "no day", "shorter slot"},
		{"leads forgotten before their visits", rooftopWith(openHours) + "leads: {retention: 20d, appointments: {test_drive: {mode: auto}}}\n", "leads.retention", "shorter than the horizon", "730d"},
		{"a holiday that is no date", rooftopWith("holidays: {2026-02-30: closed}"), "rooftops[0].holidays.2026-02-30", "is not a date", "2026-12-25"},
		{"a holiday in American order", rooftopWith("holidays: {12/25/2026: closed}"), "rooftops[0].holidays.12/25/2026", "is not a date", "2026-12-25"},
		{"a holiday of half a word", rooftopWith("holidays: {2026-12-25: 9-5}"), "rooftops[0].holidays.2026-12-25", "not opening hours", "09:00-17:00"},
	} {
		t.Run(c.name, c.hold)
	}
}

func TestVisitsAreOpenByScheduleHolidayOrDaysOfTheirOwn(t *testing.T) {
	for _, v := range []struct{ policy, date, want string }{
		{"", "2026-12-21", "9h0m0s-19h0m0s"}, // a Monday
		{"", "2026-12-26", "10h0m0s-12h0m0s"},
		{"", "2026-12-27", "closed"},
		{"", "2026-12-22", "closed"}, // unknown
		{"", "2026-12-25", "closed"},
		{"", "2026-12-28", "10h0m0s-13h0m0s"},
		{", schedule: service", "2026-12-21", "7h30m0s-18h0m0s"},
		{", schedule: Service", "2026-12-26", "closed"},
		{", schedule: Service", "2026-12-28", "10h0m0s-13h0m0s"},
		{`, days: {friday: "11:00-12:00"}`, "2026-12-18", "11h0m0s-12h0m0s"},
		{`, days: {friday: "11:00-12:00"}`, "2026-12-21", "closed"},
		{`, days: {friday: "11:00-12:00"}`, "2026-12-25", "closed"},
	} {
		p, err := dealer.Parse([]byte(booking(v.policy)))
		if err != nil {
			t.Fatal(err)
		}
		date, err := time.Parse(time.DateOnly, v.date)
		if err != nil {
			t.Fatal(err)
		}
		policy := p.Leads.Appointments["test_drive"]
		got := "closed"
		if from, until, open := policy.OpenOn(&p.Rooftops[0], date.Year(), date.Month(), date.Day()); open {
			got = fmt.Sprintf("%s-%s", from, until)
		}
		if got != v.want {
			t.Errorf("%s on %s: %s, want %s", v.policy, v.date, got, v.want)
		}
	}
	p, err := dealer.Parse([]byte(booking("")))
	if err != nil {
		t.Fatal(err)
	}
	a := p.Leads.Appointments["test_drive"]
	if a.Slot.Std() != 30*time.Minute || a.Buffer != 0 || a.Capacity != 1 || a.LeadTime.Std() != 2*time.Hour || a.Horizon.Std() != 30*24*time.Hour {
		t.Errorf("defaults are %+v", a)
	}
	if !a.Decides(&p.Rooftops[0]) || a.Decides(nil) || p.Leads.Appointments["sales"].Decides(&p.Rooftops[0]) {
		t.Error("who decides is wrong")
	}
}
