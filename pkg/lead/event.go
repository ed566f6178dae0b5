package lead

import (
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// Event is one thing done about a stored lead after its buyer was answered. It
// holds nothing of the buyer.
type Event struct {
	// ID makes one event of an event that is noted twice.
	ID string    `json:"id"`
	At time.Time `json:"at"`
	// Kind is Revoked or ResendAsked.
	Kind string `json:"kind"`
	// Channels are what a revocation takes back; none: every channel.
	Channels []string `json:"channels,omitempty"`
	// Target is where a resend goes.
	Target string `json:"target,omitempty"`
	// By names the command or the door through which it came.
	By string `json:"by,omitempty"`
}

// Kinds of events.
const (
	// Revoked: the buyer took the consent back, for some channels or for all.
	Revoked = "revoked"
	// ResendAsked: the dealer asked for a target to get the lead once more.
	ResendAsked = "resend_asked"
)

// Remaining is the consent without the channels that the story says were taken
// back. Whoever uses contact data goes by it: a revoked channel MUST NOT be
// used any more (AAP v1.3 behavior-rules, on channels that are not authorised).
func Remaining(c aap.Consent, story []Event) aap.Consent {
	for _, e := range story {
		if e.Kind != Revoked {
			continue
		}
		left := []string{}
		for _, channel := range c.AllowedChannels {
			if len(e.Channels) > 0 && !slices.Contains(e.Channels, channel) {
				left = append(left, channel)
			}
		}
		c.AllowedChannels = left
	}
	return c
}

// lastRevoked is when the consent was last taken back.
func lastRevoked(story []Event) (at time.Time) {
	for _, e := range story {
		if e.Kind == Revoked && e.At.After(at) {
			at = e.At
		}
	}
	return at
}

// Audit is one line of the dealer's account of what was done with leads. It
// holds no personal data, nor anything made of it: not even lead ids, which
// the CRM may still know.
type Audit struct {
	// ID makes one entry of an entry that is written twice.
	ID string    `json:"id"`
	At time.Time `json:"at"`
	// Action is the command that did it, such as "erase".
	Action string `json:"action"`
	// Leads is how many leads it was about.
	Leads int `json:"leads"`
}
