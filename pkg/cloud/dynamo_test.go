package cloud_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
)

var epoch = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func lot(n int, note string) inventory.Change {
	c := inventory.Change{Vouched: map[string]time.Time{"": epoch}}
	for i := range n {
		vin := fmt.Sprintf("1FTFW1E50NF%06d", i)
		c.All = append(c.All, inventory.Vehicle{Key: vin, State: inventory.Available, Listing: aap.Vehicle{
			VIN: vin, Stock: fmt.Sprint("S", i), Make: "Ford", Model: "F-150", Notes: note,
			Photos: []string{fmt.Sprintf("https://photos.example.com/%x/1.jpg", i*7919)}, Description: strings.Repeat("One owner. ", 20),
		}})
	}
	c.Put = c.All
	return c
}

// bulky is a lot of which no part is small enough for a delta.
func bulky(n int, note string) inventory.Change {
	c := lot(n, note)
	noise := rand.NewChaCha8([32]byte([]byte(fmt.Sprintf("%-32.32s", note))))
	for i := range c.All {
		text := make([]byte, 600)
		_, _ = noise.Read(text) // never fails
		c.All[i].Listing.Description = hex.EncodeToString(text)
	}
	return c
}

func entry(n int) lead.Entry {
	id := fmt.Sprintf("0196a3f0-0000-7000-8000-%012d", n)
	return lead.Entry{
		Record: lead.Record{ID: id, DealerID: "seabright", ReceivedAt: epoch, Request: []byte(`{"n":1}`), ExpiresAt: epoch.Add(1000 * time.Hour)},
		Key:    &lead.Key{Value: "key", Digest: "x", LeadID: id, ExpiresAt: epoch.Add(48 * time.Hour)},
		Equal:  "both", Poorer: []string{"mail", "phone"}, EqualsUntil: epoch.Add(24 * time.Hour),
	}
}

// wire stands between a client and the emulator.
type wire struct {
	mu sync.Mutex
	// lose drops the answers of the next requests with this operation, which
	// are carried out all the same.
	lose map[string]int
	// cut fails requests with this operation before they are sent.
	cut   map[string]bool
	calls map[string]int
}

func (w *wire) Do(r *http.Request) (*http.Response, error) {
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	w.mu.Lock()
	cut, lose := w.cut[op], w.lose[op] > 0
	if lose {
		w.lose[op]--
	}
	w.calls[op]++
	w.mu.Unlock()
	if cut {
		return nil, errors.New("the line is cut")
	}
	res, err := http.DefaultClient.Do(r)
	if lose && err == nil {
		res.Body.Close()
		return nil, errors.New("the answer is lost")
	}
	return res, err
}

func wired(endpoint string) (*dynamodb.Client, *wire) {
	w := &wire{lose: map[string]int{}, cut: map[string]bool{}, calls: map[string]int{}}
	return dynamodb.NewFromConfig(cloudtest.Config(endpoint), func(o *dynamodb.Options) {
		o.HTTPClient = w
		o.DisableValidateResponseChecksum = true
		o.RetryMaxAttempts = 2
	}), w
}

func items(t *testing.T, client *dynamodb.Client, table string) (all []map[string]types.AttributeValue) {
	t.Helper()
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: aws.String(table)})
	for pages.HasMorePages() {
		out, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, out.Items...)
	}
	return all
}

func TestALostAnswerNeitherDoublesNorRefusesALead(t *testing.T) {
	client, w := wired(cloudtest.Moto(t))
	table := cloudtest.Table(t, client)
	leads := cloud.NewLeads(client, table)
	w.lose["TransactWriteItems"] = 1
	if err := leads.Create(t.Context(), entry(1), epoch); err != nil {
		t.Fatalf("Create whose first answer was lost: %v", err)
	}
	if w.calls["TransactWriteItems"] != 2 {
		t.Fatalf("%d requests, want the lost one and its repetition", w.calls["TransactWriteItems"])
	}
	if all, err := leads.List(t.Context(), "seabright", epoch.Add(time.Hour), 10, epoch); err != nil || len(all) != 1 {
		t.Fatalf("%d leads, %v", len(all), err)
	}
	if err := leads.Create(t.Context(), entry(2), epoch); !errors.Is(err, lead.ErrKeyTaken) {
		t.Errorf("another lead with the key: %v, want ErrKeyTaken", err)
	}
	for _, i := range items(t, client, table) {
		if pk := i["pk"].(*types.AttributeValueMemberS).Value; !strings.HasPrefix(pk, "seabright#") {
			t.Errorf("the key %s does not begin with its dealer", pk)
		}
		if _, ok := i["expires"]; !ok {
			t.Errorf("%v never expires", i["pk"])
		}
	}
}

