package mcptools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/rawjson"
)

// payloadOf is the AAP payload that a tool's arguments are: with "type" filled
// in when there is none. Another skill's type is refused, since hosts ask their
// users about the tool that is named, not about the payload.
func payloadOf(s aap.Skill, arguments json.RawMessage) ([]byte, *aap.Error) {
	arguments = bytes.TrimSpace(arguments)
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = []byte("{}")
	}
	if arguments[0] != '{' {
		return nil, wrongArguments("", "type", "Send a JSON object.")
	}
	typed := false
	for name, value := range rawjson.Members(arguments) {
		if string(name) != "type" {
			continue
		}
		typed = true
		var word string
		if json.Unmarshal(value, &word) != nil || word != s.RequestType() {
			return nil, wrongArguments("/type", "const", fmt.Sprintf("Send %q, or leave it out.", s.RequestType()))
		}
	}
	if typed {
		return arguments, nil
	}
	return withMember(arguments, "type", []byte(`"`+s.RequestType()+`"`)), nil
}

func wrongArguments(at, keyword, message string) *aap.Error {
	return aap.Errorf(aap.SchemaValidationFailed, "The arguments of this tool are the AAP request payload. %s", message).
		With("errors", []aap.Violation{{InstanceLocation: at, Keyword: keyword, Error: message}})
}

// resultOf is a payload as a tool result: for programs and, for hosts that show
// a model nothing else, as text.
func resultOf(payload []byte) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		StructuredContent: json.RawMessage(payload),
		Content:           []mcp.Content{&mcp.TextContent{Text: string(payload)}},
	}
}

// refusal is an error as a tool result.
func refusal(payload aap.ErrorPayload) *mcp.CallToolResult {
	doc, err := json.Marshal(payload)
	if err != nil { // details that are no JSON
		payload.Details = nil
		doc, _ = json.Marshal(payload)
	}
	result := resultOf(doc)
	result.IsError = true
	return result
}

// recovered turns a panic into an error that is safe to log: the text of a
// panic may hold what the buyer sent, unless the runtime wrote it.
func recovered(v any) error {
	buf := make([]byte, 4<<10)
	stack := buf[:runtime.Stack(buf, false)]
	if e, ok := v.(runtime.Error); ok {
		return fmt.Errorf("panic: %w\n%s", e, stack)
	}
	return fmt.Errorf("panic of type %T\n%s", v, stack)
}
