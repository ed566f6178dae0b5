package a2a

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/rawjson"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// parse reads the JSON-RPC envelope (JSON-RPC 2.0 §4). The id is kept as raw
// JSON, so that its type and every digit come back as they came.
func (x *exchange) parse(body []byte) *fault {
	if len(body) == 0 {
		return &fault{code: codeParse, message: "The request has no body: send a JSON-RPC 2.0 request object."}
	}
	// JSON is UTF-8; json.Valid alone would let broken text into echoed ids.
	if !utf8.Valid(body) || !json.Valid(body) {
		return &fault{code: codeParse, message: "The request body is not valid JSON, or nests beyond all measure."}
	}
	var members object
	switch body = bytes.TrimSpace(body); body[0] {
	case '[':
		return invalid("Batches are not served: send one JSON-RPC request object at a time.")
	case '{':
		members = open(body)
	default:
		return invalid("The request is not a JSON-RPC 2.0 request object.")
	}
	faults := schema.Scan(body, maxDepth)
	if id := members["id"]; isString(id) || isNumber(id) {
		x.id = id
	}
	var outside []aap.Violation
	for _, v := range faults {
		if v.InstanceLocation == "" {
			continue // "and more": the ones before it suffice to refuse
		}
		at, inside := strings.CutPrefix(v.InstanceLocation, "/params")
		if inside && (at == "" || at[0] == '/') {
			v.InstanceLocation = at
			x.envelopeFaults = append(x.envelopeFaults, v)
			continue
		}
		outside = append(outside, v)
		if v.InstanceLocation == "/id" {
			x.id = nil
		}
	}
	switch {
	case x.id == nil:
		return invalid(`The request needs an "id" that is a string or a number; requests without an answer (notifications) are not served.`)
	case len(outside) > 0:
		f := invalid("The request object itself is faulty; details.errors lists where, as JSON Pointers into the whole request.")
		f.aap = aap.Errorf(aap.SchemaValidationFailed, "%s", f.message).With("errors", outside)
		return f
	}
	if version, _ := text(members["jsonrpc"]); version != "2.0" {
		return invalid(`The member "jsonrpc" must be the string "2.0".`)
	}
	method, ok := text(members["method"])
	if !ok {
		return invalid(`The member "method" must be a string, such as "SendMessage".`)
	}
	x.method = method
	if x.params = members["params"]; isNull(x.params) {
		x.params = nil
	}
	return nil
}

func invalid(message string) *fault { return &fault{code: codeInvalidRequest, message: message} }

// object holds those members of a JSON object of the A2A envelope that mean
// something here. Others are ignored (A2A 1.0 §5.7) and not even kept, however
// many there are.
type object map[string]json.RawMessage

// open reads an object that is known to be valid JSON; nil when it is none.
func open(raw json.RawMessage) object {
	if !isObject(raw) {
		return nil
	}
	o := object{}
	for name, value := range rawjson.Members(raw) {
		if known[string(name)] {
			o[string(name)] = value
		}
	}
	return o
}

// known are the members that mean something, at whatever level.
var known = map[string]bool{
	"jsonrpc": true, "id": true, "method": true, "params": true,
	"message": true, "configuration": true, "kind": true,
	"messageId": true, "message_id": true, "contextId": true, "context_id": true, "taskId": true, "task_id": true,
	"role": true, "parts": true, "data": true, "text": true, "raw": true, "url": true,
	"acceptedOutputModes": true, "accepted_output_modes": true,
	"pageSize": true, "page_size": true, "pageToken": true, "page_token": true, "status": true,
	"historyLength": true, "history_length": true, "statusTimestampAfter": true, "status_timestamp_after": true,
}

// get reads a member under its ProtoJSON name or its proto name (messageId or
// message_id); null means absent. twice is true when both are given.
func (o object) get(camel, snake string) (raw json.RawMessage, twice bool) {
	a, b := o[camel], o[snake]
	if isNull(a) {
		a = nil
	}
	if isNull(b) {
		b = nil
	}
	if a == nil {
		return b, false
	}
	return a, b != nil && camel != snake
}

func isNull(raw json.RawMessage) bool   { return len(raw) == 4 && raw[0] == 'n' }
func isString(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }
func isArray(raw json.RawMessage) bool  { return len(raw) > 0 && raw[0] == '[' }
func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
func isNumber(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// text reads a JSON string; false when raw is none.
func text(raw json.RawMessage) (string, bool) {
	var s string
	if !isString(raw) || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}
