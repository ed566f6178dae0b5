package stored

import (
	"time"

	"github.com/dealer-agent/dealer/pkg/inventory"
)

// NextHead is the head after change on base. A change that touches vehicles,
// and the first one of all, gets the snapshot; any other keeps base's
// snapshot and counts.
func NextHead(base inventory.Head, change inventory.Change, snapshot int64, now time.Time) inventory.Head {
	next := inventory.Head{
		Revision: base.Revision + 1, Snapshot: base.Snapshot, Vouched: change.Vouched,
		ImportedAt: now.UTC(), Listed: base.Listed, Kept: base.Kept, Logged: change.Log.Kept,
	}
	if base.Revision > 0 && change.Empty() {
		return next
	}
	next.Snapshot, next.Listed, next.Kept = snapshot, 0, len(change.All)
	for i := range change.All {
		if change.All[i].State.Listed() {
			next.Listed++
		}
	}
	return next
}

// Rank orders the units that share a folded identifier: exact before folded,
// then listed before unlisted. 0 says that the unit does not have it.
func Rank(v inventory.Vehicle, id inventory.Identifier) int {
	r := 0
	switch l := v.Listing; {
	case id.VIN != "":
		r = match(l.VIN, id.VIN, false)
	case id.Stock != "":
		r = match(l.Stock, id.Stock, true)
	case id.VehicleID != "":
		r = match(l.VehicleID, id.VehicleID, true)
	}
	if r > 0 && v.State.Listed() {
		r++
	}
	return r
}

func match(have, want string, fold bool) int {
	switch {
	case have == want:
		return 3
	case fold && have != "" && inventory.FoldID(have) == inventory.FoldID(want):
		return 1
	}
	return 0
}

// Index is an identifier as a storage key: its kind, then the identifier as
// it is compared. All units that Find must consider share it.
func Index(id inventory.Identifier) string {
	switch {
	case id.VIN != "":
		return "vin:" + id.VIN
	case id.Stock != "":
		return "stock:" + inventory.FoldID(id.Stock)
	case id.VehicleID != "":
		return "id:" + inventory.FoldID(id.VehicleID)
	}
	return ""
}

// Indexes lists the storage keys of all identifiers a unit has.
func Indexes(v inventory.Vehicle) (keys []string) {
	for _, id := range []inventory.Identifier{
		{VIN: v.Listing.VIN}, {Stock: v.Listing.Stock}, {VehicleID: v.Listing.VehicleID},
	} {
		if key := Index(id); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
