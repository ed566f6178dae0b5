package inventory

import (
	"errors"
	"time"
)

// ErrRefused: an import would do what no ordinary day does, so it is not done.
var ErrRefused = errors.New("import refused")

// Refused says why an import changes nothing, but for the cars that its feed
// marks sold. It wraps ErrRefused.
type Refused struct {
	// Reason is a sentence for the dealer.
	Reason string `json:"reason"`
	// Had counts the listed cars before, Dropped those the import would remove.
	Had     int `json:"had"`
	Dropped int `json:"dropped"`
	// Sold counts the listed cars that become sold all the same.
	Sold int `json:"sold,omitempty"`
}

// Error is the reason.
func (r *Refused) Error() string { return "import refused: " + r.Reason }

// Unwrap returns ErrRefused.
func (r *Refused) Unwrap() error { return ErrRefused }

// Batch is one feed, read and normalised.
type Batch struct {
	// Vehicles are the feed's rows in its order. A missing Key is made by KeyOf.
	Vehicles []Vehicle
	// VouchedAt is when the dealer's system wrote the feed. Plan takes the time
	// of the import for one that is zero or lies in the future.
	VouchedAt time.Time
	// Source names the file, for the log of publications.
	Source string
	// Rooftops are those whose whole stock the feed is; nothing is said about
	// others, which stay as they are. Empty: all of them.
	Rooftops []string
}

// Outcome counts what an import does, for its report.
type Outcome struct {
	// Added are new units, Changed known ones that differ, Unchanged the rest
	// of the feed. Returned are those of Changed that were not listed before.
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Returned  int `json:"returned"`
	// Gone are units that left the feed and are remembered as sold; Forgotten
	// those that were remembered long enough.
	Gone      int `json:"gone"`
	Forgotten int `json:"forgotten"`
	// Merged are rows of a unit that another row of the feed described better.
	Merged int `json:"merged"`
	// Hidden counts the feed's units that are not listed, by state.
	Hidden map[State]int `json:"hidden,omitempty"`
	// Kept are the rooftops that a guard left as they were.
	Kept []KeptRooftop `json:"kept,omitempty"`
	// ByHand counts what was said by hand about units of the feed and stands,
	// Overruled what ended because the feed vouched for the unit later.
	ByHand    int `json:"by_hand,omitempty"`
	Overruled int `json:"overruled,omitempty"`
	// Listed and Remembered count the units for sale and all units afterwards.
	Listed     int `json:"listed"`
	Remembered int `json:"remembered"`
}

// KeptRooftop is a rooftop that an import did not touch, but for cars that the
// feed marks sold.
type KeptRooftop struct {
	Rooftop string `json:"rooftop"`
	Reason  string `json:"reason"`
	Had     int    `json:"had"`
	Dropped int    `json:"dropped"`
	// Vouched is the time its cars keep.
	Vouched time.Time `json:"vouched"`
}
