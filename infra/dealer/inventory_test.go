package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheLogTellsWhatWasPublishedAndWhen(t *testing.T) {
	dir := t.TempDir()
	data, feed, profile := filepath.Join(dir, "data"), filepath.Join(dir, "cars.csv"), filepath.Join(dir, "dealer.yaml")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const dealership = `id: coast
name: Coast Motors
rooftops:
  - {name: Main, timezone: America/Los_Angeles, phones: [{value: "+14155550100"}], address: {state: CA}}
prices: {includes: none, add_fees: [{name: Documentation fee, amount: 85}]}
delivery:
  - {name: outbox, type: file, folder: outbox}
`
	write(profile, dealership)
	take := func(rows string) {
		t.Helper()
		write(feed, "vin,stock,year,make,model,price\n"+rows)
		if r := dealerCommand(t, "", "import", "--profile", profile, "--feed", feed, "--data", data); r.code != 0 {
			t.Fatalf("import: %s%s", r.out, r.err)
		}
	}
	log := func(args ...string) string {
		t.Helper()
		r := dealerCommand(t, "", append([]string{"inventory", "log", "--data", data}, args...)...)
		if r.code != 0 {
			t.Fatalf("inventory log %v: exit code %d\n%s%s", args, r.code, r.out, r.err)
		}
		return r.out
	}
	take("1HGCV1F30KA000001,A1,2020,Honda,Accord,20000\n1HGCV1F30KA000002,A2,2020,Honda,Accord,21000\n")
	take("1HGCV1F30KA000001,A1,2020,Honda,Accord,19500\n1HGCV1F30KA000002,A2,2020,Honda,Accord,21000\n")
	take("1HGCV1F30KA000002,A2,2020,Honda,Accord,21000\n")
	var entries []struct {
		At, Status, Source string
		Price              *int
		Fees               []struct{ Amount int }
	}
	if err := json.Unmarshal([]byte(log("a1", "--format", "json")), &entries); err != nil || len(entries) != 3 {
		t.Fatalf("%v %+v", err, entries)
	}
	if *entries[0].Price != 20085 || *entries[1].Price != 19585 || entries[2].Status != "sold" || entries[0].Fees[0].Amount != 85 || entries[1].Source != "cars.csv" {
		t.Errorf("%+v", entries)
	}
	if then := log("1HGCV1F30KA000001", "--at", entries[0].At, "--format", "json"); strings.Count(then, "\n") != 3 || !strings.Contains(then, "20085") {
		t.Errorf("at the first import: %s", then)
	}
	rows, err := csv.NewReader(strings.NewReader(log("--at", "2099-01-01", "--format", "csv"))).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][2] != "A2" || rows[1][5] != "21085" {
		t.Errorf("%v %v", rows, err)
	}
	if table := log(); !strings.Contains(table, "Documentation fee 85") || strings.Count(table, "\n") != 5 {
		t.Errorf("table:\n%s", table)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"B9"}, 1, "nothing was published about B9"},
		{[]string{"--at", "2001-01-01"}, 1, "nothing was published"},
		{[]string{"--at", "noon"}, 2, "--at wants"},
		{[]string{"--format", "xml"}, 2, "--format wants"},
	} {
		r := dealerCommand(t, "", append([]string{"inventory", "log", "--data", data}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.err, c.want) {
			t.Errorf("%v: exit code %d, %s", c.args, r.code, r.err)
		}
	}
	write(profile, dealership+"records: {prices: 30d}\n")
	r := dealerCommand(t, "", "import", "--profile", profile, "--feed", feed, "--data", data)
	if r.code != 1 || !strings.Contains(r.err, "records.prices") || !strings.Contains(r.err, "California") {
		t.Errorf("a month in California: %d %s", r.code, r.err)
	}
}
