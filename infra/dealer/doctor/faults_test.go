package doctor_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/doctor"
)

// fault is an agent that is well but for one thing, and the findings that must
// tell so, and no others.
type fault struct {
	name      string
	ask, give func(*exchange)
	// config is how the agent is examined, if not as the others of its table.
	config *doctor.Config
	want   []string
}

func cardSwap(old, new string) func(*exchange) {
	return func(e *exchange) {
		if e.card() && e.status == http.StatusOK && e.answer != "" {
			e.swap(old, new)
		}
	}
}

func cardHeader(name, value string) func(*exchange) {
	return func(e *exchange) {
		if e.card() {
			e.out.Del(name)
			if value != "" {
				e.out.Set(name, value)
			}
		}
	}
}

// answers changes the answers to calls of one skill that are no errors.
func answers(skill, old, new string) func(*exchange) {
	return func(e *exchange) {
		if e.calls(skill) && strings.Contains(e.answer, `"`+skill+`.response"`) && e.path == "/a2a" {
			e.swap(old, new)
		}
	}
}

// refusals changes the answers that are the AAP error of one code.
func refusals(code string, change func(*exchange)) func(*exchange) {
	return func(e *exchange) {
		if e.path == "/a2a" && strings.Contains(e.answer, `"type":"aap.error"`) && strings.Contains(e.answer, `"code":"`+code+`"`) && e.header.Get("A2A-Extensions") != "" {
			change(e)
		}
	}
}

func replaceWith(status int, body string) func(*exchange) {
	return func(e *exchange) { e.status, e.answer = status, body }
}

