package a2a_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
)

// tokenDigest is the SHA-256 of token.
const (
	token       = "spring-tide-secret"
	tokenDigest = "db8a1eff2b200b4ca2495ef39366e419c28fcfdcef3b2e836c1413528f601cc6"
)

func TestClientCallsASkillAndReadsItsErrors(t *testing.T) {
	_, base := serve(t, agenttest.Profile)
	remote, err := a2a.Client{}.Discover(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	if remote.Version != aap.V1_3 || remote.Endpoint != base+"/a2a" || remote.Card.Name != "Harbor Auto Group" {
		t.Errorf("version %v, endpoint %s, card of %s", remote.Version, remote.Endpoint, remote.Card.Name)
	}
	payload, err := remote.Call(t.Context(), aap.InventorySearch, []byte(` {"filters":{}}`))
	if err != nil || !strings.HasPrefix(string(payload), `{"type":"inventory.search.response"`) {
		t.Errorf("search: %s, %v", payload, err)
	}
	if payload, err = remote.Call(t.Context(), aap.DealerInformation, nil); err != nil || !json.Valid(payload) {
		t.Errorf("information: %s, %v", payload, err)
	}
	if payload, err = remote.Call(t.Context(), aap.InventorySearch, []byte(`{"type":"inventory.facets.request"}`)); err != nil || !strings.HasPrefix(string(payload), `{"type":"inventory.facets.response"`) {
		t.Errorf("a payload that names another skill is that skill's: %s, %v", payload, err)
	}
	_, err = remote.Call(t.Context(), aap.InventorySearch, []byte(`{"filters":{"colour":[]}}`))
	e, ok := errors.AsType[*aap.Error](err)
	if !ok || e.Code != aap.SchemaValidationFailed || len(e.Details) == 0 {
		t.Errorf("a faulty search: %v", err)
	}
	if _, err = remote.Call(t.Context(), aap.InventorySearch, []byte(`[]`)); err == nil {
		t.Error("a payload that is no object was sent")
	}
}

func TestClientSendsItsTokenOnlyToTheCardsHost(t *testing.T) {
	_, base := serve(t, agenttest.Profile+"access: {tokens: [{name: buyer, sha256: "+tokenDigest+"}]}\n")
	plain, err := a2a.Client{}.Discover(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	_, err = plain.Call(t.Context(), aap.DealerInformation, nil)
	if e, ok := errors.AsType[*a2a.RPCError](err); !ok || e.Status != http.StatusUnauthorized || e.Code != -32010 {
		t.Errorf("without token: %v", err)
	}
	known, err := a2a.Client{Token: token}.Discover(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := known.Call(t.Context(), aap.DealerInformation, nil); err != nil {
		t.Errorf("with token: %v", err)
	}
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(known.RawCard) }))
	defer foreign.Close()
	if _, err := (a2a.Client{Token: token}).Discover(t.Context(), foreign.URL); err == nil {
		t.Error("a token was taken along to another host")
	}
}

