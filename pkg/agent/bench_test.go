package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
)

const (
	searchPayload = `{"type":"inventory.search.request","filters":{"make":["Honda","Toyota"],"condition":["used"],"price_max":40000},` +
		`"sort":{"field":"price","order":"asc"},"pagination":{"skip":0,"limit":20}}`
	facetsPayload = `{"type":"inventory.facets.request","filters":{"make":["Honda","Toyota"],"condition":["used"],"price_max":40000}}`
)

func benchmarkCall(b *testing.B, vehicles int, payload string) {
	s := agenttest.With(b, agenttest.Profile, agenttest.Many(vehicles))
	answer, err := s.Agent.Call(b.Context(), aap.V1_3, []byte(payload))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(answer.Payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Agent.Call(b.Context(), aap.V1_3, []byte(payload)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCallSearch10k is a warm search with three filters, a sort and a page
// of 20, schema check and encoding included.
func BenchmarkCallSearch10k(b *testing.B) { benchmarkCall(b, 10_000, searchPayload) }

func BenchmarkCallFacets10k(b *testing.B) { benchmarkCall(b, 10_000, facetsPayload) }

func BenchmarkCallInformation(b *testing.B) {
	benchmarkCall(b, 1, `{"type":"dealer.information.request"}`)
}

// BenchmarkCallLeadSubmit takes a new lead of another customer each time, on a
// memory store.
func BenchmarkCallLeadSubmit(b *testing.B) {
	s := agenttest.With(b, agenttest.Profile, agenttest.Many(1000))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		payload := strings.NewReplacer("rosa@", fmt.Sprintf("rosa%d@", n), "rosa-1", fmt.Sprintf("rosa-%d", n)).Replace(leadPayload)
		if _, err := s.Agent.Call(b.Context(), aap.V1_3, []byte(payload)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSearchStaysWithinItsAllocations is the part of the search budget that no
// busy machine can disturb.
func TestSearchStaysWithinItsAllocations(t *testing.T) {
	s := agenttest.With(t, agenttest.Profile, agenttest.Many(10_000))
	payload := []byte(searchPayload)
	allocations := testing.AllocsPerRun(50, func() {
		if _, err := s.Agent.Call(t.Context(), aap.V1_3, payload); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 400 {
		t.Errorf("a search makes %.0f allocations, want at most 400", allocations)
	}
}
