package suitetest

//lint:file-ignore SA1019 the suite covers sampling, roots and logging as well

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// round is one question round of a tool: what it asks, and with which state.
type round struct {
	asks  mcp.InputRequestMap
	state string
}

// askingTools are those that answer with questions first (MCP 2026-07-28 multi
// round trips), and the older ones that would ask on a connection of their own.
func askingTools(server *mcp.Server) {
	name := mcp.InputRequestMap{"user_name": ask("What is your name?", "name", "string")}
	sample := mcp.InputRequestMap{"capital_question": sampling("What is the capital of France?")}
	roots := mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}}
	greeting := mcp.InputRequestMap{"greeting": sampling("Generate a greeting")}
	confirm := mcp.InputRequestMap{"confirm": ask("Please confirm", "ok", "boolean")}
	many := mcp.InputRequestMap{}
	for _, m := range []mcp.InputRequestMap{name, greeting, roots} {
		maps.Copy(many, m)
	}
	for tool, rounds := range map[string][]round{
		"elicitation":     {{name, ""}},
		"sampling":        {{sample, ""}},
		"list_roots":      {{roots, ""}},
		"request_state":   {{confirm, "asked"}},
		"tampered_state":  {{confirm, "asked"}},
		"multiple_inputs": {{many, "asked"}},
		"multi_round": {
			{mcp.InputRequestMap{"step1": ask("Step 1: What is your name?", "name", "string")}, "one"},
			{mcp.InputRequestMap{"step2": ask("Step 2: What is your favorite color?", "color", "string")}, "two"},
		},
	} {
		inRounds(server, "test_input_required_result_"+tool, rounds)
	}
	tool(server, "test_input_required_result_capabilities", anything, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		asks, can := mcp.InputRequestMap{}, req.ClientCapabilities()
		if can != nil && can.Elicitation != nil {
			maps.Copy(asks, name)
		}
		if can != nil && can.Sampling != nil {
			maps.Copy(asks, greeting)
		}
		if len(asks) == 0 || len(req.Params.InputResponses) > 0 {
			return &mcp.CallToolResult{Content: []mcp.Content{text("nothing left to ask")}}, nil
		}
		return &mcp.CallToolResult{InputRequests: asks}, nil
	})
	onItsOwn(server)
}

// inRounds adds a tool that asks in rounds; the signed state says which round
// was asked last.
func inRounds(server *mcp.Server, name string, rounds []round) {
	tool(server, name, anything, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		at := 0
		if state := req.Params.RequestState; state != "" {
			for at < len(rounds) && signed(rounds[at].state) != state {
				at++
			}
			if at == len(rounds) {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "The requestState is not one of this server's."}
			}
		}
		if answered(rounds[at].asks, req.Params.InputResponses) {
			if at++; at == len(rounds) {
				given, _ := json.Marshal(req.Params.InputResponses)
				return &mcp.CallToolResult{Content: []mcp.Content{text("state-ok: %s", given)}}, nil
			}
		}
		return &mcp.CallToolResult{InputRequests: rounds[at].asks, RequestState: signed(rounds[at].state)}, nil
	})
}

// answered reports whether each question has an answer; a form counts when it
// was filled in.
func answered(asks mcp.InputRequestMap, given mcp.InputResponseMap) bool {
	for key, question := range asks {
		if _, ok := question.(*mcp.ElicitParams); ok {
			if _, ok := accepted(given, key); !ok {
				return false
			}
		} else if given[key] == nil {
			return false
		}
	}
	return true
}

func accepted(given mcp.InputResponseMap, key string) (map[string]any, bool) {
	form, ok := given[key].(*mcp.ElicitResult)
	if !ok || form == nil || form.Action != "accept" {
		return nil, false
	}
	return form.Content, true
}

// signed is a state that only this server makes; no state stays none.
func signed(state string) string {
	if state == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte("a key that only a fixture may show"))
	mac.Write([]byte(state))
	return state + "." + hex.EncodeToString(mac.Sum(nil))
}

// ask is a form with one field.
func ask(message, field, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"` + field + `":{"type":"` + kind + `"}},"required":["` + field + `"]}`)}
}

func sampling(prompt string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: text("%s", prompt)}}}
}

// onItsOwn adds the tools of the older revisions that send requests to the
// client. Without a session there is nobody to send them to: the library
// answers that the client cannot.
func onItsOwn(server *mcp.Server) {
	tool(server, "test_sampling", anything, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var given struct{ Prompt string }
		if err := json.Unmarshal(req.Params.Arguments, &given); err != nil {
			return failed(err), nil
		}
		got, err := req.Session.CreateMessage(ctx, sampling(given.Prompt))
		if err != nil {
			return failed(err), nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{text("LLM response: %+v", got.Content)}}, nil
	})
	for _, name := range []string{"test_elicitation", "test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums"} {
		tool(server, name, anything, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			got, err := req.Session.Elicit(ctx, ask("What is your name?", "name", "string"))
			if err != nil {
				return failed(err), nil
			}
			return &mcp.CallToolResult{Content: []mcp.Content{text("%s: %v", got.Action, got.Content)}}, nil
		})
	}
}
