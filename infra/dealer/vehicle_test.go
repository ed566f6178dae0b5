package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// byHand is a dealer whose cars are changed by hand: a folder, a profile and
// an export that is written at given times.
type byHand struct {
	t                   *testing.T
	data, feed, profile string
}

const threeCars = `1HGCV1F30KA000001,A-1,2020,Honda,Accord,20000,available
1HGCV1F30KA000002,A-2,2021,Honda,Civic,21000,available
1HGCV1F30KA000003,A-3,2022,Honda,Pilot,22000,available
`

func newByHand(t *testing.T) *byHand {
	dir := t.TempDir()
	h := &byHand{t: t, data: filepath.Join(dir, "data"), feed: filepath.Join(dir, "cars.csv"), profile: filepath.Join(dir, "dealer.yaml")}
	err := os.WriteFile(h.profile, []byte(`id: coast
name: Coast Motors
rooftops:
  - {name: Main, timezone: America/Los_Angeles, phones: [{value: "+14155550100"}], address: {state: CA}}
prices: {includes: none, add_fees: [{name: Documentation fee, amount: 85}]}
delivery:
  - {name: outbox, type: file, folder: outbox}
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// export writes the file as if the dealer's system had done so at that time.
func (h *byHand) export(at time.Time, rows string) {
	h.t.Helper()
	if err := os.WriteFile(h.feed, []byte("vin,stock,year,make,model,price,status\n"+rows), 0o600); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Chtimes(h.feed, at, at); err != nil {
		h.t.Fatal(err)
	}
}

func (h *byHand) run(wantCode int, args ...string) string {
	h.t.Helper()
	r := dealerCommand(h.t, "", args...)
	if r.code != wantCode {
		h.t.Fatalf("dealer %v: exit code %d\n%s%s", args, r.code, r.out, r.err)
	}
	return r.out + r.err
}

func (h *byHand) imports(at time.Time, rows string) string {
	h.t.Helper()
	h.export(at, rows)
	return h.run(0, "import", "--profile", h.profile, "--feed", h.feed, "--data", h.data)
}

func (h *byHand) vehicle(args ...string) string {
	h.t.Helper()
	return h.run(0, append(append([]string{"vehicle"}, args...), "--profile", h.profile, "--data", h.data)...)
}

// listed are the stock numbers and prices that buyers see.
func (h *byHand) listed(url string) string {
	h.t.Helper()
	var answer struct {
		Data struct {
			Vehicles []struct {
				Stock string
				Price int
			}
		}
	}
	text := h.run(0, "call", url, "inventory.search", `{"sort":{"field":"stock","order":"asc"}}`)
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		h.t.Fatalf("%v: %s", err, text)
	}
	var out []string
	for _, v := range answer.Data.Vehicles {
		out = append(out, fmt.Sprintf("%s %d", v.Stock, v.Price))
	}
	return strings.Join(out, ", ")
}

// serving runs the agent on the folder while the claims are checked.
func (h *byHand) serving(claims func(url string)) {
	h.t.Helper()
	m, stop := machinetest.Serve(h.t, machine.Config{
		Addr: "127.0.0.1:0", Profile: h.profile, Feed: h.feed, Data: h.data, Log: slog.New(slog.DiscardHandler), Command: inFolder,
	})
	defer stop()
	claims(m.URL())
}

func TestWhatIsSaidByHandShowsAtOnceAndOutlivesOlderExports(t *testing.T) {
	h := newByHand(t)
	past := time.Now().Add(-2 * time.Hour)
	h.imports(past, threeCars)
	h.serving(func(url string) {
		if got := h.listed(url); got != "A-1 20085, A-2 21085, A-3 22085" {
			t.Fatalf("before: %s", got)
		}
		for _, c := range []struct{ args, said, want string }{
			{"sold a1", "1HGCV1F30KA000001 2020 Honda Accord is sold", "A-2 21085, A-3 22085"},
			{"hold 1hgcv1f30ka000002", "is on hold", "A-3 22085"},
			{"price A-3 $19,900", "Buyers see the price 19985 and the list price 19900.", "A-3 19985"},
			{"release A-2", "is what the export says again.\n", "A-2 21085, A-3 19985"},
		} {
			if out := h.vehicle(strings.Fields(c.args)...); !strings.Contains(out, c.said) {
				t.Errorf("%s: %s", c.args, out)
			}
			if got := h.listed(url); got != c.want {
				t.Errorf("after %s: %s", c.args, got)
			}
		}
		gone := h.run(1, "call", url, "inventory.vehicle", `{"stock":"A-1"}`)
		if !strings.Contains(gone, "VEHICLE_UNAVAILABLE") {
			t.Errorf("the sold one: %s", gone)
		}
	})
	said := time.Now()
	// Exported before the sale, imported after it.
	if report := h.imports(past.Add(time.Hour), strings.Replace(threeCars, "21000", "20500", 1)); !strings.Contains(report, "as said by hand") {
		t.Errorf("report:\n%s", report)
	}
	h.serving(func(url string) {
		if got := h.listed(url); got != "A-2 20585, A-3 19985" {
			t.Errorf("after an older export: %s", got)
		}
	})
	// Exported after it: the feed knows better.
	for time.Since(said) < 20*time.Millisecond {
		time.Sleep(time.Millisecond)
	}
	if report := h.imports(time.Now(), threeCars); !strings.Contains(report, "ended by this file") {
		t.Errorf("report:\n%s", report)
	}
	h.serving(func(url string) {
		if got := h.listed(url); got != "A-1 20085, A-2 21085, A-3 22085" {
			t.Errorf("after a later export: %s", got)
		}
	})
	var log []struct {
		Status, Source string
		Price          *int
	}
	if err := json.Unmarshal([]byte(h.run(0, "inventory", "log", "a1", "--format", "json", "--data", h.data)), &log); err != nil || len(log) != 3 ||
		log[1].Status != "sold" || log[1].Source != "dealer vehicle sold" || log[2].Status != "available" {
		t.Errorf("log of publications: %v %+v", err, log)
	}
	if err := json.Unmarshal([]byte(h.run(0, "inventory", "log", "a3", "--format", "json", "--data", h.data)), &log); err != nil || len(log) != 3 || *log[1].Price != 19985 {
		t.Errorf("log of publications: %v %+v", err, log)
	}
}

func TestReleaseSaysThatAPriceGivenByHandStays(t *testing.T) {
	h := newByHand(t)
	h.imports(time.Now().Add(-time.Hour), threeCars)
	h.vehicle("price", "A-3", "19900")
	h.vehicle("hold", "A-3")
	if out := h.vehicle("release", "A-3"); !strings.HasSuffix(out, " is what the export says again, but for the price 19900 that was given by hand.\n") {
		t.Error(out)
	}
}

func TestOrdersThatCannotBeCarriedOutSayWhatToDo(t *testing.T) {
	h := newByHand(t)
	h.imports(time.Now().Add(-time.Hour), threeCars+"1HGCV1F30KA000004,A-3,2022,Honda,Pilot,23000,available\n1HGCV1F30KA000005,A-5,2022,Honda,Pilot,23000,sold\n")
	for _, c := range []struct {
		args string
		code int
		said string
	}{
		{"sold A-9", 1, "no vehicle has"},
		{"sold A-3", 1, "use the VIN"},
		{"release A-1", 1, "because the export says so"},
		{"price A-1 twelve", 2, "whole US dollars"},
		{"price A-1 -5", 2, ""},
		{"price A-1", 2, ""},
	} {
		args := append(append([]string{"vehicle"}, strings.Fields(c.args)...), "--profile", h.profile, "--data", h.data)
		if out := h.run(c.code, args...); !strings.Contains(out, c.said) {
			t.Errorf("%s: %s", c.args, out)
		}
	}
	if out := h.run(2, "vehicle", "sold", "A-1", "--data", h.data); !strings.Contains(out, "--profile") {
		t.Errorf("without a profile: %s", out)
	}
}
