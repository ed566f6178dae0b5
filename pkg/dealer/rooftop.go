package dealer

import (
	"slices"
	"strings"
	"time"
)

// Rooftop is one location.
type Rooftop struct {
	// Name is unique within the profile and joins vehicles and booked visits to
	// the rooftop: under another name its calendar is empty. Required.
	Name string `yaml:"name"`
	// LegalName is the registered business name. Optional.
	LegalName string `yaml:"legal_name"`
	// Aliases are other names the feed uses for this rooftop; unique, like
	// names, within the profile.
	Aliases []string `yaml:"aliases"`
	// Website is the rooftop's public site. Optional.
	Website string `yaml:"website"`
	// Geo is where the rooftop stands. Optional.
	Geo *Geo `yaml:"geo"`
	// Phones are E.164 numbers, the main one first. A rooftop needs a phone or
	// an e-mail: ADF demands one in the vendor's contact.
	Phones []Contact `yaml:"phones"`
	// Emails are plain addresses, the main one first.
	Emails []Contact `yaml:"emails"`
	// Address is the postal address. Optional.
	Address *Address `yaml:"address"`
	// Timezone is an IANA name of the form Area/City, such as America/Denver;
	// hours and appointments are read in it. Required.
	Timezone string `yaml:"timezone"`
	// Hours are weekly schedules, the sales one first.
	Hours []Schedule `yaml:"hours"`
	// Holidays maps dates such as 2026-12-25 to "closed" or to hours of their
	// own, in place of every schedule's; no appointment is booked on a date that
	// is closed. At most 1000.
	Holidays map[string]string `yaml:"holidays"`
	// Notes are for buyers, such as holiday closings; several lines are fine.
	Notes string `yaml:"notes"`
	// Fees is the complete list of mandatory, non-government charges. Absent:
	// not disclosed. An empty list: none.
	Fees []Fee `yaml:"fees"`
	// Capabilities are free tags, such as motorcycle_sales.
	Capabilities []string `yaml:"capabilities"`

	location *time.Location
}

// Location is the rooftop's time zone, parsed at load; UTC before that.
func (r *Rooftop) Location() *time.Location {
	if r == nil || r.location == nil {
		return time.UTC
	}
	return r.location
}

// Is reports whether name is the rooftop's name or one of its aliases, case
// and outer blanks aside.
func (r *Rooftop) Is(name string) bool {
	name = strings.TrimSpace(name)
	if strings.EqualFold(name, r.Name) {
		return true
	}
	return slices.ContainsFunc(r.Aliases, func(a string) bool { return strings.EqualFold(a, name) })
}

// Geo is a position in degrees.
type Geo struct {
	// Latitude runs from -90 to 90, north positive. Required.
	Latitude float64 `yaml:"latitude"`
	// Longitude runs from -180 to 180, east positive. Required.
	Longitude float64 `yaml:"longitude"`
}

// Contact is a phone number or an e-mail address with an optional label.
type Contact struct {
	// Name says whom it reaches, such as Sales. Optional.
	Name string `yaml:"name"`
	// Value is the E.164 number or the address itself. Required.
	Value string `yaml:"value"`
}

// Address is postal; every member is optional.
type Address struct {
	// Line1 is the street and number.
	Line1 string `yaml:"line1"`
	// Line2 is a suite, floor or building.
	Line2 string `yaml:"line2"`
	// City is the city or town.
	City string `yaml:"city"`
	// State is the region, best as its two-letter code.
	State string `yaml:"state"`
	// Zip is the postal code; leading zeros are kept.
	Zip string `yaml:"zip"`
	// Country is ISO 3166 alpha-2. Default US.
	Country string `yaml:"country"`
}

// Schedule is one named week.
type Schedule struct {
	// Name is the department, such as Sales. Optional.
	Name string `yaml:"name"`
	// Days maps monday … sunday to "09:00-19:00", in the rooftop's time zone,
	// or "closed"; a day that is missing is unknown. At least one day.
	Days map[string]string `yaml:"days"`
}

// Fee is a mandatory charge in whole US dollars. Names are unique in one list.
type Fee struct {
	// Name is what buyers read, 1 to 120 characters. Required.
	Name string `yaml:"name"`
	// Amount is in whole US dollars, 0 or more. Required.
	Amount int64 `yaml:"amount"`
}
