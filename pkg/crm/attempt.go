package crm

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// attempt is one try to hand one lead over to one target.
type attempt struct {
	worker  *Worker
	profile *dealer.Profile
	record  lead.Record
	about   about
	target  dealer.Target
	state   lead.Delivery
	// wait is the pause before the next attempt, when run has failed.
	wait time.Duration
}

// run returns an error when the target must be tried again.
func (a *attempt) run(ctx context.Context) error {
	err := a.try(ctx)
	if errors.Is(err, errGone) {
		a.log(ctx, slog.LevelWarn, "queued lead is gone or past its retention", "")
		return nil
	}
	return err
}

func (a *attempt) try(ctx context.Context) error {
	switch a.state.State {
	case lead.HandedOver, lead.Failed, lead.Withheld:
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	now := a.worker.now()
	// An attempt without an outcome, not even an uncertain one, is either
	// still under way elsewhere or was cut off.
	if open := a.state.Begun && a.state.LastError == ""; open && a.worker.Lease > 0 && now.Sub(a.state.UpdatedAt) < timeoutOf(a.target)+a.worker.Lease {
		return ErrBusy
	}
	if reason := withheld(a.record, a.about.story, a.profile, now); reason != "" {
		return a.withhold(ctx, reason)
	}
	before, resend := a.state, a.state.Begun
	doc, transport, err := a.prepare(resend, now)
	if err != nil {
		return a.failed(ctx, asFailure(err), resend)
	}
	a.state.Attempts++
	a.state.Begun, a.state.LastError, a.state.NextAttempt = true, "", time.Time{}
	if a.state.LastAttempt = now; a.state.FirstAttempt.IsZero() {
		a.state.FirstAttempt = now
	}
	if err := a.save(ctx, shortPatience); err != nil {
		return err
	}
	if doc, err = a.current(ctx, doc, resend, now); err != nil {
		return a.failed(ctx, asFailure(err), resend)
	}
	if reason := withheld(a.record, a.about.story, a.profile, now); reason != "" {
		a.state.Attempts, a.state.Begun = before.Attempts, before.Begun
		a.state.FirstAttempt, a.state.LastAttempt = before.FirstAttempt, before.LastAttempt
		return a.withhold(ctx, reason)
	}
	limited, cancel := context.WithTimeout(ctx, timeoutOf(a.target))
	defer cancel()
	receipt, err := transport.Deliver(limited, doc)
	if err != nil {
		f := asFailure(err)
		if f.Credentials {
			a.refused(ctx, f, before.LastError)
		}
		return a.failed(ctx, f, resend)
	}
	return a.handedOver(ctx, receipt, resend)
}

// current is the document with the visit and the consent as they stand now
// that the attempt is on record: whoever changes them afterwards sees the
// attempt, and has the lead sent once more or tells the receiver.
func (a *attempt) current(ctx context.Context, doc Document, resend bool, now time.Time) (Document, error) {
	visit, err := a.worker.visit(ctx, a.record)
	if err != nil {
		return doc, temporary("loading the visit", err)
	}
	story, err := a.worker.Leads.Story(ctx, a.record.DealerID, a.record.ID)
	if err != nil {
		return doc, temporary("loading the story", err)
	}
	known := a.about
	a.about.story = story
	if visit != nil {
		a.about.visit = visit
	}
	moved := visit != nil && (known.visit == nil || known.visit.Version != visit.Version)
	if !moved && len(story) == len(known.story) {
		return doc, nil
	}
	again, _, err := a.prepare(resend, now)
	again.Attempt = doc.Attempt
	return again, err
}

// withhold keeps the lead from the target for good.
func (a *attempt) withhold(ctx context.Context, reason string) error {
	a.state.State, a.state.LastError, a.state.NextAttempt = lead.Withheld, reason, time.Time{}
	if err := a.save(ctx, patience); err != nil {
		return err
	}
	a.log(ctx, slog.LevelError, "lead withheld", reason)
	a.tell()
	return nil
}

// prepare renders the document and opens the transport.
func (a *attempt) prepare(resend bool, now time.Time) (Document, Transport, error) {
	body, err := adf.Render(a.record, a.profile, adf.Options{Resend: resend, ASCII: a.target.ASCII, Form: a.target.ADF, Visit: a.about.visit, Story: a.about.story})
	if err != nil {
		return Document{}, nil, &Failure{Reason: err.Error(), Permanent: true, Cause: err}
	}
	transport, err := a.worker.open(a.target)
	if err != nil {
		return Document{}, nil, err
	}
	rooftop := adf.Rooftop(a.record, a.profile)
	return Document{LeadID: a.record.ID, Rooftop: rooftop.Name, Body: body, At: now, Attempt: a.state.Attempts + 1}, transport, nil
}

func (a *attempt) handedOver(ctx context.Context, receipt Receipt, resend bool) error {
	a.state.State, a.state.Begun, a.state.Receipt = lead.HandedOver, false, receipt.at(a.worker.now())
	if err := a.save(ctx, patience); err != nil {
		return err
	}
	a.log(ctx, slog.LevelInfo, "lead handed over", "",
		slog.String("receipt", receipt.Status), slog.String("file", receipt.File), slog.Bool("resend", resend))
	a.tell()
	if a.worker.OnHandOver != nil {
		a.worker.OnHandOver(HandOver{
			LeadID: a.record.ID, Target: a.target.Name, Rooftop: a.record.Rooftop,
			Receipt: a.state.Receipt, File: receipt.File, Resend: resend,
		})
	}
	return nil
}

// refused forgets the target's secrets, which may have been changed since they
// were read. A second refusal in a row needs a person.
func (a *attempt) refused(ctx context.Context, f *Failure, previous string) {
	for _, ref := range a.target.Secrets() {
		a.worker.secrets().Forget(ref)
	}
	if previous == f.Reason {
		a.log(ctx, slog.LevelError, "receiver refuses the credentials", f.Reason)
	}
}

// failed records the outcome. A document that may have arrived once stays
// marked so, whatever later attempts learn.
func (a *attempt) failed(ctx context.Context, f *Failure, resend bool) error {
	a.state.State, a.state.LastError = lead.Retrying, f.Reason
	a.state.Begun = f.MayHaveReached || resend
	if f.Permanent {
		a.state.State = lead.Failed
	} else {
		a.wait = a.worker.waitAfter(a.state.Attempts, f.Wait)
		a.state.NextAttempt = a.worker.now().Add(a.wait)
	}
	if err := a.save(ctx, patience); err != nil {
		return err
	}
	a.tell()
	if f.Permanent {
		a.log(ctx, slog.LevelError, "lead delivery failed", f.Reason)
		return nil
	}
	a.log(ctx, slog.LevelWarn, "lead delivery will be tried again", f.Reason)
	return f
}

func (a *attempt) log(ctx context.Context, level slog.Level, event, reason string, more ...slog.Attr) {
	attrs := []slog.Attr{
		slog.String("lead_id", a.record.ID), slog.String("target", a.target.Name), slog.Int("attempts", a.state.Attempts),
	}
	if reason != "" {
		attrs = append(attrs, slog.String("reason", reason))
	}
	for _, attr := range more {
		if attr.Value.Kind() != slog.KindString || attr.Value.String() != "" {
			attrs = append(attrs, attr)
		}
	}
	a.worker.log().LogAttrs(ctx, level, event, attrs...)
}
