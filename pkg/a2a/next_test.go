package a2a_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/schemas"
)

// next is a contract that nobody has released: its errors are always arrays,
// and its callers must send both headers.
var next = aap.Version{
	Label: "v2.0", SemVer: "2.0.0", ExtensionURI: "https://draft.example/extensions/aap/next",
	Data: aap.DataTyped, Headers: aap.HeadersRequired,
}

// payloadsOf answers every contract with the payloads of one.
type payloadsOf struct {
	*agent.Agent
	version aap.Version
}

// Call is the agent's under the contract whose payloads are spoken.
func (a payloadsOf) Call(ctx context.Context, _ aap.Version, payload []byte) (agent.Answer, error) {
	return a.Agent.Call(ctx, a.version, payload)
}

// nextHandler serves the unreleased contract beside the main one.
func nextHandler(s *agenttest.Stack) http.Handler {
	s.Profile.Versions = append(s.Profile.Versions, next.Label)
	return a2a.NewHandler(a2a.Config{
		Agent: payloadsOf{s.Agent, aap.Primary()}, Profiles: dealer.Fixed(s.Profile), Versions: append([]aap.Version{next}, aap.Versions()...),
		Settings: agent.Settings{Now: agenttest.Now, NewID: s.NewID},
	})
}

// TestTheNextContractIsARowOfData runs a contract with other traits through the
// handler, and the main one beside it as ever.
func TestTheNextContractIsARowOfData(t *testing.T) {
	h := nextHandler(agenttest.New(t, agenttest.Profile))
	const fault = `{"type":"inventory.search.request","filters":{"year_min":"x"}}`
	const version, extensions = "A2A-Version", "A2A-Extensions"
	main := aap.Primary()
	const info, bad, ours = "type.googleapis.com/google.rpc.ErrorInfo", "type.googleapis.com/google.rpc.BadRequest", "https://autoagentprotocol.org/extensions/aap/error"
	for _, c := range []struct {
		name, path, payload string
		headers             []string
		code                int
		types               []string // of the entries of error.data; nil is no array
	}{
		{"served", next.Path(), information, []string{version, "1.0", extensions, next.ExtensionURI}, 0, nil},
		{"among other extensions", next.Path(), information, []string{version, "1.0.1", extensions, "https://other.example, " + next.ExtensionURI}, 0, nil},
		{"a fault", next.Path(), fault, []string{version, "1.0", extensions, next.ExtensionURI}, -32602, []string{info, bad, ours}},
		{"without a version", next.Path(), information, []string{extensions, next.ExtensionURI}, -32009, []string{info}},
		{"of another version", next.Path(), information, []string{version, "0.3", extensions, next.ExtensionURI}, -32009, []string{info}},
		{"without an extension", next.Path(), information, []string{version, "1.0"}, -32008, []string{info}},
		{"of the main contract's extension", next.Path(), information, []string{version, "1.0", extensions, main.ExtensionURI}, -32008, []string{info}},
		{"the main contract without headers", main.Path(), information, nil, 0, nil},
		{"a fault under the main contract", main.Path(), fault, []string{version, "1.0", extensions, main.ExtensionURI}, -32602, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := send(h, c.path, message(c.payload), c.headers...)
			var a struct {
				Result struct {
					Message struct {
						ContextID string `json:"contextId"`
					} `json:"message"`
				} `json:"result"`
				Error struct {
					Code int             `json:"code"`
					Data json.RawMessage `json:"data"`
				} `json:"error"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || a.Error.Code != c.code || w.Code != http.StatusOK {
				t.Fatalf("%v, HTTP status %d: %s", err, w.Code, w.Body)
			}
			if c.code == 0 && a.Result.Message.ContextID == "" {
				t.Errorf("no contextId: %s", w.Body)
			}
			var entries []struct {
				Type string `json:"@type"`
			}
			var types []string
			if json.Unmarshal(a.Error.Data, &entries) == nil {
				for _, e := range entries {
					types = append(types, e.Type)
				}
			}
			if diff := cmp.Diff(c.types, types); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, w.Body)
			}
			if c.code == 0 && len(c.headers) > 0 && w.Header().Get(extensions) != next.ExtensionURI {
				t.Errorf("confirmed %q", w.Header().Get(extensions))
			}
			if c.code == -32008 && !strings.Contains(w.Body.String(), `"extensionUri":"`+next.ExtensionURI+`","requiredHeader":"A2A-Extensions"`) {
				t.Errorf("no word of what to send: %s", w.Body)
			}
		})
	}
	card, err := a2a.Card(profile(t, ""), next, endpoint)
	if err != nil || !strings.Contains(string(card), `"required": true`) {
		t.Errorf("%v: the card does not require the extension: %s", err, card)
	}
}

// TestTheNextContractIsNotServed: what is not released has no URL, no card, no
// schemas, and no profile can list it.
func TestTheNextContractIsNotServed(t *testing.T) {
	s := agenttest.New(t, agenttest.Profile+allVersions())
	s.Profile.Versions = append(s.Profile.Versions, next.Label)
	for _, path := range []string{next.Path(), next.Path() + "/", next.Path() + "/message:send", "/a2a/v2"} {
		if w := send(handler(s), path, message(information), "A2A-Version", "1.0"); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), next.Label) {
			t.Errorf("%s: HTTP status %d, %s", path, w.Code, w.Body)
		}
	}
	if _, known := aap.VersionByLabel(next.Label); known {
		t.Error("the version is known")
	}
	if _, err := schemas.Version(next.Label); err == nil {
		t.Error("it has schemas")
	}
	if _, err := dealer.Parse([]byte(agenttest.Profile + "versions: [v1.3, " + next.Label + "]\n")); err == nil {
		t.Error("a profile may list it")
	}
	for _, v := range aap.Versions() {
		card, err := a2a.Card(s.Profile, v, endpoint)
		if err != nil || strings.Contains(string(card), next.Label) || strings.Contains(string(card), `"required"`) {
			t.Errorf("%v: the card of %s: %s", err, v.Label, card)
		}
		if v.Data != aap.DataAsked || v.Headers != aap.HeadersOptional {
			t.Errorf("%s has traits that no release has", v.Label)
		}
	}
}
