// Package inventory is the dealer's lot: which vehicles there are, which of
// them are for sale, and how buyers' agents search them. Matching, search,
// facets and the plan of an import are pure; storage stands behind Store.
//
// Search runs in memory: an Index holds one generation as numeric columns,
// postings of documents for every folded term, sorted orders, and each
// listing's JSON ready to copy; a Lot keeps the index of each dealer it serves
// and reads one head an answer. With a kilobyte of JSON a listing, an index
// takes about 1.6 KB a listing and builds in about 5 µs a listing on one core.
// That is right for up to about 100,000 listings a dealer in 512 MB. Beyond
// it, a cold start spends more than a second on building, the whole snapshot
// is read for one changed car, and the memory no longer fits: then the index
// itself must be stored in segments that an import replaces one by one, and
// the listings' JSON must stay outside memory.
package inventory

import (
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// State is where a unit stands. The first three are the statuses AAP lists;
// units in any other state are never shown as for sale.
type State string

// The states of a unit.
const (
	Available State = "available"
	InTransit State = "intransit"
	Pending   State = "pending"
	Sold      State = "sold"
	// Hidden units are in the feed and not offered: wholesale, dealer hold, on order.
	Hidden State = "hidden"
)

// Listed reports whether units in this state are for sale.
func (s State) Listed() bool { return s == Available || s == InTransit || s == Pending }

// Vehicle is one unit as it is kept.
type Vehicle struct {
	// Key identifies the unit within the dealer and orders ties: the VIN, else
	// rooftop and stock number, else rooftop and vehicle id.
	Key string `json:"key"`
	// State decides visibility; Listing.Status is derived from it when shown.
	State State `json:"state"`
	// Listing is what buyers may see, without status. Its UpdatedAt is set only
	// when the feed itself dates the row; else Head.Vouched dates it.
	Listing aap.Vehicle `json:"listing"`
	// GoneAt is when the unit left the feed or was first seen unlisted; zero
	// while it is listed.
	GoneAt time.Time `json:"gone_at,omitzero"`
	// Word is what the dealer said by hand; State and Listing show it already.
	Word Word `json:"word,omitzero"`
}

// Head is what a dealer's inventory is right now. Each accepted import and each
// order flips it once.
type Head struct {
	// Revision grows by one with every flip; a cached index is good for one revision.
	Revision int64 `json:"revision"`
	// Snapshot names the stored generation of vehicles; an import that changed
	// no vehicle keeps it.
	Snapshot int64 `json:"snapshot"`
	// Vouched is when the dealer's system last vouched for each rooftop's
	// cars, by rooftop name ("" for vehicles without one): the feed's own
	// time, never the time of a request.
	Vouched map[string]time.Time `json:"vouched"`
	// ImportedAt is when this head was written.
	ImportedAt time.Time `json:"imported_at"`
	// Listed and Kept count the units for sale and all units that are remembered.
	Listed int `json:"listed"`
	Kept   int `json:"kept"`
	// Logged says that the log of publications has all that is offered now.
	Logged bool `json:"logged,omitempty"`
}

// Change is what one import or order does to the stored vehicles.
type Change struct {
	// Put are new or changed units; Forget are the units to remove, as they
	// are stored.
	Put    []Vehicle
	Forget []Vehicle
	// All is the whole generation after the change, ordered by key.
	All []Vehicle
	// Vouched replaces Head.Vouched.
	Vouched map[string]time.Time
	// Log is added to the log of publications in the same step.
	Log Log
}

// Empty reports whether no vehicle changes.
func (c Change) Empty() bool { return len(c.Put) == 0 && len(c.Forget) == 0 }
