package lead

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// ReplayAsked is Replay for a lead whose consent this agent asks of the buyer
// itself, so that the grant of a repeat bears another time: granted_at does not
// count, and of a payload that has no consent yet, none of the consent does. A
// grant that differs in anything else is no repeat. Like Replay it changes
// nothing.
func (d *Desk) ReplayAsked(ctx context.Context, p *dealer.Profile, payload []byte) (aap.Reply, bool, error) {
	asked, err := objectOf(payload)
	if err != nil {
		return aap.Reply{}, false, nil //nolint:nilerr // not a lead that can have been stored
	}
	value, _ := asked["idempotency_key"].(string)
	if asked["type"] != aap.LeadSubmit.RequestType() || value == "" {
		return aap.Reply{}, false, nil
	}
	key, first, err := d.bound(ctx, p, value)
	if errors.Is(err, ErrNotFound) {
		return aap.Reply{}, false, nil
	}
	if err != nil {
		return aap.Reply{}, false, err
	}
	stored, err := objectOf(first.Request)
	if err != nil {
		return aap.Reply{}, false, err
	}
	// A key of a duplicate is bound to another lead than the one it came with.
	if bound, _ := stored["idempotency_key"].(string); bound != value {
		return aap.Reply{}, false, nil
	}
	if _, granted := asked["consent"]; !granted {
		delete(stored, "consent")
	}
	for _, doc := range []map[string]any{asked, stored} {
		if grant, ok := doc["consent"].(map[string]any); ok {
			delete(grant, "granted_at")
		}
	}
	if digest(asked) != digest(stored) {
		return aap.Reply{}, false, nil
	}
	return key.told(first).reply(), true, nil
}

func objectOf(document json.RawMessage) (map[string]any, error) {
	value, err := decode(document)
	if err != nil {
		return nil, err
	}
	doc, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("reading the payload: not an object")
	}
	return doc, nil
}
