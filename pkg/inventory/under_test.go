package inventory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

func TestNoListingHasAPriceWhereThePriceMeansMore(t *testing.T) {
	store := &counting{Store: stored(t, units(t, sixUnits), noon)}
	l, p := inventory.NewLot(store, func() time.Time { return noon }), twoRooftops()
	old, _ := aap.VersionByLabel("v1.2")
	under := l.Under(old)
	if l.Under(aap.Primary()) != l || under == l {
		t.Error("the primary contract sees the lot itself, another one a view of it")
	}
	all := search(t, l, p, `{}`)
	if got := search(t, under, p, `{}`); got.Data.Total != all.Data.Total {
		t.Errorf("%d of %d are listed", got.Data.Total, all.Data.Total)
	}
	got := search(t, under, p, `{"filters":{"price_min":0}}`)
	if got.Data.Total != 0 || !strings.HasPrefix(got.Message, "0 match: the filter price_min left none of 5. No vehicle has a price here") {
		t.Errorf("%d match: %s", got.Data.Total, got.Message)
	}
	up, down := search(t, under, p, `{"sort":{"field":"price","order":"asc"}}`), search(t, under, p, `{"sort":{"field":"price","order":"desc"}}`)
	if up.stocks() != down.stocks() || up.Data.Total != all.Data.Total {
		t.Errorf("sorted by no price: %s and %s", up.stocks(), down.stocks())
	}
	p.Prices.OutTheDoor = true
	for _, request := range []string{`{"filters":{"price_min":0}}`, `{"sort":{"field":"price","order":"desc"}}`} {
		if got, want := search(t, under, p, request), search(t, l, p, request); got.stocks() != want.stocks() {
			t.Errorf("%s finds %s, want %s", request, got.stocks(), want.stocks())
		}
	}
	if n := store.snapshots.Load(); n != 1 {
		t.Errorf("%d indexes were built for one lot", n)
	}
}
