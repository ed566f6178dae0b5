package adf

import (
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
	out := described(v, d.profile.Name)
	out.Interest, out.Status = interest, status(v.Condition)
	out.Year, out.Make, out.Model, out.VIN, out.Stock, out.Trim = year, brand, model, vin, stock, trim
	out.Price = price(v.Price, "quote")
	if named && own.Condition != "" && own.Condition != v.Condition {
		stated = append(stated, "listed as "+plainCondition(own.Condition))
	}
	out.Comments = remarks(v, append(stated, notStated(absent)...), !named)
	d.vehicle(&out)
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
	out := described(v, d.lead.SourceAgent.Name)
	out.Interest = "trade-in"
	out.Year, out.Make, out.Model = known("year", whole(v.Year), ""), known("make", v.Make, placeholderMake), known("model", v.Model, "Unknown")
	out.VIN, out.Stock, out.Trim, out.Condition = v.VIN, v.Stock, v.Trim, v.Condition
	out.Price = price(v.Price, "asking")
	out.Comments = remarks(v, notStated(absent), true)
	d.vehicle(&out)
}

func notStated(absent []string) []string {
	if len(absent) == 0 {
		return nil
	}
	return []string{strings.Join(absent, ", ") + " not stated"}
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
