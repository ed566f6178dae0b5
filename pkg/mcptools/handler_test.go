package mcptools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

func TestOnlyKnownNamesAreServed(t *testing.T) {
	h := open(t, "", func(c *mcptools.Config) { c.Hosts = []string{"mcp.harbor-auto.example", ".execute-api.example"} })
	for _, c := range []struct {
		host, origin string
		status       int
	}{
		{"agent.harbor-auto.example", "", 200},
		{"AGENT.harbor-auto.example:443", "", 200},
		{"mcp.harbor-auto.example", "https://agent.harbor-auto.example", 200},
		{"abc.execute-api.example", "", 200},
		{"localhost:9999", "http://localhost:6274", 200},
		{"127.0.0.1", "http://[::1]:1", 200},
		{"[::1]:80", "", 200},
		{"evil.example", "", 403},
		{"execute-api.example", "", 403},
		{"localhost.evil.example", "", 403},
		{"agent.harbor-auto.example.evil.example", "", 403},
		{"agent.harbor-auto.example", "https://evil.example", 403},
		{"agent.harbor-auto.example", "null", 403},
		{"agent.harbor-auto.example", "file://agent.harbor-auto.example", 403},
		{"localhost", "https://agent.harbor-auto.example.evil.example", 403},
	} {
		headers := []string{"Host", c.host}
		if c.origin != "" {
			headers = append(headers, "Origin", c.origin)
		}
		if status, _, body := h.post(t, list, headers...); status != c.status {
			t.Errorf("%s from %q: %d %s", c.host, c.origin, status, body)
		}
	}
	closed := open(t, "", func(c *mcptools.Config) { c.Loopback = false })
	for host, want := range map[string]int{"localhost": 403, "127.0.0.2": 403, "agent.harbor-auto.example": 200} {
		if status, _, _ := closed.post(t, list, "Host", host); status != want {
			t.Errorf("%s where loopback is not admitted: %d", host, status)
		}
	}
	// The address itself, as of a machine that listens on all it has.
	if status, _, _ := closed.post(t, list); status != 200 {
		t.Errorf("the address that the request came to: %d", status)
	}
	if status, _, _ := closed.post(t, list, "Origin", closed.URL); status != 403 {
		t.Errorf("a page at that address: %d", status)
	}
}

func TestAnyAcceptGetsJSON(t *testing.T) {
	h := open(t, "", nil)
	for _, accept := range []string{"", "application/json", "text/event-stream", "*/*", "text/html"} {
		status, header, body := h.post(t, list, "Accept", accept)
		if status != 200 || header.Get("Content-Type") != "application/json" || !json.Valid([]byte(body)) {
			t.Errorf("Accept %q: %d %v %s", accept, status, header, body)
		}
	}
}

func TestOtherMethodsTypesAndSizesAreRefused(t *testing.T) {
	h := open(t, "", nil)
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		if status, header, _ := h.send(t, method, ""); status != 405 || header.Get("Allow") != "POST" {
			t.Errorf("%s: %d %v", method, status, header)
		}
	}
	if status, _, _ := h.post(t, list, "Content-Type", "text/plain"); status != 415 {
		t.Errorf("text/plain: %d", status)
	}
	long := toolCall("aap_inventory_search", `{"filters":{"query":"`+strings.Repeat("x", mcptools.MaxBody)+`"}}`)
	if status, _, _ := h.post(t, long); status != 413 {
		t.Errorf("%d bytes: %d", len(long), status)
	}
	if status, _, body := h.post(t, list, "MCP-Protocol-Version", "2020-01-01"); status != 400 {
		t.Errorf("an unknown revision: %d %s", status, body)
	}
	if status, header, body := h.post(t, list); status != 200 || header.Get("Mcp-Session-Id") != "" {
		t.Errorf("%d %v %s", status, header, body)
	}
}

