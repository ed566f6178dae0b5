package mcptools_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// read reads a resource's one text.
func read(t *testing.T, session *mcp.ClientSession, uri string) *mcp.ResourceContents {
	t.Helper()
	got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	if len(got.Contents) != 1 || got.Contents[0].URI != uri || got.Contents[0].Text == "" {
		t.Fatalf("%s: %+v", uri, got.Contents)
	}
	return got.Contents[0]
}

// refused reads a resource that cannot be had, and returns the error.
func refused(t *testing.T, session *mcp.ClientSession, uri string) *jsonrpc.Error {
	t.Helper()
	got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		t.Fatalf("%s: %+v %v", uri, got, err)
	}
	return e
}

func TestResourcesSayWhatTheToolsSay(t *testing.T) {
	h := open(t, "", nil)
	for _, revision := range revisions {
		session := h.connect(t, revision)
		listed, err := session.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var uris []string
		for _, r := range listed.Resources {
			uris = append(uris, r.URI)
			if r.Title == "" || r.Description == "" || r.MIMEType == "" {
				t.Errorf("%q: %+v", revision, r)
			}
			if c := read(t, session, r.URI); c.MIMEType != r.MIMEType {
				t.Errorf("%q: %s is listed as %s and read as %s", revision, r.URI, r.MIMEType, c.MIMEType)
			}
		}
		for _, want := range []string{"aap://harbor-auto/profile", "aap://harbor-auto/fees", "aap://harbor-auto/consent"} {
			if !slices.Contains(uris, want) {
				t.Errorf("%q: %s is not among %v", revision, want, uris)
			}
		}
		payload, _ := call(t, session, name[aap.DealerInformation], `{}`)
		if got := parse(t, []byte(read(t, session, "aap://harbor-auto/profile").Text)); !equal(got, payload) {
			t.Errorf("%q: the profile is not the tool's answer: %v", revision, got)
		}
		payload, _ = call(t, session, name[aap.InventoryVehicle], `{"vin":"`+agenttest.ListedVIN+`"}`)
		for _, id := range []string{agenttest.ListedVIN, strings.ToLower(agenttest.ListedVIN), "H-1107"} {
			if got := parse(t, []byte(read(t, session, "aap://harbor-auto/vehicle/"+id).Text)); !equal(got, payload) {
				t.Errorf("%q: vehicle %s is not the tool's answer: %v", revision, id, got)
			}
		}
	}
}

func equal(a, b map[string]any) bool {
	left, _ := json.Marshal(a)
	right, _ := json.Marshal(b)
	return string(left) == string(right)
}

// TestAVehicleThatIsNotForSaleIsAWrongParameter in every revision: the code that
// older ones had for it is that of too many requests in AAP.
func TestAVehicleThatIsNotForSaleIsAWrongParameter(t *testing.T) {
	h := open(t, "", nil)
	for _, revision := range revisions {
		session := h.connect(t, revision)
		for id, code := range map[string]aap.Code{agenttest.SoldVIN: aap.VehicleUnavailable, agenttest.AbsentVIN: aap.VehicleNotFound, "H-0930": aap.VehicleUnavailable, "%20": ""} {
			e := refused(t, session, "aap://harbor-auto/vehicle/"+id)
			var data struct{ Code, Message string }
			if code != "" && (json.Unmarshal(e.Data, &data) != nil || data.Code != string(code) || data.Message != e.Message) {
				t.Errorf("%q %s: %s", revision, id, e.Data)
			}
			if e.Code != -32602 {
				t.Errorf("%q %s: code %d", revision, id, e.Code)
			}
		}
		for _, uri := range []string{"aap://harbor-auto/nothing", "aap://another/profile", "aap://another/vehicle/H-1107", "file:///etc/passwd", "aap://harbor-auto/vehicle/a/b"} {
			if e := refused(t, session, uri); e.Code != -32602 || strings.Contains(e.Message, "passwd") {
				t.Errorf("%q %s: %v", revision, uri, e)
			}
		}
	}
}

