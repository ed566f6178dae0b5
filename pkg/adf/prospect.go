package adf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// unfilled is a template's placeholder that nobody filled in.
var unfilled = regexp.MustCompile(`^(\[[A-Za-z][A-Za-z0-9_ .-]*\]|\{\{?[^{}]+\}\}?|\$\{[^{}]+\}|%[A-Za-z][A-Za-z0-9_]*%|<%=?[^%]+%>)$`)

// prospect reads one lead; false when it is none.
func (rd *reading) prospect(n *element) (Prospect, bool) {
	rd.unknown = nil
	rd.checkAll(n)
	if names := placeholders(n); len(names) > 0 {
		rd.refuse(n, "unfilled placeholders: "+strings.Join(names, ", "))
		return Prospect{}, false
	}
	p := Prospect{Status: strings.ToLower(n.attrs["status"]), IDs: ids(n), Unknown: rd.unknown}
	switch p.Status {
	case "new", "resend":
	case "":
		p.Status = "new"
	default:
		rd.fault(n, "status %q is neither new nor resend; read as new", p.Status)
		p.Status = "new"
	}
	rd.date(n.first("requestdate"), &p)
	for _, v := range n.all("vehicle") {
		p.Vehicles = append(p.Vehicles, rd.vehicle(v))
	}
	customer := n.first("customer")
	p.Customer = rd.contact(customer.first("contact"), true)
	frame := customer.first("timeframe")
	p.Timeframe = Timeframe{
		Description: frame.first("description").value(),
		Earliest:    frame.first("earliestdate").value(),
		Latest:      frame.first("latestdate").value(),
	}
	if p.Timeframe.Description == "" {
		p.Timeframe.Description = frame.value()
	}
	p.Comments = customer.first("comments").text
	rd.vendor(n.first("vendor"), &p)
	rd.provider(n.first("provider"), &p)

	c := p.Customer
	if c.Full == "" && c.Email == "" && len(c.Phones) == 0 && strings.TrimSpace(p.Comments) == "" {
		rd.refuse(customer, "no customer data")
		return Prospect{}, false
	}
	return p, true
}

func (rd *reading) refuse(n *element, problem string) {
	rd.faults = append(rd.faults, Fault{Line: n.line, Path: n.path, Problem: problem, Fatal: true})
}

// checkAll compares the prospect and everything in it with the DTD.
func (rd *reading) checkAll(n *element) {
	rd.checkContent(n)
	for _, c := range n.children {
		if _, known := content[c.name]; known {
			rd.checkAll(c)
		}
	}
}

// placeholders lists the unfilled ones in document order, once each.
func placeholders(n *element) []string {
	var out []string
	add := func(text string) {
		if text = strings.TrimSpace(text); unfilled.MatchString(text) && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	var walk func(*element)
	walk = func(n *element) {
		for _, name := range []string{"sequence", "source", "status", "interest"} {
			add(n.attrs[name])
		}
		if n.name != "comments" {
			add(n.text)
		}
		for _, c := range n.children {
			walk(c)
		}
	}
	walk(n)
	return out
}

func ids(n *element) []ID {
	var out []ID
	for _, id := range n.all("id") {
		out = append(out, ID{Value: id.value(), Sequence: id.attrs["sequence"], Source: id.attrs["source"]})
	}
	return out
}

func (rd *reading) vehicle(n *element) Vehicle {
	text := func(name string) string { return n.first(name).value() }
	odometer, price := n.first("odometer"), n.first("price")
	v := Vehicle{
		Interest: rd.word(n, "interest", "buy", "buy", "lease", "sell", "trade-in", "test-drive"),
		Status:   rd.word(n, "status", "", "new", "used"),
		IDs:      ids(n),
		Year:     text("year"), Make: text("make"), Model: text("model"),
		VIN: text("vin"), Stock: text("stock"), Trim: text("trim"),
		Doors: text("doors"), BodyStyle: text("bodystyle"), Transmission: text("transmission"),
		Odometer: odometer.value(), OdometerUnits: odometer.attrs["units"], OdometerStatus: odometer.attrs["status"],
		Condition: text("condition"),
		Price:     price.value(), PriceType: price.attrs["type"], Currency: price.attrs["currency"],
		PriceComments: text("pricecomments"), ImageURL: text("imagetag"), Comments: n.first("comments").text,
	}
	if price.text != "" && v.PriceType == "" {
		v.PriceType = "quote"
	}
	switch strings.ToLower(v.Transmission) {
	case "a":
		v.Transmission = "automatic"
	case "m":
		v.Transmission = "manual"
	}
	for _, c := range n.all("colorcombination") {
		v.Colors = append(v.Colors, Color{
			Interior:   c.first("interiorcolor").value(),
			Exterior:   c.first("exteriorcolor").value(),
			Preference: c.first("preference").value(),
		})
	}
	if v.Year+v.Make+v.Model == "" {
		rd.fault(n, "vehicle without year, make and model: a general enquiry")
	}
	return v
}

// word reads an attribute that has a fixed vocabulary.
func (rd *reading) word(n *element, attribute, otherwise string, known ...string) string {
	value, given := n.attrs[attribute]
	value = strings.ToLower(strings.TrimSpace(value))
	switch {
	case !given:
		return otherwise
	case slices.Contains(known, value):
		return value
	}
	rd.fault(n, "%s is not one of %s", attribute, strings.Join(known, ", "))
	return otherwise
}

func (rd *reading) vendor(n *element, p *Prospect) {
	p.Vendor = Vendor{
		Name:    n.first("vendorname").value(),
		URL:     n.first("url").value(),
		Contact: rd.contact(n.first("contact"), false),
	}
	if p.Vendor.Name == "" && p.Vendor.Contact.Full != "" {
		p.Vendor.Name = p.Vendor.Contact.Full
		rd.fault(n, "the vendor's name stands only in its contact")
	}
}

func (rd *reading) provider(n *element, p *Prospect) {
	p.Provider = Provider{
		Name:    n.first("name").value(),
		Service: n.first("service").value(),
		URL:     n.first("url").value(),
		Email:   rd.email(n.first("email")),
		Phone:   n.first("phone").value(),
		Contact: rd.contact(n.first("contact"), false),
	}
}

// String names a vehicle as people do.
func (v Vehicle) String() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", v.Year, v.Make, v.Model, v.Trim)), " ")
}
