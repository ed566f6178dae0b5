package a2a_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// formFaults says what the conformance kits would find wrong with the form of
// an answer to a request of the given id, whatever was asked.
func formFaults(body []byte, id string) (faults []string) {
	add := func(format string, a ...any) { faults = append(faults, fmt.Sprintf(format, a...)) }
	answer := closed(add, "answer", body, "jsonrpc", "id", "result?", "error?")
	if string(answer["jsonrpc"]) != `"2.0"` {
		add("jsonrpc is %s", answer["jsonrpc"])
	}
	if string(answer["id"]) != id {
		add("id is %s, want %s", answer["id"], id)
	}
	if (answer["result"] == nil) == (answer["error"] == nil) {
		add("not exactly one of result and error")
	}
	if raw := answer["error"]; raw != nil {
		errorFaults(add, raw)
	}
	if raw := answer["result"]; raw != nil {
		resultFaults(add, raw)
	}
	return faults
}

func errorFaults(add func(string, ...any), raw json.RawMessage) {
	e := closed(add, "error", raw, "code", "message", "data?")
	var code int
	standard := []int{-32700, -32600, -32601, -32602, -32603}
	if json.Unmarshal(e["code"], &code) != nil || !slices.Contains(standard, code) && (code < -32099 || code > -32001) {
		add("code %s is neither of JSON-RPC nor of A2A", e["code"])
	}
	var message string
	if json.Unmarshal(e["message"], &message) != nil || message == "" {
		add("message %s", e["message"])
	}
	if e["data"] == nil {
		return
	}
	var details []struct {
		Type string `json:"@type"`
	}
	if json.Unmarshal(e["data"], &details) != nil || len(details) == 0 {
		add("data is no array of objects: %s", e["data"])
	}
	for _, d := range details {
		if d.Type == "" {
			add("data holds an object without @type")
		}
	}
}

func resultFaults(add func(string, ...any), raw json.RawMessage) {
	if nulls := regexp.MustCompile(`:null[,}]`).Find(raw); nulls != nil {
		add("a null member")
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		add("the result is no object")
		return
	}
	if members["tasks"] != nil {
		list := closed(add, "list", raw, "tasks", "nextPageToken", "pageSize", "totalSize")
		if string(list["tasks"]) != "[]" {
			add("tasks of an agent that keeps none: %s", list["tasks"])
		}
		return
	}
	result := closed(add, "result", raw, "message")
	m := closed(add, "message", result["message"], "messageId", "contextId", "role", "parts", "metadata?", "extensions?")
	if string(m["role"]) != `"ROLE_AGENT"` {
		add("role %s", m["role"])
	}
	for _, name := range []string{"messageId", "contextId"} {
		var s string
		if json.Unmarshal(m[name], &s) != nil || s == "" {
			add("%s %s", name, m[name])
		}
	}
	var parts []json.RawMessage
	if json.Unmarshal(m["parts"], &parts) != nil || len(parts) == 0 {
		add("parts %s", m["parts"])
	}
	for _, raw := range parts {
		closed(add, "part", raw, "data", "mediaType")
	}
}

// closed opens an object that has the members named, those with a question
// mark optional, and no other.
func closed(add func(string, ...any), what string, raw json.RawMessage, names ...string) map[string]json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		add("%s is no object: %s", what, raw)
		return nil
	}
	for _, name := range names {
		if required, optional := strings.CutSuffix(name, "?"); !optional && o[required] == nil {
			add("%s lacks %s", what, name)
		}
	}
	for name := range o {
		if !slices.Contains(names, name) && !slices.Contains(names, name+"?") {
			add("%s has a member %q", what, name)
		}
	}
	return o
}

func TestFaultyFormsAreFound(t *testing.T) {
	good := `{"jsonrpc":"2.0","id":7,"result":{"message":{"messageId":"s","contextId":"c","role":"ROLE_AGENT","parts":[{"data":{"a_b":1},"mediaType":"application/json"}]}}}`
	list := `{"jsonrpc":"2.0","id":7,"result":{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}}`
	fault := `{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"m","data":[{"@type":"x"}]}}`
	for _, body := range []string{good, list, fault, strings.Replace(fault, `,"data":[{"@type":"x"}]`, "", 1)} {
		if faults := formFaults([]byte(body), "7"); faults != nil {
			t.Errorf("%s: %q", body, faults)
		}
	}
	for _, c := range []struct{ body, old, new string }{
		{good, `"2.0"`, `"1.0"`}, {good, `"jsonrpc":"2.0",`, ``}, {good, `"id":7`, `"id":"7"`}, {good, `"id":7,`, ``},
		{good, `}}}`, `}},"error":null}`}, {good, `"message":{`, `"task":{},"message":{`}, {good, `"messageId":"s",`, ``}, {good, `"contextId":"c",`, ``},
		{good, `"c"`, `""`}, {good, `ROLE_AGENT`, `agent`}, {good, `"ROLE_AGENT"`, `2`}, {good, `"contextId"`, `"context_id"`}, {good, `"role"`, `"taskId":"","role"`},
		{good, `[{"data":{"a_b":1},"mediaType":"application/json"}]`, `[]`}, {good, `"data":`, `"kind":"data","data":`}, {good, `"data":{"a_b":1}`, `"text":"x"`}, {good, `{"a_b":1}`, `{"a":null}`},
		{list, `"pageSize":50,`, ``}, {list, `[]`, `[{}]`}, {list, `[]`, `null`}, {list, `"nextPageToken"`, `"next_page_token"`},
		{fault, `-32001`, `-32100`}, {fault, `-32001`, `404`}, {fault, `-32001`, `"-32001"`}, {fault, `"m"`, `""`}, {fault, `"message":"m",`, ``},
		{fault, `[{"@type":"x"}]`, `{"@type":"x"}`}, {fault, `[{"@type":"x"}]`, `[]`}, {fault, `"@type"`, `"type"`}, {fault, `"data"`, `"reason":"","data"`},
		{fault, `"error":{`, `"result":{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0},"error":{`},
	} {
		bent := strings.Replace(c.body, c.old, c.new, 1)
		if bent == c.body {
			t.Errorf("%s is not in %s", c.old, c.body)
		}
		if formFaults([]byte(bent), "7") == nil {
			t.Errorf("nothing wrong was found with %s", bent)
		}
	}
}
