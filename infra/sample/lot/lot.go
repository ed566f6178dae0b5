// Package lot makes up the cars of a fictional dealer as an export file: a mix of
// new, used and certified cars, trucks, EVs and motorcycles with valid VINs, their
// usual trims, prices that follow age, photos, options and descriptions.
package lot

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// asOf is the day the export was made.
var asOf = time.Date(2026, 4, 28, 0, 0, 0, 0, time.UTC)

var header = []string{"VIN", "Stock", "Type", "Vehicle Type", "Year", "Make", "Model", "Trim", "Body", "Miles", "Selling Price", "MSRP",
	"Exterior Color", "Interior Color", "Transmission", "Drivetrain", "Engine", "Displacement CC", "Fuel Type", "City MPG", "Highway MPG",
	"EV Range", "Battery kWh", "Motor HP", "DC Fast Charge", "Charge Port", "Features", "Photos", "VDP URL", "Description", "Status",
	"Rooftop", "Date In Stock", "Last Modified"}

// rooftops are named as in dealer.yaml.
var rooftops = []struct{ name, prefix string }{
	{"Larkspur Ridge Fort Collins", "FC"},
	{"Larkspur Ridge Bend", "BD"},
}

// Sample is the number of vehicles in the sample's inventory.csv.
const Sample = 330

// quotas say how many units of each kind a lot of Sample has.
var quotas = []struct {
	kind  string
	units int
}{{kindCar, 190}, {kindTruck, 60}, {kindEV, 45}, {kindMotorcycle, 35}}

// unit is one vehicle on its way to a CSV row.
type unit struct {
	model
	trim                 trim
	vin, stock, kindOf   string
	year, miles, selling int
	rooftop              int
	status               string
	price                string
	inStock              time.Time
}

