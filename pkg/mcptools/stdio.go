package mcptools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio answers a host over its two pipes, one message a line, until the
// input ends and everything asked is answered, or ctx ends; then it returns
// nil. Whoever holds the pipes is the person at this machine: no token is asked
// for and no quota kept. What is offered is settled at the start.
func ServeStdio(ctx context.Context, c Config, in io.Reader, out io.Writer) error {
	s := newService(c.Settings, c.Asking)
	p, err := c.Profiles.Profile(ctx)
	if err != nil {
		return fmt.Errorf("read the dealer profile: %w", err)
	}
	server, err := s.newServer(localOffer(c, p))
	if err != nil {
		return err
	}
	return s.pipe(ctx, server, in, out)
}

// pipe runs a server over two pipes.
func (s *service) pipe(ctx context.Context, server *mcp.Server, in io.Reader, out io.Writer) error {
	p := newPipe(in, out, s.Timeout+time.Second)
	err := server.Run(ctx, &mcp.IOTransport{Reader: p, Writer: p, MaxLineLength: 2 * longestLine})
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("talk to the host: %w", err)
	}
	return nil
}
