package crm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
)

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// bench is a worker over a real store with a clock and a log to look at.
type bench struct {
	*crm.Worker
	store   *leadtest.Memory
	profile *dealer.Profile
	log     *lockedBuffer
	clock   time.Time
	mu      sync.Mutex
	overs   []crm.HandOver
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newBench(t testing.TB, targets ...dealer.Target) *bench {
	t.Helper()
	for i := range targets {
		if targets[i].Timeout == 0 {
			targets[i].Timeout = dealer.Duration(5 * time.Second)
		}
	}
	b := &bench{
		store: leadtest.NewMemory(), log: &lockedBuffer{}, clock: start,
		profile: &dealer.Profile{
			ID: "lakeside", Name: "Lakeside Group", Delivery: targets,
			Rooftops: []dealer.Rooftop{
				{Name: "North", Phones: []dealer.Contact{{Value: "+14155550100"}}},
				{Name: "Süd & Söhne", Phones: []dealer.Contact{{Value: "+13035550100"}}},
			},
		},
	}
	b.Worker = &crm.Worker{
		Leads: b.store, Profiles: dealer.Fixed(b.profile), Now: func() time.Time { return b.clock },
		Log:     slog.New(slog.NewJSONHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		BaseDir: t.TempDir(),
		Secrets: &crm.SecretCache{Sources: map[string]crm.Source{"env": func(_ context.Context, name string) (string, error) {
			if name == "MISSING" {
				return "", errors.New("not set")
			}
			return "secret of env:" + name, nil
		}}},
		OnHandOver: func(h crm.HandOver) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.overs = append(b.overs, h)
		},
	}
	return b
}

// request is the lead of the tests; its values are looked for in logs.
func request() aap.LeadRequest {
	return aap.LeadRequest{
		Type: "lead.submit.request",
		Customer: aap.Customer{
			FirstName: "Wilhelmina", LastName: "Núñez", Email: "wilhelmina@example.com", Phone: "+14155550123",
			Address: &aap.Address{AddressLine1: "200 Folsom St", City: "Testville"},
		},
		Consent: aap.Consent{
			GrantedAt: "2026-05-01T11:59:00Z", AllowedChannels: []string{"email", "phone", "sms"},
			ConsentText: "I agree.", Scope: []string{"lead_submission"}, ExpiresAt: "2026-05-02T12:00:00Z",
		},
		SourceAgent: aap.SourceAgent{Name: "shopper"},
		Message:     "Is the purple one there? " + strings.Repeat("Ümlaut = fine. ", 260),
	}
}

// submit stores a lead.
func (b *bench) submit(t testing.TB, id string, change func(*aap.LeadRequest, *lead.Record)) lead.Record {
	t.Helper()
	req := request()
	r := lead.Record{ID: id, DealerID: b.profile.ID, ReceivedAt: start, Version: "v1.3", Rooftop: "North", ExpiresAt: start.AddDate(2, 0, 0)}
	if change != nil {
		change(&req, &r)
	}
	payload, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	r.Request = payload
	if err := b.store.Create(t.Context(), lead.Entry{Record: r}, start); err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *bench) handle(t testing.TB, id string) error {
	t.Helper()
	return b.Handle(t.Context(), id)
}

// state is one target's stored state.
func (b *bench) state(t testing.TB, id, target string) lead.Delivery {
	t.Helper()
	all, err := b.store.Deliveries(context.WithoutCancel(t.Context()), b.profile.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if d.Target == target {
			return d
		}
	}
	return lead.Delivery{}
}

func (b *bench) want(t testing.TB, id, target, state string, attempts int) lead.Delivery {
	t.Helper()
	d := b.state(t, id, target)
	if d.State != state || d.Attempts != attempts {
		t.Errorf("target %s is %q after %d attempts, want %q after %d; %+v\n%s", target, d.State, d.Attempts, state, attempts, d, b.log)
	}
	return d
}

// rendered is the document that a lead's target must get.
func (b *bench) rendered(t testing.TB, r lead.Record, o adf.Options) string {
	t.Helper()
	doc, err := adf.Render(r, b.profile, o)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

func folder(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func outbox(name, dir string) dealer.Target {
	return dealer.Target{Name: name, Type: dealer.TargetFile, Folder: dir}
}

func read(t testing.TB, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
