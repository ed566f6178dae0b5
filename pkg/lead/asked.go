package lead

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

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
	same := key.Asked == digest(ungranted(asked))
	if _, granted := asked["consent"]; !granted {
		if same, err = repeats(first, asked, value); err != nil {
			return aap.Reply{}, false, err
		}
	}
	if !same {
		return aap.Reply{}, false, nil
	}
	return key.told(first).reply(), true, nil
}

// repeats reports whether a payload that has no consent yet is the one of the
// lead. The payload of a duplicate, whose key is bound to another lead, is not
// kept: its buyer is asked again.
func repeats(first Record, asked map[string]any, key string) (bool, error) {
	stored, err := objectOf(first.Request)
	if err != nil || stored["idempotency_key"] != key {
		return false, err
	}
	delete(stored, "consent")
	return digest(asked) == digest(stored), nil
}

// ungranted is a payload without the time of its grant.
func ungranted(payload any) any {
	doc, _ := payload.(map[string]any)
	grant, ok := doc["consent"].(map[string]any)
	if !ok {
		return payload
	}
	doc, grant = maps.Clone(doc), maps.Clone(grant)
	delete(grant, "granted_at")
	doc["consent"] = grant
	return doc
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