func TestClientTakesOnlyAVersionBothSidesName(t *testing.T) {
	for name, c := range map[string]struct{ card, says string }{
		"plain A2A":      {`{"capabilities":{},"supportedInterfaces":[{"url":"http://x.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, "names none"},
		"an AAP we lack": {`{"capabilities":{"extensions":[{"uri":"urn:other"},{"uri":"https://autoagentprotocol.org/extensions/aap/v0.9"}]},"supportedInterfaces":[{"url":"http://x.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, "names https://autoagentprotocol.org/extensions/aap/v0.9"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(c.card)) }))
		_, err := (a2a.Client{}).Discover(t.Context(), server.URL)
		if !errors.Is(err, a2a.ErrNotAAP) {
			t.Errorf("%s: %v, want ErrNotAAP", name, err)
		} else if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), server.URL) {
			t.Errorf("%s: error %q, want it to say %q and where the card is", name, err, c.says)
		}
		server.Close()
	}
}

// TestClientSurvivesOddAnswers plays agents that break the rules.
func TestClientSurvivesOddAnswers(t *testing.T) {
	taggedData := `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMITED"},{"@type":"https://autoagentprotocol.org/extensions/aap/error","type":"aap.error","code":"RATE_LIMITED","message":"later","retryable":true}]`
	for _, c := range []struct {
		name, answer string
		status       int
		code         aap.Code
		rpc          int
		says         string
	}{
		{name: "no JSON", answer: `<html>`, status: 502},
		{name: "another id", answer: `{"jsonrpc":"2.0","id":"x","result":{"message":{"parts":[{"data":{}}]}}}`},
		{name: "no parts", answer: `{"jsonrpc":"2.0","id":"id-1","result":{"message":{}}}`},
		{name: "a task", answer: `{"jsonrpc":"2.0","id":"id-1","result":{"task":{}}}`},
		{name: "null result", answer: `{"jsonrpc":"2.0","id":"id-1","result":null}`},
		{name: "an error array under 429", answer: `{"jsonrpc":"2.0","id":"id-1","error":{"code":-32002,"message":"m","data":` + taggedData + `}}`, status: 429, code: aap.RateLimited},
		{name: "a bare error", answer: `{"jsonrpc":"2.0","id":"id-1","error":{"code":-32002,"message":"m","data":{"type":"aap.error","code":"RATE_LIMITED","message":"x"}}}`, code: aap.RateLimited},
		{name: "an A2A error", answer: `{"jsonrpc":"2.0","id":null,"error":{"code":-32009,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED"}]}}`, rpc: -32009},
		{name: "an error with odd data", answer: `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"m","data":[1,"x",null]}}`, rpc: -32000},
		{name: "too long", answer: strings.Repeat(" ", 9<<20)},
		{name: "a redirect", status: 302, says: "/.well-known/agent-card.json"},
		{name: "a redirect that keeps the method", status: 308, says: "/.well-known/agent-card.json"},
		{name: "the request come back", answer: `{"jsonrpc":"2.0","id":"id-1","result":{"message":{"parts":[{"data":{"type":"dealer.information.request"}}]}}}`, says: "dealer.information.request"},
		{name: "another skill's answer", answer: `{"jsonrpc":"2.0","id":"id-1","result":{"message":{"parts":[{"data":{"type":"inventory.facets.response"}}]}}}`, says: "inventory.facets.response"},
		{name: "data without a type", answer: `{"jsonrpc":"2.0","id":"id-1","result":{"message":{"parts":[{"data":{"x":1}}]}}}`, says: "dealer.information.response"},
		{name: "a reason only", answer: `{"jsonrpc":"2.0","id":"id-1","error":{"code":-32000,"message":"gone","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VEHICLE_UNAVAILABLE"}]}}`, rpc: -32000, says: "VEHICLE_UNAVAILABLE"},
		{name: "a message that paints", answer: `{"jsonrpc":"2.0","id":"id-1","error":{"code":-32603,"message":"a\u001b[31mb\nc\u009bd"}}`, rpc: -32603, says: "a [31mb c d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			defer server.Close()
			mux.HandleFunc("/.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(`{"capabilities":{"extensions":[{"uri":"` + aap.V1_3.ExtensionURI + `"}]},"supportedInterfaces":[{"url":"` + server.URL + `/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`))
			})
			mux.HandleFunc("/rpc", func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("A2A-Version") != "1.0" || r.Header.Get("A2A-Extensions") != aap.V1_3.ExtensionURI {
					t.Errorf("headers %v", r.Header)
				}
				w.Header().Set("Location", "/.well-known/agent-card.json")
				w.WriteHeader(max(c.status, 200))
				_, _ = w.Write([]byte(c.answer))
			})
			remote, err := a2a.Client{NewID: func() string { return "id-1" }}.Discover(t.Context(), server.URL)
			if err != nil {
				t.Fatal(err)
			}
			payload, err := remote.Call(t.Context(), aap.DealerInformation, nil)
			if err == nil {
				t.Fatalf("payload %s, want an error", payload)
			}
			if e, ok := errors.AsType[*aap.Error](err); ok != (c.code != "") || ok && e.Code != c.code {
				t.Errorf("AAP error %v, want %q", err, c.code)
			}
			if e, ok := errors.AsType[*a2a.RPCError](err); ok != (c.rpc != 0) || ok && e.Code != c.rpc {
				t.Errorf("RPC error %v, want %d", err, c.rpc)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q does not say %q", err, c.says)
			}
		})
	}
}

func TestClientRefusesAnswersWithoutBase(t *testing.T) {
	for _, base := range []string{"", "agent.example", "ftp://x.example", "://"} {
		if _, err := (a2a.Client{}).Discover(t.Context(), base); err == nil {
			t.Errorf("%q was taken for a base URL", base)
		}
	}
}

func TestClientFollowsNoCardOutOfHTTPS(t *testing.T) {
	_, plain := serve(t, agenttest.Profile)
	secure := httptest.NewTLSServer(http.RedirectHandler(plain+"/.well-known/agent-card.json", http.StatusFound))
	defer secure.Close()
	if _, err := (a2a.Client{HTTP: secure.Client()}).Discover(t.Context(), secure.URL); err == nil || !strings.Contains(err.Error(), "without https") {
		t.Errorf("a card was followed from https to http: %v", err)
	}
}
