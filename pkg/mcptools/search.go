package mcptools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// networkSearch is the tool that asks all dealers of a network.
const networkSearch = "aap_network_search"

const networkSearchBrief = "Search all dealers at once. Each car says whose it is and what its price includes; a car at several dealers is one entry, but 'total' counts each. " +
	"'dealers' says who did not answer: name them."

// The page of a search over all dealers.
const (
	defaultLimit = 20
	mostLimit    = 100
	// deepest is how many vehicles, counted from the first, can be compared.
	deepest = 500
	// pages is how many a dealer is asked for at most.
	pages = 6
)

// addSearch puts the search over all dealers on the server.
func (w *network) addSearch() error {
	input, err := InputSchema(aap.InventorySearch, aap.Primary())
	if err != nil {
		return err
	}
	no := false
	w.server.AddTool(&mcp.Tool{
		Name: networkSearch, Title: "Search all dealers", Description: networkSearchBrief, InputSchema: input,
		Annotations: &mcp.ToolAnnotations{
			Title: "Search all dealers", ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no,
		},
		Meta: mcp.Meta{
			"aap_request_type":   aap.InventorySearch.RequestType(),
			"aap_request_schema": aap.Primary().SchemaBaseURL() + aap.InventorySearch.RequestSchema(),
		},
	}, w.search)
	return nil
}

// search asks every dealer and merges what came in time.
func (w *network) search(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	l := line{method: "tools/call", skill: "network.search", began: time.Now()}
	defer func() { w.account(ctx, l) }()
	q, err := w.readQuery(req.Params.Arguments)
	if err != nil {
		return w.told(ctx, offer{}, &l, err), nil
	}
	limited, cancel := context.WithTimeout(ctx, w.deadline)
	defer cancel()
	// Whoever failed before the time was up was not slow.
	result, answered := mergeShares(ctx, q, w.askAll(limited, q))
	doc, err := json.Marshal(result)
	if err != nil {
		return w.told(ctx, offer{}, &l, err), nil
	}
	out := resultOf(doc)
	out.IsError = !answered
	return out, nil
}

// query is a search over all dealers.
type query struct {
	request     map[string]json.RawMessage
	sort        aap.Sort
	skip, limit int
	now         time.Time
}

// readQuery checks the request of a search. Without an order the newest come
// first: the dealers' own orders cannot be merged.
func (w *network) readQuery(arguments json.RawMessage) (*query, error) {
	payload, fault := payloadOf(aap.InventorySearch, arguments)
	if fault != nil {
		return nil, fault
	}
	set, err := w.schemas(aap.Primary())
	if err != nil {
		return nil, err
	}
	faults, err := set.Check(aap.InventorySearch.RequestSchema(), payload)
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return nil, aap.Errorf(aap.SchemaValidationFailed, "No dealer was asked: mend the arguments as details.errors says.").With("errors", faults)
	}
	var asked aap.SearchRequest
	q := &query{sort: aap.Sort{Field: "updated_at", Order: "desc"}, limit: defaultLimit, now: w.Now()}
	if err := json.Unmarshal(payload, &asked); err != nil {
		return nil, fmt.Errorf("decode a payload that fits its schema: %w", err)
	}
	if err := json.Unmarshal(payload, &q.request); err != nil {
		return nil, fmt.Errorf("decode a payload that fits its schema: %w", err)
	}
	if asked.Sort != nil {
		q.sort = *asked.Sort
	}
	if p := asked.Pagination; p != nil {
		if p.Skip != nil {
			q.skip = int(min(int64(*p.Skip), deepest))
		}
		if p.Limit != nil {
			q.limit = int(min(int64(*p.Limit), mostLimit))
		}
	}
	q.limit = min(q.limit, deepest-q.skip)
	return q, nil
}

// page is the request that a dealer is sent: the caller's, but for its part of
// the result.
func (q *query) page(skip, limit int) ([]byte, error) {
	request := make(map[string]any, len(q.request)+2)
	for name, value := range q.request {
		request[name] = value
	}
	request["sort"] = q.sort
	request["pagination"] = map[string]int{"skip": skip, "limit": limit}
	return json.Marshal(request)
}

// depth is how many vehicles of each dealer can be on the page.
func (q *query) depth() int { return q.skip + q.limit }

// priceMeaning says what a contract's price includes.
func priceMeaning(v aap.Version) string {
	if v.PriceIsOutTheDoor {
		return "out_the_door"
	}
	return "advertised_before_tax_title_registration"
}
