package doctor

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// TestAnAgentOutsideLeadsNobodyInside: a card of the open net may name an
// address of the network the doctor runs in.
func TestAnAgentOutsideLeadsNobodyInside(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	for _, inside := range []bool{true, false} {
		resp, err := (&http.Client{Transport: newTransport(inside, time.Second)}).Get(server.URL)
		if err == nil {
			_ = resp.Body.Close()
		}
		if errors.Is(err, errInside) == inside {
			t.Errorf("inside %v: %v", inside, err)
		}
	}
}

func TestPlainHTTPIsForThisMachineAlone(t *testing.T) {
	for host, want := range map[string]Verdict{"127.0.0.1": Pass, "localhost": Pass, "[::1]": Pass, "agent.example": Fail, "10.0.0.7": Fail} {
		x := &examination{ledger: &ledger{}, card: &url.URL{Scheme: "http", Host: host}}
		if !x.secure(t.Context()) || len(x.findings) != 1 || x.findings[0].ID != "reach.https" || x.findings[0].Verdict != want {
			t.Errorf("%s: %+v", host, x.findings)
		}
	}
}

// TestEveryFindingHasARule holds the ids that are used to the table, and the
// areas of the table to the headings of the text.
func TestEveryRuleIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules {
		if seen[r.id] || r.title == "" || r.rule == "" || r.next == "" {
			t.Errorf("%+v", r)
		}
		seen[r.id] = true
	}
}
