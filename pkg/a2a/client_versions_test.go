package a2a_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

func versions(t *testing.T, labels string) []aap.Version {
	t.Helper()
	var all []aap.Version
	for label := range strings.FieldsSeq(labels) {
		v, ok := aap.VersionByLabel(label)
		if !ok {
			t.Fatalf("no version %s", label)
		}
		all = append(all, v)
	}
	return all
}

func TestClientSpeaksEveryContract(t *testing.T) {
	_, base := serve(t, agenttest.Profile+allVersions()+bearerAccess)
	for _, v := range aap.Versions() {
		remote, err := a2a.Client{Token: token, Versions: []aap.Version{v}}.Discover(t.Context(), base)
		if err != nil {
			t.Fatalf("%s: %v", v.Label, err)
		}
		if remote.Version != v || remote.Endpoint != base+v.Path() {
			t.Errorf("%s: version %s at %s", v.Label, remote.Version.Label, remote.Endpoint)
		}
		payload, err := remote.Call(t.Context(), aap.InventorySearch, []byte(`{"filters":{"make":["Toyota"]}}`))
		if err != nil {
			t.Fatalf("%s: %v", v.Label, err)
		}
		schematest.Fits(t, schematest.Own(t, v), aap.InventorySearch.ResponseSchema(), payload)
		_, err = remote.Call(t.Context(), aap.InventoryVehicle, []byte(`{"vin":"`+agenttest.AbsentVIN+`"}`))
		if !errors.Is(err, &aap.Error{Code: aap.VehicleNotFound}) {
			t.Errorf("%s: %v", v.Label, err)
		}
	}
}

func TestClientTakesTheNewestCommonContractAndNoOther(t *testing.T) {
	for _, c := range []struct{ served, spoken, want string }{
		{"v1.3", "v1.3 v1.2 v1.1 v1.0 v0.2 v0.1", "v1.3"},
		{"v1.3, v1.1, v0.1", "v1.3 v1.2 v1.1 v1.0 v0.2 v0.1", "v1.3"},
		{"v1.3, v1.1, v0.1", "v1.2 v1.1 v1.0 v0.2 v0.1", "v1.1"},
		{"v1.3, v1.0, v0.1", "v1.1 v0.1", "v0.1"},
		{"v1.3, v0.2, v0.1", "v0.2 v0.1", "v0.2"},
		{"v1.3, v1.0", "v1.1", ""},
		{"v1.3", "v0.1", ""},
		{"v1.3, v0.1", "v0.2", ""},
	} {
		_, base := serve(t, agenttest.Profile+"versions: ["+c.served+"]\n")
		remote, err := a2a.Client{Versions: versions(t, c.spoken)}.Discover(t.Context(), base)
		switch {
		case c.want == "" && !errors.Is(err, a2a.ErrNotAAP):
			t.Errorf("%+v: %v, want ErrNotAAP", c, err)
		case c.want != "" && (err != nil || remote.Version.Label != c.want):
			t.Errorf("%+v: %+v %v", c, remote, err)
		}
	}
}

func TestACardsOwnURLIsTakenAlone(t *testing.T) {
	_, base := serve(t, agenttest.Profile+allVersions())
	for _, v := range aap.Versions()[1:] {
		remote, err := a2a.Client{}.Discover(t.Context(), base+a2a.VersionCardPath(v))
		if err != nil || remote.Version != v {
			t.Fatalf("%s: %+v %v", v.Label, remote, err)
		}
		if _, err := remote.Call(t.Context(), aap.DealerInformation, nil); err != nil {
			t.Errorf("%s: %v", v.Label, err)
		}
		others := versions(t, "v1.3")
		if _, err := (a2a.Client{Versions: others}).Discover(t.Context(), base+a2a.VersionCardPath(v)); !errors.Is(err, a2a.ErrNotAAP) {
			t.Errorf("%s: %v, want ErrNotAAP", v.Label, err)
		}
	}
}

