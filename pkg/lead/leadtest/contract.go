// Package leadtest states the contract of lead.Store as tests and fulfils it
// once in memory.
//
// Run holds an adapter to the contract; Memory is the adapter for tests of
// packages that need a store and no durability.
package leadtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// Run holds a store to the contract of lead.Store. open returns an empty store
// each time it is called and closes it with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) lead.Store) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*testing.T, lead.Store)
	}{
		{"a record comes back byte for byte", recordRoundTrip},
		{"what is written does not follow the caller's memory", noAliasing},
		{"a taken key writes nothing", takenKeyWritesNothing},
		{"an equal lead writes nothing", equalWritesNothing},
		{"a taken key is reported before an equal lead", keyBeforeEqual},
		{"a lead without key and equals is stored", bareEntry},
		{"a lead makes poorer ones duplicates, not richer ones", poorerIsDuplicate},
		{"a richer lead takes over the keys of poorer ones", richerTakesOver},
		{"a lead takes the place of the one it names, not of another", insteadTakesOver},
		{"keys differ by every character", keysAreExact},
		{"keys expire by the given time", keysExpire},
		{"duplicate digests expire by the given time", equalsExpire},
		{"records expire by the given time", recordsExpire},
		{"a bound key comes back with its answer byte for byte", boundRoundTrip},
		{"a bound key does not follow the caller's memory", boundNoAliasing},
		{"a bound key is taken and takes no key", boundIsTaken},
		{"bound keys expire by the given time", boundExpires},
		{"dealers do not see each other", dealersAreIsolated},
		{"the outbox is oldest first, limited, and emptied by Enqueued", outboxOrder},
		{"the list is newest first and limited", listOrder},
		{"a large request is stored whole", largeRequests},
		{"delivery states are kept by target", deliveryRoundTrip},
		{"a stale delivery version conflicts and changes nothing", deliveryConflict},
		{"a visit comes back with its slots and its place in the list", visitRoundTrip},
		{"a full slot writes nothing and is reported last", fullSlotWritesNothing},
		{"slots of another dealer, rooftop or kind are other slots", slotsAreApart},
		{"slots are found by overlap and visits by start", slotRanges},
		{"a moved visit frees what it leaves and keeps what it needs", visitMoves},
		{"a cancelled visit frees its slots", visitCancels},
		{"a visit that cannot move stays as it was", visitCannotMove},
		{"visits end with their lead and slots after their time", visitsExpire},
		{"parallel buyers fill a slot to its room", parallelSlot},
		{"parallel retries of a booking take one slot once", parallelBooking},
		{"parallel moves to one slot have one winner", parallelMoves},
		{"events make a lead's story, oldest first and once each", storyOrder},
		{"the dealer's account is oldest first and has each entry once", auditOrder},
		{"an erased lead leaves nothing and nothing of it comes back", eraseLeavesNothing},
		{"an erasure spares every other lead", eraseSpares},
		{"after an erasure the same lead is a new one", eraseThenAgain},
		{"an erased lead frees the slots of its visit", eraseFreesVisit},
		{"what a richer lead took over survives the erasure of the poorer one", eraseRichness},
		{"parallel writes do not bring an erased lead back", parallelErase},
		{"parallel creates with one key make one lead", parallelKey},
		{"parallel creates with one digest make one lead", parallelEqual},
		{"parallel creates of a lead and a poorer one lose neither", parallelPoorer},
		{"parallel retries with key and digest make one lead", parallelBoth},
		{"parallel different leads are all stored", parallelDifferent},
		{"parallel creates over an expired key make one lead", parallelOverExpired},
		{"parallel binds of one key have one winner", parallelBind},
		{"parallel binds and creates of one key have one winner", parallelBindAndCreate},
		{"parallel delivery updates have one winner", parallelDelivery},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

const store = "store-one"

// epoch is the now of most tests; nothing in the contract reads a real clock.
var epoch = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// entry makes a valid entry whose members follow from n.
func entry(n int) lead.Entry {
	id := fmt.Sprintf("0196a3f0-0000-7000-8000-%012d", n)
	return lead.Entry{
		Record: lead.Record{
			ID: id, DealerID: store, ReceivedAt: epoch, Version: "v1.3",
			Request:   json.RawMessage(fmt.Sprintf(`{"type":"lead.submit.request","n":%d}`, n)),
			Rooftop:   "Harbor",
			Answer:    lead.Answer{Data: json.RawMessage(`{"lead_id":"` + id + `","status":"received"}`), Message: "Thanks."},
			ExpiresAt: epoch.Add(1000 * time.Hour),
		},
		Key: &lead.Key{
			Value: fmt.Sprintf("key-%d", n), Digest: fmt.Sprintf("%064x", n), Asked: fmt.Sprintf("%064x", 9000+n),
			LeadID: id, ExpiresAt: epoch.Add(48 * time.Hour),
		},
		Equal:       fmt.Sprintf("both%060x", n),
		Poorer:      []string{fmt.Sprintf("mail%060x", n), fmt.Sprintf("tele%060x", n)},
		EqualsUntil: epoch.Add(24 * time.Hour),
	}
}

// equals are all duplicate keys of e.
func equals(e lead.Entry) []string {
	if e.Equal == "" {
		return nil
	}
	return append([]string{e.Equal}, e.Poorer...)
}

// standsFor checks whose a duplicate key is; "" is nobody.
func standsFor(t *testing.T, s lead.Store, digest, leadID string, now time.Time) {
	t.Helper()
	id, err := s.ByEqual(t.Context(), store, digest, now)
	if leadID == "" {
		wantErr(t, err, lead.ErrNotFound)
		return
	}
	if err != nil || id != leadID {
		t.Fatalf("ByEqual(%s) = %q, %v; want %s", digest, id, err, leadID)
	}
}

func create(t *testing.T, s lead.Store, e lead.Entry) {
	t.Helper()
	if err := s.Create(t.Context(), e, epoch); err != nil {
		t.Fatalf("Create: %v", err)
	}
}

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("error is %v, want %v", got, want)
	}
}

