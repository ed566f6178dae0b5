package mcptools

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// Asking is how a person is asked, by a form of their host, before a lead
// leaves. One without a consent is always asked for it where the host can show
// forms.
type Asking struct {
	// Key signs what a client carries between a form and its answer, so that
	// any instance with the same key can take the answer; at least 32 random
	// bytes. Whoever has a form open when the key changes is asked again.
	// Default: a random key of this process.
	Key []byte
	// ApproveWrites has the person asked before every call of a tool that
	// writes. Where the host can show no form, such a call is held back.
	ApproveWrites bool
	// Patience is how long a person is waited for where the call stays open
	// meanwhile: over stdio, in revisions before 2026-07-28. Default 10m.
	Patience time.Duration
}

// asker is the step that asks.
type asker struct {
	Asking
	state   state
	answers *answers
	schemas func(aap.Version) (*schema.Set, error)
	now     func() time.Time
	timeout time.Duration // of a look into the store
}

func newAsker(a Asking, s agent.Settings) *asker {
	if a.Patience == 0 {
		a.Patience = formLife
	}
	return &asker{
		Asking: a, state: newState(a.Key), answers: newAnswers(mostAnswers), schemas: schema.Released(), now: s.Now, timeout: s.Timeout,
	}
}

// question is what is asked about one call.
type question struct {
	form
	// about is all that the answer is an answer to.
	about []string
	// lacks is true when the lead has no consent of its own. Such a consent,
	// however faulty, is never replaced.
	lacks bool
	agent string // that sends the lead
}

// step asks where there is something to ask. When it returns a result or an
// error, nothing has left. It changes the payload in two ways only: a consent
// that the person gave is added where there was none, and an idempotency key
// where the sender gave none, so that one answer never makes two leads.
func (a *asker) step(ctx context.Context, c *toolCall) (*mcp.CallToolResult, error) {
	h := hostOf(ctx, c.req)
	if c.row.Writes && a.ApproveWrites && h == formless {
		// Before anything else is asked for, a consent above all: it would be in vain.
		return nil, refused(heldBack)
	}
	lacks := c.row.Skill == aap.LeadSubmit && !has(c.payload, "consent")
	if c.offer.elsewhere() && !lacks {
		// A lead must not leave in what names another skill, or without what its
		// contract wants of a consent.
		if err := a.check(c, c.payload); err != nil {
			return nil, err
		}
	}
	if !c.row.Writes || !lacks && !a.ApproveWrites {
		return nil, nil
	}
	q, err := a.question(ctx, c, lacks)
	if err != nil {
		return a.left(c, err)
	}
	if _, answered := c.req.Params.InputResponses[formID]; !answered {
		if result := a.taken(ctx, c, q); result != nil {
			return result, nil
		}
	}
	if h == formless {
		return a.left(c, a.fault(c, refused(heldBack)))
	}
	answer, result, err := a.ask(ctx, c, q, h)
	if result != nil || err != nil {
		return result, err
	}
	if c.payload, err = a.complete(c, q, answer); err != nil {
		return nil, err
	}
	// The same answer may come to another instance at the same time.
	c.again = func(ctx context.Context) *mcp.CallToolResult { return a.taken(ctx, c, q) }
	return a.taken(ctx, c, q), nil
}

// left leaves the refusal of a lead that breaks its schema to the dealer's own
// agent, which stores nothing of it; to another's agent it is not even sent.
func (a *asker) left(c *toolCall, err error) (*mcp.CallToolResult, error) {
	if _, breaks := errors.AsType[*broken](err); breaks && c.offer.profile != nil {
		return nil, nil
	}
	return nil, err
}

// question makes the form of a call. The error is what the lead is refused for
// whatever a person says.
func (a *asker) question(ctx context.Context, c *toolCall, lacks bool) (q question, err error) {
	if !lacks {
		if err := a.check(c, c.payload); err != nil {
			return q, err
		}
	}
	q.lacks = lacks
	lines, channels, text := []string{plain(string(c.payload), longText)}, []string(nil), ""
	if c.row.Skill == aap.LeadSubmit {
		var req aap.LeadRequest
		if lines, req, err = a.tell(c); err != nil {
			return q, err
		}
		q.agent = req.SourceAgent.Name
		if lacks {
			text = c.offer.consentText()
			channels = lead.Channels(req.Customer, aap.Consent{AllowedChannels: []string{"email", "phone", "sms"}})
			// Whatever else is wrong is told before a person is troubled.
			if _, err := a.grant(c, q.agent, text, channels, a.now()); err != nil {
				return q, a.fault(c, err)
			}
		}
	}
	q.form = newForm(c.offer.receiver(), lines, text, channels)
	digest, err := lead.Digest(c.payload)
	q.about = append([]string{c.req.Params.Name, c.offer.id(), visitOf(ctx).caller.Key(), digest, q.message}, channels...)
	return q, err
}

