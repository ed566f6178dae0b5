package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// mcpFlags is one command line of `dealer mcp`: an agent of its own, or
// dealers elsewhere.
type mcpFlags struct {
	local      localAgent
	agents     []string
	agentsFile string
	tokenFile  string
	deadline   time.Duration
	approve    bool
}

func (f *mcpFlags) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.local.flags(flags, "An agent of its own")
	flags.StringArrayVar(&f.agents, "agent", nil, "forward to the dealer agent at this `[NAME=]URL`; several, each with a name, are offered side by side")
	flags.StringVar(&f.agentsFile, "agents", "", "the same as a YAML `FILE`, a list of name, url and token_env or token_file")
	flags.StringVar(&f.tokenFile, "token-file", "", "a `FILE` that holds the bearer token for the one --agent")
	flags.DurationVar(&f.deadline, "deadline", 8*time.Second, "how long to wait for each dealer when finding it, and when searching all")
	flags.BoolVar(&f.approve, "approve-writes", true, "have the person asked, by a form of the host, before any lead is sent; off for an agent of its own unless given")
	section(flags, "Dealers elsewhere", "agent", "agents", "token-file", "deadline")
}

// forwards reports whether the dealers are elsewhere, and refuses a mixture.
func (f *mcpFlags) forwards(cmd *cobra.Command) (bool, error) {
	if len(f.agents) == 0 && f.agentsFile == "" {
		if f.tokenFile != "" {
			return false, usageError{errors.New("--token-file is for a dealer elsewhere; give its address with --agent")}
		}
		return false, nil
	}
	for _, name := range []string{"profile", "feed", "data", "outbox", "clock"} {
		if cmd.Flags().Changed(name) {
			return false, usageError{fmt.Errorf("--%s is of an agent on this machine, and --agent of one elsewhere; give one of them", name)}
		}
	}
	if f.deadline <= 0 {
		return false, usageError{errors.New("--deadline wants a time such as 8s")}
	}
	return true, nil
}

func newMCP(std streams) *cobra.Command {
	var given mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Offer the skills to an AI host on this machine, over stdin and stdout",
		Long: `Mcp speaks the Model Context Protocol over stdin and stdout, for a host that
starts it, such as Claude Desktop or VS Code; ` + "`dealer mcp install`" + ` tells the host.

Without --agent it runs an agent of its own on the data folder, or on the
sample dealer. With --agent it forwards to a dealer's agent anywhere, one
message a call, under the newest contract that both sides name; the tools are
those that the dealer's card declares, in the form of that contract. With
several, a tool's name begins with the dealer's, as in
north__aap_inventory_search, and aap_network_search asks all of them.

Before a lead leaves for a dealer elsewhere the host shows a form with what
would be sent to whom, and nothing leaves unless its person accepts. A lead
without a consent has them asked for it in the same form. A host without forms
cannot send leads, unless --approve-writes=false leaves the asking to it.

A bearer token is taken from DEALER_TOKEN, or from DEALER_TOKEN_NORTH for the
dealer called north, or from a file. It is sent to that dealer's host and no other.`,
		Example: `  dealer mcp --data DIR --profile dealer.yaml
  dealer mcp --agent https://agent.dealer.example
  dealer mcp --agent north=https://north.example --agent south=https://south.example`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := slog.New(lead.Discreet(newConsole(std.err)))
			elsewhere, err := given.forwards(cmd)
			if err != nil {
				return err
			}
			if elsewhere {
				return serveNetwork(cmd.Context(), given, log, std)
			}
			if !cmd.Flags().Changed("approve-writes") {
				given.approve = false // nothing leaves this machine
			}
			return serveLocal(cmd.Context(), given, log, std)
		},
	}
	given.flags(cmd)
	cmd.AddCommand(newMCPInstall(std))
	return cmd
}

func serveLocal(ctx context.Context, f mcpFlags, log *slog.Logger, std streams) error {
	m, leave, err := f.local.open("", log)
	if errors.Is(err, embedded.ErrInUse) {
		return fmt.Errorf("another process, such as `dealer run`, holds %s; ask that one instead with `dealer mcp --agent http://127.0.0.1:8080`", f.local.data)
	}
	if err != nil {
		return err
	}
	defer leave()
	return m.ServeMCP(ctx, mcptools.Asking{ApproveWrites: f.approve}, std.in, std.out)
}

// forwardTimeout is how long one call of one dealer may take.
const forwardTimeout = 25 * time.Second

func serveNetwork(ctx context.Context, f mcpFlags, log *slog.Logger, std streams) error {
	list, err := f.dealers()
	if err != nil {
		return err
	}
	n := mcptools.Network{Deadline: f.deadline, Asking: mcptools.Asking{ApproveWrites: f.approve}, Settings: agent.Settings{Log: log, Timeout: forwardTimeout}}
	for _, r := range list {
		if strings.HasPrefix(r.URL, "http://") && (r.TokenFile != "" || os.Getenv(r.TokenEnv) != "") {
			log.Warn("the token travels unencrypted: the dealer's address is http", "variable", r.TokenEnv)
		}
		n.Dealers = append(n.Dealers, mcptools.Dealer{Alias: r.Name, Address: r.URL, Find: r.find})
	}
	return mcptools.ServeNetwork(ctx, n, std.in, std.out)
}
