package mcptools_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// listedTool is a tool as a host reads it.
type listedTool struct {
	Name, Title, Description string
	InputSchema              map[string]any
	OutputSchema             json.RawMessage
	Annotations              map[string]any
}

// modelAPI is what one API for large models documents of the tools it takes.
type modelAPI struct {
	toolName, memberName *regexp.Regexp
	mostTools            int
	description          int      // characters
	formats              []string // of strings; nil: any
	refused              []string // keywords, anywhere
	known                []string // nil: any keyword
	refusedAtTheRoot     []string
	most                 census
}

var combinators = []string{"oneOf", "anyOf", "allOf", "not", "if", "then", "else", "enum"}

var references = []string{"$ref", "$defs", "definitions", "$id", "$anchor", "$dynamicRef", "$schema"}

// modelAPIs have the published limits; no limit is looser than any API's own.
var modelAPIs = map[string]modelAPI{
	// Messages API: a tool whose schema has a combinator at its root is refused
	// with the whole conversation.
	"Anthropic": {
		toolName: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), memberName: regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`),
		refused: references, refusedAtTheRoot: combinators,
	},
	// Function calling and structured outputs.
	"OpenAI": {
		toolName: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), mostTools: 128, description: 1024,
		formats:          []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
		refusedAtTheRoot: combinators,
		most:             census{members: 5000, enums: 1000, levels: 10, characters: 120_000},
	},
	// The Schema object of function declarations, a part of OpenAPI 3.0, and
	// what hosts leave out when they write one.
	"Gemini": {
		toolName: regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`), mostTools: 128,
		formats: []string{"date-time", "enum"},
		known: []string{"type", "format", "title", "description", "nullable", "enum", "minItems", "maxItems", "properties", "required",
			"minProperties", "maxProperties", "minLength", "maxLength", "pattern", "anyOf", "propertyOrdering", "default", "items",
			"minimum", "maximum", "additionalProperties"},
	},
	// The directories of ChatGPT and Claude, which show tools to people.
	"directories": {toolName: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), description: 200},
}

// TestToolListKeepsTheDocumentedLimitsOfModelAPIs reads the list as a host does.
func TestToolListKeepsTheDocumentedLimitsOfModelAPIs(t *testing.T) {
	_, _, answer := open(t, "", nil).post(t, list)
	var listed struct{ Result struct{ Tools []listedTool } }
	if err := json.Unmarshal([]byte(answer), &listed); err != nil || len(listed.Result.Tools) != len(aap.Skills()) {
		t.Fatalf("%v: %s", err, answer)
	}
	for name, api := range modelAPIs {
		t.Run(name, func(t *testing.T) { api.check(t, listed.Result.Tools) })
	}
	for _, tool := range listed.Result.Tools {
		for _, hint := range []string{"title", "readOnlyHint", "destructiveHint", "openWorldHint"} {
			if tool.Annotations[hint] == nil {
				t.Errorf("%s: the directories want %s said", tool.Name, hint)
			}
		}
		if tool.OutputSchema != nil {
			t.Errorf("%s: a client that checks results drops a refusal that the output schema lacks", tool.Name)
		}
	}
}

// TestInputSchemasOfEveryContractKeepTheLimits, since other dealers' agents may
// speak any of them.
func TestInputSchemasOfEveryContractKeepTheLimits(t *testing.T) {
	for _, v := range aap.Versions() {
		total := 0
		var tools []listedTool
		for _, skill := range aap.Skills() {
			raw, err := mcptools.InputSchema(skill, v)
			if err != nil {
				t.Fatal(err)
			}
			total += len(raw)
			tools = append(tools, listedTool{Name: skill.ToolName(), Description: "-", InputSchema: parse(t, raw)})
		}
		for name, api := range modelAPIs {
			t.Run(v.Label+"/"+name, func(t *testing.T) { api.check(t, tools) })
		}
		if total > 24_000 {
			t.Errorf("%s: the five schemas have %d bytes, want at most 24000", v.Label, total)
		}
	}
}

func (api modelAPI) check(t *testing.T, tools []listedTool) {
	if api.mostTools > 0 && len(tools) > api.mostTools {
		t.Errorf("%d tools", len(tools))
	}
	for _, tool := range tools {
		if !api.toolName.MatchString(tool.Name) {
			t.Errorf("a tool is called %q", tool.Name)
		}
		if n := utf8.RuneCountInString(tool.Description); n == 0 || api.description > 0 && n > api.description {
			t.Errorf("%s: a description of %d characters", tool.Name, n)
		}
		members, _ := tool.InputSchema["properties"].(map[string]any)
		if tool.InputSchema["type"] != "object" || members["type"] == nil {
			t.Errorf("%s: the root is %v with %d members", tool.Name, tool.InputSchema["type"], len(members))
		}
		for _, keyword := range api.refusedAtTheRoot {
			if _, there := tool.InputSchema[keyword]; there {
				t.Errorf("%s: %s at the root", tool.Name, keyword)
			}
		}
		var c census
		c.count(t, api, tool.Name, tool.InputSchema, 1)
		if m := api.most; m != (census{}) && (c.members > m.members || c.enums > m.enums || c.levels > m.levels || c.characters > m.characters) {
			t.Errorf("%s: %+v", tool.Name, c)
		}
	}
}

// census counts what a schema has: characters are those of names and values.
type census struct{ members, enums, levels, characters int }

func (c *census) count(t *testing.T, api modelAPI, at string, schema map[string]any, level int) {
	c.levels = max(c.levels, level)
	for _, keyword := range api.refused {
		if _, there := schema[keyword]; there {
			t.Errorf("%s: %s", at, keyword)
		}
	}
	for keyword := range schema {
		if api.known != nil && !slices.Contains(api.known, keyword) {
			t.Errorf("%s: keyword %s", at, keyword)
		}
	}
	typ, _ := schema["type"].(string)
	if !slices.Contains([]string{"object", "array", "string", "integer", "number", "boolean"}, typ) {
		t.Errorf("%s: type %v", at, schema["type"])
	}
	if format, there := schema["format"].(string); there && api.formats != nil && !slices.Contains(api.formats, format) {
		t.Errorf("%s: format %s", at, format)
	}
	if closed, there := schema["additionalProperties"]; there && closed != false {
		t.Errorf("%s: additionalProperties %v", at, closed)
	}
	enum, _ := schema["enum"].([]any)
	c.enums += len(enum)
	for _, value := range enum {
		if _, text := value.(string); !text || typ != "string" {
			t.Errorf("%s: of type %s with the value %v", at, typ, value)
		}
		c.characters += len(fmt.Sprint(value))
	}
	members, _ := schema["properties"].(map[string]any)
	c.members += len(members)
	for name, member := range members {
		if api.memberName != nil && !api.memberName.MatchString(name) {
			t.Errorf("%s: a member is called %q", at, name)
		}
		c.characters += len(name)
		c.count(t, api, at+"/"+name, member.(map[string]any), level+1)
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if members[name.(string)] == nil {
			t.Errorf("%s: %v is required and not described", at, name)
		}
	}
	if items, there := schema["items"].(map[string]any); there {
		c.count(t, api, at+"/*", items, level+1)
	} else if typ == "array" {
		t.Errorf("%s: a list of anything", at)
	}
}
