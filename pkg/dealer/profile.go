package dealer

import (
	"slices"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Profile is one dealer: a group with one or more rooftops.
type Profile struct {
	// ID names the dealer in every storage key: 1 to 63 lower-case letters,
	// digits and hyphens. It must never change once leads exist. Required.
	ID string `yaml:"id"`
	// Name is the group's name as buyers read it. Required.
	Name string `yaml:"name"`
	// WelcomeMessage greets in dealer.information. Optional.
	WelcomeMessage string `yaml:"welcome_message"`
	// Description is the sentence on the agent card. Default: one made of Name.
	Description string `yaml:"description"`
	// URL is the public base address without a trailing slash, such as
	// https://agent.example-motors.com; cards name it. Required on AWS; `dealer
	// run` fills in its own address when it is empty.
	URL string `yaml:"url"`
	// Provider is the organisation operating the agent. Optional.
	Provider *Provider `yaml:"provider"`
	// Rooftops are the locations, first one first. At least one.
	Rooftops []Rooftop `yaml:"rooftops"`
	// Skills are the offered AAP skills. Default: all five.
	Skills []string `yaml:"skills"`
	// Versions are the served AAP contracts by label. Default: [v1.3].
	Versions []string `yaml:"versions"`
	// Prices says what the feed's price column contains.
	Prices Prices `yaml:"prices"`
	// Inventory sets freshness and the guards of an import.
	Inventory Inventory `yaml:"inventory"`
	// Feed says how to read the dealer's export file.
	Feed Feed `yaml:"feed"`
	// Leads sets how leads are taken and kept.
	Leads Leads `yaml:"leads"`
	// Delivery lists where accepted leads go. At least one target when
	// lead.submit is offered.
	Delivery []Target `yaml:"delivery"`
	// ADF sets the form of the XML.
	ADF ADF `yaml:"adf"`
	// Access limits who may call and how often.
	Access Access `yaml:"access"`

	// Modified is when the document was last changed; the card's dates follow it.
	Modified time.Time `yaml:"-"`
}

// Provider is the organisation on the agent card; both members are required.
type Provider struct {
	Organization string `yaml:"organization"`
	URL          string `yaml:"url"`
}

// Rooftop is one location.
type Rooftop struct {
	// Name is unique within the profile and joins vehicles to the rooftop. Required.
	Name      string `yaml:"name"`
	LegalName string `yaml:"legal_name"`
	// Aliases are other names the feed uses for this rooftop.
	Aliases []string `yaml:"aliases"`
	Website string   `yaml:"website"`
	Geo     *Geo     `yaml:"geo"`
	// Phones are E.164 numbers, the main one first. A rooftop needs a phone or
	// an e-mail: ADF demands one in the vendor's contact.
	Phones  []Contact `yaml:"phones"`
	Emails  []Contact `yaml:"emails"`
	Address *Address  `yaml:"address"`
	// Timezone is an IANA name, such as America/Denver. Required.
	Timezone string `yaml:"timezone"`
	// Hours are weekly schedules, the sales one first.
	Hours []Schedule `yaml:"hours"`
	Notes string     `yaml:"notes"`
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
	Latitude  float64 `yaml:"latitude"`
	Longitude float64 `yaml:"longitude"`
}

// Contact is a phone number or an e-mail address with an optional label.
type Contact struct {
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
}

// Address is postal; Country is ISO 3166 alpha-2, default US.
type Address struct {
	Line1   string `yaml:"line1"`
	Line2   string `yaml:"line2"`
	City    string `yaml:"city"`
	State   string `yaml:"state"`
	Zip     string `yaml:"zip"`
	Country string `yaml:"country"`
}

// Schedule is one named week. Days maps monday … sunday to "09:00-19:00" or
// "closed"; a day that is missing is unknown.
type Schedule struct {
	Name string            `yaml:"name"`
	Days map[string]string `yaml:"days"`
}

// Fee is a mandatory charge in whole US dollars. Names are unique in one list.
type Fee struct {
	Name   string `yaml:"name"`
	Amount int64  `yaml:"amount"`
}

// Prices is the dealer's declaration about the feed's price column. Without
// one, no price is published: the number becomes list_price (AAP v1.3
// pricing-and-ftc).
type Prices struct {
	// Includes is "all_mandatory_charges" when the price column already holds
	// every mandatory charge, or "none" when AddFees must be added. Empty: not
	// declared.
	Includes string `yaml:"includes"`
	// AddFees is added to the price column when Includes is "none", and
	// published as the vehicle's fees. An empty list declares that there are
	// no mandatory charges.
	AddFees []Fee `yaml:"add_fees"`
	// Currency of amounts that carry none. Only USD is published. Default USD.
	Currency string `yaml:"currency"`
}

// Inventory sets freshness and guards.
type Inventory struct {
	// MaxAge is the age of the last good feed past which answers carry a
	// warning. Default 48h.
	MaxAge Duration `yaml:"max_age"`
	// HardMaxAge is the age past which no availability is claimed. Default 0: never.
	HardMaxAge Duration `yaml:"hard_max_age"`
	// MaxDrop is the share of listed cars, 0 to 1, that one import may remove
	// from a file or a rooftop before it is refused. Default 0.5.
	MaxDrop *float64 `yaml:"max_drop"`
	// RememberSold is how long a car that left the feed answers
	// VEHICLE_UNAVAILABLE. Default 720h.
	RememberSold Duration `yaml:"remember_sold"`
	// PageDefault and PageMax are the page sizes of inventory.search.
	// Defaults 20 and 100.
	PageDefault int `yaml:"page_default"`
	PageMax     int `yaml:"page_max"`
}

// Feed says how to read the export.
type Feed struct {
	// Columns maps an AAP vehicle member to the feed's column or JSON path; it
	// wins over the built-in header aliases. The member "price" means the
	// selling price as Prices describes it.
	Columns map[string]string `yaml:"columns"`
	// Constants fill a member that the feed lacks, such as make: Toyota.
	Constants map[string]string `yaml:"constants"`
	// Statuses maps a feed status, case folded, to available, intransit,
	// pending, sold or hidden; it wins over the built-in map.
	Statuses map[string]string `yaml:"statuses"`
	// Conditions maps a feed condition to new, used or cpo.
	Conditions map[string]string `yaml:"conditions"`
	// DateOrder is ymd, mdy or dmy for dates with slashes. Default mdy.
	DateOrder string `yaml:"date_order"`
	// MileageUnit is mi or km for columns that name no unit. Default mi.
	MileageUnit string `yaml:"mileage_unit"`
	// Rooftop is the rooftop of rows that name none. Default: the only
	// rooftop, if there is one.
	Rooftop string `yaml:"rooftop"`
}

// Leads sets how leads are taken and kept.
type Leads struct {
	// DuplicateWindow merges an equal lead of the same customer. Default 24h.
	DuplicateWindow Duration `yaml:"duplicate_window"`
	// ConsentMaxAge ends a grant that carries no expires_at. Default 0: never.
	ConsentMaxAge Duration `yaml:"consent_max_age"`
	// TestDriveNeedsVehicle refuses a test drive without a vehicle of
	// interest. Default false.
	TestDriveNeedsVehicle bool `yaml:"test_drive_needs_vehicle"`
	// IdempotencyTTL is how long a key is remembered; at least 24h. Default 168h.
	IdempotencyTTL Duration `yaml:"idempotency_ttl"`
	// Retention is how long a lead and its consent are kept. Default 17520h
	// (two years).
	Retention Duration `yaml:"retention"`
	// Appointments maps an appointment type to its policy. Absent types are manual.
	Appointments map[string]AppointmentPolicy `yaml:"appointments"`
}

// AppointmentPolicy says who decides about a visit.
type AppointmentPolicy struct {
	// Mode is manual: the answer is "requested" and a person follows up.
	Mode string `yaml:"mode"`
}

// Target is one place a lead is handed over to.
type Target struct {
	// Name is unique and appears in logs and delivery states. Required.
	Name string `yaml:"name"`
	// Type is file, https or smtp. Required.
	Type string `yaml:"type"`
	// Rooftops limits the target to leads of these rooftops. Default: all.
	Rooftops []string `yaml:"rooftops"`

	// Folder receives one <lead_id>.xml a lead (file).
	Folder string `yaml:"folder"`

	// URL receives a POST with the XML as body (https). Plain http is
	// refused, except to a loopback address.
	URL string `yaml:"url"`
	// ContentType of the POST. Default application/x-adf+xml.
	ContentType string `yaml:"content_type"`
	// Headers are added to the POST; a value "env:NAME" is read from the
	// environment at delivery.
	Headers map[string]string `yaml:"headers"`

	// Server is host:port of the mail relay (smtp).
	Server string `yaml:"server"`
	// StartTLS is required (default), opportunistic or off; off only for a
	// loopback server.
	StartTLS string `yaml:"starttls"`
	// Username and Password log in to the relay; Password is "env:NAME".
	Username string `yaml:"username"`
	Password string `yaml:"password"`
	// From, To and Subject of the mail. Subject holds no personal data; it may
	// hold {rooftop} and {lead_id}. Default "ADF lead for {rooftop}".
	From    string   `yaml:"from"`
	To      []string `yaml:"to"`
	Subject string   `yaml:"subject"`

	// Timeout of one attempt. Default 20s.
	Timeout Duration `yaml:"timeout"`
	// ASCII writes numeric character references for everything beyond ASCII,
	// for receivers that want it.
	ASCII bool `yaml:"ascii"`
}

// ADF sets the form of the XML (ADF 1.0).
type ADF struct {
	// Names is "all" (full, first and last), "full" or "split". Default all.
	Names string `yaml:"names"`
	// ProviderName, when set, is the provider, and the buyer's agent becomes
	// the service.
	ProviderName string `yaml:"provider_name"`
	// NoVehicle is what a lead without a vehicle carries: placeholder
	// (default), empty or omit.
	NoVehicle string `yaml:"no_vehicle"`
	// Consent adds the consent text to the comments. Default false.
	Consent bool `yaml:"consent"`
}

// Access limits callers.
type Access struct {
	// TokenSHA256 lists the hex SHA-256 of accepted bearer tokens. Empty: the
	// agent is public.
	TokenSHA256 []string `yaml:"token_sha256"`
	// PerMinute is how many calls one caller may make a minute. Default 600; 0
	// is refused.
	PerMinute int `yaml:"per_minute"`
	// LeadsPerHour is how many leads one caller may submit an hour. Default 120.
	LeadsPerHour int `yaml:"leads_per_hour"`
	// RequireA2AHeaders rejects calls without A2A-Version and A2A-Extensions.
	// Default false.
	RequireA2AHeaders bool `yaml:"require_a2a_headers"`
	// RateLimitStatus is the HTTP status of RATE_LIMITED answers: 429
	// (default) or 200 for clients that drop other bodies.
	RateLimitStatus int `yaml:"rate_limit_status"`
}

// Duration is a time.Duration written as Go writes it, such as 48h.
type Duration time.Duration

// Std is the duration as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Offers reports whether the profile lists the skill.
func (p *Profile) Offers(s aap.Skill) bool {
	return slices.Contains(p.Skills, s.ID)
}

// Rooftop finds a rooftop by name or alias, case folded; nil when there is none.
func (p *Profile) Rooftop(name string) *Rooftop {
	for i := range p.Rooftops {
		if p.Rooftops[i].Is(name) {
			return &p.Rooftops[i]
		}
	}
	return nil
}
