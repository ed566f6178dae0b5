package mcptools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// share is what one dealer had to say to a search over all.
type share struct {
	member  *member
	version aap.Version
	// vehicles are in the dealer's order, at most as many as were asked for.
	vehicles []json.RawMessage
	total    int
	err      error
}

// askAll asks every dealer at once. It returns when all have answered or ctx
// ends, whatever a dealer does, with what came until then.
func (w *network) askAll(ctx context.Context, q *query) []share {
	shares := make([]share, len(w.members))
	type arrival struct {
		at int
		share
		whole bool
	}
	arrived := make(chan arrival, len(w.members)*(pages+1))
	for i, m := range w.members {
		shares[i] = share{member: m, err: context.DeadlineExceeded}
		go func() {
			whole := m.share(ctx, q, func(s share) { arrived <- arrival{i, s, false} })
			arrived <- arrival{i, whole, true}
		}()
	}
	for left := len(w.members); left > 0; {
		select {
		case a := <-arrived:
			shares[a.at] = a.share
			if a.whole {
				left--
			}
		case <-ctx.Done():
			for len(arrived) > 0 {
				a := <-arrived
				shares[a.at] = a.share
			}
			return shares
		}
	}
	return shares
}

// share asks one dealer, page by page, for as much as can be on the merged
// page. After each page but the last it tells what has come so far.
func (m *member) share(ctx context.Context, q *query, soFar func(share)) (s share) {
	s.member = m
	defer func() {
		if v := recover(); v != nil {
			s.err = recovered(v)
		}
	}()
	o, err := m.find(ctx)
	if err != nil {
		s.err = err
		return s
	}
	s.version = o.version
	if s.err = o.searchable(); s.err != nil {
		return s
	}
	for range pages {
		got, total, err := o.searchPage(ctx, q, len(s.vehicles), q.depth()-len(s.vehicles))
		if err != nil {
			if len(s.vehicles) == 0 {
				s.err = err
			}
			return s // the pages that came count, and that they are not all is told
		}
		s.vehicles, s.total = append(s.vehicles, got...), max(total, len(s.vehicles)+len(got))
		if len(got) == 0 || len(s.vehicles) >= min(s.total, q.depth()) {
			return s
		}
		soFar(s)
	}
	return s
}

// searchable says why a dealer cannot be part of a search over all: it has no
// search, or one whose requests and vehicles have another shape (AAP v0.1).
func (o *offer) searchable() error {
	switch {
	case !o.offers(aap.InventorySearch):
		return &Failure{Reason: "not_offered", Message: "This dealer offers no search."}
	case o.version.Contract == aap.ContractManifest:
		return &Failure{Reason: "other_contract", Message: fmt.Sprintf(
			"This dealer speaks AAP %s, whose search has another shape. Call %s.", o.version.Label, o.prefix+aap.InventorySearch.ToolName())}
	}
	return nil
}

// mostTotal is the largest lot that is believed.
const mostTotal = 10_000_000

// heaviest is the longest description of one vehicle that is merged, in bytes.
const heaviest = 64 << 10

// searchPage asks for one page. What is no vehicle, or too long, is left out.
func (o *offer) searchPage(ctx context.Context, q *query, skip, limit int) (vehicles []json.RawMessage, total int, err error) {
	request, err := q.page(skip, limit)
	if err != nil {
		return nil, 0, err
	}
	answer, err := o.agent.Call(ctx, o.version, request)
	if err != nil {
		return nil, 0, err
	}
	var result struct {
		Data struct {
			Total    int               `json:"total"`
			Vehicles []json.RawMessage `json:"vehicles"`
		} `json:"data"`
	}
	if err := json.Unmarshal(bytes.ToValidUTF8(answer.Payload, []byte("\uFFFD")), &result); err != nil {
		return nil, 0, &Failure{Reason: "faulty", Message: "The dealer's answer is no search result. Go on without this dealer.", Cause: errors.New("no search result")}
	}
	for _, v := range result.Data.Vehicles[:min(limit, len(result.Data.Vehicles))] {
		if len(v) == 0 || v[0] != '{' || len(v) > heaviest {
			continue
		}
		if line, ok := tame(v); ok {
			vehicles = append(vehicles, line)
		}
	}
	return vehicles, min(max(0, result.Data.Total), mostTotal), nil
}
