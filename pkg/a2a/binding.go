package a2a

import (
	"encoding/json"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// sendMessage is the operation that all of AAP travels in.
const sendMessage = "SendMessage"

// The names of bindings on cards and manifests.
const (
	bindingRPC  = "JSONRPC"
	bindingREST = "HTTP+JSON"
)

// binding is how requests and answers are written on the wire (A2A 1.0 §5).
type binding interface {
	// read takes a request body apart.
	read(x *exchange, body []byte) *fault
	// status is the HTTP status of a fault that is none of HTTP itself.
	status(x *exchange, f *fault) int
	// errorForm is how an AAP error is written.
	errorForm(x *exchange) errorForm
	// write is the body of an answer, in pieces.
	write(x *exchange, a answer) [][]byte

	// post tells callers of another HTTP method what to do; faulty says that a
	// request is, and root what pointers into it begin at.
	post() string
	faulty() string
	root() string
}

// jsonRPC is JSON-RPC 2.0 (A2A 1.0 §9).
type jsonRPC struct{}

func (jsonRPC) post() string   { return "Send JSON-RPC 2.0 requests with POST." }
func (jsonRPC) faulty() string { return "The params of this A2A request are faulty" }
func (jsonRPC) root() string   { return "params" }

func (jsonRPC) read(x *exchange, body []byte) *fault { return x.parse(body) }

// status is 200, errors included; calls over quota are told by HTTP too.
func (jsonRPC) status(x *exchange, f *fault) int {
	if f.aap != nil && f.aap.Code == aap.RateLimited {
		return x.rateLimitStatus()
	}
	return http.StatusOK
}

func (jsonRPC) errorForm(x *exchange) errorForm {
	if x.version.Data == aap.DataAsked && x.service.bareData() {
		return errorBare
	}
	return errorTyped
}

func (jsonRPC) write(x *exchange, a answer) [][]byte {
	id := x.id
	if id == nil {
		id = json.RawMessage("null")
	}
	head := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	if a.fault == nil {
		head = append(head, `,"result":`...)
		return append(append([][]byte{head}, a.result...), []byte("}\n"))
	}
	return [][]byte{a.appendError(append(head, `,"error":`...), a.fault.code, "data")}
}

// appendError writes the error object that ends an answer.
func (a answer) appendError(head []byte, code int, dataName string) []byte {
	head = append(head, `{"code":`...)
	head = strconv.AppendInt(head, int64(code), 10)
	head = append(head, `,"message":`...)
	head, _ = aap.AppendValue(head, a.fault.message)
	if a.data != nil {
		head = append(head, `,"`+dataName+`":`...)
		head = append(head, a.data...)
	}
	return append(head, "}}\n"...)
}

// httpJSON is HTTP+JSON (A2A 1.0 §11, AAP v1.0 HTTP+JSON binding). Its URL
// names the operation, its body is what JSON-RPC calls params, and its errors
// have an HTTP status.
type httpJSON struct{}

// restDepth is how deep a body may nest: a payload inside four levels of envelope.
const restDepth = schema.MaxDepth + 4

func (httpJSON) post() string   { return "Send a message with POST." }
func (httpJSON) faulty() string { return "The body of this A2A request is faulty" }
func (httpJSON) root() string   { return "the body" }

func (httpJSON) read(x *exchange, body []byte) *fault {
	x.method = sendMessage
	if !utf8.Valid(body) || !json.Valid(body) {
		f := faultOf(aap.Errorf(aap.SchemaValidationFailed, "The request body is not valid JSON, or nests beyond all measure.").
			With("errors", []aap.Violation{{Keyword: "syntax", Error: "Send a JSON object with a message."}}))
		f.status = http.StatusBadRequest
		return f
	}
	for _, v := range schema.Scan(body, restDepth) {
		if v.InstanceLocation != "" { // "and more": the ones before it suffice to refuse
			x.envelopeFaults = append(x.envelopeFaults, v)
		}
	}
	x.params = body
	return nil
}

// status is the AAP code's own, or that of the A2A error.
func (httpJSON) status(_ *exchange, f *fault) int {
	switch {
	case f.aap != nil:
		return f.aap.Code.HTTP()
	case f.rest != 0:
		return f.rest
	}
	return http.StatusBadRequest
}

func (httpJSON) errorForm(*exchange) errorForm { return errorPair }

func (httpJSON) write(_ *exchange, a answer) [][]byte {
	if a.fault == nil {
		return append(append([][]byte{}, a.result...), []byte("\n"))
	}
	return [][]byte{a.appendError([]byte(`{"error":`), a.status, "details")}
}