func TestFeesAreDisclosedUndisclosedOrNone(t *testing.T) {
	lines := strings.Replace(agenttest.Profile, "    phones:", "    fees: [{name: Doc fee, amount: 399}]\n    phones:", 1)
	lines = strings.Replace(lines, "  - name: Harbor Boise\n", "  - name: Harbor Boise\n    fees: []\n", 1)
	lines = strings.Replace(lines, "delivery:", "  - name: Harbor Reno\n    timezone: America/Los_Angeles\n    phones: [{value: \"+17755550140\"}]\ndelivery:", 1)
	h := openProfile(t, lines, agenttest.Vehicles(), nil)
	text := read(t, h.connect(t, ""), "aap://harbor-auto/fees").Text
	for _, want := range []string{
		"# Prices and fees of Harbor Auto Group\n", "never added again", "tax, title and registration come on top",
		"## Harbor Seattle\n\nMandatory dealer fees, unless a vehicle names its own:\n\n- Doc fee: $399\n",
		"## Harbor Boise\n\nThere are no mandatory dealer fees.\n", "## Harbor Reno\n\nMandatory dealer fees are not disclosed here.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

func TestTheConsentTextIsTheDealersOwn(t *testing.T) {
	own := read(t, open(t, "leads: {consent_text: \"Call me, please.\"}\n", nil).connect(t, ""), "aap://harbor-auto/consent")
	if own.Text != "Call me, please." || own.MIMEType != "text/plain" {
		t.Errorf("%+v", own)
	}
	if text := read(t, open(t, "", nil).connect(t, ""), "aap://harbor-auto/consent").Text; !strings.Contains(text, "Harbor Auto Group") {
		t.Errorf("the default names nobody: %s", text)
	}
}

func TestOnlyWhatTheSkillsAllowIsListed(t *testing.T) {
	session := open(t, "skills: [inventory.search]\n", nil).connect(t, "")
	resources, err := session.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	templates, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := session.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(resources.Resources)+len(templates.ResourceTemplates)+len(prompts.Prompts) != 0 {
		t.Errorf("%v %v %v", resources.Resources, templates.ResourceTemplates, prompts.Prompts)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name[aap.InventorySearch]})
	if err != nil || len(result.Content) != 1 {
		t.Errorf("%v %v: links lead nowhere", result, err)
	}
}

// TestSearchResultsLinkTheirVehicles where the revision knows links; each leads
// to the vehicle it names.
func TestSearchResultsLinkTheirVehicles(t *testing.T) {
	vehicles := agenttest.Vehicles()
	vehicles = append(vehicles, vehicles[0])
	last := &vehicles[len(vehicles)-1]
	last.Key, last.Listing.VIN, last.Listing.Stock, last.Listing.VehicleID = "Harbor Boise/odd", "", "", "a@b 50% off/übrig?#&+:=$,;"
	h := openProfile(t, agenttest.Profile, vehicles, nil)
	for _, revision := range revisions {
		session := h.connect(t, revision)
		for _, limit := range []string{"1", "100"} {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{
				Name: name[aap.InventorySearch], Arguments: json.RawMessage(`{"pagination":{"limit":` + limit + `}}`),
			})
			if err != nil {
				t.Fatal(err)
			}
			var page struct {
				Data struct{ Vehicles []map[string]any }
			}
			text := result.Content[0].(*mcp.TextContent).Text
			if err := json.Unmarshal([]byte(text), &page); err != nil {
				t.Fatal(err)
			}
			links := result.Content[1:]
			if knows := revision == "" || revision >= "2025-06-18"; !knows {
				if len(links) > 0 {
					t.Errorf("%q: %d links that it does not know", revision, len(links))
				}
				continue
			}
			if len(links) != len(page.Data.Vehicles) || len(links) == 0 {
				t.Fatalf("%q: %d links to %d vehicles", revision, len(links), len(page.Data.Vehicles))
			}
			for i, c := range links {
				link := c.(*mcp.ResourceLink)
				u, err := url.Parse(link.URI)
				if err != nil || !strings.Contains(link.Name, page.Data.Vehicles[i]["model"].(string)) {
					t.Fatalf("%v: %v %q", err, u, link.Name)
				}
				payload := parse(t, []byte(read(t, session, link.URI).Text))
				got := payload["data"].(map[string]any)
				for _, id := range []string{"vin", "stock", "vehicle_id"} {
					if got[id] != page.Data.Vehicles[i][id] {
						t.Errorf("%q: %s leads to %v", revision, link.URI, got)
					}
				}
			}
		}
	}
}

