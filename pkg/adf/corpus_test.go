package adf_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire/wiretest"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// spiced puts hostile text into about half of the texts that may be any.
func spiced(t *rapid.T, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if text, ok := member.(string); ok && slices.Contains(freeText, name) && text != "" {
				if rapid.Bool().Draw(t, name) {
					v[name] = text + hostile().Draw(t, "hostile")
				}
				continue
			}
			v[name] = spiced(t, member)
		}
	case []any:
		for i := range v {
			v[i] = spiced(t, v[i])
		}
	}
	return v
}

var freeText = []string{
	"first_name", "last_name", "address_line_1", "address_line_2", "city", "state", "country", "message", "notes", "consent_text", "name", "make",
	"model", "trim", "stock", "vehicle_id", "body", "transmission", "engine", "fuel", "driveline", "exterior_color", "interior_color", "description",
	"charge_port",
}

// leads are valid requests of a contract with all that it declares, and more.
func leads(t *testing.T, v aap.Version) *rapid.Generator[lead.Record] {
	c := wiretest.New(t, v)
	file := aap.LeadSubmit.RequestSchema()
	return rapid.Custom(func(rt *rapid.T) lead.Record {
		plain := c.Draw(rt, file)
		var doc any
		if err := json.Unmarshal(plain, &doc); err != nil {
			rt.Fatal(err)
		}
		payload, err := json.Marshal(spiced(rt, doc))
		if err != nil {
			rt.Fatal(err)
		}
		if len(c.Faults(t, file, payload)) > 0 {
			payload = plain
		}
		return lead.Record{
			ID: "L-1", DealerID: "lakeside", Version: v.Label, Request: payload, ReceivedAt: received,
			Rooftop: rapid.SampledFrom([]string{"North", "South", "Island", "Smith & Sons <Autos>"}).Draw(rt, "rooftop"),
		}
	})
}

// TestTenThousandLeadsAreValidADFAndReadBackEqual: any valid lead of any
// contract, with hostile text in it.
func TestTenThousandLeadsAreValidADFAndReadBackEqual(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 600
	}
	var all []string
	refused := 0
	versions := aap.Versions()
	for i, v := range versions {
		generator := leads(t, v)
		for seed := range (n + len(versions) - 1) / len(versions) {
			r := generator.Example(seed)
			p := profile(t, []string{"", "consent: true", "names: full", "names: split", "provider_name: Net & Co"}[seed%5])
			doc, err := adf.Render(r, p, adf.Options{ASCII: seed%3 == 0, Resend: seed%7 == 0})
			if err != nil {
				t.Fatalf("%s %d: %v\n%s", v.Label, seed, err, r.Request)
			}
			all = append(all, string(doc))
			if bytes.Contains(r.Request, []byte("{{name}}")) {
				refused++ // an unfilled template looks so
				continue
			}
			if diff := readBack(t, r, doc, p.ADF.Names); diff != "" {
				t.Fatalf("%s %d (%d): %s\n%s\n%s", v.Label, seed, i, diff, r.Request, doc)
			}
		}
	}
	if refused > n/5 {
		t.Errorf("%d of %d leads were not compared", refused, n)
	}
	validateAll(t, all)
}

// readBack is how what the reader finds differs from the lead; it is read,
// written and read again.
func readBack(t *testing.T, r lead.Record, doc []byte, names string) string {
	t.Helper()
	prospects, faults, err := adf.Read(bytes.NewReader(doc))
	if err != nil || len(prospects) != 1 || slices.ContainsFunc(faults, func(f adf.Fault) bool { return f.Invalid }) {
		return fmt.Sprintf("%d prospects, %v, %v", len(prospects), faults, err)
	}
	again, faults, err := adf.Read(bytes.NewReader(prospects[0].XML()))
	if err != nil || slices.ContainsFunc(faults, func(f adf.Fault) bool { return f.Invalid }) {
		return fmt.Sprintf("written again: %v, %v", faults, err)
	}
	if diff := cmp.Diff(prospects, again); diff != "" {
		return "written again: " + diff
	}
	req, err := r.Lead()
	if err != nil {
		return err.Error()
	}
	want, got := expected(req), found(prospects[0], req, names)
	return cmp.Diff(want, got)
}

// facts are what of a lead must be found in its document, by name.
type facts map[string]string

func (f facts) add(name, text string) { f[name] = strings.TrimSpace(written(text)) }

func expected(req aap.LeadRequest) facts {
	f := facts{}
	c := req.Customer
	f.add("first name", c.FirstName)
	f.add("last name", c.LastName)
	f.add("email", c.Email)
	f.add("phone", c.Phone)
	f.add("message", req.Message)
	if a := c.Address; a != nil {
		f.add("city", a.City)
		f.add("state", a.State)
		f.add("zip", a.Zip)
		f.add("street", a.AddressLine1)
	}
	if v := req.VehicleOfInterest; v != nil {
		f.vehicle("wanted ", v)
	}
	if v := req.TradeIn; v != nil {
		f.vehicle("trade-in ", v)
		f.add("trade-in condition", v.Condition)
	}
	return f
}

