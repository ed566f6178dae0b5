package crm

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

var (
	// ErrNoTarget: no delivery target of the profile takes the lead's rooftop.
	// The lead stays queued until the profile has one.
	ErrNoTarget = errors.New("no delivery target takes the lead")
	// ErrBusy: another worker is handing the same lead over.
	ErrBusy = errors.New("the lead is being handed over by another worker")
)

// Worker delivers queued leads. It is safe for concurrent use; the fields are
// set before the first call.
type Worker struct {
	Leads    lead.Store
	Profiles dealer.Source
	// Now, Log and Secrets default to time.Now, slog.Default and the process
	// environment.
	Now     func() time.Time
	Log     *slog.Logger
	Secrets Secrets
	// OnHandOver, when set, is called after each hand-over was recorded.
	OnHandOver func(HandOver)
	// OnOutcome, when set, is told of each outcome of an attempt after it was recorded.
	OnOutcome func(Outcome)

	// BaseDir is where relative folders of file targets begin. Default: the
	// working directory.
	BaseDir string
	// Lease is how long beyond its target's timeout an attempt that another
	// process began and did not end is presumed under way. Zero: no other
	// process delivers from this store, so such an attempt was cut off and is
	// repeated at once as a resend.
	Lease time.Duration
	// FirstWait is the longest pause after a target's first failure; it doubles
	// with each further one up to MaxWait. Defaults 1s and 30m.
	FirstWait, MaxWait time.Duration
	// Transports adds target types to the built-in ones.
	Transports map[string]Opener
	// RootCAs verifies HTTPS and mail servers; nil takes the system's.
	RootCAs *x509.CertPool

	underWay sync.Map // lead id → struct{}
}

// HandOver tells of one lead that one target took.
type HandOver struct {
	LeadID  string
	Target  string
	Rooftop string
	// Receipt is the status with its time and what the receiver said; the
	// latter may echo the lead.
	Receipt string
	// File is the path written, for file targets.
	File   string
	Resend bool
}

// Handle hands a lead over to every target that has not had it. Nil means
// that the queue is done with the lead: each target took it, refused it for
// good or may not have it, or the lead no longer exists. An error means that
// the same call is to be made again later; targets that are done are then
// skipped. An error with a method RetryAfter() time.Duration says how much
// later: the longest pause that a failed target asks for. Errors hold no
// personal data.
func (w *Worker) Handle(ctx context.Context, leadID string) error {
	if _, busy := w.underWay.LoadOrStore(leadID, struct{}{}); busy {
		return fmt.Errorf("lead %s: %w", leadID, ErrBusy)
	}
	defer w.underWay.Delete(leadID)

	p, err := w.Profiles.Profile(ctx)
	if err != nil {
		return fmt.Errorf("lead %s: loading the profile: %w", leadID, err)
	}
	record, err := w.Leads.Load(ctx, p.ID, leadID, w.now())
	if errors.Is(err, lead.ErrNotFound) {
		w.log().LogAttrs(ctx, slog.LevelWarn, "queued lead is gone or past its retention", slog.String("lead_id", leadID))
		return nil
	}
	if err != nil {
		return fmt.Errorf("lead %s: loading it: %w", leadID, err)
	}
	targets := applicable(record, p)
	if len(targets) == 0 {
		w.log().LogAttrs(ctx, slog.LevelError, "lead delivery failed",
			slog.String("lead_id", leadID), slog.String("reason", ErrNoTarget.Error()))
		return fmt.Errorf("lead %s: %w", leadID, ErrNoTarget)
	}
	about, err := w.besides(ctx, record)
	if err != nil {
		return fmt.Errorf("lead %s: %w", leadID, err)
	}
	var failures []error
	var wait time.Duration
	for _, t := range targets {
		a := attempt{worker: w, profile: p, record: record, about: about, target: t, state: about.state(t.Name)}
		if err := a.run(ctx); err != nil {
			failures = append(failures, fmt.Errorf("lead %s, target %s: %w", leadID, t.Name, err))
			wait = max(wait, a.wait)
		}
	}
	if wait > 0 {
		return &retry{errors.Join(failures...), wait}
	}
	return errors.Join(failures...)
}

// Check says which targets of the profile this worker cannot serve at all: a
// type that has no transport here, or a secret that has no source here.
func (w *Worker) Check(p *dealer.Profile) error {
	var faults []error
	for _, t := range p.Delivery {
		if _, err := w.open(t); err != nil {
			faults = append(faults, fmt.Errorf("delivery target %s: %w", t.Name, err))
		}
		cache, ok := w.secrets().(*SecretCache)
		for _, ref := range t.Secrets() {
			scheme, _, _ := dealer.SplitSecret(ref)
			if ok && cache.Sources[scheme] == nil {
				faults = append(faults, fmt.Errorf("delivery target %s: %s needs AWS, which is not configured here: set AWS_REGION and credentials, or write env:NAME", t.Name, ref))
			}
		}
	}
	return errors.Join(faults...)
}

// applicable lists the targets that take the lead's rooftop.
func applicable(r lead.Record, p *dealer.Profile) []dealer.Target {
	name := r.Rooftop
	if t := adf.Rooftop(r, p); t != nil {
		name = t.Name
	}
	var out []dealer.Target
	for _, t := range p.Delivery {
		if t.Takes(name) {
			out = append(out, t)
		}
	}
	return out
}

func (w *Worker) now() time.Time {
	if w.Now == nil {
		return time.Now()
	}
	return w.Now()
}

func (w *Worker) log() *slog.Logger {
	if w.Log == nil {
		return slog.Default()
	}
	return w.Log
}

func (w *Worker) open(t dealer.Target) (Transport, error) {
	open, ok := w.Transports[t.Type]
	if !ok {
		open, ok = openers[t.Type]
	}
	if !ok && (t.Type == dealer.TargetSES || t.Type == dealer.TargetS3) {
		return nil, &Failure{Reason: "a target of type " + t.Type + " needs AWS, which is not configured here: set AWS_REGION and credentials, or use another type", Wait: unserved}
	}
	if !ok {
		return nil, permanent("unknown target type")
	}
	return open(t, Setup{BaseDir: w.BaseDir, Secrets: w.secrets(), RootCAs: w.RootCAs})
}

func (w *Worker) secrets() Secrets {
	if w.Secrets == nil {
		return &SecretCache{Sources: map[string]Source{"env": Environment}}
	}
	return w.Secrets
}