func TestALostAnswerOfTheFlipIsNoConflict(t *testing.T) {
	client, w := wired(cloudtest.Dynalite(t))
	store := cloud.NewInventory(client, cloudtest.Table(t, client))
	head, err := store.Apply(t.Context(), "seabright", inventory.Head{}, lot(3, ""))
	if err != nil {
		t.Fatal(err)
	}
	w.lose["PutItem"] = 1 // of a change of nothing, the only put is the flip
	if head, err = store.Apply(t.Context(), "seabright", head, inventory.Change{Vouched: head.Vouched}); err != nil || head.Revision != 2 {
		t.Fatalf("%+v, %v", head, err)
	}
}

func TestAnInterruptedImportShowsNothingAndIsSwept(t *testing.T) {
	client, w := wired(cloudtest.Dynalite(t))
	table := cloudtest.Table(t, client)
	store := cloud.NewInventory(client, table)
	now := epoch
	store.SetClock(func() time.Time { return now })
	head, err := store.Apply(t.Context(), "seabright", inventory.Head{}, bulky(50, "first"))
	if err != nil {
		t.Fatal(err)
	}
	w.cut["BatchWriteItem"] = true
	if _, err := store.Apply(t.Context(), "seabright", head, bulky(50, "lost")); err == nil {
		t.Fatal("an import without its blocks succeeds")
	}
	w.cut["BatchWriteItem"] = false
	found, err := store.Find(t.Context(), "seabright", inventory.Identifier{Stock: "s-7"})
	if err != nil || found.Listing.Notes != "first" {
		t.Fatalf("%q, %v; want the first import", found.Listing.Notes, err)
	}
	for n := range 6 {
		now = now.Add(2 * time.Hour)
		if head, err = store.Apply(t.Context(), "seabright", head, bulky(50, fmt.Sprint(n))); err != nil {
			t.Fatal(err)
		}
	}
	// Head; block, shard and entry of the current and of the previous snapshot.
	if all := items(t, client, table); len(all) != 1+2*3 {
		t.Errorf("%d items are left, want 7", len(all))
	}
	if _, err := store.Snapshot(t.Context(), "seabright", head); err != nil {
		t.Error(err)
	}
}

func TestAnUnchangedImportWritesTheHeadOnly(t *testing.T) {
	client, w := wired(cloudtest.Dynalite(t))
	store := cloud.NewInventory(client, cloudtest.Table(t, client))
	head, err := store.Apply(t.Context(), "seabright", inventory.Head{}, lot(10, ""))
	if err != nil {
		t.Fatal(err)
	}
	clear(w.calls)
	if _, err := store.Apply(t.Context(), "seabright", head, inventory.Change{Vouched: head.Vouched}); err != nil {
		t.Fatal(err)
	}
	if w.calls["PutItem"] != 1 || w.calls["BatchWriteItem"] != 0 || w.calls["DeleteItem"] != 0 {
		t.Errorf("requests %v, want one put", w.calls)
	}
}

func TestALargeLotIsReadInFewRequests(t *testing.T) {
	client, w := wired(cloudtest.Dynalite(t))
	store := cloud.NewInventory(client, cloudtest.Table(t, client))
	head, err := store.Apply(t.Context(), "seabright", inventory.Head{}, lot(10_000, ""))
	if err != nil {
		t.Fatal(err)
	}
	clear(w.calls)
	if all, err := store.Snapshot(t.Context(), "seabright", head); err != nil || len(all) != 10_000 {
		t.Fatalf("%d vehicles, %v", len(all), err)
	}
	if n := w.calls["BatchGetItem"]; n > 4 {
		t.Errorf("%d requests for 10,000 vehicles", n)
	}
	clear(w.calls)
	v, err := store.Find(t.Context(), "seabright", inventory.Identifier{VIN: "1FTFW1E50NF009999"})
	if err != nil || v.Listing.Stock != "S9999" {
		t.Fatalf("%+v, %v", v, err)
	}
	if n := w.calls["GetItem"] + w.calls["BatchGetItem"]; n > 3 {
		t.Errorf("%d requests to find one vehicle", n)
	}
}

func TestAReaderWhoseSnapshotIsSweptReadsTheNewOne(t *testing.T) {
	client := cloudtest.DynamoDB(cloudtest.Dynalite(t))
	store := cloud.NewInventory(client, cloudtest.Table(t, client))
	var now = epoch
	var mu sync.Mutex
	store.SetClock(func() time.Time { mu.Lock(); defer mu.Unlock(); now = now.Add(2 * time.Hour); return now })
	head, err := store.Apply(t.Context(), "seabright", inventory.Head{}, lot(5, ""))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for ctx.Err() == nil {
				if _, err := store.Find(t.Context(), "seabright", inventory.Identifier{Stock: "S3"}); err != nil {
					t.Errorf("Find during imports: %v", err)
					return
				}
			}
		})
	}
	for n := range 30 {
		if head, err = store.Apply(t.Context(), "seabright", head, lot(5, fmt.Sprint(n))); err != nil {
			t.Error(err)
			break
		}
	}
	stop()
	readers.Wait()
}
