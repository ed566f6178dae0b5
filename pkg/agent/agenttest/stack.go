// Package agenttest gives tests a whole dealer agent in memory: a profile
// parsed from YAML, a small lot, a lead desk, schemas, a fixed clock and
// counted ids. Everything in it is the real thing except the stores, which are
// the memory stores of the store contracts.
//
//	s := agenttest.New(t, agenttest.Profile)
//	answer, err := s.Agent.Call(t.Context(), aap.V1_3, payload)
package agenttest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// Clock is what every clock of a Stack shows.
var Clock = time.Date(2026, 6, 15, 15, 0, 0, 0, time.UTC)

// Modified is when every profile of a Stack was changed.
var Modified = time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)

// Profile is a dealer with two rooftops and all defaults. Lines may be
// appended to it: its last key is at the top level.
const Profile = `id: harbor-auto
name: Harbor Auto Group
url: https://agent.harbor-auto.example
rooftops:
  - name: Harbor Seattle
    timezone: America/Los_Angeles
    phones: [{value: "+12065550140"}]
  - name: Harbor Boise
    timezone: America/Boise
    emails: [{value: leads@harbor-auto.example}]
delivery:
  - {name: outbox, type: file, folder: /tmp/outbox}
prices:
  includes: all_mandatory_charges
`

// Stack is one dealer agent.
type Stack struct {
	Agent   *agent.Agent
	Profile *dealer.Profile
	Leads   *leadtest.Memory
	Lot     *inventory.Lot

	ids atomic.Int64
}

// New makes a Stack of a profile document with the vehicles of Vehicles.
func New(t testing.TB, profile string) *Stack { return With(t, profile, Vehicles()) }

// With makes a Stack with a lot of its own.
func With(t testing.TB, profile string, vehicles []inventory.Vehicle) *Stack {
	t.Helper()
	p, err := dealer.Parse([]byte(profile))
	if err != nil {
		t.Fatalf("parse the profile: %v", err)
	}
	p.Modified = Modified
	store := &inventorytest.Memory{}
	vouched := map[string]time.Time{}
	for _, r := range p.Rooftops {
		vouched[r.Name] = Clock.Add(-2 * time.Hour)
	}
	change := inventory.Change{Put: vehicles, All: vehicles, Vouched: vouched}
	if _, err := store.Apply(t.Context(), p.ID, inventory.Head{}, change); err != nil {
		t.Fatalf("fill the lot: %v", err)
	}
	s := &Stack{Profile: p, Leads: leadtest.NewMemory(), Lot: inventory.NewLot(store, Now)}
	s.Agent = agent.New(agent.Parts{
		Profiles: dealer.Fixed(p),
		Schemas:  schema.Released(),
		Lot:      s.Lot,
		Desk:     &lead.Desk{Store: s.Leads, Queue: queue{}, Stock: s.Lot, Now: Now, NewID: s.NewID},
	})
	return s
}

// Now is the clock.
func Now() time.Time { return Clock }

// NewID counts up, in the shape of a UUIDv7.
func (s *Stack) NewID() string {
	return fmt.Sprintf("00000000-0000-7000-8000-%012d", s.ids.Add(1))
}

// queue takes every lead id and keeps none: what follows a lead is not tested here.
type queue struct{}

func (queue) Enqueue(context.Context, string) error { return nil }
