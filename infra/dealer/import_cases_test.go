package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exportCase is one export and what buyers and the dealer then read.
type exportCase struct {
	name string
	// settings are lines of the profile; prices replaces its price policy.
	settings, prices string
	file             string
	// found is stock numbers, in alphabetical order, by search filters.
	found map[string]string
	// units is members by stock number, null for an absent one.
	units map[string]string
	// report is what the report says somewhere.
	report []string
}

const wholePrice = "{includes: all_mandatory_charges}"

// exporting imports a file and returns the report and the exit code.
func (d *importing) importText(t *testing.T, c exportCase) (report string, code int) {
	t.Helper()
	prices := c.prices
	if prices == "" {
		prices = wholePrice
	}
	profile := "id: example\nname: Example Motors\nrooftops:\n  - {name: Example Motors, timezone: America/Denver, phones: [{value: \"+13035550100\"}]}\n" +
		"prices: " + prices + "\ndelivery:\n  - {name: outbox, type: file, folder: outbox}\n" + c.settings
	for name, text := range map[string]string{"dealer.yaml": profile, "export.txt": c.file} {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := dealerCommand(t, "", "import", "--profile", filepath.Join(d.dir, "dealer.yaml"), "--feed", filepath.Join(d.dir, "export.txt"), "--data", d.data, "--json")
	return r.out + r.err, r.code
}

func (c exportCase) run(t *testing.T) {
	d := &importing{dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	report, code := d.importText(t, c)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, report)
	}
	for _, want := range c.report {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	url, stop := d.serve(t)
	defer stop()
	for filters, want := range c.found {
		if got := stocksFound(t, url, filters); got != want {
			t.Errorf("%s finds %q, want %q", filters, got, want)
		}
	}
	for stock, members := range c.units {
		hasMembers(t, url, stock, members)
	}
}

func stocksFound(t *testing.T, url, filters string) string {
	t.Helper()
	var request map[string]any
	if err := json.Unmarshal([]byte(`{"filters":{`+filters+`},"pagination":{"limit":100}}`), &request); err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(inOrder(ask(t, url, "inventory.search", request)))
	slices.Sort(names)
	return strings.Join(names, " ")
}

// inOrder is the stock numbers of a search answer.
func inOrder(answer map[string]any) string {
	page, _ := answer["data"].(map[string]any)
	vehicles, _ := page["vehicles"].([]any)
	var names []string
	for _, v := range vehicles {
		names = append(names, fmt.Sprint(v.(map[string]any)["stock"]))
	}
	return strings.Join(names, " ")
}

func hasMembers(t *testing.T, url, stock, members string) {
	t.Helper()
	var want map[string]any
	if err := json.Unmarshal([]byte(members), &want); err != nil {
		t.Fatalf("%s: %v", members, err)
	}
	answer := ask(t, url, "inventory.vehicle", map[string]any{"stock": stock})
	got, ok := answer["data"].(map[string]any)
	if !ok {
		t.Errorf("%s: %v", stock, answer)
		return
	}
	for member, want := range want {
		if fmt.Sprint(got[member]) != fmt.Sprint(want) {
			t.Errorf("%s: %s is %v, want %v", stock, member, got[member], want)
		}
	}
}
