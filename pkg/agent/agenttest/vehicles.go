package agenttest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// Identifiers of vehicles on the lot of New.
const (
	ListedVIN = "2T3P1RFV8NC214471"
	SoldVIN   = "5XYZT3LB4JG530226"
	AbsentVIN = "WBA8E9G55GNT41235"
)

// Vehicles is the lot of New: three for sale, one sold, ordered by key.
func Vehicles() []inventory.Vehicle {
	return ordered([]inventory.Vehicle{
		{Key: ListedVIN, State: inventory.Available, Listing: aap.Vehicle{
			VIN: ListedVIN, Stock: "H-1107", Year: number(2022), Make: "Toyota", Model: "RAV4", Trim: "XLE",
			Condition: "used", Price: number(28450), Mileage: number(31200), Body: "suv", Fuel: "gas",
			ExteriorColor: "Blueprint", Rooftop: "Harbor Seattle", UpdatedAt: "2026-06-15T11:00:00Z",
		}},
		{Key: "Harbor Boise/B-0042", State: inventory.Pending, Listing: aap.Vehicle{
			Stock: "B-0042", Year: number(2019), Make: "Subaru", Model: "Outback", Condition: "used",
			Price: number(19900), Mileage: number(68010), Rooftop: "Harbor Boise", UpdatedAt: "2026-06-14T11:00:00Z",
		}},
		{Key: "Harbor Seattle/H-2001", State: inventory.InTransit, Listing: aap.Vehicle{
			Stock: "H-2001", VehicleType: "motorcycle", Year: number(2026), Make: "Zero", Model: "DSR/X", Condition: "new",
			ListPrice: number(19995), Fuel: "bev", Rooftop: "Harbor Seattle", UpdatedAt: "2026-06-13T11:00:00Z",
		}},
		{Key: SoldVIN, State: inventory.Sold, GoneAt: Clock.AddDate(0, 0, -3), Listing: aap.Vehicle{
			VIN: SoldVIN, Stock: "H-0930", Year: number(2018), Make: "Hyundai", Model: "Santa Fe", Condition: "used",
			Rooftop: "Harbor Seattle", UpdatedAt: "2026-06-11T11:00:00Z",
		}},
	})
}

// Many is a lot of n plausible listed vehicles, the same ones every time.
func Many(n int) []inventory.Vehicle {
	models := [][2]string{
		{"Toyota", "RAV4"}, {"Honda", "Civic"}, {"Honda", "CR-V"}, {"Ford", "F-150"}, {"Mazda", "CX-5"},
		{"Kia", "Niro"}, {"Subaru", "Outback"}, {"Tesla", "Model 3"}, {"BMW", "330i"}, {"Chevrolet", "Tahoe"},
	}
	colors := []string{"Black", "White", "Oxford Gray", "Deep Blue", "Red"}
	all := make([]inventory.Vehicle, n)
	for i := range all {
		m := models[i%len(models)]
		vin := fmt.Sprintf("1HGCM826%09d", i)
		all[i] = inventory.Vehicle{Key: vin, State: inventory.Available, Listing: aap.Vehicle{
			VIN: vin, Stock: fmt.Sprintf("S%06d", i), VehicleID: fmt.Sprintf("unit-%06d", i),
			Year: number(int64(2012 + i%14)), Make: m[0], Model: m[1], Trim: []string{"Base", "Sport", "Touring"}[i%3],
			Condition: []string{"used", "used", "new", "cpo"}[i%4], Price: number(int64(9000 + i*37%52000)),
			Mileage: number(int64(i * 613 % 140000)), Body: []string{"suv", "sedan", "truck", "hatchback"}[i%4],
			Transmission: "automatic", Driveline: []string{"fwd", "awd", "rwd"}[i%3], Fuel: []string{"gas", "hybrid", "bev"}[i%3],
			ExteriorColor: colors[i%len(colors)], InteriorColor: "Black", Engine: "2.0L I4",
			Photos:   []string{fmt.Sprintf("https://img.harbor-auto.example/%06d/1.jpg", i), fmt.Sprintf("https://img.harbor-auto.example/%06d/2.jpg", i)},
			Features: []string{"Heated seats", "Lane keeping", "Remote start"}, VDPURL: fmt.Sprintf("https://harbor-auto.example/v/%06d", i),
			Rooftop:   []string{"Harbor Seattle", "Harbor Boise"}[i%2],
			UpdatedAt: Clock.Add(-2 * 3600e9).Format("2006-01-02T15:04:05Z"),
		}}
	}
	return ordered(all)
}

func ordered(v []inventory.Vehicle) []inventory.Vehicle {
	slices.SortFunc(v, func(a, b inventory.Vehicle) int { return cmp.Compare(a.Key, b.Key) })
	return v
}

func number(n int64) *aap.Int { i := aap.Int(n); return &i }
