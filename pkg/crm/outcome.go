package crm

import "time"

// Outcome is how one attempt to hand a lead over to one target ended. It holds
// no personal data.
type Outcome struct {
	LeadID string
	Target string
	// State is lead.HandedOver, lead.Retrying, lead.Failed or lead.Withheld.
	State string
	// Revoked: it is withheld since the buyer took the consent back.
	Revoked bool
	// Age is the time since the lead was received.
	Age time.Duration
}

func (a *attempt) tell() {
	if a.worker.OnOutcome == nil {
		return
	}
	a.worker.OnOutcome(Outcome{
		LeadID: a.record.ID, Target: a.target.Name, State: a.state.State, Revoked: a.state.LastError == revoked,
		Age: a.worker.now().Sub(a.record.ReceivedAt),
	})
}
