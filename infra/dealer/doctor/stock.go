package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// car is what the checks read of a listing. Money of AAP v0.1 is an object, and
// is left alone.
type car struct {
	VIN            string          `json:"vin"`
	Stock          string          `json:"stock"`
	VehicleID      string          `json:"vehicle_id"`
	Make           string          `json:"make"`
	Model          string          `json:"model"`
	Year           *float64        `json:"year"`
	Status         string          `json:"status"`
	Condition      string          `json:"condition"`
	Price          json.RawMessage `json:"price"`
	ListPrice      json.RawMessage `json:"list_price"`
	UpdatedAt      string          `json:"updated_at"`
	LastVerifiedAt string          `json:"last_verified_at"`
	Fees           []aap.Fee       `json:"fees"`

	raw json.RawMessage
}

// name is what tells the car from others.
func (v car) name() string { return v.VIN + "/" + v.Stock + "/" + v.VehicleID }

// price is the price in dollars, if it is a number.
func (v car) price() (float64, bool) {
	var n float64
	if len(v.Price) == 0 || json.Unmarshal(v.Price, &n) != nil {
		return 0, false
	}
	return n, true
}

// page is one answer of inventory.search.
type page struct {
	total int
	cars  []car
}

// errNoPage: a search did not answer; skill.answer says so for the first one.
var errNoPage = errors.New("a search was not answered")

