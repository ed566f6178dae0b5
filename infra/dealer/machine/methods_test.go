package machine_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestMethodsThatAreNotOfferedSaySo(t *testing.T) {
	d := open(t)
	for method, want := range map[string]string{
		"SendStreamingMessage":             "-32004",
		"SubscribeToTask":                  "-32004",
		"GetExtendedAgentCard":             "-32004",
		"CreateTaskPushNotificationConfig": "-32003",
		"GetTaskPushNotificationConfig":    "-32003",
		"ListTaskPushNotificationConfigs":  "-32003",
		"DeleteTaskPushNotificationConfig": "-32003",
		"message/send":                     "-32601",
		"tasks/get":                        "-32601",
		"sendMessage":                      "-32601",
		"inventory.search":                 "-32601",
	} {
		t.Run(method, func(t *testing.T) {
			a := d.post(t, strings.Replace(envelope(`{"data":`+lead(nil)+`}`), "SendMessage", method, 1))
			a.want(want)
			if string(a.rpc.ID) != "7" || a.status != 200 {
				t.Errorf("HTTP %d, id %s", a.status, a.rpc.ID)
			}
		})
	}
	if n := len(documents(t, d)); n > 0 {
		t.Errorf("%d leads were taken by other methods", n)
	}
}

func TestFaultyEnvelopesRunNothing(t *testing.T) {
	d := open(t)
	whole := envelope(`{"data":` + lead(nil) + `}`)
	change := func(old, new string) string { return strings.Replace(whole, old, new, 1) }
	const invalid = "-32602 SCHEMA_VALIDATION_FAILED "
	for _, v := range []struct{ name, body, want string }{
		{"nothing", "", "-32700"},
		{"a string", `"SendMessage"`, "-32600"},
		{"an empty batch", `[]`, "-32600"},
		{"a batch of two", "[" + whole + "," + whole + "]", "-32600"},
		{"another JSON-RPC", change(`"jsonrpc":"2.0"`, `"jsonrpc":"1.0"`), "-32600"},
		{"an id that is an object", change(`"id":7`, `"id":{}`), "-32600"},
		{"no params", `{"jsonrpc":"2.0","id":7,"method":"SendMessage"}`, invalid + "/message required"},
		{"no message", `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{}}`, invalid + "/message required"},
		{"an empty messageId", change(`"messageId":"buyer-1"`, `"messageId":""`), invalid + "/message/messageId minLength"},
		{"no role", change(`"role":"ROLE_USER",`, ``), invalid + "/message/role required"},
		{"the agent's role", change("ROLE_USER", "ROLE_AGENT"), invalid + "/message/role const"},
		{"a role of older A2A", change("ROLE_USER", "user"), invalid + "/message/role const"},
		{"no parts", envelope(``), invalid + "/message/parts minItems"},
		{"data that is a string", envelope(`{"data":"lead.submit.request"}`), invalid + "/message/parts contains"},
		{"a type that is a number", envelope(`{"data":{"type":1}}`), invalid + "/type type"},
		{"a type of one word", envelope(`{"data":{"type":"lead"}}`), invalid + "/type pattern"},
		{"a member twice", change(`"id":7`, `"id":7,"id":8`), "-32600"},
		{"an extension of no agent", change(`"params":{`, `"params":{"configuration":{"acceptedOutputModes":["text/plain"]},`), "-32005"},
	} {
		t.Run(v.name, func(t *testing.T) {
			a := d.post(t, v.body)
			a.want(v.want)
			if a.status != 200 || a.rpc.JSONRPC != "2.0" {
				t.Errorf("HTTP %d: %s", a.status, a.body)
			}
		})
	}
	if n := len(documents(t, d)); n > 0 {
		t.Errorf("%d leads were taken", n)
	}
	d.post(t, whole).want("ok")
}

