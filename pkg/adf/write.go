package adf

import (
	"cmp"
	"strings"
)

// XML writes a prospect that was read in the DTD's order, with the elements
// the DTD demands even where they are empty. What Prospect does not hold
// (options, finance, unknown elements) is not written.
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
	for _, v := range p.Vehicles {
		w.vehicle(v)
	}
	if len(p.Vehicles) == 0 {
		w.vehicle(Vehicle{Interest: "buy"})
	}
	w.open("customer")
	w.contact(p.Customer, "individual")
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
	w.leaf("vendorname", p.Vendor.Name)
	w.optional("url", p.Vendor.URL)
	w.contact(p.Vendor.Contact, "business")
	w.close("vendor")
	if v := p.Provider; v.Name != "" {
		w.open("provider")
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

func (w *writer) vehicle(v Vehicle) {
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
	w.optional("imagetag", v.ImageURL)
	w.optional("price", v.Price, "type", v.PriceType, "currency", v.Currency)
	w.optional("pricecomments", v.PriceComments)
	w.optional("comments", v.Comments)
	w.close("vehicle")
}

// contact writes the parts of a name when there are any, else the whole.
func (w *writer) contact(c Contact, kind string) {
	w.open("contact")
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
		w.open("address")
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
