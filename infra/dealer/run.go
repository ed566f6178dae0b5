package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func newRun(io streams) *cobra.Command {
	var addr, profile, feed, data, outbox, clock string
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the whole agent in one process",
		Long: `Run serves the agent card and the five skills, imports the feed at start and
whenever the file changes, and hands leads over. Without flags it shows a
sample dealer from a temporary data folder.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			now, err := clockAt(clock)
			if err != nil {
				return usageError{err}
			}
			place := data
			if data == "" {
				if data, err = os.MkdirTemp("", "dealer-"); err != nil {
					return err
				}
				defer os.RemoveAll(data)
				place = data + " (removed at the end; --data DIR keeps leads and inventory)"
			}
			if profile == "" {
				if profile, err = writeSample(data, "dealer.yaml", sample.Profile()); err != nil {
					return err
				}
				if feed == "" {
					name, body := sample.Feed()
					if feed, err = writeSample(data, name, body); err != nil {
						return err
					}
				}
			}
			m, err := machine.Open(machine.Config{
				Addr: addr, Profile: profile, Feed: feed, Data: data, Outbox: outbox,
				Now: now, Log: slog.New(lead.Discreet(newConsole(io.out))),
			})
			if errors.Is(err, syscall.EADDRINUSE) {
				return fmt.Errorf("another program listens on %s; stop it, or choose another port, such as --addr 127.0.0.1:8081", addr)
			}
			if err != nil {
				return err
			}
			defer m.Close()
			printWelcome(io.out, place, m.URL())
			return m.Run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&addr, "addr", "127.0.0.1:8080", "address to listen on")
	flags.StringVar(&profile, "profile", "", "dealer profile, a YAML `FILE` (default: the sample dealer)")
	flags.StringVar(&feed, "feed", "", "inventory export, a `FILE` (default: the sample inventory with the sample dealer)")
	flags.StringVar(&data, "data", "", "`DIR` that keeps inventory and leads (default: a temporary one)")
	flags.StringVar(&outbox, "outbox", "", "`DIR` for the ADF files of file targets (default: outbox below --data)")
	flags.StringVar(&clock, "clock", "", "fix the agent's clock at this `RFC3339` time")
	return cmd
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
