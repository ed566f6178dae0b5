package adf

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

var (
	// ErrMalformed: the document is not well formed at the line named. Keep the
	// raw text: a person can still read the lead.
	ErrMalformed = errors.New("not well-formed XML")
	// ErrDoctype: the document has a document type declaration. None is
	// needed in a lead, and entities declared there are never expanded.
	ErrDoctype = errors.New("document type declaration refused")
	// ErrTooLarge: over 1 MiB, 32 levels or 20,000 elements.
	ErrTooLarge = errors.New("document too large")
	// ErrNoLead: the XML can be read and holds no usable lead; the fatal
	// faults say why.
	ErrNoLead = errors.New("no lead in the document: an ADF lead is a prospect element")
)

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
	Vehicles  []Vehicle `json:"vehicles,omitempty"`
	Customer  Contact   `json:"customer"`
	Timeframe Timeframe `json:"timeframe,omitzero"`
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

// ID is an identifier a system gave to the lead.
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
	Price          string  `json:"price,omitempty"`
	PriceType      string  `json:"price_type,omitempty"`
	Currency       string  `json:"currency,omitempty"`
	PriceComments  string  `json:"pricecomments,omitempty"`
	ImageURL       string  `json:"imagetag,omitempty"`
	Comments       string  `json:"comments,omitempty"`
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
	Preferred string   `json:"preferred,omitempty"`
	Address   *Address `json:"address,omitempty"`
}

// Phone is a number with its type: voice, fax, cellphone or pager.
type Phone struct {
	Number string `json:"number"`
	Type   string `json:"type"`
	Time   string `json:"time,omitempty"`
}

// Address is postal.
type Address struct {
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
	Name    string  `json:"name,omitempty"`
	URL     string  `json:"url,omitempty"`
	Contact Contact `json:"contact,omitzero"`
}

// Provider is who sends the lead.
type Provider struct {
	Name    string  `json:"name,omitempty"`
	Service string  `json:"service,omitempty"`
	URL     string  `json:"url,omitempty"`
	Email   string  `json:"email,omitempty"`
	Phone   string  `json:"phone,omitempty"`
	Contact Contact `json:"contact,omitzero"`
}

// Fault is one departure from ADF 1.0. It never quotes the buyer.
type Fault struct {
	Line int `json:"line"`
	// Path is the element, such as /adf/prospect/vendor.
	Path    string `json:"path,omitempty"`
	Problem string `json:"problem"`
	// Fatal faults keep their prospect out of the result.
	Fatal bool `json:"fatal,omitempty"`
}

// String is the fault on one line.
func (f Fault) String() string {
	if f.Path == "" {
		return fmt.Sprintf("line %d: %s", f.Line, f.Problem)
	}
	return fmt.Sprintf("line %d: %s: %s", f.Line, f.Path, f.Problem)
}

// Read takes a document as far as it can be understood. Faults come with the
// prospects and also beside an error, ordered by line. The error is nil when
// there is at least one prospect, else it wraps ErrMalformed, ErrDoctype,
// ErrTooLarge, ErrNoLead or what r returned.
func Read(r io.Reader) ([]Prospect, []Fault, error) {
	rd := &reading{}
	prospects, err := rd.read(r)
	slices.SortStableFunc(rd.faults, func(a, b Fault) int { return a.Line - b.Line })
	return prospects, rd.faults, err
}

func (rd *reading) read(r io.Reader) ([]Prospect, error) {
	if err := rd.load(r); err != nil {
		return nil, err
	}
	document, err := rd.parse()
	if err != nil {
		return nil, err
	}
	var out []Prospect
	for _, root := range document.children {
		if root.name != "adf" {
			rd.fault(root, "the root element is %s, not adf", root.name)
			continue
		}
		rd.checkContent(root)
		for _, n := range root.all("prospect") {
			if p, ok := rd.prospect(n); ok {
				out = append(out, p)
			}
		}
	}
	if len(out) == 0 {
		return nil, ErrNoLead
	}
	return out, nil
}