func TestNothingIsPromisedThatAFunctionCannotKeep(t *testing.T) {
	h := open(t, "", nil)
	_, _, legacy := h.post(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	_, _, modern := h.modern(t, "server/discover", `{}`)
	for _, body := range []string{legacy, modern} {
		var answer struct {
			Result struct {
				Capabilities map[string]map[string]any `json:"capabilities"`
			} `json:"result"`
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		for _, capability := range []string{"tools", "prompts", "resources"} {
			settings, declared := answer.Result.Capabilities[capability]
			if changed, _ := settings["listChanged"].(bool); !declared || changed {
				t.Errorf("%s: %v in %s", capability, settings, body)
			}
		}
		if _, offered := answer.Result.Capabilities["logging"]; offered {
			t.Errorf("logging is offered, which is deprecated: %s", body)
		}
	}
	// A stream that waits for news would hold a function until its timeout.
	began := time.Now()
	status, _, body := h.modern(t, "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a subscription held for %v: %d %s", took, status, body)
	}
}

// modern sends a request of revision 2026-07-28.
func (h *house) modern(t *testing.T, method, params string, headers ...string) (int, http.Header, string) {
	t.Helper()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "{}" {
		meta += ","
	}
	headers = append(headers, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method)
	return h.post(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+meta+params[1:]+`}`, headers...)
}

func TestListsSayHowLongTheyHold(t *testing.T) {
	for lines, scope := range map[string]string{"": "public", "access: {tokens: [{name: buyer, sha256: " + sesame + "}]}\n": "private"} {
		h := open(t, lines, nil)
		for _, method := range []string{"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			scope := scope
			if method == "tools/list" || method == "resources/list" {
				scope = "private" // what a host can show makes a difference
			}
			status, _, body := h.modern(t, method, `{}`, "Authorization", "Bearer sesame")
			if status != 200 || !strings.Contains(body, `"ttlMs":300000`) || !strings.Contains(body, `"cacheScope":"`+scope+`"`) {
				t.Errorf("%s %q: %d %.300s", method, lines, status, body)
			}
		}
	}
}

// sesame is the hash of the token of that name.
const sesame = "d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272"

func TestTokensOpenTheDoor(t *testing.T) {
	h := open(t, "access: {tokens: [{name: buyer, sha256: "+sesame+"}]}\n", nil)
	for header, want := range map[string]int{"": 401, "Basic c2VzYW1l": 401, "Bearer guess": 401, "Bearer sesame": 200, "bearer  sesame": 200} {
		status, answer, body := h.post(t, list, "Authorization", header)
		if status != want || (status == 401) != strings.HasPrefix(answer.Get("WWW-Authenticate"), "Bearer") || strings.Contains(body, "sesame") {
			t.Errorf("%q: %d %v %s", header, status, answer, body)
		}
	}
}

func TestCallersHaveAQuota(t *testing.T) {
	h := open(t, "access: {per_minute: 3}\n", nil)
	for i := range 3 {
		if status, _, body := h.post(t, list); status != 200 || !strings.Contains(body, "inputSchema") {
			t.Fatalf("call %d: %d %s", i+1, status, body)
		}
	}
	_, _, body := h.post(t, toolCall("aap_dealer_information", `{}`))
	for _, want := range []string{`"isError":true`, `"code":"RATE_LIMITED"`, `"retryable":true`, `"retry_after_ms":20000`} {
		if !strings.Contains(body, want) {
			t.Errorf("a call too many lacks %s: %s", want, body)
		}
	}
	for _, method := range []string{"tools/list", "ping", "prompts/list"} {
		_, _, body = h.post(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`)
		if !strings.Contains(body, `"code":-32603`) || strings.Contains(body, "-32002") || !strings.Contains(body, `"retry_after_ms":20000`) {
			t.Errorf("%s too many: %s", method, body)
		}
	}
}

func TestABatchCountsEachOfItsCalls(t *testing.T) {
	h := open(t, "access: {per_minute: 3}\n", nil)
	var calls []string
	for i := range 6 {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"aap_dealer_information","arguments":{}}}`, i))
	}
	_, _, body := h.post(t, "["+strings.Join(calls, ",")+"]", "MCP-Protocol-Version", "2025-03-26")
	if refused, answered := strings.Count(body, `"isError":true`), strings.Count(body, `"structuredContent"`); refused != 3 || answered != 6 {
		t.Errorf("%d of %d calls were refused, want 3 of 6: %s", refused, answered, body)
	}
}

