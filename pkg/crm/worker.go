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
	// Now, Log and Secret default to time.Now, slog.Default and Environment.
	Now    func() time.Time
	Log    *slog.Logger
	Secret func(ref string) (string, error)
	// OnHandOver, when set, is called after each hand-over was recorded.
	OnHandOver func(HandOver)

	// BaseDir is where relative folders of file targets begin. Default: the
	// working directory.
	BaseDir string
	// Lease is how long an attempt that another process began and did not end
	// is presumed under way. It must exceed the longest target timeout. Zero:
	// no other process delivers from this store, so such an attempt was cut
	// off and is repeated at once as a resend.
	Lease time.Duration
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
// skipped. Errors hold no personal data.
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
		w.log().LogAttrs(ctx, slog.LevelWarn, "queued lead is gone or past its retention", slog.String("lead", leadID))
		return nil
	}
	if err != nil {
		return fmt.Errorf("lead %s: loading it: %w", leadID, err)
	}
	targets := applicable(record, p)
	if len(targets) == 0 {
		w.log().LogAttrs(ctx, slog.LevelError, "lead delivery failed",
			slog.String("lead", leadID), slog.String("reason", ErrNoTarget.Error()))
		return fmt.Errorf("lead %s: %w", leadID, ErrNoTarget)
	}
	stored, err := w.Leads.Deliveries(ctx, p.ID, leadID)
	if err != nil {
		return fmt.Errorf("lead %s: loading its delivery states: %w", leadID, err)
	}
	states := make(map[string]lead.Delivery, len(stored))
	for _, d := range stored {
		states[d.Target] = d
	}
	var failures []error
	for _, t := range targets {
		state, known := states[t.Name]
		if !known {
			state = lead.Delivery{Target: t.Name, State: lead.Queued}
		}
		a := attempt{worker: w, profile: p, record: record, target: t, state: state}
		if err := a.run(ctx); err != nil {
			failures = append(failures, fmt.Errorf("lead %s, target %s: %w", leadID, t.Name, err))
		}
	}
	return errors.Join(failures...)
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
	if !ok {
		return nil, permanent("unknown target type")
	}
	secret := w.Secret
	if secret == nil {
		secret = Environment
	}
	return open(t, Setup{BaseDir: w.BaseDir, Secret: secret, RootCAs: w.RootCAs})
}
