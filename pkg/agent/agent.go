package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// Agent answers payloads. It is safe for concurrent use.
type Agent struct {
	parts Parts
	rows  []Row
}

// Parts are what the skills work with. Lot may be nil when no inventory skill
// is offered, Desk when lead.submit is not.
type Parts struct {
	Profiles dealer.Source
	// Schemas gives the schema set of a contract version; it is asked on every
	// call and so must be cheap.
	Schemas func(aap.Version) (*schema.Set, error)
	Lot     *inventory.Lot
	Desk    *lead.Desk
}

// New makes an agent of its parts.
func New(parts Parts) *Agent { return &Agent{parts: parts, rows: Table()} }

// Answer is a response payload and the skill that gave it.
type Answer struct {
	Skill   aap.Skill
	Payload []byte
}

// Call runs the skill that the payload's "type" names under contract version v.
// The payload and the answer are of that version, whatever the agent speaks
// inside. Faults of the payload and refusals of the skill are *aap.Error in the
// version's form; any other error is the agent's own and must not be shown.
func (a *Agent) Call(ctx context.Context, v aap.Version, payload []byte) (Answer, error) {
	p, row, err := a.admit(ctx, v, payload)
	if err != nil {
		return Answer{}, under(v, err)
	}
	reply, err := row.call(ctx, a.parts, p, v, payload)
	if err != nil {
		return Answer{}, under(v, err)
	}
	return encode(row.Skill, p, v, reply)
}

// Replay gives the stored answer of a lead that was taken before under the
// same idempotency key and payload, and changes nothing. It is for calls that
// would be refused for their number alone: a retry after a lost answer is owed
// that answer. False when there is none.
func (a *Agent) Replay(ctx context.Context, v aap.Version, payload []byte) (Answer, bool, error) {
	if skill, ok := SkillOf(payload); !ok || skill != aap.LeadSubmit {
		return Answer{}, false, nil
	}
	p, row, err := a.admit(ctx, v, payload)
	if err != nil {
		return Answer{}, false, under(v, err)
	}
	reply, found, err := a.parts.Desk.Replay(ctx, p, payload)
	if err != nil || !found {
		return Answer{}, false, err
	}
	answer, err := encode(row.Skill, p, v, reply)
	return answer, err == nil, err
}

// ReplayAsked is Replay for a lead whose consent is asked of the buyer by this
// agent: see lead.Desk.ReplayAsked. The payload may still lack its consent.
func (a *Agent) ReplayAsked(ctx context.Context, v aap.Version, payload []byte) (Answer, bool, error) {
	p, err := a.parts.Profiles.Profile(ctx)
	if err != nil {
		return Answer{}, false, fmt.Errorf("load the dealer profile: %w", err)
	}
	if a.parts.Desk == nil || !p.Offers(aap.LeadSubmit) {
		return Answer{}, false, nil
	}
	reply, found, err := a.parts.Desk.ReplayAsked(ctx, p, payload)
	if err != nil || !found {
		return Answer{}, false, err
	}
	answer, err := encode(aap.LeadSubmit, p, v, reply)
	return answer, err == nil, err
}

// admit finds the row of a payload and checks the payload against its schema.
func (a *Agent) admit(ctx context.Context, v aap.Version, payload []byte) (*dealer.Profile, *Row, error) {
	p, err := a.parts.Profiles.Profile(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("load the dealer profile: %w", err)
	}
	row, err := a.row(p, v, payload)
	if err != nil {
		return nil, nil, err
	}
	if err := row.Check(a.parts.Schemas, v, payload); err != nil {
		return nil, nil, err
	}
	return p, row, nil
}

// Check holds a payload of the row's skill against the request schema of
// contract v. The refusal is the *aap.Error, in the form of the primary
// contract, that Call answers such a payload with.
func (r Row) Check(schemas func(aap.Version) (*schema.Set, error), v aap.Version, payload []byte) error {
	set, err := schemas(v)
	if err != nil {
		return fmt.Errorf("schemas of %s: %w", v.Label, err)
	}
	faults, err := set.Check(r.RequestSchema(), payload)
	if err != nil {
		return fmt.Errorf("check %s: %w", r.RequestSchema(), err)
	}
	if len(faults) > 0 {
		return r.refuse(payload, faults).With("request_schema", v.SchemaBaseURL()+r.RequestSchema())
	}
	return nil
}

// encode renders the reply in the typed envelope of a version.
func encode(s aap.Skill, p *dealer.Profile, v aap.Version, reply aap.Reply) (Answer, error) {
	payload, err := reply.Append(make([]byte, 0, 1024), s)
	if err == nil && v != aap.Primary() {
		payload, err = wire.Down(v, s, payload, wire.Context{
			DealerID: p.ID, Brands: p.Brands, Priced: p.Prices.Shown(v),
		})
	}
	if err != nil {
		return Answer{}, fmt.Errorf("encode the answer of %s for %s: %w", s.ID, v.Label, err)
	}
	return Answer{Skill: s, Payload: payload}, nil
}

// under gives a buyer's error the version's form; other errors stay.
func under(v aap.Version, err error) error {
	if e, ok := errors.AsType[*aap.Error](err); ok {
		return e.Under(v)
	}
	return err
}
