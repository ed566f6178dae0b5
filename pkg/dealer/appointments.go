package dealer

import (
	"strings"
	"time"
)

// Appointment modes.
const (
	AppointmentManual = "manual"
	AppointmentAuto   = "auto"
)

// AppointmentPolicy says who decides about a visit.
type AppointmentPolicy struct {
	// Mode is manual, where the answer is "requested" and a person follows up,
	// or auto: a free slot is booked at once, else the nearest free ones are
	// proposed. Default manual. What follows counts for auto alone.
	Mode string `yaml:"mode"`
	// Slot is how long one visit lasts, in whole minutes, 5m to 12h; the first
	// one of a day begins when the rooftop opens. Default 30m. A buyer who asks
	// for longer takes several in a row.
	Slot Duration `yaml:"slot"`
	// Buffer is left free after each slot, in whole minutes, at most 12h.
	// Default 0s.
	Buffer Duration `yaml:"buffer"`
	// Capacity is how many visits of this type one rooftop takes in the same
	// slot, 1 to 500. Default 1.
	Capacity int `yaml:"capacity"`
	// LeadTime is how long before a slot it can still be booked. Default 2h.
	LeadTime Duration `yaml:"lead_time"`
	// Horizon is how far ahead a slot can be booked, at most 366d. Default 30d.
	Horizon Duration `yaml:"horizon"`
	// Schedule names the one of a rooftop's hours that counts, such as Service;
	// a rooftop without it leaves these visits to its people. Default: the
	// rooftop's first one, which every rooftop must have then.
	Schedule string `yaml:"schedule"`
	// Days are hours of their own for these visits at every rooftop, in the
	// form of a schedule's days and in its place. Optional.
	Days map[string]string `yaml:"days"`
}

// week is the weekly hours of the rooftop for these visits; nil when it leaves
// them to its people.
func (a AppointmentPolicy) week(r *Rooftop) map[string]string {
	if a.Days != nil {
		return a.Days
	}
	for _, s := range r.Hours {
		if a.Schedule == "" || strings.EqualFold(s.Name, a.Schedule) {
			return s.Days
		}
	}
	return nil
}

// Decides reports whether visits to the rooftop are booked without a person.
func (a AppointmentPolicy) Decides(r *Rooftop) bool {
	return a.Mode == AppointmentAuto && r != nil && a.week(r) != nil
}

// OpenOn tells when the rooftop is open for these visits on a date of its own
// calendar, as the time since midnight that its clock shows; false when it is
// closed or the hours are not known. A holiday wins over the week.
func (a AppointmentPolicy) OpenOn(r *Rooftop, year int, month time.Month, day int) (from, until time.Duration, open bool) {
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	hours, special := "", false
	if len(r.Holidays) > 0 {
		hours, special = r.Holidays[date.Format(time.DateOnly)]
	}
	if !special {
		hours = a.week(r)[weekdays[(date.Weekday()+6)%7]]
	}
	return clockHours(hours)
}

// clockHours reads "09:00-19:00", which was checked at load.
func clockHours(hours string) (from, until time.Duration, ok bool) {
	if len(hours) != len("09:00-19:00") || hours[2] != ':' || hours[5] != '-' || hours[8] != ':' {
		return 0, 0, false
	}
	clock := func(s string) time.Duration {
		h, m := time.Duration(s[0]-'0')*10+time.Duration(s[1]-'0'), time.Duration(s[3]-'0')*10+time.Duration(s[4]-'0')
		return h*time.Hour + m*time.Minute
	}
	return clock(hours[:5]), clock(hours[6:]), true
}
