package mcptools_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire/wiretest"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

func TestToolsSayWhatTheyAreInEveryRevision(t *testing.T) {
	h := open(t, "", nil)
	for _, revision := range revisions {
		t.Run("revision "+revision, func(t *testing.T) {
			session := h.connect(t, revision)
			got, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if spoken := session.InitializeResult().ProtocolVersion; spoken != cmp.Or(revision, "2026-07-28") {
				t.Errorf("the revision spoken is %s", spoken)
			}
			if len(got.Tools) != 5 || got.NextCursor != "" {
				t.Fatalf("%d tools, cursor %q", len(got.Tools), got.NextCursor)
			}
			for i, row := range agent.Table() {
				tool := got.Tools[i] // both are in the order of their names
				writes := row.Skill == aap.LeadSubmit
				if tool.Name != name[row.Skill] || len(tool.Name) > 64 || tool.Title == "" || len(tool.Description) > 200 || len(tool.Description) < 80 {
					t.Errorf("tool %d is %q, %q, %q", i, tool.Name, tool.Title, tool.Description)
				}
				if a := tool.Annotations; a == nil || a.Title != tool.Title || a.ReadOnlyHint == writes || a.IdempotentHint == writes ||
					a.DestructiveHint == nil || *a.DestructiveHint || a.OpenWorldHint == nil || *a.OpenWorldHint != writes {
					t.Errorf("%s: annotations %+v", tool.Name, a)
				}
				base := "https://autoagentprotocol.org/v1.3/schemas/"
				for key, want := range map[string]string{
					"aap_skill_id": row.ID, "aap_request_type": row.ID + ".request", "aap_response_type": row.ID + ".response",
					"aap_request_schema": base + row.RequestSchema(), "aap_response_schema": base + row.ResponseSchema(),
				} {
					if tool.Meta[key] != want {
						t.Errorf("%s: %s is %v, want %s", tool.Name, key, tool.Meta[key], want)
					}
				}
				if tool.OutputSchema != nil {
					t.Errorf("%s has an output schema, which costs the tool where a client misreads it", tool.Name)
				}
			}
		})
	}
}

func TestTheWholeToolListIsSmall(t *testing.T) {
	_, _, body := open(t, "", nil).post(t, list)
	if len(body) > 32_000 {
		t.Errorf("the list of tools has %d bytes, want at most 32000", len(body))
	}
}

func TestOnlyOfferedSkillsAreToolsAndSpokenOf(t *testing.T) {
	session := open(t, "skills: [inventory.search, dealer.information]\n", nil).connect(t, "")
	got, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range got.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, []string{"aap_dealer_information", "aap_inventory_search"}) {
		t.Errorf("tools %v", names)
	}
	said := session.InitializeResult().Instructions
	if strings.Contains(said, "aap_lead_submit") || strings.Contains(said, "aap_inventory_facets") || !strings.Contains(said, "Harbor Auto Group") {
		t.Errorf("instructions %q", said)
	}
	_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "aap_lead_submit", Arguments: json.RawMessage(lead(""))})
	if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != -32602 {
		t.Errorf("a tool that is not offered: %v", err)
	}
}

func TestInstructionsCarryTheRulesAcrossTools(t *testing.T) {
	for _, revision := range revisions {
		said := open(t, "", nil).connect(t, revision).InitializeResult().Instructions
		for _, want := range []string{"aap_inventory_facets before", "never added again", "consent", "idempotency_key", "'confirmed'", "retryable"} {
			if !strings.Contains(said, want) {
				t.Errorf("%q: the instructions do not speak of %q: %s", revision, want, said)
			}
		}
	}
}

func TestEachToolAnswersWithTheWholePayload(t *testing.T) {
	schemas := wiretest.New(t, aap.V1_3)
	for _, revision := range revisions {
		h := open(t, "", nil)
		session := h.connect(t, revision)
		for _, c := range []struct {
			skill     aap.Skill
			arguments string
		}{
			{aap.DealerInformation, `{}`},
			{aap.DealerInformation, `{"type":"dealer.information.request"}`},
			{aap.InventoryFacets, ` { "filters" : {"make":["Toyota"]} } `},
			{aap.InventorySearch, `{"filters":{"price_max":20000},"pagination":{"limit":1}}`},
			{aap.InventoryVehicle, `{"vin":"` + agenttest.ListedVIN + `"}`},
			{aap.LeadSubmit, lead(`,"idempotency_key":"k"`)},
			{aap.LeadSubmit, strings.Replace(lead(`,"idempotency_key":"l","message":"more"`), `"type":"lead.submit.request",`, "", 1)},
		} {
			payload, isError := call(t, session, name[c.skill], c.arguments)
			if isError || payload["type"] != c.skill.ID+".response" {
				t.Errorf("%q %s %s: %v", revision, name[c.skill], c.arguments, payload)
				continue
			}
			doc, _ := json.Marshal(payload)
			if faults := schemas.Faults(t, c.skill.ResponseSchema(), doc); len(faults) > 0 {
				t.Errorf("%s: %v", doc, faults)
			}
		}
	}
}

