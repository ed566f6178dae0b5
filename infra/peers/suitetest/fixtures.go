// Package suitetest adds to an MCP server the tools, resources and prompts that
// the official conformance suite calls by name, so that the suite reaches what
// the dealer's own skills never use of the layers before them.
//
//lint:file-ignore SA1019 the suite covers sampling, roots and logging as well
package suitetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Add adds all of the suite's fixtures. None of them keeps anything between
// requests, or starts a request of its own.
func Add(server *mcp.Server) {
	plainTools(server)
	askingTools(server)
	resources(server)
	prompts(server)
	server.AddReceivingMiddleware(beyondTheDealer)
}

// beyondTheDealer answers the methods that need an option of the server: one
// without completion or subscriptions refuses them. A subscription is taken and
// nothing is ever sent for it.
func beyondTheDealer(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		complete, ok := req.GetParams().(*mcp.CompleteParams)
		if ok && strings.HasPrefix(complete.Ref.Name, "test_") {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{complete.Argument.Value + "is"}, Total: 1}}, nil
		}
		if method == "resources/subscribe" || method == "resources/unsubscribe" {
			return &mcp.CallToolResult{}, nil
		}
		return next(ctx, method, req)
	}
}

func text(format string, arguments ...any) *mcp.TextContent {
	return &mcp.TextContent{Text: fmt.Sprintf(format, arguments...)}
}

// picture is a PNG of one pixel, as short as one can be.
var picture = []byte("\x89PNG\r\n\x1a\n" +
	"\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00\x3a\x7e\x9b\x55" +
	"\x00\x00\x00\x0aIDAT\x78\xda\x63\x60\x00\x00\x00\x02\x00\x01\xe5\x27\xde\xfc" +
	"\x00\x00\x00\x00IEND\xae\x42\x60\x82")

// sound is a WAV of one silent sample.
var sound = []byte("RIFF\x26\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x02\x00\x00\x00\x00\x00")

func resources(server *mcp.Server) {
	serve := func(uri, mime string, contents func(uri string) *mcp.ResourceContents) {
		read := func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			c := contents(req.Params.URI)
			c.URI, c.MIMEType = req.Params.URI, mime
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
		}
		if strings.Contains(uri, "{") {
			server.AddResourceTemplate(&mcp.ResourceTemplate{Name: uri, Description: "A fixture.", MIMEType: mime, URITemplate: uri}, read)
			return
		}
		server.AddResource(&mcp.Resource{Name: uri, Description: "A fixture.", MIMEType: mime, URI: uri}, read)
	}
	words := func(s string) func(string) *mcp.ResourceContents {
		return func(string) *mcp.ResourceContents { return &mcp.ResourceContents{Text: s} }
	}
	serve("test://static-text", "text/plain", words("This is the content of the static text resource."))
	serve("test://watched-resource", "text/plain", words("Nothing changes here."))
	serve("test://static-binary", "image/png", func(string) *mcp.ResourceContents { return &mcp.ResourceContents{Blob: picture} })
	serve("test://template/{id}/data", "application/json", func(uri string) *mcp.ResourceContents {
		id := strings.TrimSuffix(strings.TrimPrefix(uri, "test://template/"), "/data")
		doc, _ := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
		return &mcp.ResourceContents{Text: string(doc)}
	})
}

func prompts(server *mcp.Server) {
	serve := func(name string, arguments []string, content func(map[string]string) []mcp.Content) {
		prompt := &mcp.Prompt{Name: name, Description: "A fixture."}
		for _, a := range arguments {
			prompt.Arguments = append(prompt.Arguments, &mcp.PromptArgument{Name: a, Required: true})
		}
		server.AddPrompt(prompt, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			result := &mcp.GetPromptResult{}
			for _, c := range content(req.Params.Arguments) {
				result.Messages = append(result.Messages, &mcp.PromptMessage{Role: "user", Content: c})
			}
			return result, nil
		})
	}
	serve("test_simple_prompt", nil, func(map[string]string) []mcp.Content {
		return []mcp.Content{text("This is a simple prompt for testing.")}
	})
	serve("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) []mcp.Content {
		return []mcp.Content{text("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])}
	})
	serve("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) []mcp.Content {
		return []mcp.Content{embedded(a["resourceUri"], "Embedded resource content for testing."), text("Please process the embedded resource above.")}
	})
	serve("test_prompt_with_image", nil, func(map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.ImageContent{Data: picture, MIMEType: "image/png"}, text("Please analyze the image above.")}
	})
	question := ask("What context should the prompt use?", "context", "string")
	server.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "A fixture."},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			given, ok := accepted(req.Params.InputResponses, "user_context")
			if !ok {
				return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": question}}, nil
			}
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: text("In the context of %v.", given["context"])}}}, nil
		})
}

func embedded(uri, words string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: words}}
}

// lacking is the refusal of a call that needs a capability the client has not.
func lacking(needed *mcp.ClientCapabilities) error {
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: needed})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "The client does not declare what this tool needs.", Data: data}
}
