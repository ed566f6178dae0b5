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
	if names := placeholders(n); len(names) > 0 {
		rd.refuse(n, "unfilled placeholders: "+strings.Join(names, ", "), "Fill the template in before it is sent.")
		return Prospect{}, false
	}
	p := Prospect{Status: rd.word(n, "status", "new"), IDs: ids(n), Unknown: rd.unknown}
	rd.date(n.first("requestdate"), &p)
	for _, v := range n.all("vehicle") {
		p.Vehicles = append(p.Vehicles, rd.vehicle(v))
	}
	customer := n.first("customer")
	p.Customer, p.CustomerIDs = rd.contact(customer.first("contact"), true), ids(customer)
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
		rd.refuse(customer, "no customer data", "Add the customer's name, e-mail or phone.")
		return Prospect{}, false
	}
	return p, true
}

func (rd *reading) refuse(n *element, problem, mend string) {
	rd.faults = append(rd.faults, Fault{Line: n.line, Path: n.path, Problem: problem, Mend: mend, Fatal: true})
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
	odometer := n.first("odometer")
	v := Vehicle{
		Interest: rd.word(n, "interest", "buy"),
		Status:   rd.word(n, "status", ""),
		IDs:      ids(n),
		Year:     text("year"), Make: text("make"), Model: text("model"),
		VIN: text("vin"), Stock: text("stock"), Trim: text("trim"),
		Doors: text("doors"), BodyStyle: text("bodystyle"), Transmission: text("transmission"),
		Odometer: odometer.value(), OdometerUnits: rd.word(odometer, "units", ""), OdometerStatus: rd.word(odometer, "status", ""),
		Condition: text("condition"),
		Image:     image(n.first("imagetag")),
		Price:     rd.price(n.first("price")), PriceComments: text("pricecomments"),
		Finance: rd.finance(n.first("finance")), Comments: n.first("comments").text,
	}
	switch strings.ToLower(v.Transmission) {
	case "a":
		v.Transmission = "automatic"
	case "m":
		v.Transmission = "manual"
	}
	for _, o := range n.all("option") {
		v.Options = append(v.Options, Option{
			Name: o.first("optionname").value(), ManufacturerCode: o.first("manufacturercode").value(), Stock: o.first("stock").value(),
			Weighting: o.first("weighting").value(), Price: rd.price(o.first("price")),
		})
	}
	for _, c := range n.all("colorcombination") {
		v.Colors = append(v.Colors, Color{
			Interior:   c.first("interiorcolor").value(),
			Exterior:   c.first("exteriorcolor").value(),
			Preference: c.first("preference").value(),
		})
	}
	if v.Year+v.Make+v.Model == "" {
		rd.odd(n, "vehicle without year, make and model: a general enquiry", "Fill in year, make and model; many receivers drop a lead without them.")
	}
	return v
}

func image(n *element) *Image {
	if n.value() == "" {
		return nil
	}
	return &Image{URL: n.value(), Width: n.attrs["width"], Height: n.attrs["height"], Alt: n.attrs["alttext"]}
}

func (rd *reading) price(n *element) *Price {
	if n.value() == "" {
		return nil
	}
	return &Price{
		Value: n.value(), Type: rd.word(n, "type", "quote"), Currency: n.attrs["currency"],
		Delta: rd.word(n, "delta", ""), RelativeTo: rd.word(n, "relativeto", ""), Source: n.attrs["source"],
	}
}

func (rd *reading) finance(n *element) *Finance {
	f := Finance{Method: n.first("method").value()}
	for _, a := range n.all("amount") {
		f.Amounts = append(f.Amounts, Amount{
			Value: a.value(), Type: rd.word(a, "type", "total"), Limit: rd.word(a, "limit", "maximum"), Currency: a.attrs["currency"],
		})
	}
	if b := n.first("balance"); b.value() != "" {
		f.Balance = &Amount{Value: b.value(), Type: rd.word(b, "type", "finance"), Currency: b.attrs["currency"]}
	}
	if f.Method == "" && len(f.Amounts) == 0 && f.Balance == nil {
		return nil
	}
	return &f
}

// word reads an attribute that has a fixed vocabulary.
func (rd *reading) word(n *element, attribute, otherwise string) string {
	value, given := n.attrs[attribute]
	value = strings.ToLower(strings.TrimSpace(value))
	if known := attributesOf[n.name][attribute]; given && slices.Contains(known, value) {
		return value
	}
	return otherwise // checkContent reports it
}

func (rd *reading) vendor(n *element, p *Prospect) {
	p.Vendor = Vendor{
		IDs:     ids(n),
		Name:    n.first("vendorname").value(),
		URL:     n.first("url").value(),
		Contact: rd.contact(n.first("contact"), false),
	}
	if p.Vendor.Name == "" && p.Vendor.Contact.Full != "" {
		p.Vendor.Name = p.Vendor.Contact.Full
		rd.odd(n, "the vendor's name stands only in its contact", "Write it as <vendorname> too.")
	}
}

func (rd *reading) provider(n *element, p *Prospect) {
	p.Provider = Provider{
		IDs:     ids(n),
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
