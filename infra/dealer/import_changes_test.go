package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// differing is a list of changes as the JSON report writes it.
type differing struct {
	Count    int
	Vehicles []struct {
		Vehicle string
		Was, Is *struct {
			Price     *int
			ListPrice *int `json:"list_price"`
		}
	}
}

// importPage imports a file and returns the changes of the JSON report and the page.
func importPage(t *testing.T, data, file string, flags ...string) (added, removed, repriced differing, page string, code int) {
	t.Helper()
	at := filepath.Join(t.TempDir(), "report.html")
	r := dealerCommand(t, "", append([]string{"import", "--profile", fixtureProfile, "--feed", write(t, "export.csv", file), "--data", data, "--json", "--report-html", at}, flags...)...)
	var report struct {
		Differences struct {
			Added, Removed differing
			Repriced       differing `json:"price_changed"`
		}
	}
	raw, err := os.ReadFile(at)
	if err == nil {
		err = json.Unmarshal([]byte(r.out), &report)
	}
	if err != nil {
		t.Fatalf("%v\n%s%s", err, r.out, r.err)
	}
	d := report.Differences
	return d.Added, d.Removed, d.Repriced, string(raw), r.code
}

func TestTheReportNamesWhatCameWentAndCostsSomethingElse(t *testing.T) {
	const head = "stock,year,make,model,price,status,color\n"
	data := t.TempDir()
	importPage(t, data, head+"A1,2020,Kia,Rio,9000,,Red\nA2,2021,Kia,Soul,10000,,Red\nA3,2022,Kia,K5,21000,,Red\nA4,2019,Kia,Forte,8000,sold,Red\nA5,2018,Kia,Rio,7000,,Red\nA6,2017,Kia,Rio,6500,,Red\n")
	const second = head + "A1,2020,Kia,Rio,8500,,Red\nA2,2021,Kia,Soul,10000,sold,Red\nA4,2019,Kia,Forte,8000,,Red\nA5,2018,Kia,Rio,Call,,Red\nA6,2017,Kia,Rio,6500,,Blue\nA7,2026,Kia,<i>EV6</i>,41000,,Red\n"
	for _, flags := range [][]string{{"--dry-run"}, nil} {
		added, removed, repriced, page, code := importPage(t, data, second, flags...)
		if code != 0 {
			t.Fatal(page)
		}
		if added.Count != 2 || removed.Count != 2 || repriced.Count != 2 || len(added.Vehicles) != 2 || len(removed.Vehicles) != 2 || len(repriced.Vehicles) != 2 {
			t.Fatalf("added %+v, removed %+v, price changed %+v", added, removed, repriced)
		}
		if v := repriced.Vehicles[0]; v.Vehicle != "2020 Kia Rio, A1" || *v.Was.Price != 9000 || *v.Is.Price != 8500 {
			t.Errorf("%+v", v)
		}
		if v := repriced.Vehicles[1]; v.Vehicle != "2018 Kia Rio, A5" || *v.Was.Price != 7000 || v.Is != nil {
			t.Errorf("%+v", v)
		}
		for _, want := range []string{
			"New on offer: 2", "2019 Kia Forte, A4</td><td>$8,000", "A7</td><td>$41,000", "No longer on offer: 2", "2021 Kia Soul, A2</td><td>$10,000", "2022 Kia K5, A3",
			"Price changed: 2", "A1</td><td>$9,000</td><td>$8,500", "A5</td><td>$7,000</td><td>no price",
		} {
			if !strings.Contains(page, want) {
				t.Errorf("the page lacks %q", want)
			}
		}
		if strings.Contains(page, "<i>") || strings.Contains(page, "A6</td><td>") {
			t.Errorf("the page holds what it must not:\n%s", page)
		}
	}
	if added, removed, repriced, page, _ := importPage(t, data, second); added.Count+removed.Count+repriced.Count != 0 || strings.Contains(page, "on offer:") {
		t.Errorf("the same file again: %+v %+v %+v", added, removed, repriced)
	}
}

func TestALongListOfChangesIsCutAndCounted(t *testing.T) {
	file := "stock,year,make,model,price\n"
	for i := range 230 {
		file += fmt.Sprintf("B%03d,2020,Kia,Rio,9000\n", i)
	}
	added, _, _, page, _ := importPage(t, t.TempDir(), file)
	if added.Count != 230 || len(added.Vehicles) != 200 || !strings.Contains(page, "New on offer: 230") || !strings.Contains(page, "and 30 more") || strings.Contains(page, "B200") {
		t.Errorf("%d counted, %d named", added.Count, len(added.Vehicles))
	}
}
