package aap

// Information is the data of dealer.information.
type Information struct {
	Name           string    `json:"name"`
	WelcomeMessage string    `json:"welcome_message,omitempty"`
	Rooftops       []Rooftop `json:"rooftops"`
}

// Rooftop is one location. Its name is the join key for Vehicle.Rooftop and
// the rooftops filter.
type Rooftop struct {
	Name         string       `json:"name"`
	LegalName    string       `json:"legal_name,omitempty"`
	Website      string       `json:"website,omitempty"`
	Geo          *Geo         `json:"geo,omitempty"`
	Emails       []NamedValue `json:"emails,omitempty"`
	Phones       []NamedValue `json:"phones,omitempty"`
	Address      *Address     `json:"address,omitempty"`
	Schedules    []Schedule   `json:"schedules,omitempty"`
	Timezone     string       `json:"timezone,omitempty"`
	Notes        string       `json:"notes,omitempty"`
	Fees         []Fee        `json:"fees,omitzero"`
	Capabilities []string     `json:"capabilities,omitempty"`
}

// Geo is a position in degrees.
type Geo struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// NamedValue is an e-mail address or a phone number with an optional label.
type NamedValue struct {
	Name  string `json:"name,omitempty"`
	Value string `json:"value"`
}

// Address is a postal address; a missing country means US.
type Address struct {
	Country      string `json:"country,omitempty"`
	State        string `json:"state,omitempty"`
	City         string `json:"city,omitempty"`
	AddressLine1 string `json:"address_line_1,omitempty"`
	AddressLine2 string `json:"address_line_2,omitempty"`
	Zip          string `json:"zip,omitempty"`
}

// Schedule is one week of opening hours, such as "Sales".
type Schedule struct {
	Name string `json:"name,omitempty"`
	// Value maps the English lower-case day name to its hours; nil hours mean
	// closed.
	Value map[string]*Hours `json:"value"`
}

// Hours open and close a day, HH:MM on a 24 hour clock in the rooftop's time zone.
type Hours struct {
	Open  string `json:"open"`
	Close string `json:"close"`
}
