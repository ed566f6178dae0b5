package machine_test

import (
	"strings"
	"testing"
)

const information = `{"type":"dealer.information.request"}`

func TestEnvelopeVectors(t *testing.T) {
	d := open(t)
	message := func(member, value string) string {
		return strings.Replace(envelope(`{"data":`+information+`}`), member, value, 1)
	}
	configured := func(modes, payload string) string {
		return strings.Replace(envelope(`{"data":`+payload+`}`), `"params":{`, `"params":{"configuration":{"acceptedOutputModes":`+modes+`},`, 1)
	}
	for _, v := range []struct {
		name, body string
		header     []string
		want, id   string
	}{
		{"broken JSON", `{"jsonrpc":`, nil, "-32700", "null"},
		{"a numeric id comes back as a number", envelope(`{"data":` + information + `}`), nil, "ok", "7"},
		{"a huge id keeps its digits", message(`"id":7`, `"id":12345678901234567890`), nil, "ok", "12345678901234567890"},
		{"a string id", message(`"id":7`, `"id":"x"`), nil, "ok", `"x"`},
		{"no id", message(`"id":7,`, ``), nil, "-32600", "null"},
		{"id null", message(`"id":7`, `"id":null`), nil, "-32600", "null"},
		{"a batch", "[" + envelope(`{"data":`+information+`}`) + "]", nil, "-32600", "null"},
		{"an older method name", message("SendMessage", "message/send"), nil, "-32601", "7"},
		{"text before the data part is skipped", envelope(`{"text":"hi"},{"data":` + information + `}`), nil, "ok", "7"},
		{"text alone", envelope(`{"text":"find me a Honda"}`), nil, "-32602 SCHEMA_VALIDATION_FAILED /message/parts contains", "7"},
		{"a type in capitals", envelope(`{"data":{"type":"Inventory.Search"}}`), nil, "-32602 SCHEMA_VALIDATION_FAILED /type pattern", "7"},
		{"no type", envelope(`{"data":{"filters":{}}}`), nil, "-32602 SCHEMA_VALIDATION_FAILED /type required", "7"},
		{"an unknown skill", envelope(`{"data":{"type":"lead.general.request"}}`), nil, "-32601 UNSUPPORTED_SKILL", "7"},
		{"a response type", envelope(`{"data":{"type":"inventory.search.response"}}`), nil, "-32601 UNSUPPORTED_SKILL", "7"},
		{"another protocol version", envelope(`{"data":` + information + `}`), []string{"A2A-Version", "0.3"}, "-32009", "7"},
		{"a patch digit", envelope(`{"data":` + information + `}`), []string{"a2a-version", "1.0.1"}, "ok", "7"},
		{"an AAP contract that is not served", envelope(`{"data":` + information + `}`),
			[]string{"A2A-Extensions", "https://autoagentprotocol.org/extensions/aap/v9.9"}, "-32008", "7"},
		{"a foreign extension", envelope(`{"data":` + information + `}`), []string{"A2A-Extensions", "https://example.com/x"}, "ok", "7"},
		{"plain JSON accepted", configured(`["application/json"]`, information), nil, "ok", "7"},
		{"one of two modes fits", configured(`["text/html","application/vnd.autoagent.vehicle-detail-response+json"]`,
			`{"type":"inventory.vehicle.request","stock":"T100"}`), nil, "ok", "7"},
		{"no mode fits", configured(`["text/html"]`, information), nil, "-32005", "7"},
		{"no messageId", message(`"messageId":"buyer-1",`, ``), nil, "-32602 SCHEMA_VALIDATION_FAILED /message/messageId required", "7"},
	} {
		t.Run(v.name, func(t *testing.T) {
			a := d.post(t, v.body, v.header...)
			a.t = t
			a.want(v.want)
			if string(a.rpc.ID) != v.id {
				t.Errorf("id %s, want %s", a.rpc.ID, v.id)
			}
			if a.status != 200 {
				t.Errorf("HTTP %d, want 200", a.status)
			}
		})
	}
}

func TestAnswerIsATypedAgentMessage(t *testing.T) {
	d := open(t)
	a := d.skill(t, information)
	m := a.rpc.Result.Message
	if m.Role != "ROLE_AGENT" || m.MessageID == "" || m.MessageID == "buyer-1" || m.ContextID == "" {
		t.Errorf("message %+v, want an agent's own message with its own ids", m)
	}
	if len(m.Parts) != 1 || m.Parts[0].MediaType != "application/vnd.autoagent.dealer-information-response+json" {
		t.Errorf("parts %+v, want one typed part", m.Parts)
	}
}

func TestUnofferedSkillIsUnsupported(t *testing.T) {
	d := open(t, func(p string) string {
		return strings.Replace(p, "prices:", "skills: [inventory.search]\nprices:", 1)
	})
	d.skill(t, lead(nil)).want("-32601 UNSUPPORTED_SKILL")
}

func TestQuotaAnswersRateLimited(t *testing.T) {
	d := open(t, func(p string) string {
		return p + "access: {per_minute: 100}\n"
	})
	var limited answer
	for range 120 {
		if limited = d.skill(t, information); limited.rpc.Error != nil {
			break
		}
	}
	limited.want("-32002 RATE_LIMITED")
	if limited.status != 429 || limited.header.Get("Retry-After") == "" || !limited.fault.Retryable || limited.fault.Details.RetryAfterMS <= 0 {
		t.Errorf("HTTP %d, Retry-After %q, %+v", limited.status, limited.header.Get("Retry-After"), limited.fault)
	}
}
