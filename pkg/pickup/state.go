package pickup

import "github.com/dealer-agent/dealer/pkg/pickup/ledger"

// State is what is known of one source, Store keeps it.
type (
	State = ledger.State
	Store = ledger.Store
)

// ErrBusy: another visitor has the source, or has taken it over.
var ErrBusy = ledger.ErrBusy

// What came of a visit, in State.Result.
const (
	Imported  = ledger.Imported
	Unchanged = ledger.Unchanged
	Refused   = ledger.Refused
	Waiting   = ledger.Waiting
	Failed    = ledger.Failed
	Busy      = ledger.Busy
)
