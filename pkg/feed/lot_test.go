package feed_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
)

// lot is a dealer with a store and a clock.
type lot struct {
	store   *inventorytest.Memory
	profile *dealer.Profile
	now     time.Time
}

func newLot(p *dealer.Profile) *lot {
	return &lot{store: &inventorytest.Memory{}, profile: p, now: referenceDay}
}

func (l *lot) take(t testing.TB, name string, body []byte) (feed.Report, error) {
	t.Helper()
	im := feed.Importer{Store: l.store, Profiles: dealer.Fixed(l.profile), Now: func() time.Time { return l.now }}
	return im.Import(t.Context(), feed.Source{Name: name, Size: int64(len(body)), Modified: l.now, Body: bytes.NewReader(body)}, false)
}

// units are the stored units of the current generation.
func (l *lot) units(t testing.TB) []inventory.Vehicle {
	t.Helper()
	head, err := l.store.Head(t.Context(), l.profile.ID)
	if errors.Is(err, inventory.ErrNotFound) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := l.store.Snapshot(t.Context(), l.profile.ID, head)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func referenceFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(aaptest.Reference(t, "cases", "feeds"), name))
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() && len(b) > 1<<20 {
		t.Skip("reads thousands of vehicles")
	}
	return b
}

func referenceLot(t *testing.T, name string, file []byte) *lot {
	p := oneRooftop()
	if set := referenceProfiles[name]; set != nil {
		set(t, file, p)
	}
	return newLot(p)
}
