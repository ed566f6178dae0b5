package feed_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// TestAFileAboutOneRooftopLeavesTheOthersAlone: two systems export a rooftop
// each, and neither file says anything about the other one's cars.
func TestAFileAboutOneRooftopLeavesTheOthersAlone(t *testing.T) {
	p := oneRooftop()
	p.Rooftops = append(p.Rooftops, dealer.Rooftop{Name: "South", Timezone: "America/Denver"})
	p.Feed.Rooftop = ""
	north := p.Rooftops[0].Name
	l := newLot(p)
	take := func(rooftop, rows string) (feed.Report, error) {
		t.Helper()
		im := feed.Importer{Store: l.store, Profiles: dealer.Fixed(p), Now: func() time.Time { return l.now }}
		l.now = l.now.Add(time.Hour)
		return im.Import(t.Context(), feed.Source{
			Name: rooftop + ".csv", Modified: l.now.Add(-time.Minute), Rooftops: []string{rooftop},
			Body: strings.NewReader("stock,vin,year,make,model,status,dealer name\n" + rows),
		}, false)
	}
	state := func(stock string) inventory.State {
		t.Helper()
		v, err := l.store.Find(t.Context(), p.ID, inventory.Identifier{Stock: stock})
		if err != nil {
			return inventory.State(err.Error())
		}
		return v.State
	}
	stand := func() inventory.Head {
		t.Helper()
		h, err := l.store.Head(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	const moved = ",1HGCM82633A004352,2003,Honda,Accord,"
	if rep, err := take(north, "N1,,2020,Honda,Civic,,\nN2"+moved+",\nN3,,2020,Kia,Rio,,\n"); err != nil || rep.Changes.Added != 3 {
		t.Fatalf("%v %+v", err, rep)
	}
	vouched := stand().Vouched[north]
	rep, err := take("South", "S1,,2021,Kia,Soul,,South\nS2,,2021,Kia,Rio,,\nX1,,2021,Kia,Rio,,"+north+"\n")
	if err != nil || rep.Changes.Added != 2 || rep.Changes.Gone != 0 || rep.Rejected != 1 || rep.RejectedBy["of a rooftop that this source is not about"] != 1 {
		t.Fatalf("%v %+v", err, rep)
	}
	if h := stand(); h.Listed != 5 || !h.Vouched[north].Equal(vouched) || !h.Vouched["South"].Equal(l.now.Add(-time.Minute)) {
		t.Fatalf("the other rooftop is vouched for by a file that is not about it: %+v", h)
	}
	// A car that leaves is gone, also as one of two; cars of the other rooftop do not count as dropped.
	if rep, err = take("South", "S1,,2021,Kia,Soul,,\n"); err != nil || rep.Changes.Gone != 1 || state("S2") != inventory.Sold || state("N1") != inventory.Available {
		t.Fatalf("%v %+v; S2 is %s", err, rep.Changes, state("S2"))
	}
	// Another rooftop's car is not sold by a file that is not about it …
	if _, err = take("South", "S1,,2021,Kia,Soul,,\nS9"+moved+"Sold,\n"); err != nil || state("N2") != inventory.Available {
		t.Fatalf("%v; N2 is %s", err, state("N2"))
	}
	// … but it may move.
	if _, err = take("South", "S1,,2021,Kia,Soul,,\nS9"+moved+",\n"); err != nil || state("S9") != inventory.Available || stand().Listed != 4 {
		t.Fatalf("%v; S9 is %s, %+v", err, state("S9"), stand())
	}
	// The guard counts within the rooftop.
	if _, err = take(north, "N8,,2020,Honda,Civic,,\n"); !errors.Is(err, inventory.ErrRefused) {
		t.Errorf("a file without the rooftop's cars was taken: %v", err)
	}
	if _, err = take(north, "X1,,2021,Kia,Rio,,South\n"); !errors.Is(err, feed.ErrRefused) {
		t.Errorf("a file of another rooftop was taken: %v", err)
	}
	if h := stand(); h.Listed != 4 {
		t.Errorf("%+v", h)
	}
}
