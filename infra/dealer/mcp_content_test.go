package main

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// TestADealerElsewhereAloneHasResourcesPromptsAndCompletion: through the command
// they read as they do at the dealer's own endpoint.
func TestADealerElsewhereAloneHasResourcesPromptsAndCompletion(t *testing.T) {
	for _, revision := range revisions {
		h := connect(t, revision, nil, "--agent", fixtureLot(t, ""))
		resources, err := h.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var uris []string
		for _, r := range resources.Resources {
			uris = append(uris, r.URI)
		}
		// This host names no extension, and so is not told of the page.
		if want := []string{"aap://127.0.0.1/consent", "aap://127.0.0.1/fees", "aap://127.0.0.1/profile"}; !slices.Equal(uris, want) {
			t.Errorf("%q: resources %v, want %v", revision, uris, want)
		}
		for uri, want := range map[string]string{
			"aap://127.0.0.1/fees": "- Protection package: $1290\n", "aap://127.0.0.1/profile": `"name":"Demo Group"`, "aap://127.0.0.1/consent": "Demo Group",
			"aap://127.0.0.1/vehicle/T100": `"vin":"1HGCV1F30KA000001"`,
		} {
			got, err := h.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil || len(got.Contents) != 1 || !strings.Contains(got.Contents[0].Text, want) {
				t.Errorf("%q: %s: %+v %v", revision, uri, got, err)
			}
		}
		_, err = h.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aap://127.0.0.1/vehicle/S201"})
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != -32602 || !strings.Contains(string(e.Data), "VEHICLE_UNAVAILABLE") {
			t.Errorf("%q: a sold vehicle: %v", revision, err)
		}
		prompt, err := h.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "find_car", Arguments: map[string]string{"make": "Honda"}})
		if err != nil || !strings.Contains(prompt.Messages[0].Content.(*mcp.TextContent).Text, "no price is published") {
			t.Errorf("%q: %+v %v", revision, prompt, err)
		}
		values, err := h.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "find_car"}, Argument: mcp.CompleteParamsArgument{Name: "make", Value: "ho"}})
		if err != nil || !slices.Equal(values.Completion.Values, []string{"Honda"}) {
			t.Errorf("%q: %+v %v", revision, values, err)
		}
		result, err := h.CallTool(t.Context(), &mcp.CallToolParams{Name: "aap_inventory_search"})
		if err != nil || len(result.Content) < 2 {
			t.Fatalf("%q: %+v %v", revision, result, err)
		}
		if _, err := h.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: result.Content[1].(*mcp.ResourceLink).URI}); err != nil {
			t.Errorf("%q: a link leads nowhere: %v", revision, err)
		}
	}
}

// TestSeveralDealersHaveToolsOnly: a prompt could not tell whose tools it means.
func TestSeveralDealersHaveToolsOnly(t *testing.T) {
	h := connect(t, "", nil, "--agent", "north="+fixtureLot(t, ""), "--agent", "south="+fixtureLot(t, ""))
	h.names(t)
	resources, err := h.ListResources(t.Context(), nil)
	if err != nil || len(resources.Resources) > 0 {
		t.Errorf("%v %v", resources, err)
	}
	prompts, err := h.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) > 0 {
		t.Errorf("%v %v", prompts, err)
	}
	if caps := h.InitializeResult().Capabilities; caps.Completions != nil || len(caps.Extensions) > 0 {
		t.Errorf("%+v", caps)
	}
	result, err := h.CallTool(t.Context(), &mcp.CallToolParams{Name: "north__aap_inventory_search"})
	if err != nil || len(result.Content) != 1 {
		t.Errorf("links to what is not there: %+v %v", result, err)
	}
}

// TestADealerThatIsNotThereHasNoResourcesYet and says why when it is asked.
func TestADealerThatIsNotThereHasNoResourcesYet(t *testing.T) {
	h := connect(t, "", nil, "--agent", "http://127.0.0.1:1")
	resources, err := h.ListResources(t.Context(), nil)
	if err != nil || len(resources.Resources) > 0 {
		t.Errorf("%v %v", resources, err)
	}
	_, err = h.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "find_car"}, Argument: mcp.CompleteParamsArgument{Name: "make", Value: "ho"}})
	if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || !strings.Contains(string(e.Data), `"dealer.failure"`) {
		t.Errorf("completion: %v", err)
	}
}

// TestTheSearchPageOfADealerElsewhereIsTheHostsToShow where it says it can.
func TestTheSearchPageOfADealerElsewhereIsTheHostsToShow(t *testing.T) {
	const extension, mime = "io.modelcontextprotocol/ui", "text/html;profile=mcp-app"
	base := fixtureLot(t, "")
	for _, revision := range revisions {
		for _, shows := range []bool{true, false} {
			can := &mcp.ClientCapabilities{}
			if shows {
				can.AddExtension(extension, map[string]any{"mimeTypes": []string{mime}})
			}
			session, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{Capabilities: can}).
				Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command(machinetest.Command(t), "mcp", "--agent", base)}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			list, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range list.Tools {
				ui, told := tool.Meta["ui"].(map[string]any)
				if told != (shows && tool.Name == "aap_inventory_search") || tool.Meta["aap_skill_id"] == nil {
					t.Errorf("%q, shows %v: %s has %v", revision, shows, tool.Name, tool.Meta)
				}
				if !told {
					continue
				}
				page, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: ui["resourceUri"].(string)})
				if err != nil || page.Contents[0].MIMEType != mime || !strings.HasPrefix(page.Contents[0].Text, "<!doctype html>") || page.Contents[0].Meta["ui"] == nil {
					t.Errorf("%q: %+v %v", revision, page, err)
				}
			}
			_ = session.Close()
		}
	}
}

// TestACompletionIsOneShortLine whatever terms a dealer has.
func TestACompletionIsOneShortLine(t *testing.T) {
	terms := `[{"value":"Honda","count":1},{"value":"Hon\u001b[2Jda","count":1},{"value":"Hon\nda","count":1},{"value":"Hon\u202eda","count":1},{"value":"","count":1},` +
		`{"value":"Hon` + strings.Repeat("x", 5000) + `","count":1},{"value":"Honest","count":0}]`
	s := hostile(t, "Dealer", "BASE/a2a", says(data(`{"type":"inventory.facets.response","data":{"makes":`+terms+`}}`)))
	s.Config.Handler = declaring(s.Config.Handler, `"x.y"`, `"inventory.facets"`)
	h := connect(t, "", nil, "--agent", s.URL)
	values, err := h.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "find_car"}, Argument: mcp.CompleteParamsArgument{Name: "make", Value: "ho"}})
	if err != nil || !slices.Equal(values.Completion.Values, []string{"Honda"}) {
		t.Errorf("%.500v %v", values, err)
	}
}

// declaring changes a word of what a server answers.
func declaring(next http.Handler, old, word string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		_, _ = w.Write(bytes.ReplaceAll(answer.Body.Bytes(), []byte(old), []byte(word)))
	})
}
