package agent_test

import (
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
)

// BenchmarkCallSearchVersions is a page of 20 under every contract: what
// translation adds to the newest one.
func BenchmarkCallSearchVersions(b *testing.B) {
	s := agenttest.With(b, agenttest.Profile, agenttest.Many(1000))
	for _, v := range aap.Versions() {
		b.Run(v.Label, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Agent.Call(b.Context(), v, []byte(`{"type":"inventory.search.request","filters":{"make":["Honda"]}}`)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
