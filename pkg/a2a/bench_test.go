package a2a_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
)

// BenchmarkHandlerSearch10k is one warm search through the whole front: HTTP
// request in, JSON-RPC answer out, without a network.
func BenchmarkHandlerSearch10k(b *testing.B) {
	h := handler(agenttest.With(b, agenttest.Profile+"access: {per_minute: 1000000}\n", agenttest.Many(10_000)))
	body := message(`{"type":"inventory.search.request","filters":{"make":["Honda","Toyota"],"condition":["used"],"price_max":40000},"sort":{"field":"price","order":"asc"}}`)
	call := func() {
		r := httptest.NewRequest(http.MethodPost, "/a2a", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String()[:64], `"result"`) {
			b.Fatal(w.Body)
		}
	}
	call() // builds the index and compiles the schema
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}
