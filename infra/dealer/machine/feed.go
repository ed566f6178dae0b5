package machine

import (
	"context"
	"os"
	"time"

	"github.com/dealer-agent/dealer/pkg/feed"
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

// watchFeed imports the feed now and after every change. A refused or broken
// feed is reported and the last good inventory stays.
func (m *Machine) watchFeed(ctx context.Context) error {
	var imported, previous fileState
	for first := true; ; first = false {
		state, err := stateOf(m.config.Feed)
		switch {
		case err != nil:
			if previous != (fileState{}) || first {
				m.config.Log.Warn("feed cannot be read, the last good inventory stays", "reason", err.Error())
			}
			state = fileState{}
		case state != imported && (first || state == previous):
			imported = state
			m.importFeed(ctx, state)
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

func stateOf(path string) (fileState, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}, err
	}
	return fileState{info.Size(), info.ModTime()}, nil
}

func (m *Machine) importFeed(ctx context.Context, state fileState) {
	file, err := os.Open(m.config.Feed)
	if err != nil {
		m.config.Log.Warn("feed cannot be read, the last good inventory stays", "reason", err.Error())
		return
	}
	defer file.Close()
	importer := feed.Importer{Store: m.db.Inventory(), Profiles: m.profiles, Now: m.config.Now}
	report, err := importer.Import(ctx, feed.Source{
		Name: file.Name(), Size: state.size, Modified: state.modified, Body: file,
	}, false)
	if err != nil {
		m.config.Log.Error("feed refused, the last good inventory stays", "reason", err.Error())
		return
	}
	m.config.Log.Info("feed imported", "rows", report.Rows, "accepted", report.Accepted, "for_sale", report.Visible,
		"rejected", report.Rejected)
}