// absent checks that nothing of e can be found; shared members that belong to
// another lead are named in e by the caller's choice of key and equals.
func absent(t *testing.T, s lead.Store, e lead.Entry) {
	t.Helper()
	_, err := s.Load(t.Context(), e.Record.DealerID, e.Record.ID, epoch)
	wantErr(t, err, lead.ErrNotFound)
	if e.Key != nil {
		_, err = s.ByKey(t.Context(), e.Record.DealerID, e.Key.Value, epoch)
		wantErr(t, err, lead.ErrNotFound)
	}
	for _, digest := range equals(e) {
		_, err = s.ByEqual(t.Context(), e.Record.DealerID, digest, epoch)
		wantErr(t, err, lead.ErrNotFound)
	}
	for _, id := range outbox(t, s, e.Record.DealerID) {
		if id == e.Record.ID {
			t.Fatalf("lead %s is in the outbox", id)
		}
	}
	for _, r := range list(t, s, e.Record.DealerID) {
		if r.ID == e.Record.ID {
			t.Fatalf("lead %s is listed", r.ID)
		}
	}
}

func outbox(t *testing.T, s lead.Store, dealerID string) []string {
	t.Helper()
	ids, err := s.Outbox(t.Context(), dealerID, epoch.Add(time.Hour), 1000)
	if err != nil {
		t.Fatalf("Outbox: %v", err)
	}
	return ids
}

func list(t *testing.T, s lead.Store, dealerID string) []lead.Record {
	t.Helper()
	records, err := s.List(t.Context(), dealerID, epoch.Add(time.Hour), 1000, epoch)
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	return records
}

// sameRecord compares times as instants and everything else exactly.
func sameRecord(t *testing.T, got, want lead.Record) {
	t.Helper()
	if !bytes.Equal(got.Request, want.Request) {
		t.Fatalf("request changed:\n got %.200q\nwant %.200q", got.Request, want.Request)
	}
	got.Request, want.Request = nil, nil
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("record changed (-want +got):\n%s", d)
	}
}

func recordRoundTrip(t *testing.T, s lead.Store) {
	e := entry(1)
	e.Record.ReceivedAt = epoch.Add(123456789 * time.Nanosecond)
	// Blanks, markup, number spelling and member order are evidence too.
	e.Record.Request = json.RawMessage("{ \"type\" : \"lead.submit.request\",\n\t\"message\":\"a<b>&c \\u00e9 é \U0001F697 \u2028\", \"n\": 3e4 , \"m\":30000.0}")
	e.Record.Answer.Data = json.RawMessage(`{"status":"received", "lead_id":"x<&>y"}`)
	year, price := aap.Int(2022), aap.Int(26780)
	e.Record.Listing = &aap.Vehicle{
		VIN: "1HGCV1F30KA000001", Stock: "T100", Year: &year, Make: "Honda", Model: "Civic", Price: &price,
		Fees: []aap.Fee{{Name: "Document & filing", Amount: 500}}, Rooftop: "Harbor",
		OtherAttributes: map[string]any{"abs": true, "final_drive": "belt"},
	}
	create(t, s, e)

	got, err := s.Load(t.Context(), store, e.Record.ID, epoch)
	if err != nil {
		t.Fatal(err)
	}
	sameRecord(t, got, e.Record)
	if all := list(t, s, store); len(all) != 1 {
		t.Fatalf("List has %d records, want 1", len(all))
	} else {
		sameRecord(t, all[0], e.Record)
	}
	key, err := s.ByKey(t.Context(), store, e.Key.Value, epoch)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(*e.Key, key); d != "" {
		t.Fatalf("key changed (-want +got):\n%s", d)
	}
	for _, digest := range equals(e) {
		standsFor(t, s, digest, e.Record.ID, epoch)
	}
}

func noAliasing(t *testing.T, s lead.Store) {
	e := entry(1)
	want := bytes.Clone(e.Record.Request)
	create(t, s, e)
	e.Record.Request[0] = 'X'
	e.Record.Answer.Data[0] = 'X'
	first, err := s.Load(t.Context(), store, e.Record.ID, epoch)
	if err != nil {
		t.Fatal(err)
	}
	first.Request[1] = 'Y'
	second, err := s.Load(t.Context(), store, e.Record.ID, epoch)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(second.Request, want) || second.Answer.Data[0] != '{' {
		t.Fatalf("stored bytes changed: %s %s", second.Request, second.Answer.Data)
	}
}
