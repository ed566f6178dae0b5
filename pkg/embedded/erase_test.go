package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/lead"
)

var eraseTime = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// buyerEntry is a lead whose every free text names its buyer.
func buyerEntry(n int, buyer string) lead.Entry {
	id := fmt.Sprintf("lead-%05d", n)
	end := eraseTime.AddDate(1, 0, 0)
	return lead.Entry{
		Record: lead.Record{
			ID: id, DealerID: "d", ReceivedAt: eraseTime.Add(time.Duration(n)), Version: "v1.3", ExpiresAt: end,
			Request: []byte(`{"customer":{"email":"` + buyer + `"},"message":"` + buyer + ` writes"}`),
			Answer:  lead.Answer{Data: []byte(`{}`)},
		},
		Key:   &lead.Key{Value: buyer + "-key", Digest: "x", LeadID: id, ExpiresAt: end},
		Equal: "equal-" + id, EqualsUntil: end,
	}
}

// bytesOf is the whole data folder as it lies on the disk.
func bytesOf(t *testing.T, dir string) []byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, body...)
	}
	return all
}

func fill(t *testing.T, db *embedded.DB, n int) {
	t.Helper()
	for i := range n {
		e := buyerEntry(i, fmt.Sprintf("buyer%d@example.com", i))
		if i == n/2 {
			e = buyerEntry(i, "mallory@example.com")
		}
		if err := db.Leads().Create(t.Context(), e, eraseTime); err != nil {
			t.Fatal(err)
		}
	}
	id := fmt.Sprintf("lead-%05d", n/2)
	leads, queue := db.Leads(), db.Queue(time.Now)
	if err := queue.Enqueue(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	d := lead.Delivery{Target: "crm", State: lead.Retrying, Receipt: "mallory@example.com is known", UpdatedAt: eraseTime}
	for range 3 {
		next, err := leads.UpdateDelivery(t.Context(), "d", id, d)
		if err != nil {
			t.Fatal(err)
		}
		d = next
	}
	err := leads.Bind(t.Context(), "d", lead.Key{Value: "mallory@example.com-again", Digest: "x", LeadID: id, ExpiresAt: eraseTime.AddDate(1, 0, 0)}, eraseTime)
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnErasureLeavesNoByteInTheFile(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	fill(t, db, 60)
	if !bytes.Contains(bytesOf(t, dir), []byte("mallory")) {
		t.Fatal("the buyer is not in the file to begin with")
	}
	if err := db.Leads().Erase(t.Context(), "d", []string{"lead-00030"}, lead.Audit{ID: "a", At: eraseTime, Action: "erase", Leads: 1}); err != nil {
		t.Fatal(err)
	}
	left := bytesOf(t, dir)
	for _, trace := range []string{"mallory", "lead-00030"} {
		if bytes.Contains(left, []byte(trace)) {
			t.Errorf("%q is still in the file", trace)
		}
	}
	all, err := db.Leads().List(t.Context(), "d", eraseTime.Add(time.Hour), 1000, eraseTime)
	if err != nil || len(all) != 59 {
		t.Errorf("%d leads are left, %v", len(all), err)
	}
	if _, err := embedded.Open(dir); !errors.Is(err, embedded.ErrInUse) {
		t.Errorf("the new file is not held: %v", err)
	}
}

// TestAnErasureThatStoppedHalfWayEndsOnOpening makes the rewriting impossible,
// which leaves what a stop right after the commit leaves.
func TestAnErasureThatStoppedHalfWayEndsOnOpening(t *testing.T) {
	dir := t.TempDir()
	db, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, 10)
	obstacle := filepath.Join(dir, "dealer.db.rewrite")
	if err := os.MkdirAll(filepath.Join(obstacle, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := db.Leads().Erase(t.Context(), "d", []string{"lead-00005"}, lead.Audit{ID: "a"}); err == nil {
		t.Fatal("an erasure that could not rewrite the file reports success")
	}
	if !bytes.Contains(bytesOf(t, dir), []byte("mallory")) {
		t.Fatal("nothing is left to be found")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(obstacle); err != nil {
		t.Fatal(err)
	}
	// A stop amid the copying leaves half a copy.
	if err := os.WriteFile(obstacle, []byte("mallory"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if bytes.Contains(bytesOf(t, dir), []byte("mallory")) {
		t.Error("the buyer is still in the folder after opening")
	}
}

func TestRewritingLosesNothingThatIsWrittenMeanwhile(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	var writers sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	written := make([]int, 4)
	for w := range written {
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if err := db.Leads().Create(context.WithoutCancel(ctx), buyerEntry(w*1_000_000+n, fmt.Sprint("b", w, "-", n)), eraseTime); err != nil {
					t.Error(err)
					return
				}
				written[w]++
			}
		})
	}
	for range 15 {
		if err := db.Rewrite(ctx); err != nil {
			t.Error(err)
		}
	}
	cancel()
	writers.Wait()
	for w, n := range written {
		for i := range n {
			if _, err := db.Leads().Load(t.Context(), "d", buyerEntry(w*1_000_000+i, "").Record.ID, eraseTime); err != nil {
				t.Fatalf("lead %d of writer %d: %v", i, w, err)
			}
		}
	}
}

func TestWhatExpiredLeavesTheFileWithItsRewriting(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	fill(t, db, 20)
	if err := db.RewriteExpired(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Purge(t.Context(), "d", eraseTime.AddDate(2, 0, 0)); err != nil {
		t.Fatal(err)
	}
	if err := db.RewriteExpired(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := bytesOf(t, dir); bytes.Contains(left, []byte("@example.com")) {
		t.Error("an expired buyer is still in the file")
	}
}
