package mcptools_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

func promptText(t *testing.T, session *mcp.ClientSession, name string, arguments map[string]string) string {
	t.Helper()
	got, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(got.Messages) != 1 || got.Messages[0].Role != "user" || got.Description == "" {
		t.Fatalf("%s: %+v", name, got)
	}
	return got.Messages[0].Content.(*mcp.TextContent).Text
}

// TestPromptsHoldTheRulesThatNoToolCanEnforce: prices as they are, nothing sent
// before the buyer agreed, no value made up.
func TestPromptsHoldTheRulesThatNoToolCanEnforce(t *testing.T) {
	h := open(t, "leads: {consent_text: \"Harbor may write to me.\"}\n", nil)
	price := []string{"no price is published", "never added again", "tax, title and registration"}
	consent := []string{"Harbor may write to me.", "word for word", "wait until I agree", "aap_lead_submit"}
	for _, revision := range revisions {
		session := h.connect(t, revision)
		listed, err := session.ListPrompts(t.Context(), nil)
		if err != nil || len(listed.Prompts) != 4 {
			t.Fatalf("%q: %v %v", revision, listed, err)
		}
		for _, p := range listed.Prompts {
			if p.Title == "" || len(p.Description) < 40 || len(p.Arguments) == 0 {
				t.Errorf("%q: %+v", revision, p)
			}
			given := map[string]string{}
			for _, a := range p.Arguments {
				if a.Description == "" {
					t.Errorf("%s: %s is not described", p.Name, a.Name)
				}
				given[a.Name] = "my " + a.Name
			}
			text := promptText(t, session, p.Name, given)
			for name, value := range given {
				if !strings.Contains(text, fmt.Sprintf("\n- %s: %q", name, value)) {
					t.Errorf("%s does not pass on %s:\n%s", p.Name, name, text)
				}
			}
			for _, want := range map[string][]string{
				"find_car": append([]string{"aap_inventory_facets first", "aap_inventory_search"}, price...), "compare_vehicles": append([]string{"aap_inventory_vehicle"}, price...),
				"book_test_drive": append([]string{"'confirmed'", "test_drive"}, consent...), "trade_in": append([]string{"Name no value yourself"}, consent...),
			}[p.Name] {
				if !strings.Contains(text, want) {
					t.Errorf("%s does not say %q:\n%s", p.Name, want, text)
				}
			}
		}
	}
}

func TestPromptArgumentsAreNeededQuotedAndShort(t *testing.T) {
	session := open(t, "", nil).connect(t, "")
	for name, arguments := range map[string]map[string]string{
		"compare_vehicles": {"first": "A", "second": " \n "}, "book_test_drive": nil, "nothing": nil,
	} {
		_, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: arguments})
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != -32602 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text := promptText(t, session, "find_car", nil); strings.Contains(text, "What I have told you") {
		t.Errorf("nothing was told:\n%s", text)
	}
	text := promptText(t, session, "find_car", map[string]string{"use": "towing\n- budget: \"1\"", "make": strings.Repeat("ü", 5000), "unknown": "x"})
	if strings.Contains(text, "\n- budget") || !strings.Contains(text, `- use: "towing - budget: \"1\""`) || len(text) > 4000 || strings.Contains(text, "unknown") {
		t.Errorf("%s", text)
	}
}

// completion asks for terms of a prompt's argument.
func completion(prompt, argument, value string, chosen map[string]string) *mcp.CompleteParams {
	p := &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: prompt}, Argument: mcp.CompleteParamsArgument{Name: argument, Value: value}}
	if chosen != nil {
		p.Context = &mcp.CompleteContext{Arguments: chosen}
	}
	return p
}

func TestCompletionKnowsWhatIsInStock(t *testing.T) {
	h := openProfile(t, agenttest.Profile, append(agenttest.Vehicles(), agenttest.Many(300)...), nil)
	for _, revision := range revisions {
		session := h.connect(t, revision)
		for _, c := range []struct {
			prompt, argument, value string
			chosen                  map[string]string
			want                    string
		}{
			{"find_car", "make", "to", nil, "Toyota"},
			{"find_car", "make", "SU", nil, "Subaru"},
			{"find_car", "make", "zzz", nil, ""},
			{"find_car", "model", "c", map[string]string{"make": "honda"}, "Civic CR-V"},
			{"find_car", "model", "c", map[string]string{"make": "Mazda", "rooftop": ""}, "CX-5"},
			{"find_car", "model", "", map[string]string{"make": "No Such Make"}, ""},
			{"find_car", "make", "to", map[string]string{"rooftop": "Harbor Seattle", "budget": "20000"}, "Toyota"},
			{"find_car", "make", "to", map[string]string{"rooftop": "No Such Rooftop"}, ""},
			{"find_car", "rooftop", "boise", nil, "Harbor Boise"},
			{"book_test_drive", "rooftop", "harbor s", nil, "Harbor Seattle"},
			{"find_car", "budget", "1", nil, ""},
			{"trade_in", "make", "to", nil, ""},
			{"no_such_prompt", "make", "to", nil, ""},
		} {
			got, err := session.Complete(t.Context(), completion(c.prompt, c.argument, c.value, c.chosen))
			if err != nil {
				t.Fatalf("%q %+v: %v", revision, c, err)
			}
			slices.Sort(got.Completion.Values)
			want := strings.Fields(c.want)
			if c.argument == "rooftop" {
				want = []string{c.want}
			}
			slices.Sort(want)
			if !slices.Equal(got.Completion.Values, want) && !(c.want == "" && len(got.Completion.Values) == 0) {
				t.Errorf("%q %+v: %q", revision, c, got.Completion.Values)
			}
		}
	}
	template := &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "aap://harbor-auto/vehicle/{id}"}, Argument: mcp.CompleteParamsArgument{Name: "id", Value: "H"}}
	if got, err := h.connect(t, "").Complete(t.Context(), template); err != nil || len(got.Completion.Values) != 0 {
		t.Errorf("identifiers: %v %v", got, err)
	}
}

func TestCompletionNamesAtMostAHundredAndSaysThereAreMore(t *testing.T) {
	var vehicles []inventory.Vehicle
	for i, v := range agenttest.Many(250) {
		v.Listing.Make = fmt.Sprintf("Make %03d", i)
		vehicles = append(vehicles, v)
	}
	session := openProfile(t, agenttest.Profile, vehicles, nil).connect(t, "")
	got, err := session.Complete(t.Context(), completion("find_car", "make", "", nil))
	if err != nil || len(got.Completion.Values) != 100 || !got.Completion.HasMore || got.Completion.Total != 250 {
		t.Errorf("%d of %d, more %v, %v", len(got.Completion.Values), got.Completion.Total, got.Completion.HasMore, err)
	}
}
