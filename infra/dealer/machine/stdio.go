package machine

import (
	"context"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// importWait is how long a host waits at the start for the inventory.
const importWait = 10 * time.Second

// ServeMCP is Run for a host that started this process: it also answers the
// host over its two pipes, and ends when the host hangs up. asking is how its
// person is asked before a lead is taken.
func (m *Machine) ServeMCP(ctx context.Context, asking mcptools.Asking, in io.Reader, out io.Writer) error {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return m.Run(ctx) })
	group.Go(func() error {
		defer hangUp()
		first, cancel := context.WithTimeout(ctx, importWait)
		_ = m.WaitForInventory(first) // what is late comes while the host asks
		cancel()
		tools := m.tools
		tools.Asking = asking
		return mcptools.ServeStdio(ctx, tools, in, out)
	})
	return group.Wait()
}
