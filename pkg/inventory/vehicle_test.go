package inventory_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

func TestVehicleIsLookedUpByTheMostSpecificIdentifier(t *testing.T) {
	all := units(t, sixUnits)
	long := all[0]
	long.Key, long.State, long.GoneAt = "OLD", inventory.Sold, noon.Add(-40*24*time.Hour)
	long.Listing = aap.Vehicle{Stock: "OLD1", VehicleID: "v-old"}
	all = append(all, long)
	slices.SortFunc(all, func(a, b inventory.Vehicle) int { return strings.Compare(a.Key, b.Key) })
	l, p := lotOf(t, all), twoRooftops()
	for _, c := range []struct {
		name string
		ask  aap.VehicleRequest
		want string
		code aap.Code
	}{
		{"by stock", aap.VehicleRequest{Stock: "T100"}, "A", ""},
		{"by stock folded", aap.VehicleRequest{Stock: "t 100"}, "A", ""},
		{"stock before vehicle id", aap.VehicleRequest{Stock: "T100", VehicleID: "v-c"}, "A", ""},
		{"by vehicle id", aap.VehicleRequest{VehicleID: "v-b"}, "B", ""},
		{"an unknown vin is passed over", aap.VehicleRequest{VIN: "4T1B11HK5JU600066", Stock: "S200"}, "C", ""},
		{"nothing matches", aap.VehicleRequest{VIN: "4T1B11HK5JU600066"}, "", aap.VehicleNotFound},
		{"sold", aap.VehicleRequest{VIN: "2FTEW1EP4NK300033"}, "", aap.VehicleUnavailable},
		{"the vin decides although the stock is for sale", aap.VehicleRequest{VIN: "2FTEW1EP4NK300033", Stock: "T100"}, "", aap.VehicleUnavailable},
		{"sold too long ago", aap.VehicleRequest{Stock: "OLD1"}, "", aap.VehicleNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply, err := l.Vehicle(t.Context(), p, c.ask)
			if c.code != "" {
				if !errors.Is(err, &aap.Error{Code: c.code}) {
					t.Errorf("error %v, want %s", err, c.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			v := reply.Data.(aap.Vehicle)
			if letters[v.Stock] != c.want || v.Status == "" || v.UpdatedAt == "" {
				t.Errorf("%s with status %q, updated_at %q; want %s", v.Stock, v.Status, v.UpdatedAt, c.want)
			}
		})
	}
	reply, err := l.Vehicle(t.Context(), p, aap.VehicleRequest{VehicleID: "v-b"})
	if v := reply.Data.(aap.Vehicle); err != nil || v.Price != nil || *v.ListPrice != 27990 {
		t.Errorf("B has price %v and list price %v: %v", v.Price, v.ListPrice, err)
	}
	p.Inventory.HardMaxAge = dealer.Duration(time.Minute)
	if _, err := l.Vehicle(t.Context(), p, aap.VehicleRequest{Stock: "T100"}); !errors.Is(err, &aap.Error{Code: aap.VehicleUnavailable}) {
		t.Errorf("a feed past the hard age claims availability: %v", err)
	}
	empty := inventory.NewLot(stored(t, nil, noon), func() time.Time { return noon })
	if _, err := empty.Vehicle(t.Context(), p, aap.VehicleRequest{Stock: "T100"}); !errors.Is(err, &aap.Error{Code: aap.VehicleNotFound}) {
		t.Errorf("an empty lot: %v", err)
	}
}
