// Package front puts together what every function before buyers stands on:
// the skills over the stack's stores. It is apart from package cloud so that
// the other functions load no schemas.
//
// # Many dealers
//
// Where a stack serves many dealers, each gets a Front and a handler of its own
// when it is first called, so that quotas, forms, answers and caches of one are
// out of the others' reach. The dealer is settled in one place, by the name of
// the host that API Gateway took the request under, or by the path
// /dealers/<id>/…; who calls for no dealer is refused from a list in memory.
//
// What an instance keeps is bounded in bytes, and what was used longest ago goes
// first: 64 MB of dealers, each at eight times its profile document and a fixed
// 160 KB (the quotas of 400 callers at 300 bytes, and the handler), so some
// 300 dealers with profiles of 8 KB; and 320 MB of encoded listings. A vehicle is about
// 950 bytes there and 750 more in its index (measured on lots of 10,000), so that is 33
// lots of 10,000 cars in 570 MB, which garbage collection doubles in the worst
// moment, of the function's 2 GB. Of 500 dealers with 10,000 cars each (5 million cars,
// 8.5 GB of indexes) an instance so holds 7 in 100 at a time. The others' answers cost what
// the first answer of a cold function does: one head, some 20 blocks, 1 MB, and 60 ms
// to build. API Gateway spreads dealers over instances as calls come, and
// popular dealers stay warm in each.
package front

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"time"

	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// Front is the agent of one dealer.
type Front struct {
	// Settings are those of the function; FormKey is the dealer's own.
	Settings cloud.Settings
	Skills   *agent.Agent
	Profiles dealer.Source
	Log      *slog.Logger
	Metrics  *cloud.Metrics
	// MostCallers is for agent.Settings.
	MostCallers int
}

// Open reads the function's settings and makes the handler of the stack's
// dealer, or of all its dealers, out of what serve makes of each one's Front.
// Like cloud.Open it does not reach the network.
func Open(ctx context.Context, f cloud.Function, lookup func(string) (string, bool), serve func(*Front) http.Handler) (http.Handler, error) {
	stack, err := cloud.Open(ctx, f, lookup)
	if err != nil {
		return nil, err
	}
	log := stack.Log()
	metrics := stack.Metrics()
	lot := inventory.NewLot(stack.Inventory(), time.Now)
	watchLot(lot, metrics)
	if stack.Settings.Pooled() {
		lot.Bound(warmListings)
		return cloud.FrontDoor(stack.Settings.OriginSecret, newPool(stack, lot, serve, log, metrics)), nil
	}
	one := newFront(stack, stack.Settings, stack.Profiles(log), stack.Leads(), lot, log, metrics)
	return cloud.FrontDoor(stack.Settings.OriginSecret, serve(one)), nil
}

func newFront(stack *cloud.Stack, settings cloud.Settings, profiles dealer.Source, leads lead.Store, lot *inventory.Lot, log *slog.Logger, metrics *cloud.Metrics) *Front {
	desk := &lead.Desk{Store: leads, Queue: stack.Queue(), Stock: lot, Log: log}
	watchDesk(desk, metrics)
	skills := agent.New(agent.Parts{Profiles: profiles, Schemas: schema.Released(), Lot: lot, Desk: desk})
	return &Front{Settings: settings, Skills: skills, Profiles: profiles, Log: log, Metrics: metrics}
}

// keyFor is a key for one dealer, made of that for all.
func keyFor(key []byte, id string) []byte {
	if len(key) == 0 {
		return nil
	}
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte("dealer " + id))
	return mac.Sum(nil)
}