func TestReadingCountsAgainstTheQuota(t *testing.T) {
	// Each request of the newest revision counts, its first look at the server too.
	session := open(t, "access: {per_minute: 3}\n", nil).connect(t, "")
	read(t, session, "aap://harbor-auto/fees")
	if _, err := session.Complete(t.Context(), completion("find_car", "make", "", nil)); err != nil {
		t.Fatal(err)
	}
	e := refused(t, session, "aap://harbor-auto/consent") // the client keeps the other for its five minutes
	if e.Code != -32603 || !strings.Contains(string(e.Data), string(aap.RateLimited)) {
		t.Errorf("%v %s", e, e.Data)
	}
}

// TestWhatChangesIsNotKept: a car may be sold at any moment, a profile may not.
func TestWhatChangesIsNotKept(t *testing.T) {
	session := open(t, "", nil).connect(t, "")
	for uri, ttl := range map[string]int{"aap://harbor-auto/vehicle/H-1107": 0, "aap://harbor-auto/profile": 300_000, "aap://harbor-auto/consent": 300_000} {
		got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || got.TTLMs != ttl || got.CacheScope != "public" {
			t.Errorf("%s: %+v %v", uri, got, err)
		}
	}
}

// TestABrokenStoreTellsTheCallerNothing but an id that leads to the log.
func TestABrokenStoreTellsTheCallerNothing(t *testing.T) {
	h := open(t, "", func(c *mcptools.Config) { c.Agent = broken{} })
	session := h.connect(t, "")
	e := refused(t, session, "aap://harbor-auto/profile")
	if e.Code != -32603 || strings.Contains(e.Error(), "secret") || !strings.Contains(string(e.Data), `"error_id"`) {
		t.Errorf("%v %s", e, e.Data)
	}
	if _, err := session.Complete(t.Context(), completion("find_car", "make", "", nil)); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("completion: %v", err)
	}
	if !strings.Contains(h.log.String(), "secret disk") {
		t.Errorf("the log does not say why: %s", h.log)
	}
}

// broken is an agent whose store is gone.
type broken struct{}

func (broken) Call(context.Context, aap.Version, []byte) (agent.Answer, error) {
	return agent.Answer{}, errors.New("secret disk")
}

// asked is an agent that remembers what it was asked for.
type asked struct{ payload []byte }

func (a *asked) Call(_ context.Context, _ aap.Version, payload []byte) (agent.Answer, error) {
	a.payload = payload
	return agent.Answer{Payload: []byte(`{"type":"x"}`)}, nil
}

// TestAnyIdentifierComesThroughItsURI: dealers' stock numbers hold what they like.
func TestAnyIdentifierComesThroughItsURI(t *testing.T) {
	a := &asked{}
	session := open(t, "access: {per_minute: 1000000}\n", func(c *mcptools.Config) { c.Agent = a }).connect(t, "")
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`.{0,20}[A-Za-z0-9/%?#&;:@ .ü漢-]`).Draw(t, "id")
		if strings.TrimSpace(id) == "" {
			return
		}
		a.payload = nil
		_, err := session.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: "aap://harbor-auto/vehicle/" + strings.ReplaceAll(url.QueryEscape(id), "+", "%20")})
		var got struct {
			VIN, Stock string
			VehicleID  string `json:"vehicle_id"`
		}
		if err != nil || json.Unmarshal(a.payload, &got) != nil || got.Stock != id || got.VehicleID != id || got.VIN != "" && got.VIN != strings.ToUpper(id) {
			t.Fatalf("%q: %s %v", id, a.payload, err)
		}
	})
}

// TestReadingAnyURIEndsInContentOrAWrongParameter: whatever it looks like.
func TestReadingAnyURIEndsInContentOrAWrongParameter(t *testing.T) {
	h := open(t, "", nil)
	for _, uri := range []string{"aap://harbor-auto/vehicle/", "aap://harbor-auto/vehicle/%zz", "aap://harbor-auto/vehicle/%00", "aap://harbor-auto/vehicle/%2e%2e%2fprofile", "AAP://harbor-auto/profile",
		"aap:", "", "::", "aap://[::1/x", strings.Repeat("x", 100_000)} {
		quoted, _ := json.Marshal(uri)
		status, _, body := h.post(t, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":`+string(quoted)+`}}`)
		var answer struct{ Error struct{ Code int } }
		if err := json.Unmarshal([]byte(body), &answer); status != 200 || err != nil || answer.Error.Code != -32602 {
			t.Errorf("%.60q: %d %.300s", uri, status, body)
		}
	}
}
