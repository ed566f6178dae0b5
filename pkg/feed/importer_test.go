package feed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
)

const lotHeader = "stock,year,make,model,price,dealer name\n"

func cars(rooftop string, from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "S%03d,2020,Honda,Civic,%d,%s\n", i, 15000+i, rooftop)
	}
	return b.String()
}

func TestAnImportChangesWhatTheFileChanges(t *testing.T) {
	l := newLot(oneRooftop())
	rep, err := l.take(t, "day1", []byte(lotHeader+cars("", 0, 10)))
	if err != nil || rep.Changes.Added != 10 {
		t.Fatalf("%v %+v", err, rep.Changes)
	}
	l.now = l.now.Add(time.Hour)
	rep, err = l.take(t, "day1 again", []byte(lotHeader+cars("", 0, 10)))
	if err != nil || rep.Changes.Added+rep.Changes.Changed+rep.Changes.Gone != 0 {
		t.Fatalf("the same file changes units: %v %+v", err, rep.Changes)
	}
	l.now = l.now.Add(24 * time.Hour)
	rep, err = l.take(t, "day2", []byte(lotHeader+strings.Replace(cars("", 1, 12), "15005", "14000", 1)))
	if err != nil || rep.Changes.Added != 2 || rep.Changes.Changed != 1 || rep.Changes.Gone != 1 {
		t.Fatalf("%v %+v", err, rep.Changes)
	}
	for _, u := range l.units(t) {
		if u.Listing.Stock == "S000" && u.State != inventory.Sold {
			t.Errorf("a car that left is %s", u.State)
		}
	}
}

func TestADryRunTellsTheChangesAndMakesNone(t *testing.T) {
	l := newLot(oneRooftop())
	im := feed.Importer{Store: l.store, Profiles: dealer.Fixed(l.profile), Now: func() time.Time { return l.now }}
	rep, err := im.Import(t.Context(), feed.Source{Name: "x", Body: strings.NewReader(lotHeader + cars("", 0, 3))}, true)
	if err != nil || !rep.DryRun || rep.Changes.Added != 3 {
		t.Fatalf("%v %+v", err, rep)
	}
	if n := len(l.units(t)); n != 0 {
		t.Errorf("%d units stored", n)
	}
	if !rep.FeedTime.Equal(l.now) {
		t.Errorf("a file without a time is vouched for at %v, want the time of the import", rep.FeedTime)
	}
}

func TestAFileThatDropsMostCarsIsRefusedAndChangesNothing(t *testing.T) {
	half := 0.5
	p := oneRooftop()
	p.Inventory.MaxDrop = &half
	l := newLot(p)
	if _, err := l.take(t, "day1", []byte(lotHeader+cars("", 0, 10))); err != nil {
		t.Fatal(err)
	}
	before, _ := json.Marshal(l.units(t))
	l.now = l.now.Add(24 * time.Hour)
	rep, err := l.take(t, "cut off", []byte(lotHeader+cars("", 0, 3)))
	if _, refused := errors.AsType[*inventory.Refused](err); !refused || rep.Refused == "" || rep.Changes != nil {
		t.Fatalf("%v %+v", err, rep)
	}
	if after, _ := json.Marshal(l.units(t)); !bytes.Equal(before, after) {
		t.Error("the inventory changed")
	}
}

func TestWhatARefusedFileMarksSoldBecomesSold(t *testing.T) {
	half := 0.5
	p := oneRooftop()
	p.Inventory.MaxDrop = &half
	l := newLot(p)
	if _, err := l.take(t, "day1", []byte(lotHeader+cars("", 0, 10))); err != nil {
		t.Fatal(err)
	}
	l.now = l.now.Add(24 * time.Hour)
	listed := func() (n int) {
		for _, u := range l.units(t) {
			if u.State.Listed() {
				n++
			}
		}
		return n
	}
	cut := strings.TrimSuffix(lotHeader, "\n") + ",status\n"
	for i, row := range strings.Split(strings.TrimSpace(cars("", 0, 3)), "\n") {
		cut += row + "," + []string{"Sold", "available", "available"}[i] + "\n"
	}
	rep, err := l.take(t, "cut off", []byte(cut))
	refused, ok := errors.AsType[*inventory.Refused](err)
	if !ok || refused.Sold != 1 || refused.Dropped != 7 || !strings.Contains(rep.Refused, "no longer offered: 1") || listed() != 9 {
		t.Fatalf("%v, %d listed", err, listed())
	}
}

func TestARooftopThatFallsKeepsItsCarsWhileTheOthersUpdate(t *testing.T) {
	half := 0.5
	p := oneRooftop()
	p.Inventory.MaxDrop = &half
	p.Rooftops = []dealer.Rooftop{{Name: "North"}, {Name: "South"}}
	l := newLot(p)
	if _, err := l.take(t, "day1", []byte(lotHeader+cars("North", 0, 20)+cars("South", 100, 106))); err != nil {
		t.Fatal(err)
	}
	l.now = l.now.Add(24 * time.Hour)
	rep, err := l.take(t, "day2", []byte(lotHeader+cars("North", 1, 21)+cars("South", 100, 101)))
	if err != nil || len(rep.Changes.Kept) != 1 || rep.Changes.Kept[0].Rooftop != "South" {
		t.Fatalf("%v %+v", err, rep.Changes)
	}
	listed := map[string]int{}
	for _, u := range l.units(t) {
		if u.State.Listed() {
			listed[u.Listing.Rooftop]++
		}
	}
	if listed["North"] != 20 || listed["South"] != 6 {
		t.Errorf("listed %v", listed)
	}
}

