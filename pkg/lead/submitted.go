package lead

import (
	"context"
	"encoding/json"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Submitted is one lead that was answered.
type Submitted struct {
	LeadID string
	// Status is what the answer says: aap.LeadReceived or aap.LeadDuplicate.
	Status string
	// Repeated: the idempotency key was known, and nothing new was taken.
	Repeated bool
}

// submitted tells of the answer on its way out.
func (d *Desk) submitted(ctx context.Context, reply aap.Reply, repeated bool, err error) (aap.Reply, error) {
	if err != nil || d.OnSubmit == nil {
		return reply, err
	}
	var result aap.LeadResult
	if data, ok := reply.Data.(json.RawMessage); ok && json.Unmarshal(data, &result) == nil {
		d.OnSubmit(ctx, Submitted{LeadID: result.LeadID, Status: result.Status, Repeated: repeated})
	}
	return reply, nil
}
