package a2a_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

// TestErrorsPointAsTheirContractSays: details.errors is everywhere, and
// details.instancePath with it where the contract has that.
func TestErrorsPointAsTheirContractSays(t *testing.T) {
	h := handler(agenttest.New(t, agenttest.Profile+allVersions()))
	for _, v := range aap.Versions() {
		for _, way := range doors(v) {
			for _, payload := range []string{`{"type":"inventory.search.request","filters":{"year_min":"x","color":[]}}`, `null`} {
				w := send(h, way.path, way.wrap(payload))
				holdAnswer(t, schematest.Own(t, v), w.Body.Bytes())
				var a wire
				if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || a.Error == nil {
					t.Fatalf("%s over %s: %s", v.Label, way.name, w.Body)
				}
				data := a.Error.Data
				if len(a.Error.Details) == 2 {
					data = a.Error.Details[1]
				}
				var e struct {
					Details struct {
						InstancePath *string         `json:"instancePath"`
						Errors       []aap.Violation `json:"errors"`
					} `json:"details"`
				}
				if err := json.Unmarshal(data, &e); err != nil || len(e.Details.Errors) == 0 {
					t.Fatalf("%s over %s: %s", v.Label, way.name, w.Body)
				}
				points := e.Details.InstancePath != nil
				if points != (v.Faults == aap.FaultPath) || points && *e.Details.InstancePath != e.Details.Errors[0].InstanceLocation {
					t.Errorf("%s over %s: %s", v.Label, way.name, w.Body)
				}
			}
		}
	}
}

// TestHTTPJSONHasTheStatusOfTheCode makes each error over HTTP+JSON.
func TestHTTPJSONHasTheStatusOfTheCode(t *testing.T) {
	lead := strings.NewReplacer(`{"name":"trip-planner"}`, `"trip-planner"`, `"scope"`, `"source_agent":"trip-planner","scope"`).Replace(leadPayload)
	for _, v := range aap.Versions() {
		if !v.REST {
			continue
		}
		h := handler(agenttest.New(t, agenttest.Profile+allVersions()))
		for _, c := range []struct {
			name, payload, code string
			status              int
		}{
			{"a bad year", `{"type":"inventory.search.request","filters":{"year_min":"x"}}`, "SCHEMA_VALIDATION_FAILED", 422},
			{"a sold vehicle", `{"type":"inventory.vehicle.request","vin":"` + agenttest.SoldVIN + `"}`, "VEHICLE_UNAVAILABLE", 409},
			{"an absent vehicle", `{"type":"inventory.vehicle.request","vin":"` + agenttest.AbsentVIN + `"}`, "VEHICLE_NOT_FOUND", 404},
			{"an unknown skill", `{"type":"lead.general.request"}`, "UNSUPPORTED_SKILL", 404},
			{"no consent", strings.Replace(lead, `"consent"`, `"nothing"`, 1), "CONTACT_CONSENT_REQUIRED", 403},
			{"a lead", lead, "", 200},
			{"the facets", `{"type":"inventory.facets.request"}`, "", 200},
		} {
			w := send(h, v.Path()+"/message:send", restMessage(c.payload), "Content-Type", "application/a2a+json")
			code := holdAnswer(t, schematest.Own(t, v), w.Body.Bytes())
			if w.Code != c.status || code != c.code {
				t.Errorf("%s, %s: %d %s, want %d %s: %s", v.Label, c.name, w.Code, code, c.status, c.code, w.Body)
			}
			if c.status == 200 {
				continue
			}
			var a wire
			if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || a.Error.Code != c.status || len(a.Error.Details) != 2 ||
				!bytes.Contains(a.Error.Details[0], []byte(`"reason":`+strconv.Quote(c.code)+`,"domain":"autoagentprotocol.org"`)) ||
				!bytes.HasPrefix(a.Error.Details[1], []byte(`{"@type":"type.googleapis.com/aap.error","type":"aap.error"`)) {
				t.Errorf("%s, %s: %s", v.Label, c.name, w.Body)
			}
		}
	}
}

