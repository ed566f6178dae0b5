package adf

import (
	"encoding/json"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// request is a lead.submit payload. Most are plain and read in one pass over
// their bytes, which checks as it reads; what is unusual in any way, damage
// included, is left to the decoder of aap.LeadRequest.
type request struct{ aap.LeadRequest }

func (q *request) decode(payload []byte) error {
	c := cursor{text: string(payload)}
	if c.object(q.member) && c.end() {
		return nil
	}
	q.LeadRequest = aap.LeadRequest{}
	return json.Unmarshal(payload, &q.LeadRequest)
}

// members gives the place for the value of a member: a *string, **aap.Int,
// *[]string, the members of an object, or nil for an unusual one.
type members func(name string) any

func (q *request) member(name string) any {
	switch name {
	case "type":
		return &q.Type
	case "idempotency_key":
		return &q.IdempotencyKey
	case "customer":
		return members(q.customer)
	case "consent":
		return members(q.consent)
	case "source_agent":
		return members(q.agent)
	case "vehicle_of_interest":
		return vehicle(&q.VehicleOfInterest)
	case "trade_in":
		return vehicle(&q.TradeIn)
	case "appointment":
		return visit(&q.Appointment)
	case "message":
		return &q.Message
	case "submitted_at":
		return &q.SubmittedAt
	}
	return nil
}

func (q *request) customer(name string) any {
	switch c := &q.Customer; name {
	case "first_name":
		return &c.FirstName
	case "last_name":
		return &c.LastName
	case "email":
		return &c.Email
	case "phone":
		return &c.Phone
	case "preferred_contact":
		return &c.PreferredContact
	case "address":
		return street(&c.Address)
	}
	return nil
}

// street is an address; the buyer has at most one.
func street(into **aap.Address) any {
	if *into != nil {
		return nil
	}
	a := new(aap.Address)
	*into = a
	return members(func(name string) any {
		switch name {
		case "country":
			return &a.Country
		case "state":
			return &a.State
		case "city":
			return &a.City
		case "address_line_1":
			return &a.AddressLine1
		case "address_line_2":
			return &a.AddressLine2
		case "zip":
			return &a.Zip
		}
		return nil
	})
}

func (q *request) consent(name string) any {
	switch c := &q.Consent; name {
	case "granted_at":
		return &c.GrantedAt
	case "allowed_channels":
		return &c.AllowedChannels
	case "consent_text":
		return &c.ConsentText
	case "scope":
		return &c.Scope
	case "expires_at":
		return &c.ExpiresAt
	}
	return nil
}

func (q *request) agent(name string) any {
	switch a := &q.SourceAgent; name {
	case "name":
		return &a.Name
	case "url":
		return &a.URL
	case "agent_card_url":
		return &a.AgentCardURL
	}
	return nil
}

func visit(into **aap.Appointment) any {
	if *into != nil {
		return nil
	}
	a := new(aap.Appointment)
	*into = a
	return members(func(name string) any {
		switch name {
		case "appointment_type":
			return &a.AppointmentType
		case "appointment_at":
			return &a.AppointmentAt
		case "duration_minutes":
			return &a.DurationMinutes
		case "notes":
			return &a.Notes
		}
		return nil
	})
}

// vehicle takes the members that buyers send; the rare ones make the request
// an unusual one.
func vehicle(into **aap.Vehicle) any {
	if *into != nil {
		return nil
	}
	v := new(aap.Vehicle)
	*into = v
	return members(func(name string) any {
		switch name {
		case "vin":
			return &v.VIN
		case "stock":
			return &v.Stock
		case "vehicle_id":
			return &v.VehicleID
		case "year":
			return &v.Year
		case "make":
			return &v.Make
		case "model":
			return &v.Model
		case "trim":
			return &v.Trim
		case "condition":
			return &v.Condition
		case "rooftop":
			return &v.Rooftop
		case "price":
			return &v.Price
		case "list_price":
			return &v.ListPrice
		case "msrp":
			return &v.MSRP
		case "mileage":
			return &v.Mileage
		case "body":
			return &v.Body
		case "transmission":
			return &v.Transmission
		case "driveline":
			return &v.Driveline
		case "engine":
			return &v.Engine
		case "fuel":
			return &v.Fuel
		case "exterior_color":
			return &v.ExteriorColor
		case "interior_color":
			return &v.InteriorColor
		case "vehicle_type":
			return &v.VehicleType
		case "status":
			return &v.Status
		case "displacement_cc":
			return &v.DisplacementCC
		case "city_mpg":
			return &v.CityMPG
		case "highway_mpg":
			return &v.HighwayMPG
		case "features":
			return &v.Features
		case "photos":
			return &v.Photos
		case "description":
			return &v.Description
		case "dealer_id":
			return &v.DealerID
		case "inventory_date":
			return &v.InventoryDate
		case "updated_at":
			return &v.UpdatedAt
		case "vdp_url":
			return &v.VDPURL
		case "notes":
			return &v.Notes
		}
		return nil
	})
}