func TestEnvelopeMembersOfOthersAreIgnored(t *testing.T) {
	d := open(t)
	a := d.post(t, `{"jsonrpc":"2.0","id":"a","method":"SendMessage","x":1,"params":{"tenant":"t","metadata":{"k":1},"configuration":{"blocking":true},`+
		`"message":{"messageId":"m","contextId":"ctx-9","referenceTaskIds":["z"],"extensions":["u"],"metadata":{},"x":[],"role":"ROLE_USER",`+
		`"parts":[{"data":`+information+`,"mediaType":"application/json","metadata":{"a":1},"filename":"f"}]}}}`)
	a.want("ok")
	if a.rpc.Result.Message.ContextID != "ctx-9" {
		t.Errorf("contextId %q, want the buyer's", a.rpc.Result.Message.ContextID)
	}
	for _, mode := range []string{`[]`, `["*/*"]`, `["application/*"]`, `["application/vnd.autoagent.dealer-information-response+json"]`} {
		d.post(t, strings.Replace(envelope(`{"data":`+information+`}`), `"params":{`, `"params":{"configuration":{"acceptedOutputModes":`+mode+`},`, 1)).want("ok")
	}
}

func TestOnlyTheFirstDataPartIsActedOn(t *testing.T) {
	d := open(t)
	a := d.post(t, envelope(`{"text":"and a lead"},{"data":`+information+`},{"data":`+lead(nil)+`}`))
	a.want("ok")
	if a.payload.Type != "dealer.information.response" || len(a.rpc.Result.Message.Parts) != 1 {
		t.Errorf("answered %s", a.body)
	}
	if again := d.skill(t, lead(nil)); again.payload.Data["status"] != "received" {
		t.Errorf("the second part had been run: %s", again.body)
	}
}

func TestTextAloneIsToldWhatTheAgentSpeaks(t *testing.T) {
	d := open(t, replace("prices:", "skills: [dealer.information, lead.submit]\nprices:"))
	a := d.post(t, envelope(`{"text":"Do you have a Civic?"}`))
	for _, want := range []string{"dealer.information.request", "lead.submit.request", "https://autoagentprotocol.org/v1.3/schemas/"} {
		if !strings.Contains(string(a.body), want) {
			t.Errorf("%s is not named in %s", want, a.body)
		}
	}
	if strings.Contains(string(a.body), "inventory.search.request") {
		t.Errorf("a skill that is not offered is named: %s", a.body)
	}
}

func TestRefusalsOfHTTPCarryJSONRPC(t *testing.T) {
	d := open(t)
	for _, v := range []struct {
		name, method, path, contentType, body string
		status                                int
	}{
		{"GET", "GET", "/a2a", "", "", 405},
		{"PUT", "PUT", "/a2a", "application/json", envelope(""), 405},
		{"plain text", "POST", "/a2a", "text/plain", envelope(`{"data":` + information + `}`), 415},
		{"no content type", "POST", "/a2a", "", envelope(`{"data":` + information + `}`), 415},
		{"more than 256 KiB", "POST", "/a2a", "application/json", strings.Repeat(" ", 256<<10) + "{}", 413},
		{"two content types", "POST", "/a2a", "application/json\ntext/plain", envelope(`{"data":` + information + `}`), 415},
		{"the same content type twice", "POST", "/a2a", "application/json\napplication/json", envelope(`{"data":` + information + `}`), 415},
		{"a charset and a final slash", "POST", "/a2a/", "application/json; charset=utf-8", envelope(`{"data":` + information + `}`), 200},
	} {
		t.Run(v.name, func(t *testing.T) {
			req, err := http.NewRequest(v.method, d.url+v.path, strings.NewReader(v.body))
			if err != nil {
				t.Fatal(err)
			}
			if v.contentType != "" {
				req.Header["Content-Type"] = strings.Split(v.contentType, "\n")
			}
			res, err := d.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			var rpc struct {
				JSONRPC string
				Error   *struct {
					Code int
					Data json.RawMessage
				}
			}
			if err := json.NewDecoder(res.Body).Decode(&rpc); err != nil || rpc.JSONRPC != "2.0" {
				t.Fatalf("no JSON-RPC: %v", err)
			}
			if res.StatusCode != v.status || (rpc.Error != nil) != (v.status != 200) || rpc.Error != nil && strings.Contains(string(rpc.Error.Data), "aap.error") {
				t.Errorf("HTTP %d, error %+v; want %d", res.StatusCode, rpc.Error, v.status)
			}
			if v.status == 405 && res.Header.Get("Allow") != "POST" {
				t.Errorf("Allow %q", res.Header.Get("Allow"))
			}
		})
	}
}