func TestALongBatchIsRefusedAndAShortOneAnswered(t *testing.T) {
	h := open(t, "", nil)
	batch := func(n int) string {
		var calls []string
		for i := range n {
			calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		}
		return " \n[" + strings.Join(calls, ",") + "]"
	}
	for n, want := range map[int]int{1: 200, 20: 200, 21: 400, 5000: 400} {
		status, _, body := h.post(t, batch(n), "MCP-Protocol-Version", "2025-03-26")
		if status != want || want == 200 && strings.Count(body, `"result"`) != n || want == 400 && !strings.Contains(body, "at most 20 messages") {
			t.Errorf("%d messages: %d %.200s", n, status, body)
		}
	}
}

func TestLeadsHaveAQuotaOfTheirOwnAndARetryIsOwedItsAnswer(t *testing.T) {
	h := open(t, "access: {leads_per_hour: 1}\n", nil)
	session := h.connect(t, "")
	first, isError := call(t, session, "aap_lead_submit", lead(`,"idempotency_key":"a"`))
	if isError {
		t.Fatal(first)
	}
	if refused, isError := call(t, session, "aap_lead_submit", lead(`,"idempotency_key":"b","message":"x"`)); !isError || refused["code"] != string(aap.RateLimited) {
		t.Errorf("a second lead: %v", refused)
	}
	again, isError := call(t, session, "aap_lead_submit", lead(`,"idempotency_key":"a"`))
	if isError || fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("the retry got %v, the first call %v", again, first)
	}
	if other, isError := call(t, session, "aap_inventory_search", `{}`); isError {
		t.Errorf("a search: %v", other)
	}
}

// slow is an agent that answers when its time is over, or panics.
type slow struct{ panics any }

func (s slow) Call(ctx context.Context, _ aap.Version, _ []byte) (agent.Answer, error) {
	if s.panics != nil {
		panic(s.panics)
	}
	<-ctx.Done()
	return agent.Answer{}, fmt.Errorf("read the inventory of rosa@quist.example: %w", ctx.Err())
}

func TestACallEndsInTimeInEveryRevision(t *testing.T) {
	h := open(t, "", func(c *mcptools.Config) { c.Agent, c.Timeout = slow{}, 30*time.Millisecond })
	for _, revision := range revisions {
		began := time.Now()
		payload, isError := call(t, h.connect(t, revision), "aap_inventory_search", `{}`)
		if !isError || payload["code"] != string(aap.InternalError) || time.Since(began) > 5*time.Second {
			t.Errorf("%q: %v after %v", revision, payload, time.Since(began))
		}
		if strings.Contains(fmt.Sprint(payload), "inventory of") {
			t.Errorf("the cause is told: %v", payload)
		}
	}
}

func TestAPanicIsAnInternalErrorAndItsTextStaysInside(t *testing.T) {
	h := open(t, "", func(c *mcptools.Config) { c.Agent = slow{panics: "Rosa Quist"} })
	payload, isError := call(t, h.connect(t, ""), "aap_lead_submit", lead(""))
	if !isError || payload["code"] != string(aap.InternalError) || payload["retryable"] != true {
		t.Errorf("%v", payload)
	}
	if text := h.log.String(); strings.Contains(text, "Rosa") || !strings.Contains(text, payload["error_id"].(string)) {
		t.Errorf("log %s", text)
	}
}

func TestNoPersonalDataAndNoWordOfACallerIsLogged(t *testing.T) {
	h := open(t, "", nil)
	session := h.connect(t, "")
	call(t, session, "aap_lead_submit", lead(`,"message":"My gate code is 4711."`))
	call(t, session, "aap_lead_submit", lead(`,"massage":"My gate code is 4711."`))
	call(t, session, "aap_inventory_vehicle", `{"vin":"`+agenttest.AbsentVIN+`"}`)
	h.post(t, toolCall("rosa@quist.example", `{}`))
	h.post(t, `{"jsonrpc":"2.0","id":1,"method":"rosa@quist.example"}`)
	h.post(t, `{"rosa@quist.example`)
	h.post(t, list, "Host", "rosa.quist.example")
	text := h.log.String()
	for _, personal := range []string{"osa", "uist", "gate code", "massage", agenttest.AbsentVIN} {
		if strings.Contains(text, personal) {
			t.Errorf("the log tells %q:\n%s", personal, text)
		}
	}
	for _, want := range []string{`"skill":"lead.submit"`, `"code":"SCHEMA_VALIDATION_FAILED"`, `"method":"tools/call"`, `"status":403`, `"status":400`} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %s:\n%s", want, text)
		}
	}
}
