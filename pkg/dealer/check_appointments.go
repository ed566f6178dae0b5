package dealer

import (
	"fmt"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

const (
	maxHolidays = 1000
	maxCapacity = 500
	// longestSlot is what the calendar of leads can hold.
	longestSlot = 12 * time.Hour
	maxHorizon  = 366 * 24 * time.Hour
)

func checkAppointments(p *Profile, r *reader) {
	types := []string{aap.AppointmentSales, aap.AppointmentService, aap.AppointmentTestDrive, aap.AppointmentTradeIn}
	for _, name := range sortedKeys(p.Leads.Appointments) {
		at := "leads.appointments." + name
		if !r.oneOf(at, name, types...) {
			continue
		}
		policy := p.Leads.Appointments[name]
		checkGrid(policy, at, r)
		if r.oneOf(at+".mode", policy.Mode, AppointmentManual, AppointmentAuto) && policy.Mode == AppointmentAuto {
			checkOpen(policy, at, p, r)
			if p.Leads.Retention < policy.Horizon {
				r.fault("leads.retention", "is shorter than the horizon of "+name+" appointments", "keep leads at least until their visits, such as 730d")
			}
		}
	}
}

func checkGrid(a AppointmentPolicy, at string, r *reader) {
	minutes := func(path string, d Duration, least, most time.Duration, fix string) {
		switch {
		case d.Std()%time.Minute != 0:
			r.fault(path, d.String()+" is not whole minutes", fix)
		case d.Std() < least || d.Std() > most:
			r.fault(path, d.String()+" is out of range", fix)
		}
	}
	minutes(at+".slot", a.Slot, 5*time.Minute, longestSlot, "write 5m to 12h, such as 30m")
	minutes(at+".buffer", a.Buffer, 0, longestSlot, "write 0s to 12h, such as 10m")
	r.between(at+".capacity", a.Capacity, 1, maxCapacity)
	switch {
	case a.Horizon == 0 || a.Horizon.Std() > maxHorizon:
		r.fault(at+".horizon", a.Horizon.String()+" is out of range", "write how far ahead visits are booked, at most 366d, such as 30d")
	case a.LeadTime >= a.Horizon:
		r.fault(at+".lead_time", "is not shorter than the horizon, so that nothing could be booked", "write less than "+a.Horizon.String())
	}
	r.length(at+".schedule", a.Schedule, maxName)
	if r.has(at + ".days") {
		checkWeek(Schedule{Days: a.Days}, at, r)
		if a.Schedule != "" {
			r.fault(at+".schedule", "and days exclude each other", "remove one of them")
		}
	}
}

// checkOpen refuses a policy that never finds a rooftop open.
func checkOpen(a AppointmentPolicy, at string, p *Profile, r *reader) {
	if a.Days != nil {
		if !fitsSlot(a.Days, a.Slot.Std()) {
			r.fault(at+".days", "have no day that is open for one slot of "+a.Slot.String(), "write longer hours, or a shorter slot")
		}
		return
	}
	found, fits := false, false
	for i := range p.Rooftops {
		f := &p.Rooftops[i]
		week := a.week(f)
		if week == nil && a.Schedule == "" {
			r.fault(at, "books by the opening hours, and rooftop "+quote(f.Name)+" has none",
				fmt.Sprintf("add hours to rooftops[%d], or days to the policy", i))
		}
		found = found || week != nil
		fits = fits || fitsSlot(week, a.Slot.Std())
	}
	switch {
	case !found && a.Schedule != "":
		fix := "remove it, or give the hours of a rooftop this name"
		if names := scheduleNames(p); len(names) > 0 {
			fix = meant(a.Schedule, names)
		}
		r.fault(at+".schedule", "no rooftop has hours named "+quote(a.Schedule), fix)
	case found && !fits:
		r.fault(at+".slot", a.Slot.String()+" is longer than any rooftop is open", "write a shorter slot")
	}
}

func scheduleNames(p *Profile) []string {
	var names []string
	for i := range p.Rooftops {
		for _, s := range p.Rooftops[i].Hours {
			if s.Name != "" && !strings.Contains("\n"+strings.Join(names, "\n")+"\n", "\n"+s.Name+"\n") {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// fitsSlot reports whether some day has room for a slot; one that is out of
// range has its fault already.
func fitsSlot(week map[string]string, slot time.Duration) bool {
	if slot > longestSlot {
		return true
	}
	for _, hours := range week {
		if from, until, ok := clockHours(hours); ok && until-from >= slot {
			return true
		}
	}
	return false
}

func checkHolidays(f *Rooftop, at string, r *reader) {
	if r.tooMany(at, len(f.Holidays), maxHolidays) {
		return
	}
	for _, date := range sortedKeys(f.Holidays) {
		path := at + "." + date
		if _, err := time.Parse(time.DateOnly, date); err != nil {
			r.fault(path, quote(date)+" is not a date", "write the year, month and day, such as 2026-12-25")
			continue
		}
		checkHours(path, f.Holidays[date], r)
	}
}
