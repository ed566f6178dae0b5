package mcptools

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dealer-agent/dealer/pkg/aap/rawjson"
)

// host is how the caller's host can be made to show a form.
type host int

const (
	// formless hosts show none, or cannot be reached while a call is open.
	formless host = iota
	// roundTrips: the form is the answer to the call, which is made again with
	// what the person said (MCP 2026-07-28 multi round-trip requests).
	roundTrips
	// openCalls: the form is asked for while the call waits, over stdio.
	openCalls
)

const (
	// withForms is the first revision that has forms (MCP 2025-06-18 elicitation).
	withForms = "2025-06-18"
	// withRoundTrips is the first that has no requests of the server any more.
	withRoundTrips = "2026-07-28"
)

func hostOf(ctx context.Context, req *mcp.CallToolRequest) host {
	began := req.Session.InitializeParams()
	if began == nil || began.ProtocolVersion >= withRoundTrips {
		if showsForms(req.ClientCapabilities()) {
			return roundTrips
		}
		return formless
	}
	// Without sessions nothing can be asked over HTTP, and nobody waits.
	if exchangeOf(ctx) == nil && began.ProtocolVersion >= withForms && showsForms(began.Capabilities) {
		return openCalls
	}
	return formless
}

// showsForms reads what a client declares; one that names no mode shows forms.
func showsForms(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// formID names the one form of a call.
const formID = "form"

// ask gives what the person agreed to, or the result by which the host is
// asked to show the form, or why nothing was agreed to. An answer whose state
// does not fit is no answer: the form is shown again.
func (a *asker) ask(ctx context.Context, c *toolCall, q question, h host) (given, *mcp.CallToolResult, error) {
	id, now := a.state.sign(time.Unix(0, 0), q.about...), a.now()
	params := c.req.Params
	reply, answered := params.InputResponses[formID].(*mcp.ElicitResult)
	if !answered {
		if g, ok := a.answers.find(id, now); ok {
			return g, nil, nil
		}
	}
	token := a.state.sign(now, q.about...)
	switch {
	case h == openCalls:
		var err error
		if reply, err = a.wait(ctx, c.req.Session, q.form); err != nil {
			return given{}, nil, refused(notAnswered)
		}
	case answered && a.state.verify(params.RequestState, now, q.about...):
		token = params.RequestState
	default:
		return given{}, &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{formID: q.elicitation()}, RequestState: token}, nil
	}
	channels, v := q.read(reply)
	if why, not := v.refusal(); not {
		a.answers.forget(id)
		return given{}, nil, refused(why)
	}
	return a.answers.keep(id, given{channels, a.granted(c.offer), keyOf(token)}, a.now()), nil, nil
}

// granted is now, unless that lies in the future of whoever is to take the
// consent: of a grant that has not come yet nobody takes a lead.
func (a *asker) granted(o offer) time.Time {
	now := a.now()
	if o.now != nil {
		if theirs := o.now(); theirs.Before(now) {
			return theirs
		}
	}
	return now
}

// wait shows the form while the call stays open. What an error says is the
// host's, and may quote the person: it goes nowhere.
func (a *asker) wait(ctx context.Context, session *mcp.ServerSession, f form) (*mcp.ElicitResult, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Patience)
	defer cancel()
	return session.Elicit(ctx, f.elicitation())
}

// complete is the payload with what the person agreed to.
func (a *asker) complete(c *toolCall, q question, g given) ([]byte, error) {
	payload := c.payload
	if q.lacks {
		var err error
		if payload, err = a.grant(c, q.agent, q.text, g.channels, g.at); err != nil {
			return nil, err
		}
	}
	if has(payload, "idempotency_key") {
		return payload, nil
	}
	return withMember(payload, "idempotency_key", []byte(`"`+g.key+`"`)), nil
}

// grant is the payload with a consent of its contract's form; the error is what
// is wrong beside it.
func (a *asker) grant(c *toolCall, agent, text string, channels []string, at time.Time) ([]byte, error) {
	consent := map[string]any{
		"granted_at": at.UTC().Format(time.RFC3339), "allowed_channels": channels, "consent_text": text, "scope": []string{"lead_submission"},
	}
	with := func() []byte {
		doc, _ := json.Marshal(consent) // texts and a list
		return withMember(c.payload, "consent", doc)
	}
	payload := with()
	err := a.check(c, payload)
	if err == nil {
		return payload, nil
	}
	// Up to AAP v1.0 the grant names the agent as well.
	consent["source_agent"] = agent
	if payload = with(); a.check(c, payload) == nil {
		return payload, nil
	}
	return nil, err
}

// has reports whether an object has a member of that name, whatever it holds.
func has(object []byte, name string) bool {
	for member := range rawjson.Members(object) {
		if string(member) == name {
			return true
		}
	}
	return false
}
