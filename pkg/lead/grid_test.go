package lead_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// calendarProfile is a dealer with one rooftop that books test drives.
func calendarProfile(t counter, zone, hours, holidays, policy string) *dealer.Profile {
	t.Helper()
	days := ""
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		days += fmt.Sprintf("%s: %q, ", day, hours)
	}
	p, err := dealer.Parse([]byte(fmt.Sprintf(`id: harbor-motors
name: Harbor Motor Group
rooftops:
  - name: Harbor
    timezone: %s
    phones: [{value: "+13605550101"}]
    hours: [{days: {%s}}]
    holidays: {%s}
delivery: [{name: outbox, type: file, folder: outbox}]
leads: {appointments: {test_drive: {mode: auto, %s}}}
`, zone, strings.TrimSuffix(days, ", "), holidays, policy)))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p
}

func gridOf(p *dealer.Profile) lead.Grid {
	return lead.Grid{Rooftop: &p.Rooftops[0], Policy: p.Leads.Appointments["test_drive"]}
}

// naive walks a date of the zone's calendar minute by minute, as somebody does
// who opens the door when the clock first shows the opening time and closes it
// when it then first shows the closing time.
func naive(date time.Time, zone *time.Location, from, until, slot, buffer int) []lead.Span {
	var minutes []time.Time
	begun := false
	for at := date.Add(-30 * time.Hour); at.Before(date.Add(54 * time.Hour)); at = at.Add(time.Minute) {
		y, m, d := at.In(zone).Date()
		today := y == date.Year() && m == date.Month() && d == date.Day()
		later := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).After(date)
		shows := at.In(zone).Hour()*60 + at.In(zone).Minute()
		if !begun {
			if later {
				return nil
			}
			begun = today && shows >= from
		}
		if begun {
			if later || today && shows >= until {
				break
			}
			minutes = append(minutes, at)
		}
	}
	var slots []lead.Span
	for i := 0; i+slot <= len(minutes); i += slot + buffer {
		slots = append(slots, lead.Span{Start: minutes[i], End: minutes[i].Add(time.Duration(slot) * time.Minute)})
	}
	return slots
}

func TestSlotsAreThoseOfAMinuteByMinuteWalk(t *testing.T) {
	zones := []string{
		"America/Los_Angeles", "America/Denver", "America/Phoenix", "America/St_Johns", "Australia/Lord_Howe", "Australia/Adelaide",
		"Asia/Kolkata", "Asia/Kathmandu", "Pacific/Chatham", "Pacific/Apia", "Pacific/Kiritimati", "America/Sao_Paulo", "Asia/Beirut",
		"Africa/Cairo", "Atlantic/Azores", "America/Havana", "Europe/Dublin", "Antarctica/Troll", "Africa/Casablanca", "UTC",
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(zones).Draw(rt, "zone")
		from := rapid.IntRange(0, 23*60+49).Draw(rt, "from")
		until := rapid.IntRange(from+10, 24*60-1).Draw(rt, "until")
		slot := min(rapid.SampledFrom([]int{5, 7, 30, 45, 60, 90}).Draw(rt, "slot"), until-from)
		if slot < 5 {
			slot = 5
		}
		buffer := rapid.SampledFrom([]int{0, 0, 10, 45}).Draw(rt, "buffer")
		zone, err := time.LoadLocation(name)
		if err != nil {
			rt.Fatal(err)
		}
		date := time.Date(rapid.SampledFrom([]int{2011, 2018, 2024, 2026, 2027}).Draw(rt, "year"), 1, 1, 0, 0, 0, 0, time.UTC).
			AddDate(0, 0, rapid.IntRange(0, 364).Draw(rt, "day"))
		if rapid.Bool().Draw(rt, "near a change of the clock") {
			if _, end := date.In(zone).ZoneBounds(); !end.IsZero() && end.Year() < 2035 {
				y, m, d := end.In(zone).AddDate(0, 0, rapid.IntRange(-1, 1).Draw(rt, "off")).Date()
				date = time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
			}
		}
		p := calendarProfile(rt, name, fmt.Sprintf("%02d:%02d-%02d:%02d", from/60, from%60, until/60, until%60), "",
			fmt.Sprintf("slot: %dm, buffer: %dm", slot, buffer))
		got := gridOf(p).Day(date.Date())
		want := naive(date, zone, from, until, slot, buffer)
		if !slices.EqualFunc(got, want, lead.Span.Equal) {
			rt.Fatalf("%s, %s: slots\n%v\nwant\n%v", name, date.Format(time.DateOnly), got, want)
		}
	})
}

