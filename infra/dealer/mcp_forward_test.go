package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
)

// tokenLines open an agent to the bearer of "sesame" alone.
const tokenLines = "access: {tokens: [{name: buyer, sha256: d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272}]}\n"

func TestEachForwardedCallIsOneMessage(t *testing.T) {
	for _, revision := range revisions {
		remote := before(t, fixtureLot(t, tokenLines))
		h := connect(t, revision, []string{"DEALER_TOKEN=sesame"}, "--agent", remote.URL)
		if names := h.names(t); !slices.Equal(names, allTools) {
			t.Fatalf("%q: tools %v\n%s", revision, names, h.stderr)
		}
		calls := map[string]string{
			"aap_dealer_information": `{}`, "aap_inventory_facets": `{}`, "aap_inventory_search": `{"filters":{"make":["Honda"]}}`,
			"aap_inventory_vehicle": `{"vin":"1HGCV1F30KA000001"}`, "aap_lead_submit": buyer(""),
		}
		for tool, arguments := range calls {
			sent := remote.messages.Load()
			answer, isError := h.call(t, tool, arguments)
			if isError || !strings.HasSuffix(fmt.Sprint(answer["type"]), ".response") {
				t.Errorf("%q: %s: %v", revision, tool, answer)
			}
			if n := remote.messages.Load() - sent; n != 1 {
				t.Errorf("%q: %s took %d messages", revision, tool, n)
			}
		}
		if n := h.asked.Load(); n != 1 {
			t.Errorf("%q: a person was asked %d times, want once, for the lead", revision, n)
		}
		if text := remote.text(); strings.Count(text, "Bearer sesame") != len(calls) || strings.Contains(h.stderr.String(), "sesame") {
			t.Errorf("%q: the token went elsewhere than on the calls:\n%s\n%s", revision, text, h.stderr)
		}
	}
}

