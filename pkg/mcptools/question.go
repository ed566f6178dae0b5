package mcptools

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// question asks a dealer's agent for what is no tool call: a resource or a
// completion. The caller's quota was taken when the message came in. The answer
// is on one line, and an error is fit for the wire.
func (s *service) question(ctx context.Context, o offer, skill aap.Skill, members map[string]any) (_ json.RawMessage, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			err = recovered(v)
		}
		if err != nil {
			err = s.wireError(ctx, o, err)
		}
	}()
	request := map[string]any{"type": skill.RequestType()}
	maps.Copy(request, members)
	payload, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	answer, err := o.agent.Call(ctx, o.version, payload)
	if err != nil || !o.elsewhere() {
		return answer.Payload, err
	}
	tamed, ok := tame(answer.Payload)
	if !ok {
		return nil, brokenAnswer()
	}
	return tamed, nil
}

// wireError is what a model would be told, as an error of JSON-RPC with the
// same object as its data. What does not exist, or not any more, is a wrong
// parameter (MCP 2026-07-28 resources): in every revision, since the older code
// for it is AAP's for a caller who asks too often.
func (s *service) wireError(ctx context.Context, o offer, err error) error {
	l := line{began: time.Now()}
	data, _ := s.told(ctx, o, &l, err).StructuredContent.(json.RawMessage)
	code := int64(jsonrpc.CodeInternalError)
	switch l.code {
	case aap.VehicleNotFound, aap.VehicleUnavailable, aap.SchemaValidationFailed, aap.MissingRequiredField:
		code = jsonrpc.CodeInvalidParams
	}
	var said struct{ Message string }
	_ = json.Unmarshal(data, &said) // without a message there is the code
	return &jsonrpc.Error{Code: code, Message: plain(said.Message, longestSaid), Data: data}
}

// longestSaid is the most of a dealer's message that stands in an error, in characters.
const longestSaid = 1000