// Over a whole year, day by day and at once, each slot exists once.
func TestNoSlotOfAYearExistsTwiceOrNever(t *testing.T) {
	for _, zone := range []string{"America/Los_Angeles", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia", "Africa/Casablanca"} {
		for _, year := range []int{2011, 2018, 2024, 2026} {
			g := gridOf(calendarProfile(t, zone, "00:00-23:59", "", "slot: 30m"))
			from := time.Date(year, 1, 1, 0, 0, 0, 0, g.Rooftop.Location())
			to := from.AddDate(1, 0, 0)
			seen := map[time.Time]bool{}
			var daily []lead.Span
			for date := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC); date.Year() == year; date = date.AddDate(0, 0, 1) {
				daily = append(daily, g.Day(date.Date())...)
			}
			for i, s := range daily {
				if seen[s.Start] || i > 0 && s.Start.Before(daily[i-1].End) {
					t.Fatalf("%s: the slot of %s is there twice or overlaps", zone, s.Start)
				}
				seen[s.Start] = true
			}
			runs := g.Runs(from, to.Add(-time.Second), 1)
			if len(runs) != len(daily) {
				t.Errorf("%s %d: %d slots at once, %d day by day", zone, year, len(runs), len(daily))
			}
		}
	}
}

func TestTheClocksJumpLosesAndDoublesNoSlot(t *testing.T) {
	for _, v := range []struct{ name, zone, date, hours, slot, want string }{
		{"spring", "America/Los_Angeles", "2026-03-08", "01:00-05:00", "1h", "01:00-08:00 03:00-07:00 04:00-07:00"},
		{"autumn", "America/Los_Angeles", "2026-11-01", "00:30-03:30", "1h", "00:30-07:00 01:30-07:00 01:30-08:00 02:30-08:00"},
		{"opens in the gap", "America/Los_Angeles", "2026-03-08", "02:30-05:00", "30m", "03:00-07:00 03:30-07:00 04:00-07:00 04:30-07:00"},
		{"open in the gap only", "America/Los_Angeles", "2026-03-08", "02:00-02:59", "30m", ""},
		{"half an hour in spring", "Australia/Lord_Howe", "2026-10-04", "01:00-04:00", "30m", "01:00+10:30 01:30+10:30 02:30+11:00 03:00+11:00 03:30+11:00"},
		{"half an hour in autumn", "Australia/Lord_Howe", "2026-04-05", "01:00-02:30", "30m", "01:00+11:00 01:30+11:00 01:30+10:30 02:00+10:30"},
		{"a date that the calendar skips", "Pacific/Apia", "2011-12-30", "09:00-11:00", "1h", ""},
		{"the leap day", "America/Denver", "2028-02-29", "09:00-11:00", "1h", "09:00-07:00 10:00-07:00"},
		{"midnight is skipped", "America/Sao_Paulo", "2018-11-04", "00:00-02:30", "30m", "01:00-02:00 01:30-02:00 02:00-02:00"},
		{"a slot ends with the day", "America/Denver", "2026-06-01", "23:00-23:59", "30m", "23:00-06:00"},
	} {
		date, err := time.Parse(time.DateOnly, v.date)
		if err != nil {
			t.Fatal(err)
		}
		g := gridOf(calendarProfile(t, v.zone, v.hours, "", "slot: "+v.slot))
		var got []string
		for _, s := range g.Day(date.Date()) {
			got = append(got, s.Start.In(g.Rooftop.Location()).Format("15:04-07:00"))
		}
		if strings.Join(got, " ") != v.want {
			t.Errorf("%s: %s, want %s", v.name, strings.Join(got, " "), v.want)
		}
	}
}
