package mcptools_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// deaf is an agent that answers nothing and hears no deadline.
type deaf struct{ forever chan struct{} }

func (d deaf) Call(context.Context, aap.Version, []byte) (agent.Answer, error) {
	<-d.forever
	return agent.Answer{}, context.Canceled
}

// TestNobodyHoldsASearchBeyondItsDeadline: neither a dealer that cannot be found
// in time nor one that does not answer, whatever they make of being told to stop.
func TestNobodyHoldsASearchBeyondItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		well := agenttest.New(t, agenttest.Profile).Agent
		found := func(a mcptools.Agent) func(context.Context) (*mcptools.Found, error) {
			return func(context.Context) (*mcptools.Found, error) {
				return &mcptools.Found{Name: "D", Version: aap.V1_3, Skills: aap.Skills(), Agent: a}, nil
			}
		}
		session := hosting(t, mcptools.Network{Deadline: 3 * time.Second, Settings: agent.Settings{Now: agenttest.Now}, Dealers: []mcptools.Dealer{
			{Alias: "well", Address: "https://well.example", Find: found(well)},
			{Alias: "deaf", Address: "https://deaf.example", Find: found(deaf{forever})},
			{Alias: "lost", Address: "https://lost.example", Find: func(context.Context) (*mcptools.Found, error) {
				<-forever
				return nil, context.Canceled
			}},
		}})
		began := time.Now()
		payload, isError := call(t, session, "aap_network_search", `{}`)
		if took := time.Since(began); isError || took != 3*time.Second {
			t.Errorf("after %v: %v", took, payload)
		}
		statuses := map[any]any{}
		for _, d := range payload["data"].(map[string]any)["dealers"].([]any) {
			statuses[d.(map[string]any)["dealer"]] = d.(map[string]any)["status"]
		}
		if fmt.Sprint(statuses) != "map[deaf:slow lost:slow well:answered]" {
			t.Errorf("%v", statuses)
		}
		close(forever)
	})
}

// halting is an agent whose lot is larger than its pages, of which it gives the
// first and no other.
type halting struct{ pages atomic.Int64 }

func (h *halting) Call(ctx context.Context, _ aap.Version, _ []byte) (agent.Answer, error) {
	if h.pages.Add(1) > 1 {
		<-ctx.Done()
		return agent.Answer{}, ctx.Err()
	}
	return agent.Answer{Payload: []byte(`{"type":"inventory.search.response","data":{"total":9,"vehicles":[{"stock":"A1"},{"stock":"A2"}]}}`)}, nil
}

// TestThePagesThatCameInTimeCount: of a dealer that stops half-way as well, and
// that they are not all is told.
func TestThePagesThatCameInTimeCount(t *testing.T) {
	for range 20 { // the end of the time and the dealer's word come together
		synctest.Test(t, func(t *testing.T) {
			find := func(a mcptools.Agent) func(context.Context) (*mcptools.Found, error) {
				return func(context.Context) (*mcptools.Found, error) {
					return &mcptools.Found{Name: "D", Version: aap.V1_3, Skills: aap.Skills(), Agent: a}, nil
				}
			}
			session := hosting(t, mcptools.Network{Deadline: 3 * time.Second, Settings: agent.Settings{Now: agenttest.Now}, Dealers: []mcptools.Dealer{
				{Alias: "halting", Address: "https://halting.example", Find: find(&halting{})},
				{Alias: "well", Address: "https://well.example", Find: find(agenttest.New(t, agenttest.Profile).Agent)},
			}})
			payload, isError := call(t, session, "aap_network_search", `{}`)
			if text := fmt.Sprint(payload); isError || !strings.Contains(text, "stock:A2") || !strings.Contains(text, "Only the first 2 of the 9 cars of halting") {
				t.Errorf("%s", text)
			}
		})
	}
}
