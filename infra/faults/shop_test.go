package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/schema"
)

const dealerID = "stormy-motors"

// profileText is the dealer of all tests, with these targets.
func profileText(targets ...string) string {
	return `id: ` + dealerID + `
name: Stormy Motors
url: https://agent.stormy.example
rooftops:
  - name: Harbor
    timezone: America/Chicago
    phones: [{value: "+13125550100"}]
    hours: [{name: Sales, days: {monday: "00:00-23:59", tuesday: "00:00-23:59", wednesday: "00:00-23:59", thursday: "00:00-23:59", friday: "00:00-23:59", saturday: "00:00-23:59", sunday: "00:00-23:59"}}]
leads: {appointments: {test_drive: {mode: auto, slot: 1h, capacity: 3}}}
access: {per_minute: 1000000, leads_per_hour: 1000000}
delivery:
` + strings.Join(targets, "")
}

func parse(t testing.TB, text string) *dealer.Profile {
	t.Helper()
	p, err := dealer.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// door is the agent as buyers reach it, without a network between.
func door(desk *lead.Desk, profile *dealer.Profile, now func() time.Time) func([]byte) ([]byte, error) {
	profiles := dealer.Fixed(profile)
	skills := agent.New(agent.Parts{Profiles: profiles, Schemas: schema.Released(), Desk: desk})
	handler := a2a.NewHandler(a2a.Config{Agent: skills, Profiles: profiles, Settings: agent.Settings{Now: now}})
	return func(body []byte) ([]byte, error) {
		r := httptest.NewRequest(http.MethodPost, "/a2a", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Body.Bytes(), nil
	}
}

// checkStates compares the states in the store with the ledger and asks for a
// resend of what was refused, as a dealer does. It returns how many that were.
func checkStates(t *testing.T, l *ledger, store lead.Store, queue lead.Queue, now func() time.Time) (resent int) {
	t.Helper()
	archive := lead.Archive{Store: store, Queue: queue, Now: now}
	ctx := context.Background()
	var all []string
	err := archive.Each(ctx, dealerID, time.Time{}, func(r lead.Record) error {
		all = append(all, r.ID)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range all {
		states, err := store.Deliveries(ctx, dealerID, id)
		if err != nil {
			t.Fatal(err)
		}
		if len(states) != len(l.targets) {
			t.Fatalf("lead %s has %d states of %d targets", id, len(states), len(l.targets))
		}
		for _, d := range states {
			l.mu.Lock()
			refused, arrived := l.refused[d.Target][id], len(l.arrivals[d.Target][id])
			l.mu.Unlock()
			switch {
			case d.State == lead.HandedOver && arrived > 0:
			case d.State == lead.Failed && refused:
				if _, err := archive.Resend(ctx, dealerID, id, []string{d.Target}, "test"); err != nil && !errors.Is(err, lead.ErrUnderWay) {
					t.Fatalf("lead %s, target %s: %v", id, d.Target, err)
				}
				resent++
			default:
				l.mu.Lock()
				l.strange = append(l.strange, fmt.Sprintf("lead %s is %s at %s, where %d arrived and refused is %v: %s", id, d.State, d.Target, arrived, refused, d.LastError))
				l.mu.Unlock()
			}
		}
	}
	return resent
}
