package attacks

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// TestNoAddressThatABuyerSendsIsGoneTo puts the address of a trap wherever a
// request takes one, and waits until the leads were handed over.
func TestNoAddressThatABuyerSendsIsGoneTo(t *testing.T) {
	t.Parallel()
	v := attack(t, "access: {per_minute: 100000}\n")
	at := newTrap(t)
	url := func(what string) string { return `"` + at.url + "/" + what + `"` }
	car := `{"year":2020,"make":"Kia","model":"Rio","vdp_url":` + url("listing") + `,"photos":[{"url":` + url("photo") + `}],"description":` + url("description") + `}`
	plain := `{"year":2020,"make":"Kia","model":"Rio","vdp_url":` + url("listing") + `}`
	lead := func(buyer int, vehicle string) string {
		return fmt.Sprintf(`{"type":"lead.submit.request","customer":{"first_name":"Pat","last_name":"Sample","email":"pat%d@example.com"},
			"consent":{"granted_at":"2026-01-01T00:00:00Z","allowed_channels":["email"],"consent_text":"I agree, see %s/consent","scope":["lead_submission"]},
			"source_agent":{"name":"a","url":%s,"agent_card_url":%s},"message":%s,"vehicle_of_interest":%s,"trade_in":%s}`,
			buyer, at.url, url("agent"), url("agent-card.json"), url("message"), vehicle, vehicle)
	}
	taken := 0
	for n, payload := range []string{lead(1, car), lead(2, plain)} {
		for path, body := range map[string]string{"/a2a": message(payload), "/mcp": tool("aap_lead_submit", payload)} {
			body = strings.Replace(body, "pat"+fmt.Sprint(n+1), "pat-"+strings.Trim(path, "/")+fmt.Sprint(n), 1)
			if got := do(t, "POST", v.url+path, body); strings.Contains(got.body, "lead.submit.response") {
				taken++
			}
		}
	}
	if taken == 0 {
		t.Error("no lead with an address was taken")
	}
	part := func(parts, configuration string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[` + parts + `]},"configuration":{` + configuration + `}}}`
	}
	data := `{"data":` + information + `}`
	for name, body := range map[string]string{
		"a part that is elsewhere":    part(`{"url":`+url("part")+`,"mediaType":"application/json"}`, ""),
		"a file that is elsewhere":    part(`{"file":{"fileWithUri":`+url("file")+`}}`, ""),
		"both parts":                  part(data+`,{"url":`+url("part")+`}`, ""),
		"a hook in the configuration": part(data, `"taskPushNotificationConfig":{"url":`+url("hook")+`,"token":"x"}`),
		"a hook in the old spelling":  part(data, `"pushNotificationConfig":{"url":`+url("hook")+`}`),
		"a hook of a task":            `{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"t","pushNotificationConfig":{"url":` + url("hook") + `}}}`,
		"a schema elsewhere":          message(`{"$schema":` + url("schema") + `,"type":"dealer.information.request"}`),
		"a reference elsewhere":       message(`{"$ref":` + url("ref") + `}`),
	} {
		if got := do(t, "POST", v.url+"/a2a", body); got.status >= 500 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	for name, body := range map[string]string{
		"a resource":          `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":` + url("resource") + `}}`,
		"a file of the agent": `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
		"a root":              `{"jsonrpc":"2.0","id":1,"method":"notifications/roots/list_changed","params":{"roots":[{"uri":` + url("root") + `}]}}`,
		"a name of a prompt":  `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":` + url("prompt") + `}}`,
	} {
		if got := do(t, "POST", v.url+"/mcp", body, "Accept", "application/json, text/event-stream"); got.status >= 500 || strings.Contains(got.body, "root:") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	for _, headers := range [][]string{
		{"Host", strings.TrimPrefix(at.url, "http://")}, {"X-Forwarded-Host", strings.TrimPrefix(at.url, "http://")}, {"Origin", at.url}, {"Referer", at.url}, {"X-Original-URL", at.url}, {"A2A-Extensions", at.url},
	} {
		do(t, "POST", v.url+"/a2a", message(information), headers...)
		if got := do(t, "GET", v.url+"/.well-known/agent-card.json", "", headers...); strings.Contains(got.body, at.url) {
			t.Errorf("%v puts another address on the card", headers)
		}
	}
	machinetest.Documents(t, v.outbox(), taken)
	v.stillServes(t)
}

