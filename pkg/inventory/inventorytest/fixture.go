package inventorytest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

const dealerID = "contract-motors"

// now is later than anything the fixtures vouch for.
var now = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

func number(n int64) *aap.Int { i := aap.Int(n); return &i }

// unit is a listed unit with a VIN made of its number.
func unit(n int) inventory.Vehicle {
	vin := fmt.Sprintf("1C4RJFBG%09d", n)
	return inventory.Vehicle{
		Key: vin, State: inventory.Available,
		Listing: aap.Vehicle{
			VIN: vin, Stock: fmt.Sprintf("K-%05d", n), VehicleID: fmt.Sprintf("veh %05d", n),
			Year: number(2015 + int64(n%11)), Make: "Jeep", Model: "Grand Cherokee", Price: number(20000 + int64(n)),
		},
	}
}

func units(n int) []inventory.Vehicle {
	out := make([]inventory.Vehicle, n)
	for i := range out {
		out[i] = unit(i)
	}
	return out
}

// full is a unit with a value in every corner of the wire type.
func full() inventory.Vehicle {
	v := unit(900)
	half := 77.4
	yes := true
	v.State = inventory.Sold
	v.GoneAt = now.Add(-time.Hour)
	v.Listing.Fees = []aap.Fee{}
	v.Listing.BatteryKWh = &half
	v.Listing.DCFastCharge = &yes
	v.Listing.ExteriorColor = "Rosé métallisé <blue & \"grey\"> \u2028 🚗"
	v.Listing.Features = []string{"Heated seats", "Tow hitch"}
	v.Listing.Photos = []string{"https://img.example.com/900/1.jpg", "https://img.example.com/900/2.jpg"}
	v.Listing.OtherAttributes = map[string]any{"abs": true, "wheel_count": 3.0, "codes": []any{"a", "b"}}
	v.Listing.UpdatedAt = "2026-03-01T08:00:00-07:00"
	v.Listing.Extra = map[string]json.RawMessage{"carfax_url": json.RawMessage(`"https://history.example.com/900"`)}
	return v
}

// change puts every unit of all and makes all the whole generation.
func change(all ...inventory.Vehicle) inventory.Change {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b inventory.Vehicle) int { return strings.Compare(a.Key, b.Key) })
	return inventory.Change{Put: all, All: all, Vouched: map[string]time.Time{"": now}}
}

func apply(t *testing.T, s inventory.Store, dealer string, base inventory.Head, c inventory.Change) inventory.Head {
	t.Helper()
	h, err := s.Apply(t.Context(), dealer, base, c)
	if err != nil {
		t.Fatalf("Apply on revision %d: %v", base.Revision, err)
	}
	return h
}

func head(t *testing.T, s inventory.Store, dealer string) inventory.Head {
	t.Helper()
	h, err := s.Head(t.Context(), dealer)
	if err != nil {
		t.Fatalf("Head: %v", err)
	}
	return h
}

// wantSnapshot checks the current generation against want, in key order.
func wantSnapshot(t *testing.T, s inventory.Store, dealer string, want []inventory.Vehicle) {
	t.Helper()
	got, err := s.Snapshot(t.Context(), dealer, head(t, s, dealer))
	if err != nil {
		t.Fatalf("Snapshot: %v", err)
	}
	want = slices.Clone(want)
	slices.SortFunc(want, func(a, b inventory.Vehicle) int { return strings.Compare(a.Key, b.Key) })
	if len(got) != len(want) {
		t.Fatalf("Snapshot has %d units, want %d", len(got), len(want))
	}
	for i := range want {
		if diff := cmp.Diff(text(t, want[i]), text(t, got[i])); diff != "" {
			t.Fatalf("unit %d of the snapshot (-want +got):\n%s", i, diff)
		}
	}
}

// wantFind checks which unit an identifier names; nil wants ErrNotFound.
func wantFind(t *testing.T, s inventory.Store, dealer string, id inventory.Identifier, want *inventory.Vehicle) {
	t.Helper()
	got, err := s.Find(t.Context(), dealer, id)
	switch {
	case want == nil:
		if !errors.Is(err, inventory.ErrNotFound) {
			t.Errorf("Find(%+v) = %q, %v; want ErrNotFound", id, got.Key, err)
		}
	case err != nil:
		t.Errorf("Find(%+v): %v, want %q", id, err, want.Key)
	default:
		if diff := cmp.Diff(text(t, *want), text(t, got)); diff != "" {
			t.Errorf("Find(%+v) (-want +got):\n%s", id, diff)
		}
	}
}

func text(t *testing.T, v inventory.Vehicle) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("encode %s: %v", v.Key, err)
	}
	return string(b)
}

// noise is text of n bytes that no compressor makes much smaller.
func noise(r *rand.Rand, n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 é"
	runes := []rune(letters)
	var b strings.Builder
	for b.Len() < n {
		b.WriteRune(runes[r.IntN(len(runes))])
	}
	return b.String()
}
