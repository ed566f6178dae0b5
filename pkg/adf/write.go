package adf

import (
	"cmp"
	"strings"
)

// XML writes a prospect that was read in the DTD's order, with the elements
// the DTD demands even where they are empty. Unknown elements are not written.
func (p Prospect) XML() []byte {
	w := &writer{buf: make([]byte, 0, 4096)}
	w.buf = append(w.buf, frame...)
	w.open("adf")
	w.open("prospect", "status", p.Status)
	w.ids(p.IDs)
	date := p.RequestDate
	switch {
	case p.HasZone:
		date = p.RequestedAt.Format("2006-01-02T15:04:05-07:00")
	case !p.RequestedAt.IsZero():
		date = p.RequestedAt.Format("2006-01-02T15:04:05")
	}
	w.leaf("requestdate", date)
	for i := range p.Vehicles {
		w.vehicle(&p.Vehicles[i])
	}
	if len(p.Vehicles) == 0 {
		w.vehicle(&Vehicle{Interest: "buy"})
	}
	w.open("customer")
	w.contact(p.Customer, "individual")
	w.ids(p.CustomerIDs)
	if f := p.Timeframe; f != (Timeframe{}) {
		w.open("timeframe")
		w.optional("description", f.Description)
		w.optional("earliestdate", f.Earliest)
		w.optional("latestdate", f.Latest)
		w.close("timeframe")
	}
	w.optional("comments", p.Comments)
	w.close("customer")
	w.open("vendor")
	w.ids(p.Vendor.IDs)
	w.leaf("vendorname", p.Vendor.Name)
	w.optional("url", p.Vendor.URL)
	w.contact(p.Vendor.Contact, "business")
	w.close("vendor")
	if v := p.Provider; v.Name != "" {
		w.open("provider")
		w.ids(v.IDs)
		w.leaf("name", v.Name, "part", "full")
		w.optional("service", v.Service)
		w.optional("url", v.URL)
		w.optional("email", v.Email)
		w.optional("phone", v.Phone)
		if v.Contact.Full != "" {
			w.contact(v.Contact, "individual")
		}
		w.close("provider")
	}
	w.close("prospect")
	w.close("adf")
	return w.buf
}

func (w *writer) ids(ids []ID) {
	for _, id := range ids {
		w.leaf("id", id.Value, "sequence", id.Sequence, "source", id.Source)
	}
}

func (w *writer) vehicle(v *Vehicle) {
	w.open("vehicle", "interest", v.Interest, "status", v.Status)
	w.ids(v.IDs)
	w.leaf("year", v.Year)
	w.leaf("make", v.Make)
	w.leaf("model", v.Model)
	w.optional("vin", v.VIN)
	w.optional("stock", v.Stock)
	w.optional("trim", v.Trim)
	w.optional("doors", v.Doors)
	w.optional("bodystyle", v.BodyStyle)
	gear, _ := transmission(v.Transmission)
	w.optional("transmission", cmp.Or(gear, v.Transmission))
	w.optional("odometer", v.Odometer, "status", v.OdometerStatus, "units", v.OdometerUnits)
	w.optional("condition", v.Condition)
	for _, c := range v.Colors {
		w.open("colorcombination")
		w.optional("interiorcolor", c.Interior)
		if c.Exterior != "" || c.Interior == "" {
			w.leaf("exteriorcolor", c.Exterior)
		}
		w.leaf("preference", c.Preference)
		w.close("colorcombination")
	}
	if i := v.Image; i != nil {
		w.leaf("imagetag", i.URL, "width", i.Width, "height", i.Height, "alttext", i.Alt)
	}
	w.price(v.Price)
	w.optional("pricecomments", v.PriceComments)
	for _, o := range v.Options {
		w.option(o)
	}
	if v.Finance != nil {
		w.finance(*v.Finance)
	}
	w.optional("comments", v.Comments)
	w.close("vehicle")
}

func (w *writer) price(p *Price) {
	if p != nil {
		w.leaf("price", p.Value, "type", p.Type, "currency", p.Currency, "delta", p.Delta, "relativeto", p.RelativeTo, "source", p.Source)
	}
}

func (w *writer) option(o Option) {
	w.open("option")
	w.leaf("optionname", o.Name)
	w.optional("manufacturercode", o.ManufacturerCode)
	w.optional("stock", o.Stock)
	w.optional("weighting", o.Weighting)
	w.price(o.Price)
	w.close("option")
}

func (w *writer) finance(f Finance) {
	w.open("finance")
	w.leaf("method", f.Method)
	for _, a := range f.Amounts {
		w.leaf("amount", a.Value, "type", a.Type, "limit", a.Limit, "currency", a.Currency)
	}
	if len(f.Amounts) == 0 {
		w.leaf("amount", "")
	}
	if b := f.Balance; b != nil {
		w.leaf("balance", b.Value, "type", b.Type, "currency", b.Currency)
	}
	w.close("finance")
}

// contact writes the parts of a name when there are any, else the whole.
func (w *writer) contact(c Contact, kind string) {
	primary := ""
	if c.Primary {
		primary = "1"
	}
	w.open("contact", "primarycontact", primary)
	parts := strings.Join(strings.Fields(c.First+" "+c.Middle+" "+c.Last), " ")
	if c.Full != parts || parts == "" {
		w.leaf("name", c.Full, "part", "full", "type", kind)
	}
	w.optional("name", c.First, "part", "first")
	w.optional("name", c.Middle, "part", "middle")
	w.optional("name", c.Last, "part", "last")
	preferred := func(channel string, once bool) string {
		if c.Preferred == channel && once {
			return "1"
		}
		return ""
	}
	if c.Email != "" || len(c.Phones) == 0 {
		w.leaf("email", c.Email, "preferredcontact", preferred("email", true))
	}
	for i, p := range c.Phones {
		w.leaf("phone", p.Number, "type", p.Type, "time", p.Time, "preferredcontact", preferred("phone", i == 0))
	}
	if a := c.Address; a != nil {
		w.open("address", "type", a.Type)
		if len(a.Streets) == 0 {
			w.leaf("street", "")
		}
		for i, s := range a.Streets {
			w.leaf("street", s, "line", string(rune('1'+i%9)))
		}
		w.optional("apartment", a.Apartment)
		w.optional("city", a.City)
		w.optional("regioncode", a.RegionCode)
		w.optional("postalcode", a.PostalCode)
		w.optional("country", a.Country)
		w.close("address")
	}
	w.close("contact")
}

// frame is what stands before the adf element, each on a line of its own.
const frame = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<?adf version="1.0"?>` + "\n"
