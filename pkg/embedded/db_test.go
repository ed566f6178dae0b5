package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
)

var epoch = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func entry(n int) lead.Entry {
	id := fmt.Sprintf("lead-%06d", n)
	return lead.Entry{
		Record: lead.Record{ID: id, DealerID: "d", ReceivedAt: epoch, Request: []byte(`{"n":1}`), ExpiresAt: epoch.Add(time.Hour)},
		Key:    &lead.Key{Value: "key-" + id, Digest: "x", LeadID: id, ExpiresAt: epoch.Add(30 * time.Minute)},
		Equal:  "equal-" + id, Poorer: []string{"mail-" + id, "phone-" + id}, EqualsUntil: epoch.Add(20 * time.Minute),
	}
}

func TestASecondProcessIsRefused(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	begun := time.Now()
	if _, err := embedded.Open(dir); !errors.Is(err, embedded.ErrInUse) {
		t.Fatalf("second Open: %v, want ErrInUse", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v to say so", took)
	}
}

func TestAnUnknownFormatIsRefusedUntouched(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	file, err := bolt.Open(filepath.Join(dir, "dealer.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = file.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("format"), []byte("99")) })
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := embedded.Open(dir); !errors.Is(err, embedded.ErrFormat) {
			t.Fatalf("Open: %v, want ErrFormat", err)
		}
	}
}

func TestAClosedFileSaysSo(t *testing.T) {
	db, err := embedded.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	q := db.Queue(time.Now)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := q.Enqueue(t.Context(), "a"); !errors.Is(err, embedded.ErrClosed) {
		t.Errorf("Enqueue: %v", err)
	}
	if _, err := db.Inventory().Head(t.Context(), "d"); !errors.Is(err, embedded.ErrClosed) {
		t.Errorf("Head: %v", err)
	}
	if err := db.Leads().Create(t.Context(), entry(1), epoch); !errors.Is(err, embedded.ErrClosed) {
		t.Errorf("Create: %v", err)
	}
}

func TestWhatHasExpiredIsRemovedByLaterLeads(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	leads := db.Leads()
	for n := range 50 {
		if err := leads.Create(t.Context(), entry(n), epoch); err != nil {
			t.Fatal(err)
		}
		if _, err := leads.UpdateDelivery(t.Context(), "d", entry(n).Record.ID, lead.Delivery{Target: "crm"}); err != nil {
			t.Fatal(err)
		}
	}
	// Key 0 was given anew meanwhile and must outlive its first owner.
	renewed := entry(1000)
	renewed.Record.ExpiresAt, renewed.EqualsUntil = epoch.Add(100*time.Hour), epoch.Add(100*time.Hour)
	renewed.Key.Value, renewed.Key.ExpiresAt = entry(0).Key.Value, epoch.Add(100*time.Hour)
	if err := leads.Create(t.Context(), renewed, epoch.Add(40*time.Minute)); err != nil {
		t.Fatal(err)
	}
	later := epoch.Add(2 * time.Hour)
	for n := range 20 {
		e := entry(2000 + n)
		e.Record.ExpiresAt, e.Key.ExpiresAt, e.EqualsUntil = later.Add(time.Hour), later.Add(time.Hour), later.Add(time.Hour)
		if err := leads.Create(t.Context(), e, later); err != nil {
			t.Fatal(err)
		}
	}
	if states, err := leads.Deliveries(t.Context(), "d", entry(7).Record.ID); err != nil || len(states) != 0 {
		t.Errorf("deliveries of an expired lead: %v, %v", states, err)
	}
	if ids, err := leads.Outbox(t.Context(), "d", later, 100); err != nil || len(ids) != 21 {
		t.Errorf("%d leads in the outbox, %v; want the 21 that live", len(ids), err)
	}
	if k, err := leads.ByKey(t.Context(), "d", renewed.Key.Value, later); err != nil || k.LeadID != renewed.Record.ID {
		t.Errorf("the renewed key is %+v, %v", k, err)
	}
	if err := db.Purge(t.Context(), "d", later.Add(1000*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if ids, _ := leads.Outbox(t.Context(), "d", later, 100); len(ids) != 0 {
		t.Errorf("after Purge the outbox holds %v", ids)
	}
}

func TestParallelWritesFailAndSucceedEachForItself(t *testing.T) {
	leads := open(t, t.TempDir()).Leads()
	if err := leads.Create(t.Context(), entry(0), epoch); err != nil {
		t.Fatal(err)
	}
	errs := make([]error, 200)
	var all sync.WaitGroup
	for n := range errs {
		all.Go(func() {
			e := entry(n)
			if n%2 == 0 {
				e.Key.Value = entry(0).Key.Value
			}
			errs[n] = leads.Create(t.Context(), e, epoch)
		})
	}
	all.Wait()
	for n, err := range errs {
		if n%2 == 0 && !errors.Is(err, lead.ErrKeyTaken) || n%2 == 1 && err != nil {
			t.Errorf("lead %d: %v", n, err)
		}
	}
}

// childDir, when set, makes the test binary a process that writes leads until
// it is killed, telling each one after it was acknowledged.
const childDir = "EMBEDDED_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		child(dir)
	}
	os.Exit(m.Run())
}

func child(dir string) {
	db, err := embedded.Open(dir)
	if err != nil {
		fmt.Println("fault", err)
		os.Exit(1)
	}
	start, queue := os.Getpid()*100_000, db.Queue(time.Now)
	for worker := range 4 {
		go func() {
			for n := worker; ; n += 4 {
				e := entry(start + n)
				if err := errors.Join(db.Leads().Create(context.Background(), e, epoch), queue.Enqueue(context.Background(), e.Record.ID)); err != nil {
					fmt.Println("fault", err)
					os.Exit(1)
				}
				fmt.Println("ok", e.Record.ID)
			}
		}()
	}
	select {}
}

func TestKillingTheProcessLosesNothingAcknowledged(t *testing.T) {
	dir := t.TempDir()
	var acknowledged []string
	for round := range 12 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			id, ok := strings.CutPrefix(lines.Text(), "ok ")
			if !ok {
				t.Fatal(lines.Text())
			}
			acknowledged = append(acknowledged, id)
			if n == 3+round*5 {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
	}
	db := open(t, dir)
	for _, id := range acknowledged {
		if _, err := db.Leads().Load(t.Context(), "d", id, epoch); err != nil {
			t.Errorf("lead %s: %v", id, err)
		}
	}
	if n, err := db.Queue(time.Now).Pending(t.Context()); err != nil || n < len(acknowledged) {
		t.Errorf("%d queued, %v; want at least %d", n, err, len(acknowledged))
	}
	if len(acknowledged) < 12*4 {
		t.Errorf("only %d leads were written", len(acknowledged))
	}
}

func lot(n int) inventory.Change {
	c := inventory.Change{Vouched: map[string]time.Time{"": epoch}}
	for i := range n {
		number := func(x int) *aap.Int { v := aap.Int(x); return &v }
		vin := fmt.Sprintf("1FTFW1E50NF%06d", i)
		c.All = append(c.All, inventory.Vehicle{Key: vin, State: inventory.Available, Listing: aap.Vehicle{
			VIN: vin, Stock: fmt.Sprint("S", i), Year: number(2018 + i%8), Make: "Ford", Model: []string{"F-150", "Escape", "Edge"}[i%3],
			Trim: "Lariat", Condition: "used", Rooftop: "Main Street", Price: number(20000 + i), Mileage: number(i * 7), Body: "Truck",
			Fuel: "Gasoline", Transmission: "Automatic", Driveline: "4WD", ExteriorColor: "Oxford White", InteriorColor: "Black",
			Features: []string{"Tow package", "Heated seats", "Sunroof", "Remote start"},
			Photos:   []string{fmt.Sprintf("https://photos.example.com/%d/1.jpg", i), fmt.Sprintf("https://photos.example.com/%d/2.jpg", i)},
			VDPURL:   fmt.Sprintf("https://www.example.com/inventory/%d", i), Description: "One owner, serviced here, new tyres all round.",
		}})
	}
	c.Put = c.All
	return c
}

// BenchmarkIndexFromSnapshot is what a cold start costs: reading 10,000 vehicles and
// building the search index from them. The budget is 60 ms.
func BenchmarkIndexFromSnapshot(b *testing.B) {
	store := open(b, b.TempDir()).Inventory()
	head, err := store.Apply(b.Context(), "d", inventory.Head{}, lot(10_000))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		all, err := store.Snapshot(b.Context(), "d", head)
		if err != nil || len(all) != 10_000 {
			b.Fatal(len(all), err)
		}
		if _, err := inventory.NewIndex(b.Context(), all, head); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	leads := open(b, b.TempDir()).Leads()
	n := 0
	for b.Loop() {
		n++
		if err := leads.Create(b.Context(), entry(n), epoch); err != nil {
			b.Fatal(err)
		}
	}
}
