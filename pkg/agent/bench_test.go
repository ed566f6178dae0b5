package agent_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// BenchmarkCallLeadSubmitBooked takes new leads with a test drive in a calendar
// that fills up: of two buyers who want the same slot one gets it, and the
// other one is offered the nearest free ones.
func BenchmarkCallLeadSubmitBooked(b *testing.B) {
	days := ""
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		days += day + `: "08:00-20:00", `
	}
	s := agenttest.With(b, agenttest.Profile+"leads: {appointments: {test_drive: {mode: auto, slot: 15m, capacity: 50, horizon: 366d, days: {"+days+"}}}}\n", agenttest.Many(1000))
	b.ReportAllocs()
	n, outcomes := 0, map[string]int{}
	for b.Loop() {
		n++
		slot := n / 100 // 50 get it, 50 do not
		at := time.Date(2026, 6, 16, 15, 0, 0, 0, time.UTC).AddDate(0, 0, slot/48%365).Add(time.Duration(slot%48) * 15 * time.Minute)
		payload := strings.NewReplacer("rosa@", fmt.Sprintf("rosa%d@", n), "rosa-1", fmt.Sprintf("rosa-%d", n),
			`"type":"lead.submit.request"`, `"type":"lead.submit.request","appointment":{"appointment_type":"test_drive","appointment_at":"`+at.Format(time.RFC3339)+`"}`).Replace(leadPayload)
		answer, err := s.Agent.Call(b.Context(), aap.V1_3, []byte(payload))
		if err != nil {
			b.Fatal(err)
		}
		for _, status := range []string{"confirmed", "proposed", "requested"} {
			outcomes[status] += strings.Count(string(answer.Payload), `"status":"`+status+`"`)
		}
	}
	if n > 200 && (outcomes["confirmed"] < n/4 || outcomes["proposed"] < n/4) {
		b.Fatalf("of %d leads: %v", n, outcomes)
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
