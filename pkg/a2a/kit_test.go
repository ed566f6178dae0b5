package a2a_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
)

// TestConformanceCases restates, for an agent that answers messages and keeps
// no tasks, what the A2A conformance kits ask of an answer. The kits' own
// greetings are text, which AAP refuses; a typed payload stands in for them.
func TestConformanceCases(t *testing.T) {
	send := message(information)
	rpc := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":"k-1","method":"` + method + `","params":` + params + `}`
	}
	inMessage := func(member string) string { return strings.Replace(send, `"messageId"`, member+`,"messageId"`, 1) }
	for _, c := range []struct {
		name    string
		body    string
		version string
		want    []int
		reason  string
	}{
		{name: "SendMessage succeeds", body: send, want: []int{0}},
		{name: "returnImmediately false", body: strings.Replace(send, `"params":{`, `"params":{"configuration":{"returnImmediately":false},`, 1), want: []int{0}},
		{name: "returnImmediately true", body: strings.Replace(send, `"params":{`, `"params":{"configuration":{"returnImmediately":true},`, 1), want: []int{0}},
		{name: "an empty configuration", body: strings.Replace(send, `"params":{`, `"params":{"configuration":{},`, 1), want: []int{0}},
		{name: "a client's contextId", body: inMessage(`"contextId":"ctx-9"`), want: []int{0}},
		{name: "an unknown task", body: inMessage(`"taskId":"no-such"`), want: []int{-32001}, reason: "TASK_NOT_FOUND"},
		{name: "unknown fields", body: strings.Replace(inMessage(`"tckUnknownField":1`), `"params":{`, `"params":{"tckExtraParam":{},`, 1), want: []int{0}},
		{name: "unknown GetTask", body: rpc("GetTask", `{"id":"x"}`), want: []int{-32001}, reason: "TASK_NOT_FOUND"},
		{name: "unknown CancelTask", body: rpc("CancelTask", `{"id":"x"}`), want: []int{-32001, -32002}, reason: "TASK_NOT_FOUND"},
		{name: "ListTasks by context", body: rpc("ListTasks", `{"context_id":"c"}`), want: []int{0}},
		{name: "ListTasks in pages", body: rpc("ListTasks", `{"context_id":"c","page_size":100,"include_artifacts":false}`), want: []int{0}},
		{name: "ListTasks page size 0", body: rpc("ListTasks", `{"pageSize":0}`), want: []int{-32602}},
		{name: "ListTasks page size -1", body: rpc("ListTasks", `{"pageSize":-1}`), want: []int{-32602}},
		{name: "ListTasks page size 101", body: rpc("ListTasks", `{"pageSize":101}`), want: []int{-32602}},
		{name: "ListTasks bad status", body: rpc("ListTasks", `{"status":"nope"}`), want: []int{-32602}},
		{name: "ListTasks bad token", body: rpc("ListTasks", `{"pageToken":"nope"}`), want: []int{-32602}},
		{name: "ListTasks bad timestamp", body: rpc("ListTasks", `{"statusTimestampAfter":"nope"}`), want: []int{-32602}},
		{name: "ListTasks negative history", body: rpc("ListTasks", `{"historyLength":-1}`), want: []int{-32602}},
		{name: "push create", body: rpc("CreateTaskPushNotificationConfig", `{"taskId":"x","url":"https://x.example"}`), want: []int{-32003}, reason: "PUSH_NOTIFICATION_NOT_SUPPORTED"},
		{name: "streaming", body: strings.Replace(send, "SendMessage", "SendStreamingMessage", 1), want: []int{-32004}, reason: "UNSUPPORTED_OPERATION"},
		{name: "extended card", body: `{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard"}`, want: []int{-32004, -32007}, reason: "UNSUPPORTED_OPERATION"},
		{name: "no such method", body: rpc("NonExistentMethod", `{}`), want: []int{-32601}},
		{name: "empty params", body: rpc("SendMessage", `{}`), want: []int{-32602}},
		{name: "params with an empty name", body: rpc("SendMessage", `{"":"x"}`), want: []int{-32602}},
		{name: "parts a string", body: rpc("SendMessage", `{"message":{"messageId":"a","role":"ROLE_USER","parts":"x"}}`), want: []int{-32602}},
		{name: "version 99.0", body: send, version: "99.0", want: []int{-32009}, reason: "VERSION_NOT_SUPPORTED"},
		{name: "an empty version", body: send, version: " ", want: []int{0}},
		{name: "jsonrpc aaa", body: strings.Replace(send, `"2.0"`, `"aaa"`, 1), want: []int{-32600}},
		{name: "no method", body: `{"jsonrpc":"2.0","id":5,"params":{}}`, want: []int{-32600}},
		{name: "id an object", body: strings.Replace(send, `"id":7`, `"id":{}`, 1), want: []int{-32600}},
		{name: "broken JSON", body: `{"jsonrpc": "2.0", "method": `, want: []int{-32700}},
	} {
		t.Run(c.name, func(t *testing.T) {
			version := c.version
			if version == "" {
				version = "1.0"
			}
			w, got := post(t, handler(agenttest.New(t, agenttest.Profile)), c.body,
				"A2A-Version", version, "A2A-Extensions", "urn:one, urn:two", "Accept", "text/event-stream")
			if w.Code != 200 || !strings.Contains(w.Header().Get("Content-Type"), "application/json") {
				t.Errorf("HTTP %d %s", w.Code, w.Header().Get("Content-Type"))
			}
			if !slices.Contains(c.want, got.code()) {
				t.Fatalf("code %d, want one of %v: %s", got.code(), c.want, w.Body)
			}
			checkForm(t, w.Body.Bytes())
			if c.reason != "" {
				checkErrorInfo(t, got, c.reason)
			}
		})
	}
}

