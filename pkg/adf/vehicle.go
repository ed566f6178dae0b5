package adf

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// What stands in a vehicle about which nothing is known. Receivers drop leads
// without year, make and model.
const (
	placeholderMake  = "Unknown"
	placeholderModel = "General inquiry"
)

// vehicles writes the vehicle of interest, then the trade-in. A lead with
// neither gets what the profile says.
func (d *document) vehicles() {
	wanted, trade := d.lead.VehicleOfInterest, d.lead.TradeIn
	switch {
	case wanted != nil:
		d.wanted(wanted)
	case d.record.Listing != nil:
		d.wanted(&aap.Vehicle{})
	case trade == nil && d.form.NoVehicle != "omit":
		d.open("vehicle", "interest", "buy")
		year, brand, model := d.placeholder()
		d.trio(year, brand, model)
		d.leaf("comments", "No specific vehicle")
		d.close("vehicle")
	}
	if trade != nil {
		d.tradeIn(trade)
	}
}

// placeholder is the neutral year, make and model of the profile's choice.
func (d *document) placeholder() (year, brand, model string) {
	if s := d.form.NoVehicle; s == "empty" || s == "omit" {
		return "", "", ""
	}
	year = strconv.Itoa(d.record.ReceivedAt.In(d.rooftop.Location()).Year())
	return year, placeholderMake, placeholderModel
}

func (d *document) trio(year, brand, model string) {
	d.leaf("year", year)
	d.leaf("make", brand)
	d.leaf("model", model)
}

// wanted writes the vehicle of interest. When the buyer named the dealer's
// unit by an identifier, the dealer's listing says what that unit is, and
// what the buyer said differently goes to the comments.
func (d *document) wanted(v *aap.Vehicle) {
	own := d.record.Listing
	if own == nil {
		own = &aap.Vehicle{}
	}
	named := d.lead.VehicleOfInterest == nil || sameUnit(v, own)
	var stated, absent []string
	pick := func(label, buyer, dealer string) string {
		switch {
		case dealer == "" || !named && buyer != "":
			return buyer
		case buyer != "" && !equalFolded(buyer, dealer):
			stated = append(stated, "buyer stated "+label+buyer)
		}
		return dealer
	}
	year, brand, model := d.placeholder()
	fill := func(label, value, placeholder string) string {
		if value == "" {
			absent = append(absent, label)
			return placeholder
		}
		return value
	}
	year = fill("year", pick("", whole(v.Year), whole(own.Year)), year)
	brand = fill("make", pick("", v.Make, own.Make), brand)
	model = fill("model", pick("", v.Model, own.Model), model)

	interest := "buy"
	if a := d.lead.Appointment; a != nil && a.AppointmentType == aap.AppointmentTestDrive {
		interest = "test-drive"
	}
	vin, stock, trim := v.VIN, v.Stock, v.Trim
	if named {
		vin, stock, trim = pick("VIN ", vin, own.VIN), pick("stock ", stock, own.Stock), pick("trim ", trim, own.Trim)
	}
	gear, gearNote := transmission(v.Transmission)

	d.open("vehicle", "interest", interest, "status", status(v.Condition))
	d.trio(year, brand, model)
	d.optional("vin", vin)
	d.optional("stock", stock)
	d.optional("trim", trim)
	d.optional("bodystyle", v.Body)
	d.optional("transmission", gear)
	d.optional("odometer", whole(v.Mileage), "units", "mi")
	if v.InteriorColor != "" || v.ExteriorColor != "" {
		d.open("colorcombination")
		d.optional("interiorcolor", v.InteriorColor)
		d.optional("exteriorcolor", v.ExteriorColor)
		d.leaf("preference", "1")
		d.close("colorcombination")
	}
	d.optional("price", whole(v.Price), "type", "quote", "currency", "USD")

	notes := certified(v)
	notes = append(notes, displacement(v)...)
	notes = append(notes, attributes(v)...)
	notes = append(notes, stated...)
	if named && own.Condition != "" && own.Condition != v.Condition {
		notes = append(notes, "listed as "+plainCondition(own.Condition))
	}
	if len(absent) > 0 {
		notes = append(notes, strings.Join(absent, ", ")+" not stated")
	}
	notes = labelled(notes, "Transmission", gearNote)
	notes = labelled(notes, "Engine", v.Engine)
	notes = labelled(notes, "Fuel", v.Fuel)
	notes = labelled(notes, "Driveline", v.Driveline)
	notes = append(notes, money(v, false)...)
	notes = labelled(notes, "Vehicle id", v.VehicleID)
	notes = labelled(notes, "Listing", plainURL(v.VDPURL))
	notes = labelled(notes, "Notes", v.Notes)
	d.optional("comments", strings.Join(notes, "; "))
	d.close("vehicle")
}