// search asks for one page. filters and sort are JSON objects.
func (x *examination) search(ctx context.Context, c *contract, filters, sort string, skip, limit int) (page, error) {
	payload := fmt.Sprintf(`{"filters":%s,"pagination":{"skip":%d,"limit":%d}`, filters, skip, limit)
	if sort != "" {
		payload += `,"sort":` + sort
	}
	answer, err := x.call(ctx, c, aap.InventorySearch, payload+"}")
	if err != nil {
		return page{}, fmt.Errorf("%w: %w", errNoPage, err)
	}
	x.again(c, aap.InventorySearch, answer)
	var found struct {
		Data struct {
			Total    int               `json:"total"`
			Vehicles []json.RawMessage `json:"vehicles"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return page{}, errNoPage
	}
	p := page{total: found.Data.Total}
	for _, raw := range found.Data.Vehicles {
		v := car{raw: raw}
		if json.Unmarshal(raw, &v) != nil {
			return page{}, errNoPage
		}
		p.cars = append(p.cars, v)
	}
	return p, nil
}

const everything = "{}"

// stock looks at the inventory of the newest contract.
func (x *examination) stock(ctx context.Context, c *contract) {
	if !c.offers(aap.InventorySearch) || c.vehicle == nil {
		x.skip("inventory.filter", c.of(), "no cars to look at")
		return
	}
	all, err := x.search(ctx, c, everything, "", 0, 50)
	if err != nil {
		x.skip("inventory.filter", c.of(), "%v", err)
		return
	}
	x.cars(c, all)
	if facets := x.facets(ctx, c); facets != nil {
		x.counts(ctx, c, all, facets)
	}
	x.narrows(ctx, c, all)
	x.pages(ctx, c)
	x.sorted(ctx, c)
	x.details(ctx, c, all)
}

// narrows filters by what a listed car has: the result must be no larger, and
// every car in it must fit.
func (x *examination) narrows(ctx context.Context, c *contract, all page) {
	tried := 0
	for i, v := range all.cars {
		if i%(len(all.cars)/3+1) != 0 || v.Year == nil || v.Make == "" {
			continue
		}
		name, err := json.Marshal(v.Make)
		if err != nil {
			continue
		}
		wide, err1 := x.search(ctx, c, fmt.Sprintf(`{"make":[%s]}`, name), "", 0, 50)
		narrow, err2 := x.search(ctx, c, fmt.Sprintf(`{"make":[%s],"year_min":%d,"year_max":%d}`, name, int(*v.Year), int(*v.Year)), "", 0, 50)
		switch {
		case err1 != nil || err2 != nil:
			x.skip("inventory.filter", c.of(), "%v", errors.Join(err1, err2))
			return
		case wide.total > all.total || narrow.total > wide.total:
			x.fail("inventory.filter", c.of(), "%d cars in all, %d of one make, %d of them of one year", all.total, wide.total, narrow.total)
			return
		case slices.ContainsFunc(narrow.cars, func(f car) bool { return f.Year == nil || *f.Year != *v.Year }):
			x.fail("inventory.filter", c.of(), "year_min and year_max of %d find cars of other years", int(*v.Year))
			return
		}
		tried++
	}
	if tried == 0 {
		x.skip("inventory.filter", c.of(), "no car has a make and a year")
		return
	}
	x.pass("inventory.filter", c.of(), "%d cars in all; %d pairs of filters", all.total, tried)
}

// byYear is an order every contract has.
const byYear = `{"field":"year","order":"desc"}`

// pages reads the first cars in pages of three and at once.
func (x *examination) pages(ctx context.Context, c *contract) {
	const size, most = 3, 12
	whole, err := x.search(ctx, c, everything, byYear, 0, most)
	if err != nil {
		x.skip("inventory.paging", c.of(), "%v", err)
		return
	}
	var joined []string
	for skip := 0; skip < len(whole.cars); skip += size {
		p, err := x.search(ctx, c, everything, byYear, skip, size)
		if err != nil {
			x.skip("inventory.paging", c.of(), "%v", err)
			return
		}
		if p.total != whole.total {
			x.fail("inventory.paging", c.of(), "total is %d on one page and %d on another", whole.total, p.total)
			return
		}
		for _, v := range p.cars {
			joined = append(joined, v.name())
		}
	}
	for i, v := range whole.cars {
		if i >= len(joined) || joined[i] != v.name() {
			x.fail("inventory.paging", c.of(), "car %d of one long page is not car %d of the short ones", i+1, i+1)
			return
		}
	}
	x.pass("inventory.paging", c.of(), "%d cars in pages of %d", len(whole.cars), size)
}

// sorted sorts by price both ways.
func (x *examination) sorted(ctx context.Context, c *contract) {
	for _, order := range []string{"asc", "desc"} {
		p, err := x.search(ctx, c, everything, `{"field":"price","order":"`+order+`"}`, 0, 100)
		if err != nil {
			x.skip("inventory.sort", c.of(), "%v", err)
			return
		}
		without, last := false, 0.0
		for i, v := range p.cars {
			amount, priced := v.price()
			switch {
			case !priced:
				without = true
				continue
			case without:
				x.fail("inventory.sort", c.of(), "in order %s a car with a price comes after one without", order)
				return
			case i > 0 && (order == "asc" && amount < last || order == "desc" && amount > last):
				x.fail("inventory.sort", c.of(), "in order %s, %.0f comes after %.0f", order, amount, last)
				return
			}
			last = amount
		}
	}
	x.pass("inventory.sort", c.of(), "up and down")
}

// details asks for a few listed cars one by one.
func (x *examination) details(ctx context.Context, c *contract, all page) {
	if !c.offers(aap.InventoryVehicle) {
		return
	}
	for i, v := range all.cars {
		ask := identifiers(v.raw)
		if i >= 3 || ask == "" {
			continue
		}
		answer, err := x.call(ctx, c, aap.InventoryVehicle, ask)
		if errors.Is(err, errLimited) {
			x.skip("inventory.detail", c.of(), "%v", err)
			return
		}
		if err != nil {
			x.fail("inventory.detail", c.of(), "a listed car is refused: %v", err)
			return
		}
		x.again(c, aap.InventoryVehicle, answer)
		var detail struct {
			Data car `json:"data"`
		}
		_ = json.Unmarshal(answer, &detail) // what is missing differs below
		d := detail.Data
		if d.name() != v.name() || d.Make != v.Make || d.Model != v.Model || d.Status != v.Status || string(d.Price) != string(v.Price) || d.UpdatedAt != v.UpdatedAt {
			x.fail("inventory.detail", c.of(), "identity, make, model, status, price or updated_at differ")
			return
		}
	}
	x.pass("inventory.detail", c.of(), "%d cars", min(3, len(all.cars)))
}
