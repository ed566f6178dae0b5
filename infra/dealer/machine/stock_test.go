package machine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// rows is a feed of plain cars, each with its stock number and further members.
func rows(members map[string]object) string {
	var list []object
	for stock, more := range members {
		row := object{"stock": stock, "year": 2022, "make": "Honda", "model": "Civic", "condition": "used", "status": "available",
			"price": 20000, "mileage": 30000, "rooftop": "North"}
		for name, value := range more {
			if row[name] = value; value == nil {
				delete(row, name)
			}
		}
		list = append(list, row)
	}
	b, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// car looks one car up by its stock number.
func (d *door) car(t *testing.T, stock string) answer {
	t.Helper()
	return d.skill(t, request("inventory.vehicle", fmt.Sprintf(`"stock":%q`, stock)))
}

func TestOnlyWhatIsForSaleIsShown(t *testing.T) {
	words := map[string]string{
		"In Stock": "available", "": "available", "In Transit": "intransit", "Sale Pending": "pending", "Deposit taken": "pending",
		"Sold": "", "Wholesale": "", "Dealer hold": "", "On order": "", "Loaner": "", "somewhere": "",
	}
	feed, shown := map[string]object{}, 0
	stocks := map[string]string{}
	for word, status := range words {
		stock := fmt.Sprintf("S%d", len(feed))
		feed[stock], stocks[word] = object{"status": word}, stock
		if status != "" {
			shown++
		}
	}
	d := openLot(t, rows(feed), shown, fixed)
	for word, status := range words {
		a := d.car(t, stocks[word])
		if status == "" {
			a.want("-32000 VEHICLE_UNAVAILABLE")
			continue
		}
		if a.payload.Data["status"] != status || a.payload.Data["updated_at"] != "2026-05-01T12:00:00Z" {
			t.Errorf("%q: %s, want status %s, vouched for at the time of the feed", word, a.body, status)
		}
	}
	mapped := openLot(t, rows(map[string]object{"S1": {"status": "somewhere"}, "S2": {}}), 2, fixed, add("feed: {statuses: {somewhere: pending}}"))
	if a := mapped.car(t, "S1"); a.payload.Data["status"] != "pending" {
		t.Errorf("the dealer's own word: %s", a.body)
	}
}

func TestCarsAreKnownByWhatTheContractTakes(t *testing.T) {
	d := openLot(t, rows(map[string]object{
		"I1": {"vin": "1hgcv1f30ka000001"},
		"I2": {"vin": "1HGCV1F30KAO00002"},
		"I3": {"vin": "1HD1ZZK21"},
		"I4": {"stock": nil, "vehicle_id": "only-an-id"},
		"I5": {"rooftop": "south"},
	}), 5, fixed)
	for stock, want := range map[string]object{
		"I1": {"vin": "1HGCV1F30KA000001", "vehicle_id": nil},
		"I2": {"vin": nil, "vehicle_id": "1HGCV1F30KAO00002"},
		"I3": {"vin": nil, "vehicle_id": "1HD1ZZK21"},
		"I5": {"rooftop": "South"},
	} {
		a := d.car(t, stock)
		for name, value := range want {
			if a.payload.Data[name] != value {
				t.Errorf("%s: %s is %v, want %v", stock, name, a.payload.Data[name], value)
			}
		}
	}
	a := d.skill(t, request("inventory.vehicle", `"vehicle_id":"only-an-id"`))
	a.want("ok")
	if notes, _ := a.payload.Data["notes"].(string); notes == "" {
		t.Errorf("nothing explains why there is neither VIN nor stock number: %s", a.body)
	}
}

func TestTheFirstRowOfACarWins(t *testing.T) {
	vin := object{"vin": "1HGCV1F30KA000001", "make": "Honda", "model": "Civic", "price": 20000, "rooftop": "North", "stock": "D1"}
	other := object{"vin": "1HGCV1F30KA000001", "make": "Honda", "model": "Civic", "price": 19000, "rooftop": "North", "stock": "D2"}
	feed, err := json.Marshal([]object{vin, other})
	if err != nil {
		t.Fatal(err)
	}
	d := openLot(t, string(feed), 1, fixed)
	if a := d.skill(t, request("inventory.vehicle", `"vin":"1HGCV1F30KA000001"`)); a.number("price") != 20000 || a.payload.Data["stock"] != "D1" {
		t.Errorf("%s", a.body)
	}
}

func TestOneRooftopOwnsEveryCar(t *testing.T) {
	one := func(string) string {
		return "id: demo\nname: Demo\nrooftops:\n  - {name: Main Street, timezone: America/Denver, phones: [{value: \"+13035550100\"}]}\n" +
			"prices: {includes: all_mandatory_charges}\ndelivery:\n  - {name: outbox, type: file, folder: outbox}\n"
	}
	d := openLot(t, rows(map[string]object{"R1": {"rooftop": nil}, "R2": {"rooftop": "Main Street"}}), 2, fixed, one)
	if a := d.skill(t, request("inventory.search", `"filters":{"rooftops":["main street"]}`)); a.stocks() != "R1 R2" {
		t.Errorf("%s", a.body)
	}
}

// clock is a clock that a test sets.
type clock struct{ atomic.Pointer[time.Time] }

func startClock(at time.Time) *clock {
	c := &clock{}
	c.Store(&at)
	return c
}

func (c *clock) now() time.Time { return *c.Load() }

func (c *clock) advance(d time.Duration) {
	at := c.now().Add(d)
	c.Store(&at)
}

func TestOldInventoryIsToldAndThenNotClaimed(t *testing.T) {
	c := startClock(noon)
	d := openLot(t, readFile(t, "testdata/feed.json"), 5, c.now, add("inventory: {hard_max_age: 96h}"))
	calls := []string{request("inventory.search", ``), request("inventory.vehicle", `"stock":"T100"`), request("inventory.facets", ``)}
	for _, call := range calls {
		if a := d.skill(t, call); strings.Contains(a.payload.Message, "Warning") {
			t.Errorf("a fresh inventory is warned of: %s", a.body)
		}
	}
	c.advance(49 * time.Hour)
	for _, call := range calls {
		if a := d.skill(t, call); !strings.Contains(a.payload.Message, "Warning") {
			t.Errorf("after 49 hours: no warning in %s", a.body)
		}
	}
	if a := d.car(t, "T102"); a.payload.Data["updated_at"] != "2026-04-27T00:00:00Z" {
		t.Errorf("updated_at follows the request: %s", a.body)
	}
	c.advance(48 * time.Hour)
	if a := d.skill(t, calls[0]); a.number("total") != 0 || a.payload.Message == "" {
		t.Errorf("after 97 hours: %s", a.body)
	}
	d.skill(t, calls[1]).want("-32000 VEHICLE_UNAVAILABLE")
	if a := d.skill(t, calls[2]); a.rpc.Error != nil || len(a.payload.Data["makes"].([]any)) > 0 {
		t.Errorf("facets after 97 hours: %s", a.body)
	}
}

func TestWhatTheFeedMarksSoldIsOfferedNoLonger(t *testing.T) {
	sold := object{"status": "sold"}
	c := startClock(noon)
	d := openLot(t, rows(map[string]object{"M1": {}, "M2": {}, "M3": {}}), 3, c.now)
	c.advance(24 * time.Hour)
	d.rewrite(t, rows(map[string]object{"M1": sold, "M2": sold, "M3": {}}), c.now())
	d.lists(t, 1)
	d.car(t, "M1").want("-32000 VEHICLE_UNAVAILABLE")

	// A feed cut off is refused, and what it marks sold is sold all the same.
	d = openLot(t, rows(map[string]object{"M1": {}, "M2": {}, "M3": {}, "M4": {}, "M5": {}}), 5, c.now)
	c.advance(24 * time.Hour)
	d.rewrite(t, rows(map[string]object{"M1": sold, "M2": {}}), c.now())
	d.lists(t, 4)
	d.car(t, "M1").want("-32000 VEHICLE_UNAVAILABLE")
	d.car(t, "M5").want("ok")
}

func TestWhatLeftTheFeedIsRememberedThenForgotten(t *testing.T) {
	all := map[string]object{"K1": {}, "K2": {}, "K3": {"rooftop": "South"}, "K4": {"rooftop": "South"}, "K5": {"rooftop": "South"}}
	without := func(stocks ...string) string {
		left := map[string]object{}
		for stock, row := range all {
			left[stock] = row
		}
		for _, stock := range stocks {
			delete(left, stock)
		}
		return rows(left)
	}
	c := startClock(noon)
	d := openLot(t, rows(all), 5, c.now)
	next := func(feed string) {
		t.Helper()
		c.advance(time.Hour)
		d.restart(t, feed, c.now())
	}
	next(without("K3"))
	d.car(t, "K3").want("-32000 VEHICLE_UNAVAILABLE")
	d.car(t, "K4").want("ok")

	next(rows(map[string]object{"K1": {}}))
	d.lists(t, 4)
	if a := d.car(t, "K2"); a.payload.Data["updated_at"] != "2026-05-01T13:00:00Z" {
		t.Errorf("a refused feed changed the inventory: %s", a.body)
	}
	next(`[{"colour":"red"},{"colour":"blue"}]`)
	d.lists(t, 4)

	next(rows(map[string]object{"K1": {"price": 21000}, "K2": {}, "K6": {}, "K7": {}}))
	d.lists(t, 6)
	if a := d.car(t, "K1"); a.number("price") != 21000 {
		t.Errorf("the good rooftop is not updated: %s", a.body)
	}
	if a := d.car(t, "K4"); a.payload.Data["updated_at"] != "2026-05-01T13:00:00Z" {
		t.Errorf("the rooftop that fell is not as it was: %s", a.body)
	}

	c.advance(31 * 24 * time.Hour)
	next(without("K3"))
	d.car(t, "K3").want("-32000 VEHICLE_NOT_FOUND")
}
