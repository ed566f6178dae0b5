package suitetest

//lint:file-ignore SA1019 the suite covers sampling, roots and logging as well

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool adds a tool whose arguments have a schema.
func tool(server *mcp.Server, name, schema string, do func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
	server.AddTool(&mcp.Tool{Name: name, Description: "A fixture.", InputSchema: json.RawMessage(schema)}, do)
}

const anything = `{"type":"object"}`

func plainTools(server *mcp.Server) {
	image := &mcp.ImageContent{Data: picture, MIMEType: "image/png"}
	for name, content := range map[string][]mcp.Content{
		"test_simple_text":            {text("This is a simple text response for testing.")},
		"test_image_content":          {image},
		"test_audio_content":          {&mcp.AudioContent{Data: sound, MIMEType: "audio/wav"}},
		"test_embedded_resource":      {embedded("test://embedded-resource", "This is an embedded resource content.")},
		"test_multiple_content_types": {text("Multiple content types test:"), image, embedded("test://mixed-content-resource", "One more.")},
		"test_streaming_elicitation":  {text("Nothing was asked on the way.")},
		"test_x_mcp_header":           {text("The header and the argument agree.")},
		"json_schema_2020_12_tool":    {text("The schema was only to be read.")},
	} {
		schema := map[string]string{"test_x_mcp_header": mirrored, "json_schema_2020_12_tool": vocabulary}[name]
		if schema == "" {
			schema = anything
		}
		tool(server, name, schema, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		})
	}
	tool(server, "test_error_handling", anything, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return failed(fmt.Errorf("this tool always fails")), nil
	})
	tool(server, "test_tool_with_logging", anything, logs)
	tool(server, "test_logging_tool", anything, logs)
	tool(server, "test_tool_with_progress", anything, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		token := req.Params.GetProgressToken()
		for _, done := range []float64{0, 50, 100} {
			if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
				return failed(err), nil
			}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{text("done")}}, nil
	})
	tool(server, "test_missing_capability", anything, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if can := req.ClientCapabilities(); can == nil || can.Sampling == nil {
			return nil, lacking(&mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}})
		}
		return &mcp.CallToolResult{Content: []mcp.Content{text("the client can sample")}}, nil
	})
}

func logs(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line}); err != nil {
			return failed(err), nil
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{text("said what there was to say")}}, nil
}

func failed(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{text("%v", err)}}
}

// mirrored has a member that clients repeat in a header.
const mirrored = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`

// vocabulary has each keyword of JSON Schema 2020-12 that must arrive.
const vocabulary = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`