// TestClientReadsAgentsOfOldReleases plays dealers who have but what their
// release wants: one binding, one spelling, a manifest elsewhere.
func TestClientReadsAgentsOfOldReleases(t *testing.T) {
	h := handler(agenttest.New(t, agenttest.Profile+allVersions()))
	const family = "https://autoagentprotocol.org/extensions/a2a-automotive-retail/"
	for _, c := range []struct {
		name, card, manifest, version, says string
	}{
		{name: "v0.2 over HTTP+JSON alone", version: "v0.2",
			card: `{"capabilities":{"extensions":[{"uri":"` + family + `v0.2"}]},"supportedInterfaces":[{"url":"BASE/a2a/v0.2/","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`},
		{name: "v0.1 without a manifest's address", version: "v0.1",
			card: `{"capabilities":{"extensions":[{"uri":"` + family + `v0.1"}]},"supported_interfaces":[{"url":"BASE/a2a/v0.1","protocol_binding":"JSONRPC"}]}`},
		{name: "v0.1 by manifest, over HTTP+JSON", version: "v0.1",
			card:     `{"capabilities":{"extensions":[{"uri":"` + family + `v0.1","params":{"manifest_url":"BASE/contract.json"}}]},"supported_interfaces":[{"url":"BASE/nowhere","protocol_binding":"JSONRPC"}]}`,
			manifest: `{"contract":{"uri":"https://autoagentprotocol.org/v0.1/"},"a2a":{"endpoint":"BASE/a2a/v0.1","protocol_binding":"HTTP+JSON"}}`},
		{name: "v1.0 over HTTP+JSON alone is against its contract's word, and spoken all the same", version: "v1.0",
			card: `{"capabilities":{"extensions":[{"uri":"` + family + `v1.0"}]},"supportedInterfaces":[{"url":"BASE/a2a/v1.0","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`},
		{name: "v1.1 over HTTP+JSON alone", says: "names no JSONRPC interface",
			card: `{"capabilities":{"extensions":[{"uri":"https://autoagentprotocol.org/extensions/aap/v1.1"}]},"supportedInterfaces":[{"url":"BASE/a2a/v1.1","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`},
		{name: "the manifest of another contract", says: "not of https://autoagentprotocol.org/v0.1/",
			card:     `{"capabilities":{"extensions":[{"uri":"` + family + `v0.1","params":{"manifest_url":"BASE/contract.json"}}]},"supported_interfaces":[{"url":"BASE/a2a","protocol_binding":"JSONRPC"}]}`,
			manifest: `{"contract":{"uri":"https://autoagentprotocol.org/v0.9/"},"a2a":{"endpoint":"BASE/a2a","protocol_binding":"JSONRPC"}}`},
		{name: "a manifest that is not there", says: "HTTP status 404",
			card: `{"capabilities":{"extensions":[{"uri":"` + family + `v0.1","params":{"manifest_url":"BASE/contract.json"}}]},"supported_interfaces":[{"url":"BASE/a2a/v0.1","protocol_binding":"JSONRPC"}]}`},
		{name: "a manifest's address that is none", says: "no address to follow",
			card: `{"capabilities":{"extensions":[{"uri":"` + family + `v0.1","params":{"manifest_url":"file:///etc/passwd"}}]},"supported_interfaces":[{"url":"BASE/a2a/v0.1","protocol_binding":"JSONRPC"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			defer server.Close()
			mux.Handle("/a2a/", h)
			for path, body := range map[string]string{a2a.CardPath: c.card, "/contract.json": c.manifest} {
				mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
					if body == "" {
						http.NotFound(w, r)
						return
					}
					_, _ = w.Write([]byte(strings.ReplaceAll(body, "BASE", server.URL)))
				})
			}
			remote, err := a2a.Client{}.Discover(t.Context(), server.URL)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v, want %q", err, c.says)
				}
				return
			}
			if err != nil || remote.Version.Label != c.version {
				t.Fatalf("%+v %v", remote, err)
			}
			if _, err := remote.Call(t.Context(), aap.InventoryFacets, nil); err != nil {
				t.Error(err)
			}
			_, err = remote.Call(t.Context(), aap.InventoryVehicle, []byte(`{"vin":"`+agenttest.SoldVIN+`"}`))
			if e, ok := errors.AsType[*aap.Error](err); !ok || e.Code != aap.VehicleUnavailable {
				t.Errorf("a sold vehicle: %v", err)
			}
		})
	}
}

// TestABrokenFileIsNoReasonForAnOlderContract: the card of a newer contract
// that cannot be read just now must not send a buyer to an older one.
func TestABrokenFileIsNoReasonForAnOlderContract(t *testing.T) {
	for status, falls := range map[int]bool{404: true, 403: true, 500: false, 503: false} {
		mux := http.NewServeMux()
		server := httptest.NewServer(mux)
		mux.HandleFunc(a2a.CardPath, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"capabilities":{"extensions":[{"uri":"https://autoagentprotocol.org/extensions/aap/v1.2"}]},"supportedInterfaces":[{"url":"` + server.URL + `/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`))
		})
		mux.HandleFunc("/.well-known/agent-card-v1.3.json", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		remote, err := a2a.Client{}.Discover(t.Context(), server.URL)
		if (err == nil) != falls || err == nil && remote.Version.Label != "v1.2" {
			t.Errorf("%d: %+v %v", status, remote, err)
		}
		server.Close()
	}
}

func TestErrorsOverHTTPJSONAreTold(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`{"capabilities":{"extensions":[{"uri":"https://autoagentprotocol.org/extensions/a2a-automotive-retail/v0.2"}]},"supportedInterfaces":[{"url":"http://` + r.Host + `/x","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`))
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"code":400,"message":"Another version, please.","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED"}]}}`))
	}))
	defer server.Close()
	remote, err := a2a.Client{Versions: versions(t, "v0.2")}.Discover(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = remote.Call(t.Context(), aap.DealerInformation, nil)
	e, ok := errors.AsType[*a2a.RPCError](err)
	if !ok || e.Status != 400 || e.Reason != "VERSION_NOT_SUPPORTED" || e.Error() != "HTTP status 400 (VERSION_NOT_SUPPORTED): Another version, please." {
		t.Errorf("%v", err)
	}
}
