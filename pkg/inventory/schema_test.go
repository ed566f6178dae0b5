package inventory_test

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

func TestEveryAnswerFitsTheReleasedSchema(t *testing.T) {
	files, err := schemas.Version(aap.V1_3.Label)
	if err != nil {
		t.Fatal(err)
	}
	set, err := schema.New(aap.V1_3, files)
	if err != nil {
		t.Fatal(err)
	}
	fits := func(rt *rapid.T, s aap.Skill, reply aap.Reply) {
		b, err := reply.Append(nil, s)
		if err != nil {
			rt.Fatal(err)
		}
		faults, err := set.Check(s.ResponseSchema(), b)
		if err != nil || len(faults) > 0 {
			rt.Errorf("%s\nbreaks the schema: %v %v", b, faults, err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		lot, p := drawLot(rt), twoRooftops()
		l := lotOf(t, lot)
		var filters aap.Filters
		if err := json.Unmarshal([]byte(encoded(drawFilters(rt))), &filters); err != nil {
			rt.Fatal(err)
		}
		reply, err := l.Search(t.Context(), p, aap.SearchRequest{Filters: filters})
		if err != nil {
			rt.Fatal(err)
		}
		fits(rt, aap.InventorySearch, reply)
		if reply, err = l.Facets(t.Context(), p, aap.FacetsRequest{Filters: filters}); err != nil {
			rt.Fatal(err)
		}
		fits(rt, aap.InventoryFacets, reply)
		x, err := inventory.NewIndex(t.Context(), lot, inventory.Head{Revision: 1})
		if err != nil {
			rt.Fatal(err)
		}
		fits(rt, aap.InventorySearch, aap.Reply{Data: x.SearchWithFacets(p, &aap.SearchRequest{Filters: filters}, noon)})
		for _, v := range lot {
			reply, err := l.Vehicle(t.Context(), p, aap.VehicleRequest{Stock: v.Listing.Stock})
			if errors.Is(err, &aap.Error{Code: aap.VehicleUnavailable}) {
				continue
			}
			if err != nil {
				rt.Fatal(err)
			}
			fits(rt, aap.InventoryVehicle, reply)
		}
	})
}
