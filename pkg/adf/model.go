package adf

import "time"

// Prospect is one lead as a document tells it. Absent values are empty. Text
// is without outer white space, except Comments.
type Prospect struct {
	// Status is new or resend.
	Status string `json:"status"`
	IDs    []ID   `json:"ids,omitempty"`
	// RequestDate is the date as written; RequestedAt is its value, in UTC when
	// HasZone is false (the sender's zone is then unknown), zero when it
	// cannot be read.
	RequestDate string    `json:"request_date,omitempty"`
	RequestedAt time.Time `json:"requested_at,omitzero"`
	HasZone     bool      `json:"has_zone"`
	// Vehicles are in document order; one without year, make and model is a
	// general enquiry.
	Vehicles []Vehicle `json:"vehicles,omitempty"`
	Customer Contact   `json:"customer"`
	// CustomerIDs are what systems call the customer.
	CustomerIDs []ID      `json:"customer_ids,omitempty"`
	Timeframe   Timeframe `json:"timeframe,omitzero"`
	// Comments is the customer's text exactly as it stands. It may hold
	// sensitive data: keep it out of logs.
	Comments string   `json:"comments,omitempty"`
	Vendor   Vendor   `json:"vendor"`
	Provider Provider `json:"provider,omitzero"`
	// Unknown are the elements ADF does not have, in document order.
	Unknown []Unknown `json:"unknown,omitempty"`
}

// Unknown is an element that ADF does not have at its place.
type Unknown struct {
	// Path is the element, such as /adf/prospect/leadtype.
	Path string `json:"path"`
	Text string `json:"text"`
}

// ID is an identifier that a system gave to a lead, a vehicle or a party.
type ID struct {
	Value    string `json:"value"`
	Sequence string `json:"sequence,omitempty"`
	Source   string `json:"source,omitempty"`
}

// Vehicle is one vehicle of a prospect.
type Vehicle struct {
	// Interest is buy, lease, sell, trade-in or test-drive.
	Interest string `json:"interest"`
	// Status is new or used as written; empty when it is not.
	Status         string  `json:"status,omitempty"`
	IDs            []ID    `json:"ids,omitempty"`
	Year           string  `json:"year,omitempty"`
	Make           string  `json:"make,omitempty"`
	Model          string  `json:"model,omitempty"`
	VIN            string  `json:"vin,omitempty"`
	Stock          string  `json:"stock,omitempty"`
	Trim           string  `json:"trim,omitempty"`
	Doors          string  `json:"doors,omitempty"`
	BodyStyle      string  `json:"bodystyle,omitempty"`
	Transmission   string  `json:"transmission,omitempty"`
	Odometer       string  `json:"odometer,omitempty"`
	OdometerUnits  string  `json:"odometer_units,omitempty"`
	OdometerStatus string  `json:"odometer_status,omitempty"`
	Condition      string  `json:"condition,omitempty"`
	Colors         []Color `json:"colors,omitempty"`
	Image          *Image  `json:"imagetag,omitempty"`
	Price          *Price  `json:"price,omitempty"`
	PriceComments  string  `json:"pricecomments,omitempty"`
	// Options are equipment, in document order.
	Options  []Option `json:"options,omitempty"`
	Finance  *Finance `json:"finance,omitempty"`
	Comments string   `json:"comments,omitempty"`
}

// Image is a picture of the vehicle; the measures are as written.
type Image struct {
	URL    string `json:"url"`
	Width  string `json:"width,omitempty"`
	Height string `json:"height,omitempty"`
	Alt    string `json:"alttext,omitempty"`
}

// Price is an amount as written. Delta, of absolute, relative and percentage,
// makes it a distance from RelativeTo, msrp or invoice.
type Price struct {
	Value string `json:"value"`
	// Type is quote, offer, msrp, invoice, call, appraisal or asking.
	Type string `json:"type"`
	// Currency is ISO 4217, empty when it is not said.
	Currency   string `json:"currency,omitempty"`
	Delta      string `json:"delta,omitempty"`
	RelativeTo string `json:"relativeto,omitempty"`
	Source     string `json:"source,omitempty"`
}

// Option is a piece of equipment the buyer asks for; Weighting, from -100 to
// 100, says how much.
type Option struct {
	Name             string `json:"name"`
	ManufacturerCode string `json:"manufacturercode,omitempty"`
	Stock            string `json:"stock,omitempty"`
	Weighting        string `json:"weighting,omitempty"`
	Price            *Price `json:"price,omitempty"`
}

// Finance is how the buyer wants to pay.
type Finance struct {
	// Method is cash, finance or lease as written.
	Method  string   `json:"method,omitempty"`
	Amounts []Amount `json:"amounts,omitempty"`
	// Balance has the type finance or residual, and no limit.
	Balance *Amount `json:"balance,omitempty"`
}

// Amount is money of a financing.
type Amount struct {
	Value string `json:"value"`
	// Type is total, downpayment or monthly.
	Type string `json:"type"`
	// Limit is maximum, minimum or exact.
	Limit    string `json:"limit,omitempty"`
	Currency string `json:"currency,omitempty"`
}

// Color is one wish of colours; Preference 1 is the first choice.
type Color struct {
	Interior   string `json:"interior,omitempty"`
	Exterior   string `json:"exterior,omitempty"`
	Preference string `json:"preference,omitempty"`
}

// Contact is a person or a business.
type Contact struct {
	First  string `json:"first,omitempty"`
	Middle string `json:"middle,omitempty"`
	Last   string `json:"last,omitempty"`
	// Full is the whole name as written, or made of the parts.
	Full   string  `json:"full,omitempty"`
	Email  string  `json:"email,omitempty"`
	Phones []Phone `json:"phones,omitempty"`
	// Preferred is email or phone when the document marks one.
	Preferred string `json:"preferred,omitempty"`
	// Primary is set when the document marks the contact as the one to use.
	Primary bool     `json:"primary,omitempty"`
	Address *Address `json:"address,omitempty"`
}

// Phone is a number with its type: voice, fax, cellphone or pager.
type Phone struct {
	Number string `json:"number"`
	Type   string `json:"type"`
	Time   string `json:"time,omitempty"`
}

// Address is postal; Type is work, home or delivery when it is said.
type Address struct {
	Type       string   `json:"type,omitempty"`
	Streets    []string `json:"streets,omitempty"`
	Apartment  string   `json:"apartment,omitempty"`
	City       string   `json:"city,omitempty"`
	RegionCode string   `json:"regioncode,omitempty"`
	PostalCode string   `json:"postalcode,omitempty"`
	Country    string   `json:"country,omitempty"`
}

// Timeframe is when the buyer wants to act.
type Timeframe struct {
	Description string `json:"description,omitempty"`
	Earliest    string `json:"earliest,omitempty"`
	Latest      string `json:"latest,omitempty"`
}

// Vendor is the dealership.
type Vendor struct {
	IDs     []ID    `json:"ids,omitempty"`
	Name    string  `json:"name,omitempty"`
	URL     string  `json:"url,omitempty"`
	Contact Contact `json:"contact,omitzero"`
}

// Provider is who sends the lead.
type Provider struct {
	IDs     []ID    `json:"ids,omitempty"`
	Name    string  `json:"name,omitempty"`
	Service string  `json:"service,omitempty"`
	URL     string  `json:"url,omitempty"`
	Email   string  `json:"email,omitempty"`
	Phone   string  `json:"phone,omitempty"`
	Contact Contact `json:"contact,omitzero"`
}
