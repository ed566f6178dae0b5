package mcptools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// mostCompletions is the most values that one answer may hold (MCP 2026-07-28
// completion).
const mostCompletions = 100

// facetOf is the facet that has the terms for a prompt's argument.
func facetOf(argument string) string {
	return map[string]string{"make": "makes", "model": "models", "rooftop": "rooftops"}[argument]
}

// filterOf is the search filter that an argument's value goes into; empty where
// the contract has none.
func filterOf(argument string, v aap.Version) string {
	if argument == "rooftop" && v.Contract == aap.ContractManifest {
		return ""
	}
	return map[string]string{"make": "make", "model": "model", "rooftop": "rooftops"}[argument]
}

// completed are the prompts whose arguments are completed: those about the
// dealer's own stock. A trade-in may be of any make.
func completed(prompt string) bool { return prompt == "find_car" || prompt == "book_test_drive" }

// complete suggests terms that are in stock, most frequent first, narrowed by
// what was chosen before. What has no terms, such as an identifier or a prompt
// that is not known, completes to nothing.
func (s *service) complete(ctx context.Context, o offer, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	result := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	argument, ref := req.Params.Argument, req.Params.Ref
	facet := facetOf(argument.Name)
	if facet == "" || ref.Type != "ref/prompt" || !completed(ref.Name) || !o.offers(aap.InventoryFacets) {
		return result, nil
	}
	var chosen map[string]string
	if req.Params.Context != nil {
		chosen = req.Params.Context.Arguments
	}
	filters := map[string]any{}
	for name, value := range chosen {
		if filter, value := filterOf(name, o.version), strings.TrimSpace(value); filter != "" && value != "" && name != argument.Name {
			filters[filter] = []string{value}
		}
	}
	members := map[string]any{}
	if len(filters) > 0 {
		members["filters"] = filters
	}
	payload, err := s.question(ctx, o, aap.InventoryFacets, members)
	if err != nil {
		return nil, err
	}
	values := matching(terms(payload, facet), argument.Value)
	result.Completion.Total = len(values)
	if len(values) > mostCompletions {
		values, result.Completion.HasMore = values[:mostCompletions], true
	}
	result.Completion.Values = append(result.Completion.Values, values...)
	return result, nil
}

// complete does so for a dealer elsewhere, once it was found.
func (m *member) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	o, err := m.find(ctx)
	if err != nil {
		return nil, m.network.wireError(ctx, offer{address: m.Address}, err)
	}
	return m.network.complete(ctx, *o, req)
}

// terms are those of a facet that stand for any vehicle and are one short line.
func terms(payload []byte, facet string) (all []string) {
	var answer struct {
		Data map[string]json.RawMessage
	}
	var counted []struct {
		Value string
		Count int
	}
	if json.Unmarshal(payload, &answer) != nil || json.Unmarshal(answer.Data[facet], &counted) != nil {
		return nil
	}
	for _, term := range counted {
		// People are shown them, and a dealer elsewhere may write anything.
		if term.Count > 0 && term.Value == plain(term.Value, longLine) {
			all = append(all, term.Value)
		}
	}
	return all
}

// matching are the terms that begin with the text, then those that hold it,
// each in the order they came; case does not matter.
func matching(terms []string, text string) []string {
	text = strings.ToLower(strings.TrimSpace(text))
	begins := func(term string) bool { return strings.HasPrefix(strings.ToLower(term), text) }
	found := slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return !strings.Contains(strings.ToLower(term), text) })
	slices.SortStableFunc(found, func(a, b string) int {
		switch {
		case begins(a) == begins(b):
			return 0
		case begins(a):
			return -1
		}
		return 1
	})
	return found
}