// CSV is an export of so many vehicles. The same number always gives the same
// bytes, and Sample those of inventory.csv.
func CSV(vehicles int) ([]byte, error) {
	// Two separate seeds keep the file stable: a change of texts moves no VIN.
	rng := rand.New(rand.NewPCG(2026, 428))
	words := rand.New(rand.NewPCG(428, 2026))
	var units []*unit
	taken := map[string]bool{}
	for n, q := range quotas {
		of := modelsOf(q.kind)
		count := q.units * vehicles / Sample
		if n == len(quotas)-1 {
			count = vehicles - len(units)
		}
		for i := range count {
			u := newUnit(rng, of[i%len(of)], len(units))
			for serial := len(units); taken[u.vin]; serial++ {
				u.vin = checked(u.vin[:11] + fmt.Sprintf("%06d", serial))
			}
			taken[u.vin] = true
			units = append(units, u)
		}
	}
	special(rng, units)
	rng.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.Write(header); err != nil {
		return nil, err
	}
	for i, u := range units {
		if err := w.Write(u.row(words, i)); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

func modelsOf(kind string) []model {
	var of []model
	for _, m := range models {
		if m.kind == kind {
			of = append(of, m)
		}
	}
	return of
}

func newUnit(rng *rand.Rand, m model, n int) *unit {
	t := rng.IntN(len(m.trims))
	u := &unit{model: m, trim: m.trims[t], rooftop: rng.IntN(2), status: "In Stock"}
	newest := asOf.Year()
	switch p := rng.IntN(100); {
	case p < 42 && m.name != "Bolt EUV":
		u.kindOf, u.year, u.miles = "New", newest, 3+rng.IntN(60)
		if rng.IntN(8) == 0 {
			u.year = newest - 1
		}
	case p < 58 && m.kind != kindMotorcycle:
		u.kindOf, u.year = "Certified", newest-1-rng.IntN(4)
	default:
		u.kindOf, u.year = "Used", newest-1-rng.IntN(12)
	}
	u.year = max(u.year, m.first)
	age := newest - u.year
	if u.kindOf != "New" {
		perYear := 9000 + rng.IntN(5000)
		if m.kind == kindMotorcycle {
			perYear = 1500 + rng.IntN(3000)
		}
		u.miles = perYear*max(1, age) + rng.IntN(3000)
	}
	u.selling = sellingPrice(rng, u, age)
	u.vin = makeVIN(m.wmi, m.vds, "ABCDEFGH"[t], "ACEHLNRU"[rng.IntN(8)], u.year, fmt.Sprintf("%06d", 100000+rng.IntN(800)*1000+n))
	u.stock = fmt.Sprintf("%s%s%04d", rooftops[u.rooftop].prefix, map[string]string{"New": "N", "Used": "U", "Certified": "C"}[u.kindOf], 1000+n*7)
	u.inStock = asOf.AddDate(0, 0, -rng.IntN(90))
	u.price = strconv.Itoa(u.selling)
	return u
}

// sellingPrice ends in 5 or 0 dollars, as stickers do.
func sellingPrice(rng *rand.Rand, u *unit, age int) int {
	price := float64(u.trim.msrp) * (1 - rng.Float64()*0.06)
	if u.kindOf != "New" {
		price = float64(u.trim.msrp) * math.Pow(0.88, float64(max(1, age))) * (0.97 + rng.Float64()*0.06)
		if u.kindOf == "Certified" {
			price *= 1.04
		}
	}
	return int(price)/100*100 + []int{0, 50, 95}[rng.IntN(3)]
}

// special gives some units another state than "for sale with a price".
func special(rng *rand.Rand, units []*unit) {
	order := rng.Perm(len(units))
	take := func(n int, fits func(*unit) bool, change func(i int, u *unit)) {
		n = n * len(units) / Sample
		for done := 0; done < n && len(order) > 0; {
			u := units[order[0]]
			if order = order[1:]; fits(u) {
				change(done, u)
				done++
			}
		}
	}
	any := func(*unit) bool { return true }
	status := func(s string) func(int, *unit) { return func(_ int, u *unit) { u.status = s } }
	take(18, func(u *unit) bool { return u.kindOf == "New" }, func(_ int, u *unit) { u.status, u.miles = "In Transit", 0 })
	take(12, any, status("Sale Pending"))
	take(9, any, status("Sold"))
	take(5, any, status("Dealer Hold"))
	take(15, any, func(i int, u *unit) { u.price = []string{"", "Call", "0"}[i%3] })
}

func (u *unit) row(words *rand.Rand, i int) []string {
	cells := map[string]string{
		"VIN": u.vin, "Stock": u.stock, "Type": u.kindOf, "Vehicle Type": "Car", "Year": strconv.Itoa(u.year),
		"Make": u.make, "Model": u.name, "Trim": u.trim.name, "Body": u.body,
		"Miles": strconv.Itoa(u.miles), "Selling Price": u.price,
		"Exterior Color": pick(words, colors), "Interior Color": pick(words, interiors),
		"Transmission": u.gearbox, "Drivetrain": u.drivetrain, "Engine": u.engine, "Displacement CC": number(u.cc),
		"Fuel Type": u.fuel, "City MPG": number(u.city), "Highway MPG": number(u.highway),
		"VDP URL": "https://www.example.com/inventory/" + strings.ToLower(u.stock),
		"Status":  u.status, "Rooftop": rooftops[u.rooftop].name, "Date In Stock": u.inStock.Format("01/02/2006"),
	}
	if u.trim.name == "Base" {
		cells["Trim"] = ""
	}
	if u.kind == kindMotorcycle {
		cells["Vehicle Type"], cells["Interior Color"] = "Motorcycle", ""
		cells["Exterior Color"] = pick(words, motorcycleColors)
	}
	if u.kindOf == "New" {
		cells["MSRP"] = strconv.Itoa(u.trim.msrp)
	}
	if e := u.electric; e != nil {
		port := e.port
		if e.nacsFrom > 0 && u.year >= e.nacsFrom {
			port = "NACS"
		}
		cells["EV Range"], cells["Battery kWh"] = strconv.Itoa(e.rangeMi), strconv.FormatFloat(e.kwh, 'f', -1, 64)
		cells["Motor HP"], cells["Charge Port"] = strconv.Itoa(e.hp), port
		cells["DC Fast Charge"] = map[bool]string{true: "Yes", false: "No"}[e.fast]
	}
	cells["Features"] = strings.Join(u.features(words), "|")
	if u.status != "In Transit" {
		cells["Photos"] = photos(u.stock, 3+words.IntN(6))
		cells["Description"] = pick(words, map[string][]string{"New": storiesNew, "Used": storiesUsed, "Certified": storiesCPO}[u.kindOf])
	}
	if i%25 == 0 {
		cells["Last Modified"] = asOf.Add(-time.Duration(1+words.IntN(600)) * time.Minute).Format(time.RFC3339)
	}
	row := make([]string, len(header))
	for at, name := range header {
		row[at] = cells[name]
	}
	return row
}

func (u *unit) features(words *rand.Rand) []string {
	if u.kind == kindMotorcycle {
		return some(words, riding, 3)
	}
	list := append(some(words, basics, 4), some(words, comfort, 3)...)
	if u.body == "Truck" {
		list = append(list, some(words, hauling, 2)...)
	}
	if u.fuel == "Electric" {
		list = append(list, some(words, plugged, 2)...)
	}
	return list
}

func photos(stock string, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("https://photos.example.com/%s/%d.jpg", strings.ToLower(stock), i+1)
	}
	return strings.Join(list, "|")
}

func pick(words *rand.Rand, from []string) string { return from[words.IntN(len(from))] }

func some(words *rand.Rand, from []string, n int) []string {
	list := make([]string, n)
	for i, at := range words.Perm(len(from))[:n] {
		list[i] = from[at]
	}
	return list
}

// number leaves unknown numbers blank.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