func TestContractsThatAreNotServedHaveNoDoor(t *testing.T) {
	d := open(t)
	for _, path := range []string{"/a2a/v1.2", "/a2a/v0.1", "/message:send", "/a2a/message:send", "/"} {
		res, err := d.client.Post(d.url+path, "application/json", strings.NewReader(envelope(`{"data":`+lead(nil)+`}`)))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 404 {
			t.Errorf("%s: HTTP %d, want 404", path, res.StatusCode)
		}
	}
	if res, _ := d.get(t, "/.well-known/auto-agent-contract.json"); res.StatusCode != 404 {
		t.Errorf("a manifest of an older contract: HTTP %d, want 404", res.StatusCode)
	}
	for _, kind := range []string{"aap.event", "aap.error", "lead.submit.response", "inventory.order.request"} {
		d.skill(t, `{"type":"`+kind+`"}`).want("-32601 UNSUPPORTED_SKILL")
	}
}

func TestErrorDataFollowsTheHeaders(t *testing.T) {
	d := open(t)
	const unknown = `{"type":"inventory.vehicle.request","stock":"nope"}`
	const uri = "https://autoagentprotocol.org/extensions/aap/v1.3"
	for _, v := range []struct {
		name   string
		header []string
		list   bool
	}{
		{"no header", nil, false},
		{"the version alone", []string{"A2A-Version", "1.0"}, true},
		{"the contract alone", []string{"A2A-Extensions", uri}, false},
		{"both", []string{"A2A-Version", "1.0", "A2A-Extensions", " https://example.com/x , " + uri}, false},
		{"the version and a foreign extension", []string{"A2A-Version", "1.0", "A2A-Extensions", "https://example.com/x"}, true},
	} {
		t.Run(v.name, func(t *testing.T) {
			a := d.skill(t, unknown, v.header...)
			if !v.list {
				a.want("-32000 VEHICLE_NOT_FOUND")
				if strings.Contains(string(a.rpc.Error.Data), "@type") {
					t.Errorf("an AAP error has no @type: %s", a.body)
				}
				return
			}
			var list []map[string]any
			if err := json.Unmarshal(a.rpc.Error.Data, &list); err != nil || len(list) != 2 {
				t.Fatalf("%v in %s", err, a.body)
			}
			if list[0]["@type"] != "type.googleapis.com/google.rpc.ErrorInfo" || list[0]["domain"] != "autoagentprotocol.org" || list[0]["reason"] != "VEHICLE_NOT_FOUND" ||
				list[1]["@type"] != "https://autoagentprotocol.org/extensions/aap/error" || list[1]["type"] != "aap.error" {
				t.Errorf("list %s", a.rpc.Error.Data)
			}
		})
	}
	a := d.skill(t, `{"type":"inventory.search.request","filters":{"x":1}}`, "A2A-Version", "1.0")
	if !strings.Contains(string(a.rpc.Error.Data), "type.googleapis.com/google.rpc.BadRequest") {
		t.Errorf("no BadRequest in %s", a.body)
	}
	for _, header := range [][]string{{"A2A-Version", "0.3"}, {"A2A-Extensions", strings.Replace(uri, "v1.3", "v1.2", 1)}} {
		if a := d.skill(t, information, header...); a.rpc.Error == nil || strings.Contains(string(a.body), "aap.error") {
			t.Errorf("%v: want an A2A error without an AAP one: %s", header, a.body)
		}
	}
	if a := d.skill(t, information, "A2A-Extensions", strings.Replace(uri, "v1.3", "v9.9", 1)); !strings.Contains(string(a.body), uri) {
		t.Errorf("the served contract is not named in %s", a.body)
	}
}
