package lead

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// duplicate finds the equal lead within the window, and binds the request's
// key to the answer before it is given: the same key gets the same answer
// (AAP v1.3 lead-submit-request schema), also after the window. It is no
// duplicate, and a new lead takes its place, when it is being erased, or its
// consent has ended and the request brings one that stands: instead is that
// lead then.
func (d *Desk) duplicate(ctx context.Context, p *dealer.Profile, s *submission, now time.Time) (reply aap.Reply, instead string, known bool, err error) {
	leadID, err := d.Store.ByEqual(ctx, s.dealerID, s.equal, now)
	if errors.Is(err, ErrNotFound) {
		return aap.Reply{}, "", false, nil
	}
	if err != nil {
		return aap.Reply{}, "", false, fmt.Errorf("looking for an equal lead: %w", err)
	}
	first, err := d.Store.Load(ctx, s.dealerID, leadID, now)
	if errors.Is(err, ErrNotFound) {
		return aap.Reply{}, leadID, false, nil // it is being erased
	}
	if err != nil {
		return aap.Reply{}, "", false, fmt.Errorf("loading lead %s for its duplicate: %w", leadID, err)
	}
	stands, renewed, err := d.stands(ctx, p, first, s, now)
	if err != nil {
		return aap.Reply{}, "", false, err
	}
	if renewed {
		return aap.Reply{}, first.ID, false, nil
	}
	answer, err := d.repeat(ctx, p, first, now)
	if !stands {
		answer.Message = "The dealer has this lead under the same lead_id, but the buyer has taken its consent back since. Submit it again only with a consent that the buyer gives anew."
	}
	if err != nil {
		return aap.Reply{}, "", false, err
	}
	if key := s.key(p, first, now); key != nil {
		key.Answer = &answer
		err := d.Store.Bind(ctx, s.dealerID, *key, now)
		if errors.Is(err, ErrKeyTaken) {
			// A parallel request with the key was first: perhaps the equal lead
			// itself, which was stored between the look at the key and now.
			reply, known, err = d.known(ctx, s, now)
			return reply, "", known, err
		}
		if errors.Is(err, ErrNotFound) {
			return aap.Reply{}, leadID, false, nil // it was erased meanwhile
		}
		if err != nil {
			return aap.Reply{}, "", false, fmt.Errorf("binding the idempotency key: %w", err)
		}
	}
	d.nudge(ctx, first)
	return answer.reply(), "", true, nil
}

// stands reports whether the consent of the first lead still covers all that
// the request's does. If it does not, renewed reports whether the request's was
// given after that of the first ended: a consent that was taken back does not
// come back with a repeat.
func (d *Desk) stands(ctx context.Context, p *dealer.Profile, first Record, s *submission, now time.Time) (stands, renewed bool, err error) {
	req, err := first.Lead()
	if err != nil {
		return false, false, fmt.Errorf("lead %s cannot be read", first.ID)
	}
	if CheckConsent(req.Consent, p.Leads.ConsentMaxAge.Std(), now) != nil {
		return false, true, nil // the request's own consent has passed this check
	}
	story, err := d.Store.Story(ctx, first.DealerID, first.ID)
	if err != nil {
		return false, false, fmt.Errorf("loading the story of lead %s: %w", first.ID, err)
	}
	left := Channels(req.Customer, Remaining(req.Consent, story))
	for _, channel := range Channels(s.req.Customer, s.req.Consent) {
		if !slices.Contains(left, channel) {
			granted, err := parseTime(s.req.Consent.GrantedAt)
			return false, err == nil && granted.After(lastRevoked(story)), nil
		}
	}
	return true, false, nil
}

// repeat makes the answer to an equal lead from what the first one was told,
// with the visit as it stands now.
func (d *Desk) repeat(ctx context.Context, p *dealer.Profile, first Record, now time.Time) (Answer, error) {
	var result aap.LeadResult
	if err := json.Unmarshal(first.Answer.Data, &result); err != nil {
		return Answer{}, fmt.Errorf("reading the answer of lead %s: %w", first.ID, err)
	}
	result.LeadID, result.Status = first.ID, aap.LeadDuplicate
	message := "The dealer already has this lead under the same lead_id and will follow up once. Nothing needs to be sent again."
	if a := result.Appointment; a != nil && a.Status == aap.AppointmentConfirmed {
		v, err := d.Store.Visit(ctx, first.DealerID, first.ID, now)
		switch zone := p.Rooftop(first.Rooftop).Location(); {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return Answer{}, fmt.Errorf("loading the visit of lead %s: %w", first.ID, err)
		case v.State == Cancelled:
			a.Status, a.ConfirmedAt = aap.AppointmentRequested, ""
			message = "The dealer already has this lead under the same lead_id and has cancelled its visit. Call the dealer, or submit a lead with another time."
		case offsetTime(v.Start, zone) != a.ConfirmedAt:
			a.ConfirmedAt = offsetTime(v.Start, zone)
			message = "The dealer already has this lead under the same lead_id and has moved its visit to " + spokenTime(v.Start, zone) + "."
		}
	}
	data, err := aap.AppendValue(nil, result)
	return Answer{Data: data, Message: message}, err
}
