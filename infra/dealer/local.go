package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/sample"
)

// localAgent is an agent on this machine as the flags describe it.
type localAgent struct {
	profile, feed, data, outbox, clock string
	// proxies stand before the agent.
	proxies []netip.Prefix
	// place says where the data lie, for people.
	place string
}

// flags are those of every command that runs an agent of its own; help shows
// them under the heading.
func (l *localAgent) flags(flags *pflag.FlagSet, heading string) {
	flags.StringVar(&l.profile, "profile", "", "dealer profile, a YAML `FILE` (default: the sample dealer)")
	flags.StringVar(&l.feed, "feed", "", "inventory export, a `FILE` (default: the sample inventory with the sample dealer)")
	flags.StringVar(&l.data, "data", "", "`DIR` that keeps inventory and leads (default: a temporary one)")
	flags.StringVar(&l.outbox, "outbox", "", "`DIR` for the ADF files of file targets (default: outbox below --data)")
	flags.StringVar(&l.clock, "clock", "", "fix the agent's clock at this `RFC3339` time")
	section(flags, heading, "profile", "feed", "data", "outbox", "clock")
}

// open puts the agent together. leave closes it and takes a temporary folder away.
func (l *localAgent) open(addr string, log *slog.Logger) (m *machine.Machine, leave func(), err error) {
	now, err := clockAt(l.clock)
	if err != nil {
		return nil, nil, usageError{err}
	}
	remove := func() {}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	l.place = l.data
	if l.data == "" {
		if l.data, err = os.MkdirTemp("", "dealer-"); err != nil {
			return nil, nil, err
		}
		remove = func() { _ = os.RemoveAll(l.data) }
		l.place = l.data + " (removed at the end; --data DIR keeps leads and inventory)"
	}
	if l.profile == "" {
		if l.profile, err = writeSample(l.data, "dealer.yaml", sample.Profile()); err != nil {
			return nil, nil, err
		}
		if l.feed == "" {
			name, body := sample.Feed()
			if l.feed, err = writeSample(l.data, name, body); err != nil {
				return nil, nil, err
			}
		}
	}
	m, err = machine.Open(machine.Config{
		Addr: addr, Profile: l.profile, Feed: l.feed, Data: l.data, Outbox: l.outbox, Now: now, Log: log, Proxies: l.proxies,
		Command: inFolder,
	})
	if err != nil {
		return nil, nil, err
	}
	return m, func() { _ = m.Close(); remove() }, nil
}

// clockAt is a clock that stands at the given time, or the real one for "".
func clockAt(at string) (func() time.Time, error) {
	if at == "" {
		return time.Now, nil
	}
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return nil, fmt.Errorf("--clock wants a time such as 2026-05-01T12:00:00Z, not %q", at)
	}
	return func() time.Time { return t }, nil
}

// writeSample puts a sample file into the data folder, where it can be looked
// at, edited and reloaded like a dealer's own. A file that is there stays; its
// time is renewed, since the sample dealer vouches for its cars at every start.
func writeSample(dir, name string, body []byte) (string, error) {
	path := filepath.Join(dir, name)
	now := time.Now()
	if err := os.Chtimes(path, now, now); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, body, 0o600)
}