func (f facts) vehicle(whose string, v *aap.Vehicle) {
	digits := func(n *aap.Int) string {
		if n == nil {
			return ""
		}
		return fmt.Sprint(int64(*n))
	}
	if v.Year != nil && v.Make != "" && v.Model != "" {
		f.add(whose+"name", digits(v.Year)+"/"+strings.TrimSpace(written(v.Make))+"/"+v.Model)
	}
	f.add(whose+"vin", v.VIN)
	f.add(whose+"stock", v.Stock)
	f.add(whose+"trim", v.Trim)
	f.add(whose+"body", v.Body)
	f.add(whose+"mileage", digits(v.Mileage))
	f.add(whose+"price", digits(v.Price))
	f.add(whose+"id", v.VehicleID)
	f.add(whose+"colors", strings.TrimSpace(written(v.InteriorColor))+"/"+v.ExteriorColor)
	for i, feature := range v.Features {
		f.add(fmt.Sprint(whose, "feature ", i), feature)
	}
	f.add(whose+"notes", v.Notes)
}

// found is the same of a prospect, as far as the request has it.
func found(p adf.Prospect, req aap.LeadRequest, names string) facts {
	f := facts{"first name": p.Customer.First, "last name": p.Customer.Last, "email": p.Customer.Email}
	if names == "full" { // and a comma in it turns the reader's parts round
		whole := req.Customer.FirstName + " " + req.Customer.LastName
		if strings.TrimSpace(written(whole)) == p.Customer.Full {
			f.add("first name", req.Customer.FirstName)
			f.add("last name", req.Customer.LastName)
		}
	}
	f["phone"] = ""
	if len(p.Customer.Phones) > 0 {
		f["phone"] = p.Customer.Phones[0].Number
	}
	f["message"] = ""
	if strings.HasPrefix(p.Comments, written(req.Message)) {
		f.add("message", req.Message)
	}
	if a := req.Customer.Address; a != nil {
		got := adf.Address{}
		if p.Customer.Address != nil {
			got = *p.Customer.Address
		}
		f["city"], f["state"], f["zip"], f["street"] = got.City, got.RegionCode, got.PostalCode, ""
		if len(got.Streets) > 0 && strings.TrimSpace(written(a.AddressLine1)) != "" {
			f["street"] = got.Streets[0]
		}
	}
	at := 0
	for whose, v := range map[string]*aap.Vehicle{"wanted ": req.VehicleOfInterest, "trade-in ": req.TradeIn} {
		if v == nil {
			continue
		}
		at = 0
		if whose == "trade-in " {
			at = len(p.Vehicles) - 1
			f["trade-in condition"] = p.Vehicles[at].Condition
		}
		f.read(whose, p.Vehicles[at], v)
	}
	return f
}

func (f facts) read(whose string, g adf.Vehicle, v *aap.Vehicle) {
	if v.Year != nil && v.Make != "" && v.Model != "" {
		f[whose+"name"] = g.Year + "/" + g.Make + "/" + g.Model
	}
	f[whose+"vin"], f[whose+"stock"], f[whose+"trim"], f[whose+"body"], f[whose+"mileage"] = g.VIN, g.Stock, g.Trim, g.BodyStyle, g.Odometer
	f[whose+"price"], f[whose+"id"], f[whose+"colors"], f[whose+"notes"] = "", "", "/", ""
	if g.Price != nil {
		f[whose+"price"] = g.Price.Value
	}
	if len(g.IDs) > 0 {
		f[whose+"id"] = g.IDs[0].Value
	}
	if len(g.Colors) > 0 {
		f[whose+"colors"] = g.Colors[0].Interior + "/" + g.Colors[0].Exterior
	}
	for i, o := range g.Options {
		f[fmt.Sprint(whose, "feature ", i)] = o.Name
	}
	if strings.HasSuffix(g.Comments, written("Notes: "+v.Notes)) {
		f.add(whose+"notes", v.Notes)
	}
}

// validateAll holds documents against the DTD in few files of many prospects
// each; xmllint then names the line.
func validateAll(t *testing.T, docs []string) {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for batch := range slices.Chunk(docs, 1000) {
		var b strings.Builder
		b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<?adf version=\"1.0\"?>\n<adf>\n")
		for _, doc := range batch {
			_, rest, _ := strings.Cut(doc, "<adf>\n")
			prospect, _, ok := strings.Cut(rest, "</adf>")
			if !ok {
				t.Fatalf("no adf element in\n%s", doc)
			}
			b.WriteString(prospect)
		}
		b.WriteString("</adf>\n")
		file := filepath.Join(dir, fmt.Sprintf("%d.xml", len(files)))
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	validate(t, files...)
}