func TestEachErrorIsAToolResult(t *testing.T) {
	schemas := wiretest.New(t, aap.V1_3)
	for _, revision := range revisions {
		session := open(t, "", nil).connect(t, revision)
		if payload, isError := call(t, session, "aap_lead_submit", lead(`,"idempotency_key":"K"`)); isError {
			t.Fatal(payload)
		}
		for _, c := range []struct {
			skill     aap.Skill
			arguments string
			code      aap.Code
			says      string
		}{
			{aap.InventorySearch, `{"filters":{"color":["red"]}}`, aap.SchemaValidationFailed, "/filters/color"},
			{aap.InventorySearch, `{"sort":{"field":"price"}}`, aap.MissingRequiredField, "/sort/order"},
			{aap.InventorySearch, `{"type":"inventory.vehicle.request","stock":"H-1107"}`, aap.SchemaValidationFailed, `Send \"inventory.search.request\"`},
			{aap.InventorySearch, `{"type":"inventory.search.request","type":"lead.submit.request"}`, aap.SchemaValidationFailed, "/type"},
			{aap.InventorySearch, `{"type":7}`, aap.SchemaValidationFailed, "/type"},
			{aap.InventorySearch, `{"Type":"inventory.search.request"}`, aap.SchemaValidationFailed, "/Type"},
			{aap.InventoryVehicle, `{}`, aap.SchemaValidationFailed, "/vin"},
			{aap.InventoryVehicle, `{"vin":"` + agenttest.AbsentVIN + `"}`, aap.VehicleNotFound, ""},
			{aap.InventoryVehicle, `{"vin":"` + agenttest.SoldVIN + `"}`, aap.VehicleUnavailable, ""},
			{aap.LeadSubmit, strings.Replace(lead(""), `"consent"`, `"nothing"`, 1), aap.ContactConsentRequired, ""},
			{aap.LeadSubmit, strings.Replace(lead(""), `"Harbor Auto may e-mail me."`, `" "`, 1), aap.InvalidConsent, ""},
			{aap.LeadSubmit, lead(`,"trade_in":{"condition":"used"}`), aap.InvalidCondition, ""},
			{aap.LeadSubmit, lead(`,"idempotency_key":"K","message":"another"`), aap.IdempotencyConflict, ""},
		} {
			payload, isError := call(t, session, name[c.skill], c.arguments)
			doc, _ := json.Marshal(payload)
			if !isError || payload["type"] != "aap.error" || payload["code"] != string(c.code) || !strings.Contains(string(doc), c.says) {
				t.Errorf("%q %s: %s, want %s", revision, c.arguments, doc, c.code)
			}
			if faults := schemas.Faults(t, "error.schema.json", doc); len(faults) > 0 {
				t.Errorf("%s: %v", doc, faults)
			}
		}
	}
}

func TestArgumentsThatAreNoObjectAreToldSo(t *testing.T) {
	h := open(t, "", nil)
	for _, arguments := range []string{`[]`, `"find a car"`, `7`, `true`} {
		status, _, body := h.post(t, toolCall("aap_inventory_search", arguments))
		if status != 200 || !strings.Contains(body, `"isError":true`) || !strings.Contains(body, "Send a JSON object.") {
			t.Errorf("%s: %d %s", arguments, status, body)
		}
	}
	for _, arguments := range []string{`null`, `{}`} {
		if _, _, body := h.post(t, toolCall("aap_inventory_search", arguments)); !strings.Contains(body, `"inventory.search.response"`) {
			t.Errorf("%s: %s", arguments, body)
		}
	}
}

// TestAReadingToolNeverWrites: a host asks its user about the tool, not about
// the type in the arguments.
func TestAReadingToolNeverWrites(t *testing.T) {
	h := open(t, "", nil)
	session := h.connect(t, "")
	for _, tool := range []string{"aap_dealer_information", "aap_inventory_facets", "aap_inventory_search", "aap_inventory_vehicle"} {
		if payload, isError := call(t, session, tool, lead("")); !isError || payload["code"] != string(aap.SchemaValidationFailed) {
			t.Errorf("%s: %v", tool, payload)
		}
	}
	if _, again := call(t, session, "aap_lead_submit", lead("")); again {
		t.Error("a lead through its own tool is refused")
	}
}

func TestAChangedProfileChangesTheTools(t *testing.T) {
	s := agenttest.New(t, agenttest.Profile)
	source := &profiles{profile: s.Profile}
	h := open(t, "", func(c *mcptools.Config) { c.Profiles = source })
	_, _, before := h.post(t, list)
	fewer := *s.Profile
	fewer.Skills = []string{"inventory.search"}
	source.profile = &fewer
	_, _, after := h.post(t, list)
	if strings.Count(before, `"inputSchema"`) != 5 || strings.Count(after, `"inputSchema"`) != 1 {
		t.Errorf("before %s\nafter %s", before, after)
	}
	source.profile, source.err = nil, errors.New("the bucket is on fire")
	status, _, body := h.post(t, list)
	if status != 500 || strings.Contains(body, "fire") || !strings.Contains(h.log.String(), "fire") {
		t.Errorf("without a profile: %d %s", status, body)
	}
}
