package adf

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// mostOptions bounds the elements that one list of features becomes; the rest
// is told in the comments.
const mostOptions = 100

// described is what of a vehicle has an element of its own in ADF whoever's
// vehicle it is, but for its identity, condition and price. Source is whose id
// the vehicle's is.
func described(v *aap.Vehicle, source string) Vehicle {
	out := Vehicle{
		BodyStyle: v.Body, Odometer: whole(v.Mileage), PriceComments: strings.Join(prices(v), "; "), Doors: plain(v.OtherAttributes["doors"]),
	}
	if v.VehicleID != "" {
		out.IDs = []ID{{Value: v.VehicleID, Sequence: "1", Source: source}}
	}
	out.Transmission, _ = transmission(v.Transmission)
	if v.Mileage != nil {
		out.OdometerUnits = "mi"
	}
	if v.InteriorColor != "" || v.ExteriorColor != "" {
		out.Colors = []Color{{Interior: v.InteriorColor, Exterior: v.ExteriorColor, Preference: "1"}}
	}
	if len(v.Photos) > 0 {
		out.Image = &Image{URL: v.Photos[0]}
	}
	for _, feature := range v.Features[:min(len(v.Features), mostOptions)] {
		out.Options = append(out.Options, Option{Name: feature})
	}
	return out
}

// remarks are the one comments text of a vehicle: what ADF has no element for.
// Found is what comparing brought up. With dealers they hold what a dealer
// knows of its own listing, too: the sales text and the pictures. What a
// dealer's system keeps for itself (status, rooftop, dealer id, dates) is never
// told.
func remarks(v *aap.Vehicle, found []string, dealers bool) string {
	var room [8]string // for most
	notes := room[:0]
	if v.Condition == "cpo" {
		notes = append(notes, plainCondition(v.Condition))
	}
	if v.DisplacementCC != nil {
		notes = append(notes, "Displacement: "+whole(v.DisplacementCC)+"cc")
	}
	notes = append(notes, attributes(v)...)
	notes = append(notes, found...)
	_, gear := transmission(v.Transmission)
	notes = labelled(notes, "Transmission", gear)
	notes = labelled(notes, "Engine", v.Engine)
	notes = labelled(notes, "Fuel", v.Fuel)
	notes = labelled(notes, "Driveline", v.Driveline)
	notes = labelled(notes, "Vehicle type", v.VehicleType)
	notes = labelled(notes, "City MPG", whole(v.CityMPG))
	notes = labelled(notes, "Highway MPG", whole(v.HighwayMPG))
	notes = labelled(notes, "Electric range", measure(v.ElectricRangeMi, "mi"))
	notes = labelled(notes, "Battery", measure(v.BatteryKWh, "kWh"))
	notes = labelled(notes, "Motor power", measure(v.MotorPowerHP, "hp"))
	if v.DCFastCharge != nil {
		notes = append(notes, "DC fast charge: "+map[bool]string{true: "yes", false: "no"}[*v.DCFastCharge])
	}
	notes = labelled(notes, "Charge port", v.ChargePort)
	if len(v.Features) > mostOptions {
		notes = labelled(notes, "Features", strings.Join(v.Features[mostOptions:], ", "))
	}
	notes = labelled(notes, "Listing", plainURL(v.VDPURL))
	if dealers {
		notes = labelled(notes, "Description", v.Description)
		for _, photo := range v.Photos[min(1, len(v.Photos)):] {
			notes = labelled(notes, "Photo", plainURL(photo))
		}
	}
	notes = append(notes, extra(v)...)
	notes = labelled(notes, "Notes", v.Notes)
	return strings.Join(notes, "; ")
}

func price(n *aap.Int, kind string) *Price {
	if n == nil {
		return nil
	}
	return &Price{Value: whole(n), Type: kind, Currency: "USD"}
}

// prices are the amounts beside the price.
func prices(v *aap.Vehicle) []string {
	out := labelled(nil, "MSRP", dollars(v.MSRP))
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

func measure(f *float64, unit string) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64) + " " + unit
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
