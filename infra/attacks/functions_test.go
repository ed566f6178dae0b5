package attacks

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// behindCDN is what CloudFront shows.
const behindCDN = "0123456789abcdef0123456789abcdef"

// target is a deployed dealer whose functions are started one by one.
type target struct {
	t    *testing.T
	env  []string
	put  func(key, body string)
	unit map[string]string // bootstraps by function
}

func deploy(t *testing.T) *target {
	t.Helper()
	endpoint := cloudtest.Moto(t)
	tables, objects := cloudtest.DynamoDB(endpoint), cloudtest.Objects(endpoint)
	bucket := cloudtest.Bucket(t, objects)
	queue, _ := cloudtest.Queue(t, endpoint)
	return &target{
		t: t, unit: map[string]string{},
		env: append(cloudtest.Environment(endpoint),
			"DEALER_INVENTORY_TABLE="+cloudtest.Table(t, tables), "DEALER_LEADS_TABLE="+cloudtest.Table(t, tables), "DEALER_QUEUE_URL="+queue,
			"DEALER_PROFILE_BUCKET="+bucket, "DEALER_LOG_LEVEL=debug", "DEALER_FORM_KEY="+strings.Repeat("k", 32), "DEALER_ORIGIN_SECRET="+behindCDN),
		put: func(key, body string) { cloudtest.Put(t, objects, bucket, key, []byte(body)) },
	}
}

// start runs a function of a dealer with more lines in the profile.
func (d *target) start(function, key, lines string) *lambdatest.Function {
	d.t.Helper()
	d.put(key, strings.Replace(profile, "type: file, folder: "+unpublished, `type: https, url: "https://crm.invalid"`, 1)+"url: https://agent.harbor.example\n"+lines)
	if d.unit[function] == "" {
		d.unit[function] = lambdatest.Build(d.t, "github.com/dealer-agent/dealer/functions/"+function)
	}
	return lambdatest.Start(d.t, d.unit[function], append(d.env, "DEALER_PROFILE_KEY="+key)...)
}

// event is a request as API Gateway tells it, of a caller at an address who came
// through the CDN; headers replace what CloudFront adds.
func event(method, path, body, address string, headers ...string) events.APIGatewayProxyRequest {
	e := events.APIGatewayProxyRequest{
		Resource: "/a2a", Path: path, HTTPMethod: method, Body: body, MultiValueHeaders: map[string][]string{
			"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Host": {"agent.harbor.example"},
			cloud.OriginSecretHeader: {behindCDN}, cloud.ViewerHeader: {address},
		},
		RequestContext: events.APIGatewayProxyRequestContext{Stage: "live", Path: "/live" + path, HTTPMethod: method, Identity: events.APIGatewayRequestIdentity{SourceIP: "130.176.0.1"}},
	}
	for n := 0; n+1 < len(headers); n += 2 {
		e.MultiValueHeaders[headers[n]] = append(e.MultiValueHeaders[headers[n]], headers[n+1])
	}
	return e
}

func (d *target) send(f *lambdatest.Function, e events.APIGatewayProxyRequest) (out events.APIGatewayProxyResponse) {
	d.t.Helper()
	raw, err := json.Marshal(e)
	if err != nil {
		d.t.Fatal(err)
	}
	answer, err := f.Invoke(d.t.Context(), raw)
	if err != nil {
		d.t.Fatalf("%v\n%s", err, f.Log())
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		d.t.Fatal(err)
	}
	return out
}

// header is a header of an answer, in any spelling.
func header(out events.APIGatewayProxyResponse, name string) string {
	return http.Header(out.MultiValueHeaders).Get(name)
}

func TestTheFunctionsKnowAStrangerACallerInDisguiseAndAForgedLine(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	good := dealer.NewToken()
	closed := "access: {tokens: [" + tokenRow("partner", good, "") + "]}\n"
	agent, tools := d.start("agent", "closed.yaml", closed), d.start("mcp", "closed.yaml", closed)
	for _, at := range doors() {
		f := agent
		if at.path == "/mcp" {
			f = tools
		}
		for name, shown := range map[string]string{"nothing": "", "a guess": "Bearer " + dealer.NewToken(), "the token": "Bearer " + good} {
			e := event("POST", at.path, at.body, "198.51.100.9")
			if shown != "" {
				e.MultiValueHeaders["authorization"] = []string{shown} // as HTTP/2 spells it
			}
			out := d.send(f, e)
			want := http.StatusUnauthorized
			if name == "the token" {
				want = http.StatusOK
			}
			if out.StatusCode != want || want == http.StatusUnauthorized != strings.HasPrefix(header(out, "WWW-Authenticate"), "Bearer ") {
				t.Errorf("%s at %s: %d %v %s", name, at.name, out.StatusCode, out.MultiValueHeaders, out.Body)
			}
		}
	}
	guessed := d.send(agent, event("POST", "/a2a", message(information), "198.51.100.9", "Authorization", "Bearer "+good, cloud.OriginSecretHeader, "guess"))
	if guessed.StatusCode != http.StatusForbidden {
		t.Errorf("two secrets of the CDN: %d", guessed.StatusCode)
	}
	for _, f := range []*lambdatest.Function{agent, tools} {
		log := f.Log()
		if strings.Contains(log, good) || strings.Contains(log, dealer.TokenHash(good)) || strings.Contains(log, behindCDN) || !strings.Contains(log, `"token":"partner"`) {
			t.Errorf("the log tells a secret, or not whose token it was:\n%.3000s", log)
		}
	}
	d.disguises()
	d.forgeries()
}

