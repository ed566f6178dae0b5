package pickup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/outbound"
)

// visit goes to a source that is ripe, as the only visitor.
func (p *Picker) visit(ctx context.Context, profile *dealer.Profile, s *dealer.FeedSource, ripe func(State, *dealer.FeedSource, *dealer.Profile, time.Time) bool) (Visit, error) {
	now := p.Now()
	st, err := p.States.Claim(ctx, profile.ID, s.Name, now, now.Add(lease))
	if errors.Is(err, ErrBusy) {
		return Visit{State: State{Source: s.Name, Result: Busy}}, nil
	}
	if err != nil {
		return Visit{}, fmt.Errorf("feed source %s: %w", s.Name, err)
	}
	v := Visit{State: st}
	if ripe(st, s, profile, now) {
		visit, leave := intime(ctx)
		p.look(visit, profile, s, &v, now)
		leave()
	}
	// What came of it is written also when the caller gave up meanwhile.
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := p.States.Settle(settle, profile.ID, v.State); err != nil && !errors.Is(err, ErrBusy) {
		return v, fmt.Errorf("feed source %s: %w", s.Name, err)
	}
	return v, nil
}

// intime ends a visit before its caller ends, so that what came of it is kept.
func intime(ctx context.Context) (context.Context, context.CancelFunc) {
	if end, ends := ctx.Deadline(); ends {
		return context.WithDeadline(ctx, end.Add(-spare/3))
	}
	return context.WithCancel(ctx)
}

// look fetches, has the file imported, and writes into v what came of it.
func (p *Picker) look(ctx context.Context, profile *dealer.Profile, s *dealer.FeedSource, v *Visit, now time.Time) {
	if o := origin(s); v.Origin != o {
		v.State = State{Source: s.Name, Claim: v.Claim, Origin: o}
	}
	v.Looked, v.Seen, v.Wait = now, profile.Modified, s.Every.Std()
	err := p.bring(ctx, profile, s, v, now)
	switch {
	case err == nil:
		v.Result, v.Reason, v.Failures = Imported, "", 0
	case errors.Is(err, errUnchanged):
		v.Failures = 0
		if v.Result != Refused { // and that the file there was refused stays true
			v.Result, v.Reason = Unchanged, ""
		}
	case errors.Is(err, errWriting):
		v.Result, v.Reason = Waiting, "the file there is still being written"
		v.Wait = min(soon, v.Wait)
	case errors.Is(err, feed.ErrRefused), errors.Is(err, inventory.ErrRefused):
		v.Result, v.Reason, v.Failures = Refused, err.Error(), 0
	case errors.Is(ctx.Err(), context.Canceled):
		v.Wait = 0 // the next turn makes the visit again
	default:
		p.failed(ctx, s, v, err)
	}
}

func (p *Picker) failed(ctx context.Context, s *dealer.FeedSource, v *Visit, err error) {
	v.Failures++
	v.Result, v.Reason = Failed, "a part of the import failed; the file is fetched again"
	v.Wait = min(v.Wait, soon<<min(v.Failures-1, 10))
	attrs := []any{"source", s.Name, "failures", v.Failures}
	if fault, ok := errors.AsType[*Fault](err); ok {
		v.Reason = fault.Reason
		if fault.Denied {
			v.Wait = s.Every.Std()
			for _, ref := range s.Secrets() {
				p.Secrets.Forget(ref)
			}
		}
		v.Wait = max(v.Wait, fault.Wait)
		attrs = append(attrs, "reason", v.Reason)
	} else {
		attrs = append(attrs, "error", err)
	}
	if v.Failures >= failing {
		p.Log.ErrorContext(ctx, LogFailing, attrs...)
		return
	}
	p.Log.WarnContext(ctx, LogFailed, attrs...)
}

// bring fetches a file that is new and has it imported.
func (p *Picker) bring(ctx context.Context, profile *dealer.Profile, s *dealer.FeedSource, v *Visit, now time.Time) error {
	known := v.State
	same := !known.ReadBy.IsZero() && known.ReadBy.Equal(profile.Modified)
	if !same { // the file is wanted even if the source has nothing new
		known.Tag, known.ETag, known.Dated = "", "", ""
	}
	spool, err := newSpool(p.Dir, maxFile)
	if err != nil {
		return err
	}
	defer spool.remove()
	a, err := p.fetch(ctx, s, known, spool)
	if err != nil {
		return err
	}
	if spool.size == 0 {
		return &Fault{Reason: "the file is empty; the last good inventory stays"}
	}
	if spool.page() {
		return &Fault{Reason: "the address answers with a web page instead of an export, as one does that wants a login; check url and auth"}
	}
	digest := spool.digest()
	switch {
	case a.modified.IsZero() && digest == v.SHA256:
		// Nothing says that the dealer's system has looked at its cars again.
		if a.modified = v.FeedTime; same {
			v.Tag, v.ETag, v.Dated = a.tag, a.etag, a.dated
			return errUnchanged
		}
	case a.modified.IsZero(), a.modified.After(now):
		a.modified = now
	case a.modified.Before(v.FeedTime.Truncate(time.Second)):
		return &Fault{Reason: "the source gives a file that is older than the one taken before; the last good inventory stays"}
	}
	file := File{Name: fileName(s), Size: spool.size, Modified: a.modified.UTC(), Body: spool.file}
	if _, err := spool.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	report, err := p.Depot.Take(ctx, profile, s, file)
	v.Report = &report
	if err == nil || errors.Is(err, feed.ErrRefused) || errors.Is(err, inventory.ErrRefused) {
		v.Tag, v.ETag, v.Dated, v.SHA256 = a.tag, a.etag, a.dated, digest
		v.FeedTime, v.ReadBy, v.Taken = file.Modified, profile.Modified, now
	}
	return err
}

// fetch writes what the source has into the spool.
func (p *Picker) fetch(ctx context.Context, s *dealer.FeedSource, known State, into *spool) (arrival, error) {
	ctx, stop := context.WithTimeoutCause(ctx, visitTime, errTooLong)
	defer stop()
	quiet := p.Silence
	if quiet <= 0 {
		quiet = silence
	}
	ctx, out, done := into.watch(ctx, quiet)
	defer done()
	route := outbound.Route{}
	if u, err := url.Parse(s.URL); err == nil && p.Route != nil {
		route = p.Route(u.Hostname())
	}
	if s.Scheme() == dealer.SchemeSFTP {
		pause := p.Pause
		if pause <= 0 {
			pause = 5 * time.Second
		}
		return collection{s, p.Secrets, route, pause}.fetch(ctx, known, out)
	}
	return download{s, p.Secrets, route, p.Now}.fetch(ctx, known, out)
}

var endingForm = regexp.MustCompile(`^\.[a-z0-9]{1,6}$`)

// fileName is the source's name with the ending that its url has: the rest of
// a url may be anything, a secret too.
func fileName(s *dealer.FeedSource) string {
	if u, err := url.Parse(s.URL); err == nil {
		if ending := path.Ext(u.Path); endingForm.MatchString(ending) {
			return s.Name + ending
		}
	}
	return s.Name
}
