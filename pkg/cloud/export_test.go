package cloud

import "time"

// SetClock changes the clock that dates snapshots.
func (s *Inventory) SetClock(now func() time.Time) { s.now = now }
