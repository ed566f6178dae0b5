package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/agent/caller"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func newRun(std streams) *cobra.Command {
	var addr string
	var proxies []string
	var local localAgent
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the whole agent in one process",
		Long: `Run serves the agent card and the five skills, imports the feed at start and
whenever the file changes, and hands leads over. Without flags it shows a
sample dealer from a temporary data folder.

Each caller has a quota, by token or by address. Behind a web server of yours all
calls come from that: name its address with --proxy, so that buyers are told
apart by what it adds to X-Forwarded-For. Nobody else is believed about that.`,
		Example: `  dealer run
  dealer run --profile dealer.yaml --feed inventory.csv --data DIR
  dealer run --profile dealer.yaml --data DIR --proxy 127.0.0.1`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, port, err := net.SplitHostPort(addr); err != nil || !isPort(port) {
				return usageError{fmt.Errorf("--addr wants host and port, such as 127.0.0.1:8081, not %q", addr)}
			}
			for _, text := range proxies {
				p, err := caller.ParseProxy(text)
				if err != nil {
					return usageError{fmt.Errorf("--proxy wants an address such as 127.0.0.1, or a network such as 10.0.0.0/8, not %q", text)}
				}
				local.proxies = append(local.proxies, p)
			}
			m, leave, err := local.open(addr, slog.New(lead.Discreet(newConsole(std.out))))
			if errors.Is(err, syscall.EADDRINUSE) {
				return fmt.Errorf("another program listens on %s; stop it, or choose another port, such as --addr %s", addr, nextPort(addr))
			}
			if err != nil {
				return err
			}
			defer leave()
			printWelcome(std.out, local.place, m.URL())
			return m.Run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:8080", "address to listen on")
	cmd.Flags().StringSliceVar(&proxies, "proxy", nil, "`ADDRESS` or network of a web server before the agent, whose X-Forwarded-For counts")
	local.flags(cmd.Flags(), "The agent")
	return cmd
}

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

// nextPort is the address with the port after its own.
func nextPort(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	n, wrong := strconv.Atoi(port)
	if err != nil || wrong != nil || n >= 65535 {
		return "127.0.0.1:8081"
	}
	return net.JoinHostPort(host, strconv.Itoa(n+1))
}