// tell reads a lead. One that cannot be read breaks its schema.
func (a *asker) tell(c *toolCall) ([]string, aap.LeadRequest, error) {
	primary, err := wire.Up(c.offer.version, c.row.Skill, c.payload)
	if err == nil {
		var lines []string
		var req aap.LeadRequest
		if lines, req, err = leadLines(primary); err == nil {
			return lines, req, nil
		}
	}
	return nil, aap.LeadRequest{}, a.fault(c, err)
}

// broken is the refusal of a payload that breaks its schema.
type broken struct{ refusal *aap.Error }

func (b *broken) Error() string { return b.refusal.Error() }
func (b *broken) Unwrap() error { return b.refusal }

// check holds a payload of the call against its schema.
func (a *asker) check(c *toolCall, payload []byte) error {
	err := c.row.Check(a.schemas, c.offer.version, payload)
	if e, ok := errors.AsType[*aap.Error](err); ok {
		return &broken{e.Under(c.offer.version)}
	}
	return err
}

// fault is how the payload breaks its schema, or else the cause given.
func (a *asker) fault(c *toolCall, cause error) error {
	if err := a.check(c, c.payload); err != nil {
		return err
	}
	return cause
}

// taken is the answer of a lead that was taken before under the same key, so
// that a repeat is neither asked about again nor taken twice.
func (a *asker) taken(ctx context.Context, c *toolCall, q question) *mcp.CallToolResult {
	keeps, ok := c.offer.agent.(interface {
		ReplayAsked(ctx context.Context, v aap.Version, payload []byte) (agent.Answer, bool, error)
	})
	if !ok || !q.lacks {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	answer, found, err := keeps.ReplayAsked(ctx, c.offer.version, c.payload)
	if err != nil || !found {
		return nil // a store that is broken shows when the lead is submitted
	}
	return resultOf(answer.Payload)
}

// refusals are how a call ends that no person agreed to. Their reasons stand in
// details.reason.
type reason struct{ word, message string }

var (
	heldBack = reason{"held_back", "Nothing was sent: a person has to approve every lead here, and this host shows no forms to ask them with. " +
		"Whoever runs this server can allow it to send without asking, by starting it with --approve-writes=false."}
	saidNo        = reason{"declined", "Nothing was sent: the person declined. Do not send it again unless they ask for it."}
	putOff        = reason{"cancelled", "Nothing was sent: the person closed the form without an answer. Ask them whether to try again."}
	tickedNone    = reason{"no_channel", "Nothing was sent: the person allowed no channel of contact, so the dealer could not answer them. Ask them which one they allow, then call again."}
	notAnswered   = reason{"unanswered", "Nothing was sent: no answer to the form came back that could be used. Ask the person whether to try again."}
	notUnderstood = reason{"unreadable", "Nothing was sent: the answer to the form does not fit it. An answer has action accept, decline or cancel, and with accept a true or false for each channel."}
)

// refusal is why a verdict lets nothing leave; false when it lets.
func (v verdict) refusal() (reason, bool) {
	switch v {
	case accepted:
		return reason{}, false
	case declined:
		return saidNo, true
	case cancelled:
		return putOff, true
	case noChannel:
		return tickedNone, true
	}
	return notUnderstood, true
}

func refused(r reason) *aap.Error {
	return aap.Errorf(aap.ContactConsentRequired, "%s", r.message).With("reason", r.word)
}

// consentText is what a person agrees to, word for word. Where the dealer's
// agent runs elsewhere, its own text is not known.
func (o offer) consentText() string {
	if o.profile != nil {
		return o.profile.Leads.ConsentText
	}
	return dealer.ConsentText(plain(o.name, longLine))
}

// id tells dealers apart.
func (o offer) id() string {
	if o.profile != nil {
		return "own " + o.profile.ID
	}
	return "remote " + o.address
}

// host is the name under which the dealer's agent is reached, where that is
// known.
func (o offer) host() string {
	address := o.address
	if o.profile != nil {
		address = o.profile.URL
	}
	return hostOfURL(address)
}

func hostOfURL(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Host
	}
	return ""
}

// receiver is who a lead goes to, as people are shown it.
func (o offer) receiver() string {
	name, at := plain(o.name, longLine), plain(o.host(), longLine)
	switch sent := plain(hostOfURL(o.endpoint), longLine); {
	case at == "":
		return name
	case sent != "" && !strings.EqualFold(sent, at):
		return fmt.Sprintf("%s (%s, by way of %s)", name, at, sent)
	}
	return fmt.Sprintf("%s (%s)", name, at)
}