// racing is a store in which another import is faster a few times.
type racing struct {
	inventory.Store
	mu    sync.Mutex
	left  int
	other func(base inventory.Head)
}

func (r *racing) Apply(ctx context.Context, id string, base inventory.Head, c inventory.Change) (inventory.Head, error) {
	r.mu.Lock()
	race := r.left > 0
	r.left--
	r.mu.Unlock()
	if race {
		r.other(base)
	}
	return r.Store.Apply(ctx, id, base, c)
}

func TestAnImportThatLostTheRacePlansAgain(t *testing.T) {
	for lost, wantErr := range map[int]error{1: nil, 19: nil, 20: inventory.ErrConflict} {
		p := oneRooftop()
		memory := &inventorytest.Memory{}
		store := &racing{Store: memory, left: lost}
		store.other = func(base inventory.Head) {
			if _, err := memory.Apply(t.Context(), p.ID, base, inventory.Change{}); err != nil {
				t.Error(err)
			}
		}
		im := feed.Importer{Store: store, Profiles: dealer.Fixed(p), Now: func() time.Time { return referenceDay }}
		rep, err := im.Import(t.Context(), feed.Source{Name: "x", Body: strings.NewReader(lotHeader + cars("", 0, 3))}, false)
		if !errors.Is(err, wantErr) || wantErr == nil && rep.Changes.Added != 3 {
			t.Errorf("lost %d times: %v %+v", lost, err, rep.Changes)
		}
	}
}

func TestAFileThatCannotBeReadToTheEndChangesNothing(t *testing.T) {
	l := newLot(oneRooftop())
	broken := errors.New("connection reset")
	im := feed.Importer{Store: l.store, Profiles: dealer.Fixed(l.profile), Now: func() time.Time { return l.now }}
	body := io.MultiReader(strings.NewReader(lotHeader+cars("", 0, 5)), failing{broken})
	_, err := im.Import(t.Context(), feed.Source{Name: "x", Body: body}, false)
	if !errors.Is(err, broken) || errors.Is(err, feed.ErrRefused) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := im.Import(ctx, feed.Source{Name: "x", Body: strings.NewReader(lotHeader + cars("", 0, 5))}, false); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if n := len(l.units(t)); n != 0 {
		t.Errorf("%d units stored", n)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestTheFileIsNeverVouchedForInTheFuture(t *testing.T) {
	l := newLot(oneRooftop())
	file := `{"generated_at":"` + l.now.Add(6*time.Hour).Format(time.RFC3339) + `","cars":[{"stock":"A1","year":2020,"make":"Kia","model":"Rio"}]}`
	rep, err := l.take(t, "x", []byte(file))
	if err != nil || !rep.FeedTime.Equal(l.now) {
		t.Errorf("%v %v", err, rep.FeedTime)
	}
}

func TestTextsOfTheFileAreHarmlessInTheReport(t *testing.T) {
	file := "stock,year,make,model,=cmd|' /C calc'!A0,\x1b[31mred,status,dealer name\nA1,2020,Honda,Civic,x,y,\"=HYPERLINK(\"\"http://x\"\")\",@west\n"
	p := oneRooftop()
	p.Rooftops = append(p.Rooftops, dealer.Rooftop{Name: "Other"})
	batch, rep, err := feed.Read(t.Context(), feed.Source{Name: "=1+1\x1b.csv", Body: strings.NewReader(file)}, p)
	if err != nil || len(batch.Vehicles) != 1 {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := rep.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	js, _ := json.Marshal(rep)
	for _, out := range []string{text.String(), string(js)} {
		if strings.ContainsAny(out, "\x1b") || strings.Contains(out, `\u001b`) {
			t.Errorf("a control character in %q", out)
		}
	}
	for _, texts := range [][]string{{rep.File, rep.Columns[4].Header}, keys(rep.Hidden)} {
		for _, s := range texts {
			if strings.ContainsAny(s[:1], "=+-@") {
				t.Errorf("a formula: %q", s)
			}
		}
	}
	if !strings.Contains(text.String(), "1 hidden: '=hyperlink") {
		t.Errorf("hidden reason missing:\n%s", text.String())
	}
}

func keys(m map[string]int) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}

func TestTheTextReportNamesEverythingTheJSONCounts(t *testing.T) {
	_, rep := read(t, oneRooftop(), "vin,stock,year,make,model,status,Invoice,foo\n"+vinA+",A1,2020,Honda,Civic,sold,1,2\n"+vinA+",A1,2020,Honda,Civic,,1,2\n"+vinC+",,2019,Tesla,,,,\n"+vinB+",,22,Ford,F-150,,,\n")
	var b bytes.Buffer
	if err := rep.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"4 rows", "2 accepted, 1 of them for sale", "1 merged", "1 rejected", "1 hidden: sold", "line 4: no model",
		"line 3: the same unit again; differs in status", "Invoice  dropped", "foo      not used", "vin                100.0 %  2", "1  model year that is not one from 1900 to 2100; left out (first on line 5)",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
