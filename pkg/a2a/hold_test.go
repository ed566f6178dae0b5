package a2a_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

// allVersions is the profile line that serves every contract.
func allVersions() string {
	var labels []string
	for _, v := range aap.Versions() {
		labels = append(labels, v.Label)
	}
	return "versions: [" + strings.Join(labels, ", ") + "]\n"
}

// wire is an answer of any binding and form.
type wire struct {
	Message json.RawMessage `json:"message"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int               `json:"code"`
		Message string            `json:"message"`
		Data    json.RawMessage   `json:"data"`
		Details []json.RawMessage `json:"details"`
	} `json:"error"`
}

// holdAnswer checks the payload or error of an answer against the schemas of
// its contract, and returns the code of an AAP error.
func holdAnswer(t *testing.T, set *schema.Set, body []byte) (code string) {
	t.Helper()
	var a wire
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if a.Error != nil {
		data := a.Error.Details
		if len(a.Error.Data) > 0 && json.Unmarshal(a.Error.Data, &data) != nil {
			data = []json.RawMessage{a.Error.Data}
		}
		for _, entry := range data {
			var members map[string]json.RawMessage
			if err := json.Unmarshal(entry, &members); err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			if string(members["type"]) == `"aap.error"` {
				delete(members, "@type") // added by the transport
				bare, _ := json.Marshal(members)
				schematest.Fits(t, set, "error.schema.json", bare)
				_ = json.Unmarshal(members["code"], &code)
			}
		}
		return code
	}
	message := a.Message
	if a.Result != nil {
		var in wire
		if err := json.Unmarshal(a.Result, &in); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if message = in.Message; message == nil {
			message = a.Result
		}
	}
	var m struct {
		Parts []struct {
			Data      json.RawMessage `json:"data"`
			MediaType string          `json:"mediaType"`
		} `json:"parts"`
	}
	if err := json.Unmarshal(message, &m); err != nil || len(m.Parts) != 1 {
		t.Fatalf("no message of one part (%v): %s", err, body)
	}
	skill, ok := aap.SkillByRequestType(strings.Replace(typeOf(t, string(m.Parts[0].Data)), ".response", ".request", 1))
	if !ok || m.Parts[0].MediaType != skill.ResponseMediaType() {
		t.Fatalf("media type %s of %s", m.Parts[0].MediaType, m.Parts[0].Data)
	}
	schematest.Fits(t, set, skill.ResponseSchema(), m.Parts[0].Data)
	return ""
}

// door is one way to send a payload: where to, and in which form.
type door struct {
	name, path string
	wrap       func(payload string) string
}

func doors(v aap.Version) []door {
	all := []door{
		{"JSON-RPC", v.Path(), message},
		{"JSON-RPC at the named URL", v.VersionPath() + "/", message},
	}
	if v.REST {
		all = append(all, door{"HTTP+JSON", v.Path() + "/message:send", restMessage})
	}
	if v.OldMethod {
		all = append(all, door{"message/send", v.Path(), oldMessage})
	}
	return all
}

func restMessage(payload string) string {
	return `{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"data":` + payload + `}]}}`
}

func oldMessage(payload string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"kind":"message","messageId":"m-1","role":"user","parts":[{"kind":"data","data":` + payload + `}]}}}`
}

// send posts a body to a path.
func send(h http.Handler, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