// tradeIn writes the buyer's own car. Its year is never guessed: it decides
// what the car is worth.
func (d *document) tradeIn(v *aap.Vehicle) {
	var absent []string
	known := func(label, value, otherwise string) string {
		if value == "" {
			absent = append(absent, label)
			return otherwise
		}
		return value
	}
	d.open("vehicle", "interest", "trade-in")
	d.trio(known("year", whole(v.Year), ""), known("make", v.Make, placeholderMake), known("model", v.Model, "Unknown"))
	d.optional("vin", v.VIN)
	d.optional("stock", v.Stock)
	d.optional("trim", v.Trim)
	d.optional("odometer", whole(v.Mileage), "units", "mi")
	d.optional("condition", v.Condition)

	notes := append(displacement(v), attributes(v)...)
	if len(absent) > 0 {
		notes = append(notes, strings.Join(absent, ", ")+" not stated")
	}
	notes = labelled(notes, "Body", v.Body)
	notes = labelled(notes, "Transmission", v.Transmission)
	notes = labelled(notes, "Exterior color", v.ExteriorColor)
	notes = labelled(notes, "Interior color", v.InteriorColor)
	notes = labelled(notes, "Engine", v.Engine)
	notes = labelled(notes, "Fuel", v.Fuel)
	notes = labelled(notes, "Driveline", v.Driveline)
	notes = append(notes, money(v, true)...)
	notes = labelled(notes, "Notes", v.Notes)
	d.optional("comments", strings.Join(notes, "; "))
	d.close("vehicle")
}

// sameUnit reports whether the buyer named the dealer's unit itself; a match
// by year, make and model is only one of several like it.
func sameUnit(v, own *aap.Vehicle) bool {
	same := func(a, b string) bool { return a != "" && equalFolded(a, b) }
	return same(v.VIN, own.VIN) || same(v.Stock, own.Stock) || same(v.VehicleID, own.VehicleID)
}

func equalFolded(a, b string) bool { return a == b || inventory.FoldID(a) == inventory.FoldID(b) }

// status is ADF's new or used; it knows no certified cars (ADF 1.0 DTD).
func status(condition string) string {
	if condition == "cpo" {
		return "used"
	}
	return condition
}

func plainCondition(condition string) string {
	if condition == "cpo" {
		return "certified pre-owned"
	}
	return condition
}

func certified(v *aap.Vehicle) []string {
	if v.Condition == "cpo" {
		return []string{plainCondition(v.Condition)}
	}
	return nil
}

func displacement(v *aap.Vehicle) []string {
	if v.DisplacementCC == nil {
		return nil
	}
	return []string{"Displacement: " + whole(v.DisplacementCC) + "cc"}
}

func money(v *aap.Vehicle, withPrice bool) []string {
	var out []string
	if withPrice {
		out = labelled(out, "Price", dollars(v.Price))
	}
	out = labelled(out, "MSRP", dollars(v.MSRP))
	out = labelled(out, "List price", dollars(v.ListPrice))
	if len(v.Fees) > 0 {
		fees := make([]string, len(v.Fees))
		for i, f := range v.Fees {
			fees[i] = fmt.Sprintf("%s %d USD", f.Name, f.Amount)
		}
		out = append(out, "Fees included: "+strings.Join(fees, ", "))
	}
	return out
}

func dollars(n *aap.Int) string {
	if n == nil {
		return ""
	}
	return whole(n) + " USD"
}

func labelled(notes []string, label, text string) []string {
	if text == "" {
		return notes
	}
	return append(notes, label+": "+text)
}

func whole(n *aap.Int) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(int64(*n), 10)
}

// transmission folds a description to ADF's A or M; what is neither is
// returned as a note.
func transmission(text string) (gear, note string) {
	t := strings.ToLower(strings.TrimSpace(text))
	switch {
	case t == "":
		return "", ""
	case strings.Contains(t, "auto"), t == "a", t == "cvt", t == "dct":
		return "A", ""
	case strings.Contains(t, "manual"), t == "m":
		return "M", ""
	}
	return "", text
}
