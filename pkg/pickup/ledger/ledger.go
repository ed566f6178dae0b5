// Package ledger is what is known of feed sources between visits, and the
// contract of the stores that keep it. It is apart from package pickup so that a
// program that only opens stores holds no SFTP.
package ledger

import (
	"context"
	"errors"
	"time"
)

// ErrBusy: another visitor has the source, or has taken it over.
var ErrBusy = errors.New("the source is being visited already")

// What came of a visit, in State.Result.
const (
	// Imported: a file was taken; State.FeedTime and SHA256 tell which.
	Imported = "imported"
	// Unchanged: the source has the file that was imported last.
	Unchanged = "unchanged"
	// Refused: a new file was fetched and the import refused it; the same file
	// is not fetched again.
	Refused = "refused"
	// Waiting: the file there is still being written.
	Waiting = "waiting"
	// Failed: nothing could be fetched, or a part of the import failed.
	Failed = "failed"
	// Busy: another visitor has the source; it is no state.
	Busy = "busy"
)

// State is what is known of one source between visits. It holds no secret.
type State struct {
	// Source is the name of the source.
	Source string `json:"source"`
	// Origin tells one address from the next: what is known of another one is
	// of no use.
	Origin string `json:"origin,omitempty"`

	// Looked is when the last visit began, Wait the pause after it, and Seen
	// the profile of that time.
	Looked time.Time     `json:"looked"`
	Wait   time.Duration `json:"wait"`
	Seen   time.Time     `json:"seen,omitzero"`
	// Result and Reason are what came of it; Reason is a sentence for people.
	Result string `json:"result,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Failures counts the visits that failed since one did not.
	Failures int `json:"failures,omitempty"`

	// Tag, ETag and Dated are what the source said of the last file that was
	// imported or refused, SHA256 its content, FeedTime what it vouches as of,
	// ReadBy the profile it was read by, and Taken when that was.
	Tag      string    `json:"tag,omitempty"`
	ETag     string    `json:"etag,omitempty"`
	Dated    string    `json:"dated,omitempty"`
	SHA256   string    `json:"sha256,omitempty"`
	FeedTime time.Time `json:"feed_time,omitzero"`
	ReadBy   time.Time `json:"read_by,omitzero"`
	Taken    time.Time `json:"taken,omitzero"`

	// Claim is the visitor's proof; empty in what is stored.
	Claim string `json:"-"`
}

// Store keeps the states of dealers' sources. Implementations are safe for
// concurrent use by all processes that visit; a dealer's states are invisible
// under any other dealer's id. Reads see what was written last.
type Store interface {
	// States returns the states of the dealer's sources, in the order of their
	// names; none before the first visit.
	States(ctx context.Context, dealerID string) ([]State, error)
	// Claim gives a source to one visitor, until Settle or the time until, and
	// returns its state with the proof in Claim: an empty one, but for the name,
	// of a source that was never visited. ErrBusy while another one has it.
	Claim(ctx context.Context, dealerID, source string, now, until time.Time) (State, error)
	// Settle writes the state and ends the claim; ErrBusy, with nothing written,
	// when the claim ran out and another visitor has taken the source since.
	Settle(ctx context.Context, dealerID string, s State) error
}
