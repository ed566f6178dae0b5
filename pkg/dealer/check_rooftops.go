package dealer

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	// Functions run where no time zone files are installed.
	_ "time/tzdata"
)

const maxFee = 1_000_000

func checkRooftops(p *Profile, r *reader) {
	if len(p.Rooftops) == 0 {
		r.fault("rooftops", r.missing("rooftops"), "write at least one location with name, timezone and a phone or an e-mail")
	}
	taken := map[string]string{}
	name := func(path, value string) {
		if value == "" {
			return
		}
		if first, twice := taken[fold(value)]; twice {
			r.fault(path, fmt.Sprintf("%s is already %s", quote(value), first), "give every rooftop and alias a name of its own")
			return
		}
		taken[fold(value)] = path
	}
	for i := range p.Rooftops {
		f, at := &p.Rooftops[i], fmt.Sprintf("rooftops[%d]", i)
		r.required(at+".name", f.Name, maxName, "write the location's name as buyers know it")
		name(at+".name", f.Name)
		for j, alias := range f.Aliases {
			path := fmt.Sprintf("%s.aliases[%d]", at, j)
			r.required(path, alias, maxName, "write a name the feed uses, or remove the item")
			name(path, alias)
		}
		checkRooftop(f, at, r)
	}
}

func checkRooftop(f *Rooftop, at string, r *reader) {
	r.length(at+".legal_name", f.LegalName, maxGroup)
	r.length(at+".notes", f.Notes, maxText)
	if f.Website != "" {
		r.url(at+".website", f.Website)
	}
	if f.Geo != nil {
		r.degrees(at+".geo.latitude", f.Geo.Latitude, 90)
		r.degrees(at+".geo.longitude", f.Geo.Longitude, 180)
	}
	checkContacts(f, at, r)
	if f.Address != nil && f.Address.Country != "" && !countryForm.MatchString(f.Address.Country) {
		fix := "write the two-letter ISO 3166 code, such as US"
		if c := countries[plain(f.Address.Country)]; c != "" {
			fix = "write " + c
		}
		r.fault(at+".address.country", quote(f.Address.Country)+" is not a country code", fix)
	}
	f.location = r.zone(at+".timezone", f.Timezone)
	var names []string
	for i, s := range f.Hours {
		path := fmt.Sprintf("%s.hours[%d]", at, i)
		r.length(path+".name", s.Name, maxName)
		names = append(names, s.Name)
		checkWeek(s, path, r)
	}
	r.unique(at+".hours", names)
	checkHolidays(f, at+".holidays", r)
	checkFees(at+".fees", f.Fees, r)
	r.unique(at+".capabilities", f.Capabilities)
	for i, tag := range f.Capabilities {
		r.required(fmt.Sprintf("%s.capabilities[%d]", at, i), tag, maxName, "write a tag such as motorcycle_sales, or remove the item")
	}
}

func checkContacts(f *Rooftop, at string, r *reader) {
	if len(f.Phones) == 0 && len(f.Emails) == 0 && !r.broken[at+".phones"] && !r.broken[at+".emails"] {
		r.fault(at, "has neither phone nor e-mail, and every ADF lead names one of its vendor's",
			"add phones: [{value: \"+14155550100\"}] or emails: [{value: sales@example.com}]")
	}
	for i, c := range f.Phones {
		path := fmt.Sprintf("%s.phones[%d]", at, i)
		r.length(path+".name", c.Name, maxName)
		r.phone(path+".value", c.Value)
	}
	for i, c := range f.Emails {
		path := fmt.Sprintf("%s.emails[%d]", at, i)
		r.length(path+".name", c.Name, maxName)
		r.email(path+".value", c.Value)
	}
}

var (
	countryForm = regexp.MustCompile(`^[A-Z]{2}$`)
	hoursForm   = regexp.MustCompile(`^((?:[01][0-9]|2[0-3]):[0-5][0-9])-((?:[01][0-9]|2[0-3]):[0-5][0-9])$`)
	looseHours  = regexp.MustCompile(`^(?i)([0-9]{1,2})(?::?([0-5][0-9]))? ?([ap]m)? ?(?:-|–|to) ?([0-9]{1,2})(?::?([0-5][0-9]))? ?([ap]m)?$`)

	countries = map[string]string{
		"us": "US", "usa": "US", "unitedstates": "US", "unitedstatesofamerica": "US", "america": "US",
		"ca": "CA", "can": "CA", "canada": "CA", "mx": "MX", "mex": "MX", "mexico": "MX",
	}
	zones = map[string]string{
		"est": "America/New_York", "edt": "America/New_York", "et": "America/New_York", "eastern": "America/New_York", "est5edt": "America/New_York",
		"cst": "America/Chicago", "cdt": "America/Chicago", "ct": "America/Chicago", "central": "America/Chicago", "cst6cdt": "America/Chicago",
		"mst": "America/Denver", "mdt": "America/Denver", "mt": "America/Denver", "mountain": "America/Denver", "mst7mdt": "America/Denver",
		"pst": "America/Los_Angeles", "pdt": "America/Los_Angeles", "pt": "America/Los_Angeles", "pacific": "America/Los_Angeles", "pst8pdt": "America/Los_Angeles",
		"arizona": "America/Phoenix", "alaska": "America/Anchorage", "akst": "America/Anchorage", "hawaii": "Pacific/Honolulu", "hst": "Pacific/Honolulu",
		"gmt": "UTC", "z": "UTC",
	}
)

var weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

func checkWeek(s Schedule, at string, r *reader) {
	if len(s.Days) == 0 {
		r.fault(at+".days", r.missing(at+".days"), "write at least one day, such as monday: \"09:00-19:00\"")
	}
	for _, day := range sortedKeys(s.Days) {
		path := at + ".days." + day
		if !r.oneOf(path, day, weekdays...) {
			continue
		}
		checkHours(path, s.Days[day], r)
	}
}

func checkHours(path, value string, r *reader) {
	part := hoursForm.FindStringSubmatch(value)
	switch {
	case value == "closed":
	case part == nil:
		r.fault(path, quote(value)+" is not opening hours", hoursFix(value))
	case part[1] >= part[2]:
		r.fault(path, "closes at "+part[2]+", not after it opens at "+part[1], "write the earlier time first; a day ends at 23:59")
	}
}

// hoursFix reads the usual other ways to write opening hours.
func hoursFix(value string) string {
	if strings.EqualFold(value, "closed") {
		return "write closed"
	}
	if m := looseHours.FindStringSubmatch(value); m != nil {
		opens, closes := clock24(m[1], m[2], m[3]), clock24(m[4], m[5], m[6])
		if later := clock24(m[4], m[5], "pm"); closes <= opens && m[6] == "" {
			closes = later // nobody closes before they open: 9-6 ends in the evening
		}
		if hours := opens + "-" + closes; hoursForm.MatchString(hours) {
			return `write "` + hours + `"`
		}
	}
	return `write "09:00-19:00" on a 24 hour clock, or closed`
}

// clock24 writes a time of day on a 24 hour clock; half is am, pm or nothing.
func clock24(hour, minute, half string) string {
	h := 0
	fmt.Sscan(hour, &h)
	switch half = strings.ToLower(half); {
	case half == "pm" && h < 12:
		h += 12
	case half == "am" && h == 12:
		h = 0
	}
	if minute == "" {
		minute = "00"
	}
	return fmt.Sprintf("%02d:%s", h, minute)
}

func checkFees(path string, fees []Fee, r *reader) {
	var names []string
	for i, fee := range fees {
		at := fmt.Sprintf("%s[%d]", path, i)
		r.required(at+".name", fee.Name, maxName, "write what the charge is for, such as Documentation fee")
		names = append(names, fee.Name)
		switch {
		case !r.has(at + ".amount"):
			r.fault(at+".amount", "is missing", "write it in whole US dollars, such as 499")
		case fee.Amount < 0:
			r.fault(at+".amount", "is negative, and a fee is no discount", "write 0 or more, or remove the item")
		case fee.Amount > maxFee:
			r.fault(at+".amount", fmt.Sprintf("%d dollars is more than a fee can be", fee.Amount), "write whole US dollars, not cents")
		}
	}
	r.unique(path, names)
}

func (r *reader) degrees(path string, value, limit float64) {
	if !r.has(path) {
		r.fault(path, "is missing", "write it in degrees, such as 39.75, or remove geo")
	} else if !(value >= -limit && value <= limit) {
		r.fault(path, fmt.Sprintf("%v is out of range", value), fmt.Sprintf("write degrees from -%v to %v", limit, limit))
	}
}

func (r *reader) zone(path, name string) *time.Location {
	fix := "write an IANA name, such as America/Denver"
	if name == "" {
		r.fault(path, r.missing(path), fix)
		return nil
	}
	// Names without an area, such as MST, keep no daylight saving time.
	if name == "UTC" || strings.Contains(name, "/") {
		if l, err := time.LoadLocation(name); err == nil {
			return l
		}
	}
	if z := zones[plain(strings.TrimSuffix(strings.ToLower(name), " time"))]; z != "" {
		fix = "write " + z
	} else if _, err := time.LoadLocation("America/" + strings.ReplaceAll(name, " ", "_")); err == nil {
		fix = "write America/" + strings.ReplaceAll(name, " ", "_")
	}
	r.fault(path, quote(name)+" is not an IANA time zone", fix)
	return nil
}
