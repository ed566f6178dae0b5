// Package machinetest runs a whole agent for the length of a test.
package machinetest

import (
	"context"
	"sync"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
)

// Serve opens a machine, runs it and waits for its first look at the feed.
// stop ends it before the test does; it must stop cleanly either way.
func Serve(t testing.TB, config machine.Config) (m *machine.Machine, stop func()) {
	t.Helper()
	m, err := machine.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with %v, want a clean stop", err)
		}
		if err := m.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	t.Cleanup(stop)
	if err := m.WaitForInventory(ctx); err != nil {
		t.Fatal(err)
	}
	return m, stop
}
