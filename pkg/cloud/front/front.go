// Package front puts together what every function before buyers stands on:
// the skills over the stack's stores. It is apart from package cloud so that
// the other functions load no schemas.
package front

import (
	"context"
	"log/slog"
	"time"

	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// Front is the agent of one function.
type Front struct {
	Settings cloud.Settings
	Skills   *agent.Agent
	Profiles dealer.Source
	Log      *slog.Logger
	Metrics  *cloud.Metrics
}

// Open reads the function's settings; like cloud.Open it does not reach the
// network.
func Open(ctx context.Context, f cloud.Function, lookup func(string) (string, bool)) (*Front, error) {
	stack, err := cloud.Open(ctx, f, lookup)
	if err != nil {
		return nil, err
	}
	log := stack.Log()
	profiles := stack.Profiles(log)
	lot := inventory.NewLot(stack.Inventory(), time.Now)
	desk := &lead.Desk{Store: stack.Leads(), Queue: stack.Queue(), Stock: lot, Log: log}
	metrics := stack.Metrics()
	watch(lot, desk, metrics)
	skills := agent.New(agent.Parts{Profiles: profiles, Schemas: schema.Released(), Lot: lot, Desk: desk})
	return &Front{Settings: stack.Settings, Skills: skills, Profiles: profiles, Log: log, Metrics: metrics}, nil
}
