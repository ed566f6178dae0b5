package adf_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/adf"
)

// readCase reads one collected document.
func readCase(t *testing.T, name string) ([]adf.Prospect, []adf.Fault, error) {
	t.Helper()
	data, err := os.ReadFile(aaptest.Reference(t, "cases", "adf", name))
	if err != nil {
		t.Fatal(err)
	}
	return adf.Read(bytes.NewReader(data))
}

func one(t *testing.T, name string, wantFaults ...string) adf.Prospect {
	t.Helper()
	prospects, faults, err := readCase(t, name)
	if err != nil || len(prospects) != 1 {
		t.Fatalf("got %d prospects, %v, faults %v", len(prospects), err, faults)
	}
	for _, want := range wantFaults {
		if !hasFault(faults, want) {
			t.Errorf("no fault says %q; got %v", want, faults)
		}
	}
	if len(wantFaults) == 0 && len(faults) > 0 {
		t.Errorf("a good document has faults: %v", faults)
	}
	return prospects[0]
}

func hasFault(faults []adf.Fault, text string) bool {
	for _, f := range faults {
		if strings.Contains(f.String(), text) {
			return true
		}
	}
	return false
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestReadCollectedDocuments(t *testing.T) {
	t.Run("a minimal document has no fault", func(t *testing.T) {
		p := one(t, "good-minimal.xml")
		equal(t, "name", p.Customer.Full, "Pat Sample")
		equal(t, "vehicle", p.Vehicles[0].String(), "2022 Honda Civic")
		equal(t, "interest defaults to buy", p.Vehicles[0].Interest, "buy")
		equal(t, "comments", p.Comments, "Hi")
	})
	t.Run("a full document is read whole", func(t *testing.T) {
		p := one(t, "good-full.xml")
		equal(t, "id", p.IDs[0].Value, "L-1001")
		v := p.Vehicles[0]
		equal(t, "vehicle", v.String(), "2022 Honda Civic EX")
		equal(t, "stock", v.Stock, "T100")
		equal(t, "odometer", v.Odometer+" "+v.OdometerUnits+" "+v.OdometerStatus, "18420 mi original")
		equal(t, "condition", v.Condition, "excellent")
		equal(t, "price", v.Price.Value+" "+v.Price.Currency+" "+v.Price.Type, "24990 USD asking")
		equal(t, "second colour", v.Colors[1].Exterior+v.Colors[1].Preference, "Red2")
		trade := p.Vehicles[1]
		equal(t, "trade-in", trade.Interest+" "+trade.String()+" "+trade.Odometer+" "+trade.Condition, "trade-in 2014 Toyota Corolla 96000 good")
		c := p.Customer
		equal(t, "name", c.First+"/"+c.Last+"/"+c.Full, "Pat/Sample/Pat Sample")
		equal(t, "preferred", c.Preferred, "email")
		equal(t, "phones", c.Phones[0].Type+" "+c.Phones[0].Time+", "+c.Phones[1].Type, "cellphone evening, voice")
		equal(t, "earliest", p.Timeframe.Earliest, "2026-05-01")
		equal(t, "comments", p.Comments, "A & B")
		equal(t, "vendor", p.Vendor.Name, "Demo Toyota")
		equal(t, "provider", p.Provider.Name, "Buyer Agent")
		if want := time.Date(2026, 4, 30, 17, 15, 10, 0, time.UTC); !p.RequestedAt.Equal(want) || !p.HasZone {
			t.Errorf("requested at %v, want %v", p.RequestedAt, want)
		}
	})
	t.Run("the dealer's name in the vendor's contact is the vendor", func(t *testing.T) {
		p := one(t, "sendadf-basic-oneline.xml", "vendor's name stands only in its contact", "vendorname is missing", "neither email nor phone")
		equal(t, "vendor", p.Vendor.Name, "Acura of Bellevue")
		equal(t, "phone", p.Customer.Phones[0].Number, "393-555-0122")
		equal(t, "status", p.Vehicles[0].Status, "used")
	})
	t.Run("elements out of order are read and reported", func(t *testing.T) {
		p := one(t, "aap-mapping-v1.1.xml", "line 11: /adf/prospect/vehicle/vin: vin stands after trim", "odometer stands after condition",
			"vendor stands after provider", "contact is missing in vendor")
		equal(t, "interest", p.Vehicles[0].Interest, "test-drive")
		equal(t, "vin", p.Vehicles[0].VIN, "1HGCV1F30KA000001")
		equal(t, "transmission", p.Vehicles[0].Transmission, "automatic")
		equal(t, "comment", p.Vehicles[0].Comments, "certified pre-owned")
		equal(t, "trade-in", p.Vehicles[1].Interest, "trade-in")
	})
	t.Run("an empty vehicle is a general enquiry", func(t *testing.T) {
		p := one(t, "fetch-auto-expected.xml", "instruction is written ADF", "general enquiry")
		equal(t, "name", p.Customer.First+" "+p.Customer.Last, "Pat Sample")
		equal(t, "vendor e-mail", p.Vendor.Contact.Email, "")
		if !strings.Contains(p.Comments, "date_of_birth: 1980-01-01\n") {
			t.Error("the comments lost text")
		}
	})
	t.Run("a date without zone is kept and reported", func(t *testing.T) {
		p := one(t, "launchlabs-sample.xml", "time has no zone", "time has no seconds", "leadtype: element is not part of prospect", "not a phone number", "adf instruction is missing")
		equal(t, "time", p.RequestedAt.Format("2006-01-02T15:04"), "2025-09-22T18:07")
		equal(t, "zone known", p.HasZone, false)
		equal(t, "names", p.Customer.First+" "+p.Customer.Last, "Example Example")
		equal(t, "phones", len(p.Customer.Phones), 0)
		equal(t, "unknown elements", len(p.Unknown), 2)
		equal(t, "unknown element", p.Unknown[0].Path+" "+p.Unknown[0].Text, "/adf/prospect/leadtype Sales")
		if !strings.Contains(p.Comments, "<https://example.com/profile>") {
			t.Error("text in CDATA is lost")
		}
	})
	t.Run("an unescaped less-than sign names line and element", func(t *testing.T) {
		_, _, err := readCase(t, "launchlabs-sample-broken-url.xml")
		if !errors.Is(err, adf.ErrMalformed) || !strings.Contains(err.Error(), "line 9: unescaped < in url") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an empty template is no lead", func(t *testing.T) {
		prospects, faults, err := readCase(t, "everlogic-template.xml")
		if !errors.Is(err, adf.ErrNoLead) || len(prospects) != 0 || !hasFault(faults, "no customer data") {
			t.Errorf("got %v, %v, %v", prospects, faults, err)
		}
	})
	t.Run("a malformed offset leaves the time", func(t *testing.T) {
		p := one(t, "wikipedia-valid-sample.xml", "offset is malformed", "not an e-mail address", "email stands after phone")
		equal(t, "time", p.RequestedAt.Format("2006-01-02T15:04:05"), "2000-03-30T15:30:20")
		equal(t, "zone known", p.HasZone, false)
		equal(t, "e-mail", p.Customer.Email, "")
	})
	t.Run("unfilled placeholders are refused by name", func(t *testing.T) {
		_, faults, err := readCase(t, "coupon-unfilled-placeholders.xml")
		if !errors.Is(err, adf.ErrNoLead) {
			t.Errorf("got %v", err)
		}
		for _, name := range []string{"[name]", "[email]", "[stock_type]", "[total_count]"} {
			if !hasFault(faults, name) {
				t.Errorf("%s is not named in %v", name, faults)
			}
		}
	})
	t.Run("several vehicles keep their order", func(t *testing.T) {
		p := one(t, "adf-builder-readme.xml", "phone type cell", "vendor is missing", "offset is written without a colon")
		equal(t, "first", p.Vehicles[0].String(), "2021 Ford F-150")
		equal(t, "second", p.Vehicles[1].String(), "2023 Tesla Cybertruck")
		equal(t, "date", p.RequestedAt.Format(time.RFC3339), "2026-01-19T16:40:00-06:00")
		equal(t, "phone type", p.Customer.Phones[0].Type, "cellphone")
	})
	t.Run("a declared entity is refused, not expanded", func(t *testing.T) {
		prospects, faults, err := readCase(t, "internal-entity.xml")
		if !errors.Is(err, adf.ErrDoctype) || !strings.Contains(err.Error(), "line 1: document type declaration refused") {
			t.Errorf("got %v, %v, %v", prospects, faults, err)
		}
	})
}
