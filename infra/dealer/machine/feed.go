package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// feedPoll is how often the feed file is looked at. A change is imported once
// two looks in a row agree, so that a file still being written is left alone.
const feedPoll = time.Second

// WaitForInventory returns once the feed has been looked at for the first
// time, whatever came of it, or when ctx ends.
func (m *Machine) WaitForInventory(ctx context.Context) error {
	select {
	case <-m.looked:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type fileState struct {
	size     int64
	modified time.Time
}

// firstRetry and lastRetry bound the pause before an import that failed for a
// passing reason is tried again.
const (
	firstRetry = 2 * time.Second
	lastRetry  = time.Minute
)

// watchFeed imports the feed now, after every change of it and after every
// change of the profile, which decides how it is read. A refused or broken
// feed is reported and the last good inventory, if there is one, stays.
func (m *Machine) watchFeed(ctx context.Context) error {
	var imported, previous fileState
	var readBy, retryAt time.Time // the profile of the last import; when to repeat it
	inForce := m.profileTime(ctx)
	pause := firstRetry
	for first := true; ; first = false {
		state, err := stateOf(m.config.Feed)
		profile := m.profileTime(ctx)
		if !profile.Equal(inForce) {
			m.config.Log.Info("profile changed, the new one is in force")
			inForce = profile
		}
		switch {
		case err != nil:
			if previous != (fileState{}) || first {
				m.config.Log.Warn("feed cannot be read, "+m.teller().remains(ctx), "reason", err.Error())
			}
			state = fileState{}
		case !first && state != previous:
			// Still being written, perhaps.
		case state != imported || !profile.Equal(readBy) || !retryAt.IsZero() && !time.Now().Before(retryAt):
			if state != imported {
				pause = firstRetry
			}
			imported, readBy, retryAt = state, profile, time.Time{}
			if !m.importFeed(ctx, state) {
				retryAt = time.Now().Add(pause)
				pause = min(2*pause, lastRetry)
			}
		}
		previous = state
		if first {
			close(m.looked)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(feedPoll):
		}
	}
}

// profileTime tells one profile from the next.
func (m *Machine) profileTime(ctx context.Context) time.Time {
	p, err := m.profiles.Profile(ctx)
	if err != nil {
		return time.Time{}
	}
	return p.Modified
}

func stateOf(path string) (fileState, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}, err
	}
	// Opening a pipe waits for its writer, and nothing can end that wait.
	if info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 {
		return fileState{}, fmt.Errorf("%s is no file", path)
	}
	return fileState{info.Size(), info.ModTime()}, nil
}

// importFeed reports whether the file is done with: taken, or refused for what
// it holds.
func (m *Machine) importFeed(ctx context.Context, state fileState) (done bool) {
	file, err := os.Open(m.config.Feed)
	if err != nil {
		m.config.Log.Warn("feed cannot be read, "+m.teller().remains(ctx), "reason", err.Error())
		return false
	}
	defer file.Close()
	importer := feed.Importer{Store: m.db.Inventory(), Profiles: m.profiles, Now: m.config.Now}
	report, err := importer.Import(ctx, feed.Source{
		Name: file.Name(), Size: state.size, Modified: state.modified, Body: file,
	}, false)
	return m.teller().tell(ctx, report, err)
}

// teller logs what came of an export.
type teller struct {
	log       *slog.Logger
	inventory inventory.Store
	profiles  dealer.Source
}

func (m *Machine) teller() teller { return teller{m.config.Log, m.db.Inventory(), m.profiles} }

// tell reports whether the file is done with.
func (t teller) tell(ctx context.Context, report feed.Report, err error) (done bool) {
	if err != nil {
		if ctx.Err() != nil {
			return false
		}
		_, guarded := errors.AsType[*inventory.Refused](err)
		if guarded || errors.Is(err, feed.ErrRefused) {
			t.log.Error("feed refused, "+t.remains(ctx), "reason", err.Error())
			return true
		}
		t.log.Error("feed not imported, it will be tried again", "reason", err.Error())
		return false
	}
	t.log.Info("feed imported", "rows", report.Rows, "accepted", report.Accepted, "for_sale", report.Visible,
		"rejected", report.Rejected)
	for _, kept := range report.Changes.Kept {
		t.log.Warn("rooftop keeps its last good inventory", "rooftop", kept.Rooftop, "reason", kept.Reason)
	}
	return true
}

// remains says what buyers find when the feed brings nothing.
func (t teller) remains(ctx context.Context) string {
	p, err := t.profiles.Profile(ctx)
	if err == nil {
		_, err = t.inventory.Head(ctx, p.ID)
	}
	if errors.Is(err, inventory.ErrNotFound) {
		return "and there is no inventory yet: buyers find no vehicle"
	}
	return "the last good inventory stays"
}
