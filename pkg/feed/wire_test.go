package feed_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

func released(t testing.TB) *schema.Set {
	t.Helper()
	files, err := schemas.Version(aap.V1_3.Label)
	if err != nil {
		t.Fatal(err)
	}
	set, err := schema.New(aap.V1_3, files)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// fits answers each unit as inventory.vehicle would and checks it.
func fits(t testing.TB, set *schema.Set, units []inventory.Vehicle) {
	t.Helper()
	for _, u := range units {
		v := u.Listing
		v.Status = string(inventory.Available)
		payload, err := aap.Reply{Data: v}.Append(nil, aap.InventoryVehicle)
		if err != nil {
			t.Fatal(err)
		}
		faults, err := set.Check(aap.InventoryVehicle.ResponseSchema(), payload)
		if err != nil || len(faults) > 0 {
			t.Fatalf("%s: %v %v\n%s", u.Key, err, faults, payload)
		}
	}
}

func TestUnitsOfTheReferenceExportsFitTheReleasedSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("reads thousands of vehicles")
	}
	set := released(t)
	files, err := filepath.Glob(filepath.Join(aaptest.Reference(t, "cases", "feeds"), "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, path := range files {
		name := filepath.Base(path)
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".md" || name == "expected.json" {
			continue
		}
		l := referenceLot(t, name, body)
		if _, err := l.take(t, name, body); err != nil {
			continue // refused files have their own tests
		}
		units := l.units(t)
		checked += len(units)
		fits(t, set, units)
	}
	if checked < 5000 {
		t.Errorf("only %d units were checked", checked)
	}
}

func TestUnitsOfAnyRowFitTheReleasedSchema(t *testing.T) {
	set := released(t)
	headers := "stock|vin|id|year|make|model|trim|condition|status|type|price|list price|msrp|fees|mileage|body|transmission|drivetrain|engine|displacement cc|fuel|city mpg|hwy mpg|electric range|battery kwh|motor hp|dc fast charge|charge port|color|interior|options|photos|url|description|date in stock|last updated|attr:x|doc fee"
	values := []string{"", "0", "1", "-1", "12", "417", "2020", "20,500", "$21,490.50", "1e9", "1e400", "NaN", "true", "yes", "new", "used", "Certified", "N/A", "sold", "3/5/26", "2026-03-05",
		"2026-03-01T10:00:00-07:00", "https://a.example.com/x y.jpg", "http://é.example.com", "https://a.example.com/%zz", "https://a.example.com:99999/", "https://a.example.com/#a#b", "a.jpg", "x|y", "Doc: 5;Doc: 6", "Doc: 0", "<b>x</b>", "\x00\x1b", "é\u200b", vinA, "11111111111111111", "[1,2]", `[{"name":"a","amount":1}]`, "0.1", "99999999999999999999"}
	rapid.Check(t, func(rt *rapid.T) {
		row := make([]string, strings.Count(headers, "|")+1)
		for i := range row {
			v := rapid.OneOf(rapid.SampledFrom(values), rapid.String()).Draw(rt, "cell")
			row[i] = `"` + strings.ReplaceAll(strings.NewReplacer("\r", " ", "\n", " ").Replace(v), `"`, `""`) + `"`
		}
		row[0], row[3], row[4], row[5] = "S1", "2020", "Kia", "Rio"
		file := headers + "\n" + strings.Join(row, "|") + "\n"
		batch, _, err := feed.Read(t.Context(), feed.Source{Name: "x", Modified: exported, Body: strings.NewReader(file)}, oneRooftop())
		if err != nil || len(batch.Vehicles) != 1 {
			rt.Fatalf("%v", err)
		}
		fits(t, set, batch.Vehicles)
	})
}

func TestAnyWholeAmountIsReadFromItsUsualSpellings(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Int64Range(100, 9_999_998).Draw(rt, "dollars")
		grouped := fmt.Sprint(n)
		for i := len(grouped) - 3; i > 0; i -= 3 {
			grouped = grouped[:i] + "," + grouped[i:]
		}
		for _, s := range []string{fmt.Sprint(n), grouped, "$" + grouped, grouped + ".00", fmt.Sprintf("%d.0", n), "USD " + grouped, grouped + " USD", "$ " + strings.ReplaceAll(grouped, ",", " ")} {
			v, _ := cell(t, oneRooftop(), "price", s)
			if num(v.Price) != n {
				rt.Fatalf("%q: %v", s, num(v.Price))
			}
		}
	})
}

func TestABatchSurvivesStorageUnchanged(t *testing.T) {
	units, _ := read(t, oneRooftop(), string(exportOf(20))+`"Used","E1","","2024","Kia","EV6"`+"\n")
	for _, u := range units {
		first, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		var back inventory.Vehicle
		if err := json.Unmarshal(first, &back); err != nil {
			t.Fatal(err)
		}
		second, _ := json.Marshal(back)
		if !bytes.Equal(first, second) {
			t.Errorf("%s\n%s", first, second)
		}
	}
}
