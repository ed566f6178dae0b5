package cloud_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

const originSecret = "0123456789abcdef0123456789abcdef"

// asked sends the event's request with more headers through a front door and
// tells the status, whom the handler took the caller for, and the body.
func asked(t *testing.T, secret string, header map[string][]string) (status int, caller, body string) {
	t.Helper()
	event := restEvent(t)
	for name, values := range header {
		event.MultiValueHeaders[name] = values
	}
	door := cloud.FrontDoor([]byte(secret), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		caller = r.RemoteAddr
		for name := range r.Header {
			if strings.HasPrefix(name, "Dealer-") {
				t.Errorf("the handler sees %s", name)
			}
		}
	}))
	out := rest(t, event, door.ServeHTTP)
	return out.StatusCode, caller, out.Body
}

func TestOnlyTheCDNIsBelievedWhoTheCallerIs(t *testing.T) {
	const connection = "203.0.113.7:0"
	through := map[string][]string{"dealer-origin-secret": {originSecret}, "dealer-viewer": {"198.51.100.9"}}
	for name, c := range map[string]struct {
		secret string
		header map[string][]string
		status int
		caller string
	}{
		"through the CDN":               {originSecret, through, 200, "198.51.100.9:0"},
		"through the CDN by IPv6":       {originSecret, map[string][]string{"dealer-origin-secret": {originSecret}, "Dealer-Viewer": {"2001:db8::1"}}, 200, "[2001:db8::1]:0"},
		"past the CDN":                  {originSecret, nil, 403, ""},
		"past it with a viewer":         {originSecret, map[string][]string{"Dealer-Viewer": {"198.51.100.9"}}, 403, ""},
		"with a guessed secret":         {originSecret, map[string][]string{"Dealer-Origin-Secret": {originSecret[:31]}}, 403, ""},
		"with an empty secret":          {originSecret, map[string][]string{"Dealer-Origin-Secret": {""}}, 403, ""},
		"with two secrets":              {originSecret, map[string][]string{"Dealer-Origin-Secret": {"x", originSecret}}, 403, ""},
		"with two spellings":            {originSecret, map[string][]string{"Dealer-Origin-Secret": {"x"}, "dealer-origin-secret": {originSecret}}, 403, ""},
		"two viewers":                   {originSecret, map[string][]string{"dealer-origin-secret": {originSecret}, "dealer-viewer": {"198.51.100.9", "198.51.100.10"}}, 200, connection},
		"a viewer that is no address":   {originSecret, map[string][]string{"dealer-origin-secret": {originSecret}, "dealer-viewer": {"unknown"}}, 200, connection},
		"no CDN and a written viewer":   {"", map[string][]string{"Dealer-Viewer": {"198.51.100.9"}, "X-Forwarded-For": {"198.51.100.9"}}, 200, connection},
		"no CDN and a written secret":   {"", through, 200, connection},
		"forwarded headers are nothing": {originSecret, map[string][]string{"dealer-origin-secret": {originSecret}, "X-Forwarded-For": {"198.51.100.9"}, "CloudFront-Viewer-Address": {"198.51.100.9:1"}}, 200, connection},
	} {
		t.Run(name, func(t *testing.T) {
			status, caller, _ := asked(t, c.secret, c.header)
			if status != c.status || caller != c.caller {
				t.Errorf("HTTP %d, caller %q; want %d, %q", status, caller, c.status, c.caller)
			}
		})
	}
}

func TestWhoPassesTheCDNByIsToldInATypedError(t *testing.T) {
	_, _, body := asked(t, originSecret, nil)
	var answer struct {
		Error struct {
			Code int
			Data json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Error.Code != aap.UnsupportedSkill.RPC() || !strings.Contains(body, `"id":null`) {
		t.Errorf("%s: %v", body, err)
	}
	schematest.Fits(t, schematest.Own(t, aap.Primary()), "error.schema.json", answer.Error.Data)
	if strings.Contains(body, originSecret) {
		t.Error("the secret is told")
	}
}
