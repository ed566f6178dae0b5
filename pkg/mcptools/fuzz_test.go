package mcptools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// recorder is an agent that keeps what it was asked.
type recorder struct{ payload []byte }

func (r *recorder) Call(_ context.Context, _ aap.Version, payload []byte) (agent.Answer, error) {
	r.payload = bytes.Clone(payload)
	return agent.Answer{Skill: aap.InventorySearch, Payload: []byte(`{"type":"inventory.search.response","data":{}}`)}, nil
}

// FuzzArguments: what reaches the agent is the arguments and the tool's own
// type, whatever a host sends; nothing else is added, dropped or changed.
func FuzzArguments(f *testing.F) {
	for _, arguments := range []string{
		`{}`, ` { } `, `null`, `[]`, `"x"`, `{"filters":{"make":["Honda"]}}`, `{"type":"inventory.search.request"}`, `{"type":"lead.submit.request"}`,
		`{"a":1,"type":"inventory.search.request","type":"lead.submit.request"}`, `{"t\u0079pe":"lead.submit.request"}`, "{\n\t\"q\" : \"}\" , \"n\":1e400}",
		`{"type":{"type":"inventory.search.request"}}`, `{"x":{"type":"y"}}`, `{"":"","\ud800":0}`,
	} {
		f.Add(arguments)
	}
	p, err := dealer.Parse([]byte(agenttest.Profile))
	if err != nil {
		f.Fatal(err)
	}
	asked := &recorder{}
	handler := mcptools.NewHandler(mcptools.Config{Agent: asked, Profiles: dealer.Fixed(p), Loopback: true, Settings: agent.Settings{Ticks: clock()}})
	f.Fuzz(func(t *testing.T, arguments string) {
		asked.payload = nil
		r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(toolCall("aap_inventory_search", arguments)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		ended := make(chan struct{})
		go func() { handler.ServeHTTP(w, r); close(ended) }()
		select {
		case <-ended:
		case <-time.After(3 * time.Second):
			t.Fatalf("%q is never answered", arguments)
		}
		if !json.Valid(w.Body.Bytes()) && w.Code == http.StatusOK {
			t.Fatalf("%q: %d %s", arguments, w.Code, w.Body)
		}
		if asked.payload == nil {
			return
		}
		var got, want map[string]any
		if err := unmarshal(asked.payload, &got); err != nil {
			t.Fatalf("%q became %q: %v", arguments, asked.payload, err)
		}
		if got["type"] != "inventory.search.request" {
			t.Fatalf("%q became %q", arguments, asked.payload)
		}
		if err := unmarshal([]byte(arguments), &want); err != nil {
			return // not by itself JSON: the request's text closed it early
		}
		if want == nil {
			want = map[string]any{}
		}
		want["type"] = "inventory.search.request"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", arguments, diff)
		}
	})
}

func unmarshal(doc []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	return d.Decode(into)
}
