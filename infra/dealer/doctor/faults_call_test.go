package doctor_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/doctor"
)

// result is the answer to a call that went well.
func result(payload string) string {
	return `{"jsonrpc":"2.0","id":ID,"result":{"message":{"messageId":"a-1","contextId":"c-1","role":"ROLE_AGENT","parts":[{"data":` + payload + `,"mediaType":"m"}]}}}`
}

var requestID = regexp.MustCompile(`"id":("[^"]*"|[0-9]+)`)

// answerTo gives requests that hold a text another answer, with their id.
func answerTo(text, body string) func(*exchange) {
	return func(e *exchange) {
		if e.path == "/a2a" && strings.Contains(e.body, text) {
			id := requestID.FindStringSubmatch(e.body)
			if id == nil {
				id = []string{"", "null"}
			}
			e.status, e.answer = http.StatusOK, strings.Replace(body, "ID", id[1], 1)
			e.out.Set("Content-Type", "application/json")
		}
	}
}

const unknownVIN = "1HGCM82603A000000"

var callFaults = []fault{
	{name: "a skill that crashes", give: func(e *exchange) {
		if e.calls("inventory.facets") {
			replaceWith(http.StatusInternalServerError, "Oops")(e)
		}
	}, want: []string{"skill.answer fail"}},
	{name: "a skill that echoes", give: answerTo(`"inventory.facets.request"`, result(`{"type":"inventory.facets.request"}`)), want: []string{"skill.answer fail"}},
	{name: "a skill that answers too much", give: answerTo(`"inventory.facets.request"`, strings.Repeat(" ", 5<<20)), want: []string{"skill.answer fail"}},
	{name: "an answer outside its schema", give: answers("dealer.information", `"rooftops"`, `"branches"`), want: []string{"skill.schema fail"}},
	{name: "a listing outside its schema", give: answers("inventory.vehicle", `"status":"available"`, `"status":"on the lot"`), want: []string{"skill.schema fail"}},
	{name: "the role of a buyer", give: answers("dealer.information", `"ROLE_AGENT"`, `"ROLE_USER"`), want: []string{"skill.envelope fail"}},
	{name: "a message without an id", give: answers("dealer.information", `"messageId"`, `"id"`), want: []string{"skill.envelope fail"}},
	{name: "a message without a context", give: answers("dealer.information", `"contextId"`, `"context"`), want: []string{"skill.envelope warn"}},
	{name: "the media type of another skill", give: answers("dealer.information", "vnd.autoagent.dealer-information", "vnd.autoagent.inventory-facets"), want: []string{"skill.envelope fail"}},
	{name: "answers as text", give: func(e *exchange) {
		if e.path == "/a2a" {
			e.out.Set("Content-Type", "text/plain")
		}
	}, want: []string{"skill.type fail"}},
	{name: "ids as strings", give: func(e *exchange) {
		if e.path == "/a2a" {
			e.answer = strings.Replace(e.answer, `"id":4200`, `"id":"4200"`, 1)
		}
	}, want: []string{"skill.id fail"}},
	{name: "broken JSON by another code", give: func(e *exchange) { e.answer = strings.Replace(e.answer, "-32700", "-32600", 1) }, want: []string{"errors.parse fail"}},
	{name: "no JSON-RPC by another code", give: answerTo(`{"jsonrpc":"2.0","id":"r"}`, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"?"}}`), want: []string{"errors.request fail"}},
	{name: "unknown methods are served", give: answerTo("NoSuchMethod", result(`{}`)), want: []string{"errors.method fail"}},
	{name: "unknown methods are not found by HTTP", give: func(e *exchange) {
		if strings.Contains(e.body, "NoSuchMethod") {
			e.status = http.StatusNotFound
		}
	}, want: []string{"errors.status warn"}},
	{name: "streams that are not declared", give: answerTo("SendStreamingMessage", result(`{}`)), want: []string{"errors.undeclared fail"}},
	{name: "unknown skills are served", give: func(e *exchange) {
		if e.header.Get("A2A-Extensions") != "" && e.calls("inventory.examination") {
			answerTo("", result(`{"type":"inventory.examination.response"}`))(e)
		}
	}, want: []string{"errors.skill fail"}},
	{name: "no validation", ask: func(e *exchange) {
		e.body = strings.Replace(e.body, `"filters":{"year_min":"new","examination":[]}`, `"filters":{}`, 1)
	}, want: []string{"errors.validation fail"}},
	{name: "the first fault only", ask: func(e *exchange) { e.body = strings.Replace(e.body, `"year_min":"new",`, "", 1) }, want: []string{"errors.pointers fail"}},
	{name: "an unknown vehicle by another code", give: refusals("VEHICLE_NOT_FOUND", func(e *exchange) { e.swap("VEHICLE_NOT_FOUND", "VEHICLE_UNAVAILABLE") }), want: []string{"errors.vehicle fail"}},
	{name: "an error in words alone", give: refusals("VEHICLE_NOT_FOUND", func(e *exchange) { e.swap(`"data":`, `"note":`) }), want: []string{"errors.typed fail"}},
	{name: "an error without a date", give: refusals("VEHICLE_NOT_FOUND", func(e *exchange) { e.swap(`"created_at"`, `"created"`) }), want: []string{"errors.payload fail"}},
	{name: "an error in a list", give: refusals("VEHICLE_NOT_FOUND", func(e *exchange) {
		e.answer = strings.Replace(strings.Replace(e.answer, `"data":{`, `"data":[{`, 1), "}}}", "}]}}", 1)
	}), want: []string{"errors.bare fail"}},
	{name: "an error with a status", give: refusals("VEHICLE_NOT_FOUND", func(e *exchange) { e.status = http.StatusNotFound }), want: []string{"errors.status warn"}},
	{name: "an error with another number", give: refusals("VEHICLE_NOT_FOUND", func(e *exchange) { e.swap("-32000", "-32602") }), want: []string{"errors.codes warn"}},
	{name: "plain A2A gets the bare object", ask: func(e *exchange) {
		if e.header.Get("A2A-Extensions") == "" && e.calls("inventory.examination") {
			e.header.Del("A2A-Version")
		}
	}, want: []string{"errors.plain warn"}},
	{name: "any A2A version will do", ask: func(e *exchange) {
		if e.header.Get("A2A-Version") != "" {
			e.header.Set("A2A-Version", "1.0")
		}
	}, give: func(e *exchange) { e.answer += " " }, want: []string{"headers.version fail"}},
	{name: "any AAP version will do", ask: func(e *exchange) {
		if strings.Contains(e.header.Get("A2A-Extensions"), "v99") {
			e.header.Del("A2A-Extensions")
		}
	}, want: []string{"headers.extension warn"}},
	{name: "the extension is not confirmed", give: func(e *exchange) { e.out.Del("A2A-Extensions") }, want: []string{"headers.echo warn"}},
	{name: "headers are insisted on", give: func(e *exchange) {
		if e.path == "/a2a" && e.header.Get("A2A-Version") == "" {
			e.answer = `{"jsonrpc":"2.0","id":4200,"error":{"code":-32009,"message":"Send A2A-Version."}}`
		}
	}, want: []string{"headers.absent warn"}},
	{name: "a page for browsers at the endpoint", give: func(e *exchange) {
		if e.path == "/a2a" && e.method == http.MethodGet {
			replaceWith(http.StatusOK, "<html>")(e)
		}
	}, want: []string{"http.method warn"}},
	{name: "any media type will do", ask: func(e *exchange) {
		if e.method == http.MethodPost && e.path == "/a2a" {
			e.header.Set("Content-Type", "application/json")
		}
	}, give: func(e *exchange) { e.answer += " " }, want: []string{"http.media warn"}},
	{name: "no consent gate", give: answerTo(`"lead.submit.request"`, result(`{"type":"lead.submit.response","data":{"lead_id":"L1","status":"received"}}`)), want: []string{"consent.gate fail"}},
	{name: "a gate of another code", give: refusals("CONTACT_CONSENT_REQUIRED", func(e *exchange) { e.swap("CONTACT_CONSENT_REQUIRED", "VEHICLE_NOT_FOUND") }), want: []string{"consent.gate fail"}},
	{name: "a gate that may be another check", give: refusals("CONTACT_CONSENT_REQUIRED", func(e *exchange) {
		e.swap("CONTACT_CONSENT_REQUIRED", "SCHEMA_VALIDATION_FAILED")
		e.swap("-32000", "-32602")
	}), want: []string{"consent.gate warn"}},
	{name: "a second lead of one key", config: &doctor.Config{SendTestLead: true}, give: leadID(), want: []string{"lead.repeat fail"}},
	{name: "a key for everything", config: &doctor.Config{SendTestLead: true}, ask: func(e *exchange) { e.body = strings.Replace(e.body, "doctor, changed:", "doctor:", 1) }, want: []string{"lead.conflict fail"}},
	{name: "a lead that is turned down", config: &doctor.Config{SendTestLead: true}, give: func(e *exchange) {
		if e.calls("lead.submit") {
			e.answer = regexp.MustCompile(`"status":"(received|duplicate)"`).ReplaceAllString(e.answer, `"status":"rejected"`)
		}
	}, want: []string{"lead.test fail"}},
	{name: "a quota without a word", give: func(e *exchange) {
		if strings.Contains(e.body, unknownVIN) {
			replaceWith(http.StatusTooManyRequests, "Slow down")(e)
		}
	}, want: []string{"limits.answer fail"}},
	{name: "a quota without an end", give: refusals("VEHICLE_NOT_FOUND", func(e *exchange) {
		e.swap("VEHICLE_NOT_FOUND", "RATE_LIMITED")
		e.swap(`"retryable":false`, `"retryable":true`)
	}), want: []string{"limits.answer warn"}},
	{name: "a manifest of other tools", give: func(e *exchange) {
		if e.path == "/.well-known/mcp.json" {
			e.swap(`"aap_lead_submit"`, `"lead_submit"`)
		}
	}, want: []string{"mcp.manifest fail"}},
	{name: "a registry entry of another host", give: func(e *exchange) {
		if e.path == "/.well-known/server.json" {
			e.swap("http://127.0.0.1", "https://agent.example")
		}
	}, want: []string{"mcp.registry warn"}},
	{name: "a tool is missing", give: func(e *exchange) {
		if e.path == "/mcp" {
			e.answer = strings.Replace(e.answer, `"aap_lead_submit"`, `"lead_submit"`, 1)
		}
	}, want: []string{"mcp.tools fail"}},
}

// leadID makes another lead id of every answer.
func leadID() func(*exchange) {
	n := 0
	id := regexp.MustCompile(`"lead_id":"[^"]*"`)
	return func(e *exchange) {
		if e.calls("lead.submit") && strings.Contains(e.answer, `"lead_id"`) {
			n++
			e.answer = id.ReplaceAllString(e.answer, `"lead_id":"L`+strings.Repeat("1", n)+`"`)
		}
	}
}

func TestFaultsOfCallsAreFound(t *testing.T) { find(t, "", doctor.Config{}, callFaults) }

func TestFaultsOfProtectionAreFound(t *testing.T) {
	find(t, guarded(), doctor.Config{Token: token}, []fault{
		{name: "a challenge without a scheme", give: func(e *exchange) { e.out.Del("WWW-Authenticate") }, want: []string{"auth.challenge fail"}},
		{name: "a challenge that API Gateway renamed", give: func(e *exchange) {
			if shown := e.out.Get("WWW-Authenticate"); shown != "" {
				e.out.Del("WWW-Authenticate")
				e.out.Set("X-Amzn-Remapped-Www-Authenticate", shown)
			}
		}, want: []string{"auth.challenge warn"}},
		{name: "protection that is not declared", give: cardSwap(`"securitySchemes"`, `"schemes"`), want: []string{"auth.declared fail"}},
		{name: "any token will do", ask: func(e *exchange) {
			if e.header.Get("Authorization") != "" {
				e.header.Set("Authorization", "Bearer "+token)
				e.header.Set("X-Fault", "1")
			}
		}, want: []string{"auth.token fail"}},
		{name: "the token is out of date", config: &doctor.Config{Token: "outdated-4711"}, give: func(e *exchange) { e.answer += " " }, want: []string{"auth.token fail"}},
	})
}

func TestFaultsOfOldContractsAreFound(t *testing.T) {
	at := func(path string, change func(*exchange)) func(*exchange) {
		return func(e *exchange) {
			if e.path == path {
				change(e)
			}
		}
	}
	const manifest, guide = "/.well-known/auto-agent-contract.json", "/.well-known/auto-agent-llm-guide.md"
	find(t, everyVersion, doctor.Config{}, []fault{
		{name: "a manifest that wants a token", give: at(manifest, func(e *exchange) { e.swap(`"auth_type": null`, `"auth_type": "bearer"`) }), want: []string{"manifest.auth fail"}},
		{name: "a manifest without auth_type", give: at(manifest, func(e *exchange) { e.swap(`"auth_type": null,`, ``) }), want: []string{"manifest.shape fail"}},
		{name: "a manifest as text", give: at(manifest, func(e *exchange) { e.out.Set("Content-Type", "text/plain") }), want: []string{"manifest.found fail"}},
		{name: "a manifest of fewer skills", give: at(manifest, func(e *exchange) { e.swap(`"id": "lead.submit"`, `"id": "inventory.facets"`) }), want: []string{"manifest.skills fail"}},
		{name: "no guide", give: at(guide, replaceWith(http.StatusNotFound, "")), want: []string{"manifest.guide warn"}},
		{name: "a guide elsewhere", give: at(manifest, func(e *exchange) {
			e.answer = regexp.MustCompile(`"guide_url": "http://[^/]*`).ReplaceAllString(e.answer, `"guide_url": "https://example.com`)
		}), want: []string{"manifest.host warn"}},
		{name: "an old contract without pointers", give: at("/a2a/v1.0", func(e *exchange) { e.answer = strings.ReplaceAll(e.answer, `"instancePath"`, `"path"`) }), want: []string{"errors.pointers warn"}},
		{name: "HTTP+JSON that is not there", give: at("/a2a/v1.0/message:send", func(e *exchange) {
			if e.calls("dealer.information") {
				replaceWith(http.StatusInternalServerError, "")(e)
			}
		}), want: []string{"rest.answer fail"}},
		{name: "HTTP+JSON errors with status 200", give: at("/a2a/v0.2/message:send", func(e *exchange) { e.status = http.StatusOK }), want: []string{"rest.errors fail"}},
		{name: "one version answers as another", give: at("/a2a/v0.1", func(e *exchange) { e.answer = strings.ReplaceAll(e.answer, `"trade_name"`, `"name"`) }), want: []string{"skill.schema fail"}},
	})
}
