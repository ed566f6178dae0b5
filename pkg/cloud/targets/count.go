package targets

import (
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// Count counts the worker's outcomes, and how long leads wait that no target
// has yet.
func Count(w *crm.Worker, m *cloud.Metrics) {
	w.OnOutcome = func(o crm.Outcome) {
		state := o.State
		if o.Revoked {
			state = cloud.LeadRevoked
		}
		m.Leads(state, 1)
		if o.State == lead.Retrying {
			m.LeadWaits(o.Age)
		}
	}
}