func TestAContractIsThereOnlyWhenTheProfileListsIt(t *testing.T) {
	for _, listed := range aap.Versions() {
		labels := []string{aap.Primary().Label, listed.Label}
		h := handler(agenttest.New(t, agenttest.Profile+"versions: ["+strings.Join(slices.Compact(labels), ", ")+"]\n"))
		for _, v := range aap.Versions() {
			for _, path := range []string{v.Path(), v.Path() + "/", v.VersionPath(), v.Path() + "/message:send"} {
				rest := strings.HasSuffix(path, ":send")
				body := message(information)
				if rest {
					body = restMessage(information)
				}
				want := http.StatusOK
				if v != listed && v != aap.Primary() || rest && !v.REST {
					want = http.StatusNotFound
				}
				w := send(h, path, body)
				if w.Code != want || !json.Valid(w.Body.Bytes()) || w.Header().Get("Content-Type") != "application/json" {
					t.Errorf("%s listed, POST %s: %d, want %d: %s", listed.Label, path, w.Code, want, w.Body)
				}
			}
		}
	}
}

// TestAnswersHaveTheFormOfTheRequest: what came before A2A 1.0 is answered as
// it was sent, where the contract is of that time.
func TestAnswersHaveTheFormOfTheRequest(t *testing.T) {
	h := handler(agenttest.New(t, agenttest.Profile+allVersions()))
	for _, v := range aap.Versions() {
		w := send(h, v.Path(), oldMessage(information))
		got := decode(t, w.Body.Bytes())
		if !v.OldMethod {
			if got.code() != -32601 {
				t.Errorf("%s: message/send gives %s", v.Label, w.Body)
			}
			if w := send(h, v.Path(), strings.Replace(message(information), "ROLE_USER", "user", 1)); decode(t, w.Body.Bytes()).code() != -32602 {
				t.Errorf("%s: the role user gives %s", v.Label, w.Body)
			}
			continue
		}
		for name, c := range map[string]struct {
			path, body string
			want       []string
		}{
			"message/send":      {v.Path(), oldMessage(information), []string{`"result":{"kind":"message","messageId":"`, `"role":"agent"`, `"parts":[{"kind":"data","data":{`}},
			"kinds alone":       {v.Path(), strings.Replace(message(information), `"messageId"`, `"kind":"message","messageId"`, 1), []string{`"result":{"message":{"kind":"message","messageId":"`, `"role":"ROLE_AGENT"`, `[{"kind":"data"`}},
			"the role alone":    {v.Path(), strings.Replace(message(information), "ROLE_USER", "user", 1), []string{`"result":{"message":{"messageId":"`, `"role":"agent","parts":[{"data":{`}},
			"SendMessage":       {v.Path(), message(information), []string{`"result":{"message":{"messageId":"`, `"role":"ROLE_AGENT","parts":[{"data":{`}},
			"HTTP+JSON":         {v.Path() + "/message:send", restMessage(information), []string{`{"message":{"messageId":"`, `"role":"ROLE_AGENT","parts":[{"data":{`}},
			"HTTP+JSON, of old": {v.Path() + "/message:send", strings.NewReplacer(`"messageId"`, `"kind":"message","messageId"`, "ROLE_USER", "user").Replace(restMessage(information)), []string{`{"message":{"kind":"message","messageId":"`, `"role":"agent"`, `[{"kind":"data"`}},
		} {
			w := send(h, c.path, c.body)
			holdAnswer(t, schematest.Own(t, v), w.Body.Bytes())
			for _, want := range c.want {
				if !strings.Contains(w.Body.String(), want) {
					t.Errorf("%s, %s: no %s in %s", v.Label, name, want, w.Body)
				}
			}
		}
	}
}