// TestNoAddressInAFeedIsGoneToUnlessPagesAreAskedForAndThenPublicOnesOnly has
// the import look at pages that a feed names: beside the dealer's own site it
// goes nowhere that is not public.
func TestNoAddressInAFeedIsGoneToUnlessPagesAreAskedForAndThenPublicOnesOnly(t *testing.T) {
	t.Parallel()
	at := newTrap(t)
	port := at.url[strings.LastIndex(at.url, ":"):]
	addresses := []string{
		at.url, "http://localhost" + port, "http://LOCALHOST" + port, "http://localhost.localdomain" + port, "http://127.1" + port, "http://2130706433" + port,
		"http://0x7f000001" + port, "http://0177.0.0.1" + port, "http://127.0.0.2" + port, "http://0.0.0.0" + port, "http://[::1]" + port, "http://[::]" + port,
		"http://[::ffff:127.0.0.1]" + port, "http://[::ffff:7f00:1]" + port, "http://[::127.0.0.1]" + port, "http://[64:ff9b::7f00:1]" + port, "http://[2002:7f00:1::]" + port,
		"http://[2001:0:7f00:1::]" + port, "http://user@127.0.0.1" + port, "http://127.0.0.1%2f@example.invalid" + port, "http://example.invalid@127.0.0.1" + port,
		"http://169.254.169.254/latest/meta-data", "http://[fd00:ec2::254]/latest/meta-data", "http://[fe80::1]/", "http://10.0.0.1/", "http://192.168.0.1/", "http://172.16.0.1/", "http://100.64.0.1/",
		"file:///etc/passwd", "ftp://127.0.0.1" + port, "gopher://127.0.0.1" + port + "/_x", "javascript:alert(1)", "data:text/html,x", "//127.0.0.1" + port, "dict://127.0.0.1" + port,
		"https://127.0.0.1" + port, "unix:///var/run/docker.sock",
	}
	var feed strings.Builder
	feed.WriteString("stock,year,make,model,price,vdp url,photos\n")
	for n, address := range addresses {
		fmt.Fprintf(&feed, "A%d,2020,Kia,Rio,9000,\"%s/page%d\",\"%s/photo%d\"\n", n, address, n, address, n)
	}
	dir := t.TempDir()
	keep := func(name, body string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, site := range map[string]string{"a site elsewhere": "https://harbor.invalid", "no site": ""} {
		t.Run(name, func(t *testing.T) {
			document := profile
			if site != "" {
				document = strings.Replace(profile, "timezone:", "website: \""+site+"\", timezone:", 1)
			}
			for _, flags := range [][]string{nil, {"--check-pages", "1000"}} {
				began := time.Now()
				code, out := imported(t, keep("dealer.yaml", document), keep("feed.csv", feed.String()), flags...)
				if code != 0 || strings.Contains(out, "root:") {
					t.Errorf("%v: exit code %d: %s", flags, code, out)
				}
				if spent := time.Since(began); spent > 20*time.Second {
					t.Errorf("%v: %v", flags, spent)
				}
			}
		})
	}
}

// imported runs an import into a folder of its own, without any proxy.
func imported(t *testing.T, profile, feed string, flags ...string) (int, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), machinetest.Command(t), append([]string{"import", "--profile", profile, "--feed", feed, "--data", filepath.Join(t.TempDir(), "data")}, flags...)...)
	cmd.Env = append(os.Environ(), "HTTP_PROXY=", "http_proxy=", "HTTPS_PROXY=", "https_proxy=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // its exit code tells
	return cmd.ProcessState.ExitCode(), out.String()
}

// TestAPageOfTheDealersOwnSiteCanNeitherLeadAwayNorGrowWithoutEnd has pages that
// redirect to addresses inside, turn in circles and never end.
func TestAPageOfTheDealersOwnSiteCanNeitherLeadAwayNorGrowWithoutEnd(t *testing.T) {
	t.Parallel()
	var site *httptest.Server
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusTemporaryRedirect)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/circle":
			http.Redirect(w, r, site.URL+"/circle", http.StatusFound)
		case "/endless":
			piece := bytes.Repeat([]byte("x"), 1<<20)
			for r.Context().Err() == nil {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		case "/headers":
			for i := range 5000 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 100))
			}
		}
	}))
	defer site.Close()
	var feed strings.Builder
	feed.WriteString("stock,year,make,model,price,vdp url\n")
	paths := []string{"/metadata", "/inside", "/file", "/circle", "/endless", "/headers"}
	for n, path := range paths {
		fmt.Fprintf(&feed, "A%d,2020,Kia,Rio,9000,%s%s\n", n, site.URL, path)
	}
	dir := t.TempDir()
	profileAt, feedAt := filepath.Join(dir, "dealer.yaml"), filepath.Join(dir, "feed.csv")
	for file, body := range map[string]string{profileAt: strings.Replace(profile, "timezone:", "website: \""+site.URL+"\", timezone:", 1), feedAt: feed.String()} {
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	code, out := imported(t, profileAt, feedAt, "--check-pages", "100")
	if n := strings.Count(out, "its page") + strings.Count(out, "the page of"); code != 0 || n < len(paths) || strings.Contains(out, "root:") {
		t.Errorf("exit code %d, %d of %d pages told: %s", code, n, len(paths), out)
	}
	if spent := time.Since(began); spent > 25*time.Second {
		t.Errorf("it takes %v", spent)
	}
}
