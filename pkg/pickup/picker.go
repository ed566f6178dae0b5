package pickup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/outbound"
)

// What the log says of a source; an alarm matches LogFailing.
const (
	LogFailed  = "feed source failed"
	LogFailing = "feed source keeps failing"
)

// failing is how many visits in a row fail before it is said that they do.
const failing = 3

const (
	// lease is how long a visitor that died keeps others away; longer than a
	// visit takes.
	lease = 20 * time.Minute
	// visitTime bounds the fetching of one file.
	visitTime = 9 * time.Minute
	// silence is how long a source may send nothing, also while it makes the
	// export before the first byte.
	silence = 2 * time.Minute
	// soon is the first pause after a failure, and the one before a file that
	// was still being written is looked at again.
	soon = 5 * time.Minute
	// slack is how much earlier than due a source may be visited, so that
	// visits stay in step with the schedule that calls.
	slack = time.Minute
	// spare is the time of the caller that a visit needs at least.
	spare = 45 * time.Second
)

// File is a fetched export, whole.
type File struct {
	// Name is made of the source's name; it holds nothing of the address.
	Name string
	// Size is in bytes.
	Size int64
	// Modified is what its cars are vouched for as of.
	Modified time.Time
	Body     io.ReadSeeker
}

// Depot keeps a fetched file, so that people find it, imports it and logs that.
type Depot interface {
	// Take keeps the file and imports it as the profile says. Its errors are those of feed.Importer;
	// an error that is no refusal means that the file is to be brought again.
	Take(ctx context.Context, p *dealer.Profile, s *dealer.FeedSource, f File) (feed.Report, error)
}

// Picker visits the sources of one dealer. It is safe for concurrent use, also
// by several processes on one Store.
type Picker struct {
	Profiles dealer.Source
	States   Store
	Depot    Depot
	Secrets  Secrets
	Now      func() time.Time
	Log      *slog.Logger
	// Route says where connections may go for a source at the host. Nil: to
	// public addresses only.
	Route func(host string) outbound.Route
	// Dir keeps a file on its way. Empty: the system's folder for that.
	Dir string
	// Pause lies between two looks at a file that may still be written.
	// Default 5s.
	Pause time.Duration
	// Silence is how long a source may send nothing. Default 2m.
	Silence time.Duration
}

// Visit is what came of going to a source.
type Visit struct {
	State
	// Report is that of the import, if there was one.
	Report *feed.Report
}

// Turn visits every source that is due, one after the other, as long as ctx has
// time for another one, unless another turn is at work for the dealer. Faults of
// sources are logged and kept in their states; an error is one of the profile or
// the store.
func (p *Picker) Turn(ctx context.Context) error {
	profile, err := p.Profiles.Profile(ctx)
	if err != nil {
		return fmt.Errorf("load the profile: %w", err)
	}
	if len(profile.Feed.Sources) == 0 {
		return nil
	}
	known, err := p.known(ctx, profile)
	if err != nil {
		return err
	}
	var failures []error
	for i := range profile.Feed.Sources {
		s := &profile.Feed.Sources[i]
		if !due(known[s.Name], s, profile, p.Now()) {
			continue
		}
		if end, ends := ctx.Deadline(); ctx.Err() != nil || ends && time.Until(end) < spare {
			break // the next turn goes on
		}
		v, err := p.visit(ctx, profile, s, due)
		if err != nil {
			failures = append(failures, err)
		}
		if v.Result == Busy {
			break // another turn is at work for the dealer, and goes on to the rest
		}
	}
	return errors.Join(failures...)
}

// Pull visits the named source, or every one for "", whether it is due or not,
// and tells each visit. A source that has what was imported last is Unchanged.
func (p *Picker) Pull(ctx context.Context, name string, each func(Visit) error) error {
	profile, err := p.Profiles.Profile(ctx)
	if err != nil {
		return fmt.Errorf("load the profile: %w", err)
	}
	now := func(State, *dealer.FeedSource, *dealer.Profile, time.Time) bool { return true }
	for i := range profile.Feed.Sources {
		if s := &profile.Feed.Sources[i]; name == "" || name == s.Name {
			v, err := p.visit(ctx, profile, s, now)
			if err == nil {
				err = each(v)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Picker) known(ctx context.Context, profile *dealer.Profile) (map[string]State, error) {
	states, err := p.States.States(ctx, profile.ID)
	if err != nil {
		return nil, fmt.Errorf("states of feed sources: %w", err)
	}
	known := make(map[string]State, len(states))
	for _, s := range states {
		known[s.Source] = s
	}
	return known, nil
}

// due reports whether a source is to be visited: its pause is over, it was
// never visited, or the profile that reads its file has changed.
func due(st State, s *dealer.FeedSource, p *dealer.Profile, now time.Time) bool {
	if st.Looked.IsZero() || st.Origin != origin(s) || !st.Seen.Equal(p.Modified) || st.Looked.After(now.Add(time.Hour)) {
		return true
	}
	wait := st.Wait
	if st.Failures == 0 {
		wait = min(wait, s.Every.Std())
	}
	return !now.Before(st.Looked.Add(wait - min(slack, wait/10)))
}

// origin tells the address of a source from another one, and holds neither.
func origin(s *dealer.FeedSource) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q", s.URL, s.Rooftops)
	return hex.EncodeToString(sum.Sum(nil)[:12])
}