// checkForm asserts what the kits assert of every answer.
func checkForm(t *testing.T, body []byte) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatal(err)
	}
	if string(members["jsonrpc"]) != `"2.0"` || members["id"] == nil {
		t.Errorf("no jsonrpc 2.0 or no id: %s", body)
	}
	_, result := members["result"]
	_, fault := members["error"]
	if result == fault || len(members) != 3 {
		t.Errorf("not exactly one of result and error: %s", body)
	}
	if result && regexp.MustCompile(`:null[,}]`).Match(members["result"]) {
		t.Errorf("a null member: %s", body)
	}
	if !fault {
		return
	}
	var e map[string]json.RawMessage
	if err := json.Unmarshal(members["error"], &e); err != nil {
		t.Fatal(err)
	}
	for name := range e {
		if !slices.Contains([]string{"code", "message", "data"}, name) {
			t.Errorf("error has a member %q", name)
		}
	}
	if data := e["data"]; data != nil {
		var entries []struct {
			Type string `json:"@type"`
		}
		if err := json.Unmarshal(data, &entries); err != nil || slices.ContainsFunc(entries, func(e struct {
			Type string `json:"@type"`
		}) bool {
			return e.Type == ""
		}) {
			t.Errorf("data is no array of typed objects: %s", data)
		}
	}
}

func checkErrorInfo(t *testing.T, got reply, reason string) {
	t.Helper()
	var entries []struct {
		Type   string `json:"@type"`
		Reason string `json:"reason"`
		Domain string `json:"domain"`
	}
	if err := json.Unmarshal(got.Error.Data, &entries); err != nil || len(entries) == 0 {
		t.Fatalf("data %s: %v", got.Error.Data, err)
	}
	e := entries[0]
	if e.Type != "type.googleapis.com/google.rpc.ErrorInfo" || e.Reason != reason || e.Domain != "a2a-protocol.org" {
		t.Errorf("ErrorInfo %+v, want reason %s", e, reason)
	}
}

func TestTwoCallsWithOneIDAreBothAnswered(t *testing.T) {
	h := handler(agenttest.New(t, agenttest.Profile))
	for range 2 {
		if _, got := post(t, h, message(information)); string(got.ID) != "7" || got.code() != 0 {
			t.Errorf("id %s, code %d", got.ID, got.code())
		}
	}
}
