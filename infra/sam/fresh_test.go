package sam

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/sam/samtest"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

func TestAFreshStackServesItsCardAndRefusesInTheFormOfTheProtocol(t *testing.T) {
	few := map[string]string{"RequestsPerSecond": "1", "RequestBurst": "60"}
	maps.Copy(few, dealerOnly)
	s := deploy(t, few)
	card := ask(t, s.Client(), http.MethodGet, s.Address+wellknown.CardPath, "")
	if card.status != http.StatusOK || !strings.Contains(card.body, `"`+s.Address+`/a2a"`) || !strings.Contains(card.body, "Seabright Motors") {
		t.Fatalf("%d %v\n%s", card.status, card.header, card.body)
	}
	if got := call(t, s, `{"type":"dealer.information.request"}`)["name"]; got != "Seabright Motors" {
		t.Errorf("the dealer is called %v", got)
	}
	t.Run("published files are read as HTTP caches and browsers do", func(t *testing.T) { files(t, s, card) })
	t.Run("what no function answers is refused with a typed error", func(t *testing.T) { refusals(t, s) })
	t.Run("nobody passes CloudFront by", func(t *testing.T) { passing(t, s) })
	t.Run("too many requests are told to wait", func(t *testing.T) { throttled(t, s) })
}

func files(t *testing.T, s *samtest.Stack, card answer) {
	url := s.Address + wellknown.CardPath
	for _, behind := range []bool{false, true} { // from the origin, then from CloudFront's copy
		if !behind {
			s.Forget()
		}
		head := ask(t, s.Client(), http.MethodHead, url, "")
		if head.status != 200 || head.body != "" || head.header.Get("ETag") != card.header.Get("ETag") || head.header.Get("Content-Type") != card.header.Get("Content-Type") {
			t.Errorf("HEAD: %d %v", head.status, head.header)
		}
		same := ask(t, s.Client(), http.MethodGet, url, "", "If-None-Match", card.header.Get("ETag"))
		if same.status != http.StatusNotModified || same.body != "" || same.header.Get("ETag") == "" {
			t.Errorf("a reader who has it: %d %v %s", same.status, same.header, same.body)
		}
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=", "Last-Modified": "GMT",
	} {
		if !strings.Contains(card.header.Get(name), want) {
			t.Errorf("%s is %q, want %s in it", name, card.header.Get(name), want)
		}
	}
	origin := s.API().Address() + wellknown.CardPath
	if same := ask(t, http.DefaultClient, http.MethodGet, origin, "", "If-None-Match", card.header.Get("ETag")); same.status != http.StatusNotModified || same.body != "" {
		t.Errorf("the API itself: %d %s", same.status, same.body)
	}
	may := ask(t, s.Client(), http.MethodOptions, url, "", "Origin", "https://buyer.example", "Access-Control-Request-Method", "GET")
	if may.status != http.StatusNoContent || may.header.Get("Access-Control-Allow-Methods") != "GET, HEAD" {
		t.Errorf("OPTIONS: %d %v", may.status, may.header)
	}
	key, _ := s.Parameters["ProfileKey"].(string)
	for _, path := range []string{"/.well-known/none.json", "/.well-known/..%2F" + key, "/.well-known/%2e%2e%2f" + key} {
		got := ask(t, s.Client(), http.MethodGet, s.Address+path, "")
		if got.status != http.StatusNotFound || !json.Valid([]byte(got.body)) || strings.Contains(got.body, "Error>") || strings.Contains(got.body, "rooftops") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if got := ask(t, s.Client(), http.MethodPut, url, "mine", "Content-Type", "application/json"); got.status != http.StatusForbidden {
		t.Errorf("PUT: %d %s", got.status, got.body)
	}
}

// typed is the aap.error in a refusal.
func typed(t *testing.T, got answer) (rpc int, code string, retryable bool) {
	t.Helper()
	var body struct {
		JSONRPC string
		ID      any
		Error   struct {
			Code int
			Data struct {
				Type, Code, Message string
				ErrorID             string `json:"error_id"`
				CreatedAt           string `json:"created_at"`
				Retryable           bool
			}
		}
	}
	if err := json.Unmarshal([]byte(got.body), &body); err != nil {
		t.Errorf("%d %s: %v", got.status, got.body, err)
		return 0, "", false
	}
	d := body.Error.Data
	if body.JSONRPC != "2.0" || body.ID != nil || d.Type != "aap.error" || d.ErrorID == "" || d.Message == "" || d.CreatedAt == "" ||
		got.header.Get("Cache-Control") != "no-store" || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	return body.Error.Code, d.Code, d.Retryable
}

func refusals(t *testing.T, s *samtest.Stack) {
	for _, c := range []struct {
		what, method, path, body string
		status, rpc              int
		code                     string
	}{
		{"a path that is not there", "POST", "/elsewhere", "{}", 404, -32601, "UNSUPPORTED_SKILL"},
		{"the root", "GET", "/", "", 404, -32601, "UNSUPPORTED_SKILL"},
		{"a file below the agent", "POST", "/a2a/v1.0/more/still", "{}", 404, -32601, "UNSUPPORTED_SKILL"},
		{"more than a function takes", "POST", "/a2a", strings.Repeat(" ", 7<<20), 413, -32602, "SCHEMA_VALIDATION_FAILED"},
		{"more than the API takes", "POST", "/a2a", strings.Repeat(" ", 11<<20), 413, -32602, "SCHEMA_VALIDATION_FAILED"},
		{"more than the agent takes", "POST", "/a2a", strings.Repeat(" ", 300<<10), 413, -32602, "SCHEMA_VALIDATION_FAILED"},
	} {
		got := ask(t, s.Client(), c.method, s.Address+c.path, c.body, "Content-Type", "application/json")
		if c.what == "more than the agent takes" { // which answers for itself
			if got.status != c.status || !strings.Contains(got.body, `"jsonrpc":"2.0"`) {
				t.Errorf("%s: %d %s", c.what, got.status, got.body)
			}
			continue
		}
		if rpc, code, again := typed(t, got); got.status != c.status || rpc != c.rpc || code != c.code || again {
			t.Errorf("%s: %d %s", c.what, got.status, got.body)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodPatch} {
		if got := ask(t, s.Client(), method, s.Address+"/a2a", "", "Content-Type", "application/json"); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "POST" {
			t.Errorf("%s: %d %v %s", method, got.status, got.header, got.body)
		}
	}
	// No answer in time, as the API tells it.
	s.API().Wait = 0
	defer s.API().WaitAsLongAsAWS()
	got := ask(t, s.Client(), http.MethodPost, s.Address+"/a2a", message(`{"type":"dealer.information.request"}`), "Content-Type", "application/json")
	if rpc, code, again := typed(t, got); got.status != http.StatusGatewayTimeout || rpc != -32603 || code != "INTERNAL_ERROR" || !again {
		t.Errorf("no answer in time: %d %s", got.status, got.body)
	}
}

// passing asks the API by its own address, where CloudFront's word is missing or guessed.
func passing(t *testing.T, s *samtest.Stack) {
	body := message(`{"type":"dealer.information.request"}`)
	for _, guess := range []string{"", "none", strings.Repeat("A", 64)} {
		header := []string{"Content-Type", "application/json", cloud.ViewerHeader, "198.51.100.9"}
		if guess != "" {
			header = append(header, cloud.OriginSecretHeader, guess)
		}
		for _, path := range []string{"/a2a", "/mcp"} {
			got := ask(t, http.DefaultClient, http.MethodPost, s.API().Address()+path, body, header...)
			if _, code, _ := typed(t, got); got.status != http.StatusForbidden || code != "UNSUPPORTED_SKILL" {
				t.Errorf("%s with %q: %d %s", path, guess, got.status, got.body)
			}
		}
	}
	// Through CloudFront, what a caller writes there is replaced.
	got := ask(t, s.Client(), http.MethodPost, s.Address+"/a2a", body, "Content-Type", "application/json", cloud.OriginSecretHeader, "guess", cloud.ViewerHeader, "198.51.100.9")
	if got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func throttled(t *testing.T, s *samtest.Stack) {
	for range 80 {
		got := ask(t, s.Client(), http.MethodPost, s.Address+"/a2a", message(`{"type":"dealer.information.request"}`), "Content-Type", "application/json")
		if got.status == http.StatusOK {
			continue
		}
		if rpc, code, again := typed(t, got); got.status != http.StatusTooManyRequests || rpc != -32002 || code != "RATE_LIMITED" || !again || got.header.Get("Retry-After") != "1" {
			t.Errorf("%d %v %s", got.status, got.header, got.body)
		}
		return
	}
	t.Error("the stage takes any number of requests")
}