var cardFaults = []fault{
	{name: "no card", give: func(e *exchange) {
		if e.card() {
			e.status = http.StatusNotFound
		}
	}, want: []string{"card.found fail"}},
	{name: "a card that is HTML", give: cardHeader("Content-Type", "text/html"), want: []string{"card.type fail"}},
	{name: "no Cache-Control", give: cardHeader("Cache-Control", ""), want: []string{"card.cache warn"}},
	{name: "a card that is never kept", give: cardHeader("Cache-Control", "no-store"), want: []string{"card.cache warn"}},
	{name: "no ETag", give: cardHeader("ETag", ""), want: []string{"card.etag warn"}},
	{name: "an ETag that means nothing", ask: func(e *exchange) { e.header.Del("If-None-Match") }, want: []string{"card.etag warn"}},
	{name: "no HEAD", give: func(e *exchange) {
		if e.method == http.MethodHead {
			e.status = http.StatusMethodNotAllowed
		}
	}, want: []string{"card.head warn"}},
	{name: "no CORS", give: cardHeader("Access-Control-Allow-Origin", ""), want: []string{"card.cors warn"}},
	{name: "a member twice", give: cardSwap(`"version":`, `"name": "Another", "version":`), want: []string{"card.json fail"}},
	{name: "a card that moved", ask: func(e *exchange) { e.path = strings.Replace(e.path, "/moved", "", 1) }, give: func(e *exchange) {
		if e.card() && e.header.Get("Referer") == "" {
			e.status, e.answer = http.StatusFound, ""
			e.out.Set("Location", "/moved/.well-known/agent-card.json")
		}
	}, want: []string{"card.redirect warn"}},
	{name: "redirects without end", give: func(e *exchange) {
		if strings.HasSuffix(e.path, "agent-card.json") {
			e.status = http.StatusFound
			e.out.Set("Location", e.path)
		}
	}, want: []string{"card.found fail"}},
	{name: "a card without end", give: func(e *exchange) {
		if e.card() {
			e.answer = strings.Repeat(" ", 5<<20)
		}
	}, want: []string{"card.found fail"}},
	{name: "a typing error in the extension", give: cardSwap("extensions/aap/v1.3", "extensions/app/v1.3"), want: []string{"contract.spoken fail"}},
	{name: "another A2A version", give: cardSwap(`"protocolVersion": "1.0"`, `"protocolVersion": "0.3"`), want: []string{"contract.endpoint fail"}},
	{name: "another binding", give: cardSwap(`"JSONRPC"`, `"GRPC"`), want: []string{"contract.endpoint fail"}},
	{name: "a card without a description", give: cardSwap(`"description": "Typed inventory`, `"describes": "Typed inventory`), want: []string{"card.shape fail"}},
	{name: "no media types", give: cardSwap("\"defaultInputModes\": [\n    \"application/json\"\n  ]", `"defaultInputModes": []`), want: []string{"card.modes fail"}},
	{name: "a skill without its schemas", give: cardSwap(`"inventory.facets": {`, `"inventory.extras": {`), want: []string{"card.params fail"}},
	{name: "a skill twice", give: cardSwap(`"skills": [`, `"skills": [{"id":"lead.submit","name":"Lead","description":"Leads.","tags":["lead"]},`), want: []string{"card.skills fail"}},
	{name: "no skill of AAP", give: cardSwap(`"skills": [`, `"skills": [{"id":"chat","name":"Chat","description":"Chats.","tags":["chat"]}], "more": [`), want: []string{"card.skills fail"}},
	{name: "an extension without an id", give: cardSwap(`"id": "01`, `"no": "01`), want: []string{"card.params warn"}},
	{name: "an extension of another release", give: cardSwap(`"version": "1.3.0"`, `"version": "1.2.0"`), want: []string{"card.params fail"}},
	{name: "schemas of another release", give: cardSwap("/v1.3/schemas/vehicle-detail-request", "/v1.2/schemas/vehicle-detail-request"), want: []string{"card.params fail"}},
	{name: "an endpoint on another host", give: func(e *exchange) {
		if e.card() && e.answer != "" {
			e.answer = strings.Replace(e.answer, `"url": "http://127.0.0.1:`, `"url": "http://localhost:`, 1)
		}
	}, want: []string{"card.host warn"}},
	{name: "an endpoint on another host, with a token", config: &doctor.Config{Token: "t-4711-4711"}, give: func(e *exchange) {
		if e.card() && e.answer != "" {
			e.answer = strings.Replace(e.answer, `"url": "http://127.0.0.1:`, `"url": "http://localhost:`, 1)
		}
	}, want: []string{"contract.endpoint fail"}},
	{name: "credentials that are not asked for", give: cardSwap(`"defaultInputModes"`, `"securityRequirements": [{"schemes": {"bearer": {"list": []}}}], "defaultInputModes"`), want: []string{"auth.declared fail"}},
}

func TestFaultsOfTheCardAreFound(t *testing.T) { find(t, "", doctor.Config{}, cardFaults) }

// find examines each faulty agent, by its own config or else by the one given,
// and expects its findings and no others.
func find(t *testing.T, lines string, config doctor.Config, faults []fault) {
	m := machineOf(t, lines)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			touched := false
			note := func(change func(*exchange)) func(*exchange) {
				if change == nil {
					return nil
				}
				return func(e *exchange) {
					before := *e
					before.out, before.header = e.out.Clone(), e.header.Clone()
					change(e)
					touched = touched || before.answer != e.answer || before.body != e.body || before.status != e.status || before.path != e.path ||
						len(before.header) != len(e.header) || !sameHeader(before.out, e.out)
				}
			}
			c := config
			if f.config != nil {
				c = *f.config
			}
			c.URL = front{ask: note(f.ask), give: note(f.give)}.serve(t, m)
			if c.Timeout == 0 {
				c.Timeout = 20 * time.Second
			}
			r := examine(t, c)
			if !touched {
				t.Fatal("the fault was never met")
			}
			holds(t, r, f.want...)
		})
	}
}

func sameHeader(a, b http.Header) bool {
	if len(a) != len(b) {
		return false
	}
	for name := range a {
		if a.Get(name) != b.Get(name) {
			return false
		}
	}
	return true
}
