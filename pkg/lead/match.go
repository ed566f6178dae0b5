package lead

import (
	"context"
	"errors"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// Stock finds the dealer's unit a buyer means, listed or not, or
// inventory.ErrNotFound.
type Stock interface {
	Match(ctx context.Context, p *dealer.Profile, voi aap.Vehicle) (inventory.Vehicle, error)
}

// found is what the lot says about the vehicle of interest.
type found struct {
	// listing is the unit, when the buyer named it by one of its own
	// identifiers. Year, make and model may fit several units and name none.
	listing *aap.Vehicle
	rooftop *dealer.Rooftop
	// note is a sentence for the buyer, empty when all is well.
	note string
}

// match looks the vehicle of interest up. Only a test drive of a vehicle with
// identifiers is refused when there is none to drive; every other lead is
// worth having.
func (d *Desk) match(ctx context.Context, p *dealer.Profile, req *aap.LeadRequest) (found, error) {
	testDrive := req.Appointment != nil && req.Appointment.AppointmentType == aap.AppointmentTestDrive
	voi := req.VehicleOfInterest
	if voi == nil {
		if testDrive && p.Leads.TestDriveNeedsVehicle {
			return found{}, aap.Errorf(aap.MissingRequiredField,
				"A test drive needs vehicle_of_interest. Send the vin, stock or vehicle_id of the vehicle to drive.").
				With("errors", []aap.Violation{{
					InstanceLocation: "/vehicle_of_interest", Keyword: "required",
					Error: "A test_drive appointment needs this; send the vehicle to drive.",
				}})
		}
		return found{rooftop: home(p, "")}, nil
	}
	if d.Stock == nil || !identifiable(*voi) {
		return found{rooftop: home(p, voi.Rooftop)}, nil
	}

	unit, err := d.Stock.Match(ctx, p, *voi)
	switch {
	case errors.Is(err, inventory.ErrNotFound):
		if testDrive {
			return found{}, aap.Errorf(aap.VehicleNotFound,
				"No vehicle of this dealer matches vehicle_of_interest. Find it with inventory.search and send its vin, stock or vehicle_id, or send the lead without the test_drive appointment.")
		}
		return found{
			rooftop: home(p, voi.Rooftop),
			note:    "The vehicle of interest was not found in the inventory.",
		}, nil
	case err != nil && testDrive:
		return found{}, err
	case err != nil:
		// The lead is worth more than the lookup.
		d.log().WarnContext(ctx, "vehicle of interest not looked up", "dealer_id", p.ID, "error", err)
		return found{rooftop: home(p, voi.Rooftop)}, nil
	}

	f := found{rooftop: p.Rooftop(unit.Listing.Rooftop)}
	if named(*voi, unit.Listing) {
		f.listing = &unit.Listing
	} else if chosen := p.Rooftop(voi.Rooftop); chosen != nil {
		f.rooftop = chosen
	}
	if f.rooftop == nil {
		f.rooftop = home(p, voi.Rooftop)
	}
	if !unit.State.Listed() {
		if testDrive {
			return found{}, aap.Errorf(aap.VehicleUnavailable,
				"This vehicle is no longer for sale, so it cannot be driven. Offer the buyer another one from inventory.search, or send the lead without the test_drive appointment.")
		}
		f.note = "The vehicle of interest is no longer for sale."
	}
	return f, nil
}

// identifiable reports whether the vehicle says enough to be looked up.
func identifiable(v aap.Vehicle) bool {
	return v.VIN != "" || v.Stock != "" || v.VehicleID != "" || v.Year != nil && v.Make != "" && v.Model != ""
}

// named reports whether the buyer's vehicle carries an identifier of the unit.
func named(voi, unit aap.Vehicle) bool {
	same := func(a, b string) bool { a = inventory.FoldID(a); return a != "" && a == inventory.FoldID(b) }
	return voi.VIN != "" && voi.VIN == unit.VIN || same(voi.Stock, unit.Stock) || same(voi.VehicleID, unit.VehicleID)
}

// home is the rooftop a buyer names, else the first one; nil only when the
// profile has none.
func home(p *dealer.Profile, name string) *dealer.Rooftop {
	if name != "" {
		if r := p.Rooftop(name); r != nil {
			return r
		}
	}
	if len(p.Rooftops) == 0 {
		return nil
	}
	return &p.Rooftops[0]
}