// disguises are tried at an agent that lets each caller call ten times.
func (d *target) disguises() {
	agent := d.start("agent", "limited.yaml", "access: {per_minute: 10}\n")
	var began time.Time
	served := func(of int, request func(n int) events.APIGatewayProxyRequest) (n int) {
		began = time.Now()
		for i := range of {
			out := d.send(agent, request(i))
			switch {
			case out.StatusCode == http.StatusOK:
				n++
			case out.StatusCode != http.StatusTooManyRequests:
				d.t.Errorf("%d %s", out.StatusCode, out.Body)
			}
		}
		return n
	}
	few := func(name string, got int) {
		if got < 10 || got > grown(10, began) {
			d.t.Errorf("%s: %d calls were served, want the 10 of one caller", name, got)
		}
	}
	few("other headers", served(len(disguises), func(n int) events.APIGatewayProxyRequest {
		e := event("POST", "/a2a", message(information), "198.51.100.9")
		for i := 0; i < len(disguises[n]); i += 2 {
			name, value := disguises[n][i], disguises[n][i+1]
			if strings.Contains(value, "%d") {
				value = fmt.Sprintf(value, n)
			}
			if name != cloud.OriginSecretHeader && name != cloud.ViewerHeader { // which CloudFront replaces
				e.MultiValueHeaders[name] = append(e.MultiValueHeaders[name], value)
			}
		}
		return e
	}))
	few("other addresses of one network", served(25, func(n int) events.APIGatewayProxyRequest {
		return event("POST", "/a2a", message(information), fmt.Sprintf("2001:db8:1:2:%x:%x::1", n, n*7))
	}))
	few("one address in other words", served(24, func(n int) events.APIGatewayProxyRequest {
		return event("POST", "/a2a", message(information), []string{"203.0.113.77", "::ffff:203.0.113.77", "::ffff:cb00:714d", "0:0:0:0:0:ffff:203.0.113.77"}[n%4])
	}))
	if n := served(25, func(n int) events.APIGatewayProxyRequest {
		return event("POST", "/a2a", message(information), fmt.Sprintf("192.0.2.%d", n))
	}); n != 25 {
		d.t.Errorf("25 buyers with an address each were served %d times", n)
	}
	for name, secret := range map[string][]string{"none": nil, "an empty one": {""}, "a guess": {"guess"}, "all but the end": {behindCDN[:31]}, "more": {behindCDN + "0"}, "two": {behindCDN, behindCDN}} {
		e := event("POST", "/a2a", message(information), "198.51.100.200")
		e.MultiValueHeaders[cloud.OriginSecretHeader] = secret
		if out := d.send(agent, e); out.StatusCode != http.StatusForbidden || strings.Contains(out.Body, behindCDN) {
			d.t.Errorf("past the CDN with %s: %d %s", name, out.StatusCode, out.Body)
		}
	}
}

// forgeries are the hostile texts in events; each line of the log must be one
// object that says nothing in the caller's words.
func (d *target) forgeries() {
	for function, path := range map[string]string{"agent": "/a2a", "mcp": "/mcp"} {
		f := d.start(function, "open.yaml", "access: {per_minute: 100000, leads_per_hour: 100000}\n")
		for n, bytes := range spoofs(d.t) {
			head, body, _ := strings.Cut(bytes, "\r\n\r\n")
			if !strings.HasPrefix(head, "POST "+path+" ") {
				continue
			}
			out := d.send(f, event("POST", path, body, "198.51.100.9"))
			if out.StatusCode >= 500 {
				d.t.Errorf("%d: %.200q: %d %s", n, body, out.StatusCode, out.Body)
			}
		}
		for _, name := range []string{"User-Agent", "A2A-Version", "A2A-Extensions", "Authorization", "Origin", "MCP-Protocol-Version", "X-Amzn-Trace-Id"} {
			d.send(f, event("POST", path, message(information), "198.51.100.9", name, spoof))
		}
		d.send(f, event(spoof, path, "", "198.51.100.9"))
		d.send(f, event("POST", path+"/"+spoof, message(information), "198.51.100.9"))
		log := f.Log()
		for line := range strings.Lines(log) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "SDK ") && !json.Valid([]byte(line)) { // AWS's own words aside
				d.t.Errorf("%s: a line that is no object: %.200q", function, line)
			}
		}
		checkLines(d.t, "the log of "+function, log)
		if strings.Contains(log, forged) {
			at := strings.Index(log, forged)
			d.t.Errorf("the log of %s repeats a caller: %.300q", function, log[max(0, at-150):])
		}
	}
}
