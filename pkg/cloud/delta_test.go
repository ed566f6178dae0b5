package cloud_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

func TestMarkingOneCarSoldWritesAFewUnits(t *testing.T) {
	const cars = 2000
	m := &cloudtest.Meter{}
	client := m.DynamoDB(cloudtest.Dynalite(t))
	table := cloudtest.Table(t, client)
	store := cloud.NewInventory(client, table)
	now := epoch
	store.SetClock(func() time.Time { return now })
	m.Take()
	if _, err := store.Apply(t.Context(), "seabright", inventory.Head{}, lot(cars, "")); err != nil {
		t.Fatal(err)
	}
	whole := m.Writes
	desk := inventory.Desk{Store: store, Now: func() time.Time { return now }}
	profile := &dealer.Profile{ID: "seabright"}
	most, all := 0.0, 0.0
	for n := range 150 {
		now = now.Add(time.Hour)
		m.Take()
		if _, err := desk.Carry(t.Context(), profile, inventory.Order{ID: fmt.Sprint("S", n*13), Do: inventory.MarkSold}); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			t.Logf("%d cars: the import writes %.0f units; the first order writes %.0f and reads %.0f", cars, whole, m.Writes, m.Reads)
			if m.Writes > 8 {
				t.Errorf("one car of %d costs %.0f write units, all of them %.0f", cars, m.Writes, whole)
			}
		}
		most, all = max(most, m.Writes), all+m.Writes
	}
	t.Logf("150 orders write %.0f units, at most %.0f at once", all, most)
	if all > 150*30 {
		t.Errorf("150 orders write %.0f units", all)
	}
	m.Take()
	for n, want := range map[int]inventory.State{0: inventory.Sold, 13 * 149: inventory.Sold, 1: inventory.Available} {
		if v, err := store.Find(t.Context(), "seabright", inventory.Identifier{Stock: fmt.Sprint("s-", n)}); err != nil || v.State != want {
			t.Errorf("car %d is %s, %v; want %s", n, v.State, err, want)
		}
	}
	head, err := store.Head(t.Context(), "seabright")
	if err != nil || head.Listed != cars-150 || head.Kept != cars {
		t.Errorf("head %+v, %v", head, err)
	}
	units, err := store.Snapshot(t.Context(), "seabright", head)
	sold := 0
	for i, v := range units {
		if v.State == inventory.Sold {
			sold++
		}
		if i > 0 && units[i-1].Key >= v.Key {
			t.Fatalf("%s comes before %s", units[i-1].Key, v.Key)
		}
	}
	if err != nil || len(units) != cars || sold != 150 {
		t.Errorf("%d units, %d of them sold, %v", len(units), sold, err)
	}
	// What orders leave behind is swept: head, the blocks and shards in use and
	// the ones before, each with its entry, and at most two deltas.
	if left := items(t, client, table); len(left) > 40 {
		t.Errorf("%d items are left", len(left))
	}
}

func TestAWarmReaderReadsOnlyWhatAnOrderChanged(t *testing.T) {
	const cars = 2000
	m := &cloudtest.Meter{}
	client := m.DynamoDB(cloudtest.Dynalite(t))
	table := cloudtest.Table(t, client)
	store, desk := cloud.NewInventory(client, table), inventory.Desk{Store: cloud.NewInventory(client, table), Now: time.Now}
	profile := &dealer.Profile{ID: "seabright"}
	if _, err := store.Apply(t.Context(), "seabright", inventory.Head{}, lot(cars, "")); err != nil {
		t.Fatal(err)
	}
	units := func() []inventory.Vehicle {
		t.Helper()
		head, err := store.Head(t.Context(), "seabright")
		if err != nil {
			t.Fatal(err)
		}
		got, err := store.Snapshot(t.Context(), "seabright", head)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	m.Take()
	units()
	cold := m.Take().Reads
	for n := range 3 {
		if _, err := desk.Carry(t.Context(), profile, inventory.Order{ID: fmt.Sprint("S", n), Do: inventory.MarkSold}); err != nil {
			t.Fatal(err)
		}
		m.Take()
		sold := 0
		for _, v := range units() {
			if v.State == inventory.Sold {
				sold++
			}
		}
		if reads := m.Take().Reads; sold != n+1 || reads > 3 {
			t.Errorf("after order %d %d cars are sold, read with %.0f units; the first reading took %.0f", n+1, sold, reads, cold)
		}
	}
	// A whole new lot is read as such.
	next := lot(cars, "")
	next.Forget = next.All[:1]
	next.All = next.All[1:]
	head, err := store.Head(t.Context(), "seabright")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cloud.NewInventory(client, table).Apply(t.Context(), "seabright", head, next); err != nil {
		t.Fatal(err)
	}
	if got := units(); len(got) != cars-1 {
		t.Errorf("%d units after the new lot, want %d", len(got), cars-1)
	}
}

func TestAnOrderThatIsCutShortShowsNothing(t *testing.T) {
	client, w := wired(cloudtest.Dynalite(t))
	store := cloud.NewInventory(client, cloudtest.Table(t, client))
	if _, err := store.Apply(t.Context(), "seabright", inventory.Head{}, lot(20, "")); err != nil {
		t.Fatal(err)
	}
	desk, profile := inventory.Desk{Store: store, Now: time.Now}, &dealer.Profile{ID: "seabright"}
	w.cut["PutItem"] = true
	if _, err := desk.Carry(t.Context(), profile, inventory.Order{ID: "S3", Do: inventory.MarkSold}); err == nil {
		t.Fatal("an order without its delta succeeds")
	}
	w.cut["PutItem"] = false
	if v, err := store.Find(t.Context(), "seabright", inventory.Identifier{Stock: "S3"}); err != nil || v.State != inventory.Available {
		t.Errorf("%s, %v", v.State, err)
	}
	w.lose["PutItem"] = 1
	for range 2 { // the second replaces its own delta
		if v, err := desk.Carry(t.Context(), profile, inventory.Order{ID: "S3", Do: inventory.MarkSold}); err != nil || v.State != inventory.Sold {
			t.Errorf("%s, %v", v.State, err)
		}
	}
	if v, err := store.Find(t.Context(), "seabright", inventory.Identifier{Stock: "S3"}); err != nil || v.State != inventory.Sold {
		t.Errorf("%s, %v", v.State, err)
	}
}