func TestARemoteErrorIsPassedOnAsItCame(t *testing.T) {
	const theirs = `{"type":"aap.error","error_id":"e-1","code":"SOMETHING_NEW","message":"Tuesdays only.","retryable":true,"created_at":"2026-05-01T12:00:00Z","details":{"n":1,"more":[null]}}`
	remote := before(t, fixtureLot(t, ""))
	remote.meanwhile = answering(func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32000,"message":"x","data":` + theirs + `}}`
	})
	h := connect(t, "", nil, "--agent", remote.URL)
	result, err := h.CallTool(t.Context(), &mcp.CallToolParams{Name: "aap_inventory_search", Arguments: json.RawMessage(`{}`)})
	if err != nil || !result.IsError || result.Content[0].(*mcp.TextContent).Text != theirs {
		t.Errorf("%+v %v, want %s", result, err, theirs)
	}
	if strings.Contains(h.stderr.String(), "Tuesdays") || strings.Contains(h.stderr.String(), "SOMETHING_NEW") {
		t.Errorf("the dealer's words are logged:\n%s", h.stderr)
	}
}

// answering gives every message the same answer, under its own id.
func answering(answer func(id string) string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		_, _ = w.Write([]byte(answer(r.Header.Get("X-Test-Id"))))
		return true
	}
}

func TestOnlyDeclaredSkillsAreTools(t *testing.T) {
	h := connect(t, "", nil, "--agent", fixtureLot(t, "skills: [inventory.search, inventory.facets]\n"))
	if names := h.names(t); !slices.Equal(names, []string{"aap_inventory_facets", "aap_inventory_search"}) {
		t.Errorf("tools %v", names)
	}
	if said := h.refused(t, "aap_lead_submit"); !strings.Contains(said, "aap_inventory_facets, aap_inventory_search") {
		t.Errorf("%s", said)
	}
}

// TestAnOlderContractIsSpokenAsItIs: arguments, results and the words about
// prices are those of the contract that both sides name.
func TestAnOlderContractIsSpokenAsItIs(t *testing.T) {
	base := fixtureLot(t, "versions: [v1.3, v1.2, v1.0, v0.1]\n")
	for _, label := range []string{"v1.2", "v1.0", "v0.1"} {
		v, _ := aap.VersionByLabel(label)
		h := connect(t, "", nil, "--agent", base+a2a.VersionCardPath(v))
		list, err := h.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 5 {
			t.Fatalf("%s: %v %v\n%s", label, list, err, h.stderr)
		}
		for _, tool := range list.Tools {
			if url, _ := tool.Meta["aap_request_schema"].(string); !strings.HasPrefix(url, v.SchemaBaseURL()) {
				t.Errorf("%s: %s has the schema %s", label, tool.Name, url)
			}
			if tool.Name == "aap_inventory_search" && (!strings.Contains(tool.Description, "out-the-door") || len(tool.Description) > 200) {
				t.Errorf("%s: %s", label, tool.Description)
			}
		}
		answer, isError := h.call(t, "aap_inventory_vehicle", `{"vin":"1HGCV1F30KA000001"}`)
		if isError {
			t.Fatalf("%s: %v", label, answer)
		}
		if text := fmt.Sprint(answer); strings.Contains(text, "last_verified_at") != (label == "v0.1") {
			t.Errorf("%s: %s", label, text)
		}
	}
}

func TestATokenThatIsMissingIsAskedForByItsVariable(t *testing.T) {
	h := connect(t, "", []string{"DEALER_TOKEN="}, "--agent", "north="+fixtureLot(t, tokenLines))
	answer, isError := h.call(t, "north__aap_inventory_search", `{}`)
	if !isError || answer["reason"] != "unauthorized" || !strings.Contains(fmt.Sprint(answer["message"]), "DEALER_TOKEN_NORTH") {
		t.Errorf("%v", answer)
	}
}

// TestADealerThatIsDownAtTheStartIsFoundWhenItIsBack: the host need not be
// started anew.
func TestADealerThatIsDownAtTheStartIsFoundWhenItIsBack(t *testing.T) {
	remote := before(t, fixtureLot(t, ""))
	down := make(chan struct{})
	remote.meanwhile = func(w http.ResponseWriter, _ *http.Request) bool {
		select {
		case <-down:
			return false
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
	}
	h := connect(t, "", nil, "--agent", remote.URL)
	if names := h.names(t); len(names) != 0 {
		t.Errorf("tools of a dealer that is down: %v", names)
	}
	if answer, isError := h.call(t, "aap_inventory_search", `{}`); !isError || answer["type"] != "dealer.failure" {
		t.Errorf("%v", answer)
	}
	close(down)
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		if answer, isError := h.call(t, "aap_inventory_search", `{}`); !isError {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("still %v", answer)
		}
	}
	if names := h.names(t); !slices.Equal(names, allTools) {
		t.Errorf("tools %v", names)
	}
}

// TestListsAreAnnouncedWhereADealerIsFoundLater, and nowhere else: an agent of
// its own has all it offers from the start.
func TestListsAreAnnouncedWhereADealerIsFoundLater(t *testing.T) {
	remote := before(t, fixtureLot(t, ""))
	for name, c := range map[string]struct {
		args  []string
		lists string
	}{
		"its own":        {[]string{"--profile", fixtureProfile, "--feed", fixtureFeed, "--clock", "2026-05-01T12:00:00Z"}, ""},
		"one elsewhere":  {[]string{"--agent", remote.URL}, "prompts resources tools"},
		"with a name":    {[]string{"--agent", "north=" + remote.URL}, "tools"},
		"two with names": {[]string{"--agent", "north=" + remote.URL, "--agent", "south=" + remote.URL}, "tools"},
	} {
		for _, revision := range revisions {
			heard := make(chan string, 100)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { heard <- "tools" },
				PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { heard <- "prompts" },
				ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { heard <- "resources" },
			})
			session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command(machinetest.Command(t), append([]string{"mcp"}, c.args...)...)}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			caps := session.InitializeResult().Capabilities
			var declared []string
			for list, changes := range map[string]bool{"prompts": caps.Prompts.ListChanged, "resources": caps.Resources.ListChanged, "tools": caps.Tools.ListChanged} {
				if changes {
					declared = append(declared, list)
				}
			}
			slices.Sort(declared)
			if strings.Join(declared, " ") != c.lists {
				t.Errorf("%s, %q: declares changes of %v, want %s", name, revision, declared, c.lists)
			}
			// A host of the newest revision hears what it has subscribed to.
			if revision == "" && c.lists != "" {
				_ = session.Close()
				continue
			}
			if list, err := session.ListTools(t.Context(), nil); err != nil || len(list.Tools) < 5 {
				t.Errorf("%s, %q: %v %v", name, revision, list, err)
			}
			told := map[string]bool{}
			for patience := time.After(map[bool]time.Duration{true: 200 * time.Millisecond, false: 10 * time.Second}[c.lists == ""]); ; {
				select {
				case list := <-heard:
					told[list] = true
					if len(told) < len(declared) || c.lists == "" {
						continue
					}
				case <-patience:
				}
				break
			}
			if len(told) != len(declared) {
				t.Errorf("%s, %q: told of %v, want %s", name, revision, told, c.lists)
			}
			_ = session.Close()
		}
	}
}

// TestALeadIsHeldBackWhereNobodyCanBeAsked: a host without forms cannot send
// one, unless whoever runs the server says so.
func TestALeadIsHeldBackWhereNobodyCanBeAsked(t *testing.T) {
	remote := before(t, fixtureLot(t, ""))
	lead := strings.ReplaceAll(oneShot, `"name":"aap_inventory_facets","arguments":{}`, `"name":"aap_lead_submit","arguments":`+buyer(""))
	without := strings.ReplaceAll(oneShot, `"name":"aap_inventory_facets","arguments":{}`, `"name":"aap_lead_submit","arguments":`+shopper("Rosa"))
	for _, lead := range []string{lead, without} { // nobody is asked for a consent in vain
		out, _ := pipe(t, lead, "--agent", remote.URL)
		if result := fmt.Sprint(lines(t, out)[float64(1)]); !strings.Contains(result, "held_back") || strings.Contains(remote.text(), "Rosa") {
			t.Errorf("%s\n%s", result, remote.text())
		}
	}
	out, _ := pipe(t, lead, "--agent", remote.URL, "--approve-writes=false")
	if result := fmt.Sprint(lines(t, out)[float64(1)]); !strings.Contains(result, "lead.submit.response") {
		t.Error(result)
	}
}

// TestALeadWithoutAnAnswerIsNotSentTwiceByMistake: what to do depends on
// whether the lead can be told from a second one.
func TestALeadWithoutAnAnswerIsNotSentTwiceByMistake(t *testing.T) {
	s := hostile(t, "Dealer", "BASE/a2a", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	h := connect(t, "", nil, "--agent", s.URL, "--approve-writes=false")
	for more, advice := range map[string]string{`,"idempotency_key":"k"`: "makes no second lead", "": "may make a second lead"} {
		answer, isError := h.call(t, "aap_lead_submit", buyer(more))
		if !isError || answer["reason"] != "unreachable" || !strings.Contains(fmt.Sprint(answer["message"]), advice) {
			t.Errorf("%q: %v", more, answer)
		}
	}
}
