package mcptools_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestNoRequestHoldsTheFunction: whatever is posted, the answer ends.
func TestNoRequestHoldsTheFunction(t *testing.T) {
	h := open(t, "", nil)
	one := toolCall("aap_dealer_information", `{}`)
	for _, body := range []string{
		``, `null`, `7`, `{}`, `[]`, `[[]]`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`,
		`[` + one + `,` + one + `]`, `[` + one + `,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`,
		`[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}},` + one + `]`,
		`[` + one + `,{"jsonrpc":"2.0","id":1,"result":{}}]`, `[{"jsonrpc":"2.0","id":2,"result":{}}]`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x://y"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`,
	} {
		for _, revision := range []string{"", "2024-11-05", "2025-03-26", "2025-11-25", "2026-07-28"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			if revision != "" {
				r.Header.Set("MCP-Protocol-Version", revision)
			}
			got, err := (&http.Client{Timeout: 5 * time.Second}).Do(r)
			if err != nil {
				t.Errorf("%q %s: %v", revision, body, err)
				continue
			}
			if _, err := io.ReadAll(got.Body); err != nil {
				t.Errorf("%q %s: %v", revision, body, err)
			}
			_ = got.Body.Close()
		}
	}
}
