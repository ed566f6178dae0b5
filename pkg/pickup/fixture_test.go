package pickup_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/outbound"
	"github.com/dealer-agent/dealer/pkg/pickup"
)

const (
	head  = "vin,stock,year,make,model,price\n"
	civic = "2HGFC2F59KH000001,H1,2019,Honda,Civic,17000\n"
	camry = "4T1G11AK8NU710002,T2,2022,Toyota,Camry,25900\n"
	ford  = "1FTFW1E50NFA10001,F3,2022,Ford,F-150,41500\n"
)

// vault holds secrets by reference.
type vault struct {
	mu     sync.Mutex
	kept   map[string]string
	forgot []string
}

func (v *vault) Read(_ context.Context, ref string) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	value, ok := v.kept[ref]
	if !ok {
		return "", errors.New("no such secret: " + ref)
	}
	return value, nil
}

func (v *vault) Forget(ref string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.forgot = append(v.forgot, ref)
}

// lot is a dealer's inventory with the picker that fills it.
type lot struct {
	*pickup.Picker
	t       *testing.T
	profile *dealer.Profile
	db      *embedded.DB
	secrets *vault
	log     bytes.Buffer
	// down makes the store of vehicles fail; took counts what reached it.
	down bool
	took []pickup.File

	mu  sync.Mutex
	now time.Time
}

// newLot is a lot whose sources may lie on this machine.
func newLot(t *testing.T, roots *x509.CertPool, sources string) *lot {
	t.Helper()
	p, err := dealer.Parse([]byte("id: demo\nname: Demo\nrooftops:\n  - {name: North, timezone: America/Denver, phones: [{value: \"+14155550100\"}]}\n" +
		"  - {name: South, timezone: America/Denver, phones: [{value: \"+14155550101\"}]}\n" +
		"delivery: [{name: outbox, type: file, folder: outbox}]\nfeed:\n  rooftop: North\n  sources:\n    - {" + sources + "}\n"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	l := &lot{t: t, profile: p, db: db, now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), secrets: &vault{kept: map[string]string{}}}
	p.Modified = l.now.Add(-24 * time.Hour)
	l.Picker = &pickup.Picker{
		Profiles: dealer.Fixed(p), States: db.Pickups(), Depot: l, Secrets: l.secrets, Dir: t.TempDir(), Now: l.clock,
		Log:   slog.New(slog.NewJSONHandler(&l.log, nil)),
		Route: func(host string) outbound.Route { return outbound.Route{Named: host, RootCAs: roots} },
		Pause: 10 * time.Millisecond, Silence: 5 * time.Second,
	}
	return l
}

func (l *lot) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *lot) later(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

// Take is the depot: the real importer on the real store.
func (l *lot) Take(ctx context.Context, p *dealer.Profile, s *dealer.FeedSource, f pickup.File) (feed.Report, error) {
	if l.down {
		return feed.Report{}, errors.New("the table is busy")
	}
	l.mu.Lock()
	l.took = append(l.took, f)
	l.mu.Unlock()
	im := feed.Importer{Store: l.db.Inventory(), Profiles: dealer.Fixed(p), Now: l.clock}
	return im.Import(ctx, feed.Source{Name: f.Name, Size: f.Size, Modified: f.Modified, Body: io.Reader(f.Body), Rooftops: s.Rooftops}, false)
}

// turn makes one turn and tells the state of the only source after it.
func (l *lot) turn() pickup.State {
	l.t.Helper()
	if err := l.Turn(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	states, err := l.States.States(l.t.Context(), "demo")
	if err != nil || len(states) != 1 {
		l.t.Fatalf("%+v, %v", states, err)
	}
	return states[0]
}

// want makes a turn after an hour and compares what came of it.
func (l *lot) want(result string, listed int, says string) pickup.State {
	l.t.Helper()
	l.later(time.Hour)
	st := l.turn()
	if st.Result != result || !strings.Contains(st.Reason, says) || (says == "") != (st.Reason == "") {
		l.t.Errorf("the visit was %s (%s), want %s with %q", st.Result, st.Reason, result, says)
	}
	if got := l.listed(); got != listed {
		l.t.Errorf("%d vehicles are offered, want %d", got, listed)
	}
	return st
}

func (l *lot) listed() int {
	h, err := l.db.Inventory().Head(l.t.Context(), "demo")
	if errors.Is(err, inventory.ErrNotFound) {
		return 0
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return h.Listed
}

func (l *lot) vouched() time.Time {
	h, err := l.db.Inventory().Head(l.t.Context(), "demo")
	if err != nil {
		l.t.Fatal(err)
	}
	return h.Vouched["North"]
}

// discreet fails when a secret is in the log or in a state.
func (l *lot) discreet(secrets ...string) {
	l.t.Helper()
	states, err := l.States.States(l.t.Context(), "demo")
	if err != nil {
		l.t.Fatal(err)
	}
	all := l.log.String() + fmt.Sprintf("%+v", states)
	for _, s := range secrets {
		if strings.Contains(all, s) {
			l.t.Errorf("%q is told in\n%s", s, all)
		}
	}
}
