package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/infra/dealer/hostconfig"
)

// mcpInstall is one command line of `dealer mcp install`.
type mcpInstall struct {
	mcpFlags
	client, name, file string
	print              bool
}

func newMCPInstall(std streams) *cobra.Command {
	var given mcpInstall
	cmd := &cobra.Command{
		Use:   "install --client HOST",
		Short: "Add `dealer mcp` to the configuration of an AI host",
		Long: `Install writes how to start ` + "`dealer mcp`" + ` into the configuration of an AI host:
the flags it is given here are those the host will give. Nothing else in the
file is touched, a copy of the old one is left beside it, and a second time
changes nothing. Tokens are not written; they belong into the entry's "env", or
into a file of their own that --token-file names.`,
		Example: `  dealer mcp install --client claude-desktop --agent https://agent.dealer.example
  dealer mcp install --client vscode --data DIR --profile dealer.yaml --print`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, "client"); err != nil {
				return err
			}
			return given.run(cmd, std)
		},
	}
	given.flags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&given.client, "client", "", "the `HOST`: "+strings.Join(hostconfig.Names(), ", "))
	flags.StringVar(&given.name, "name", "dealer", "what the host calls the server")
	flags.StringVar(&given.file, "config-file", "", "the host's configuration, a `FILE` (default: where the host keeps it)")
	flags.BoolVar(&given.print, "print", false, "only show what would be added")
	return cmd
}

func (g *mcpInstall) run(cmd *cobra.Command, std streams) error {
	host, ok := hostconfig.ByName(g.client)
	if !ok {
		return usageError{fmt.Errorf("no host %q; the hosts are %s", g.client, strings.Join(hostconfig.Names(), ", "))}
	}
	if g.name == "" || strings.ContainsFunc(g.name, unicode.IsControl) {
		return usageError{errors.New("--name wants a name")}
	}
	arguments, err := g.arguments(cmd)
	if err != nil {
		return err
	}
	command, kept, err := ownPath()
	if err != nil {
		return err
	}
	entry := host.Entry(command, arguments...)
	if g.file == "" {
		home, _ := os.UserHomeDir() // File says so where there is none
		if g.file, err = host.File(runtime.GOOS, home, os.Getenv); err != nil {
			return err
		}
	}
	if g.print {
		fmt.Fprintf(std.err, "This goes into %s:\n", g.file)
		_, err := std.out.Write(hostconfig.New(host.Key, g.name, entry))
		return err
	}
	if !kept {
		return errors.New("this program was started by `go run` and is gone afterwards; build it with `go build -o dealer ./infra/dealer` and install from that one")
	}
	return g.write(host, entry, std)
}

// write changes the host's file.
func (g *mcpInstall) write(host hostconfig.Host, entry hostconfig.Entry, std streams) error {
	old, err := hostconfig.Read(g.file)
	if err != nil {
		return err
	}
	document, err := hostconfig.Merge(old, host.Key, g.name, entry, isOurs)
	switch {
	case errors.Is(err, hostconfig.ErrTaken):
		return fmt.Errorf("%s has a server %q that was not written here (%w); choose another --name, or change it by hand", g.file, g.name, err)
	case errors.Is(err, hostconfig.ErrShape):
		fmt.Fprintf(std.err, "%s stays as it is. Add this to it by hand:\n%s", g.file, hostconfig.New(host.Key, g.name, entry))
		return err
	case err != nil:
		return err
	case string(document) == string(old):
		fmt.Fprintf(std.out, "%s has %q already; nothing was changed.\n", g.file, g.name)
		return nil
	}
	backup, err := hostconfig.Replace(g.file, old, document, time.Now())
	if err != nil {
		return fmt.Errorf("%s was not changed: %w", g.file, err)
	}
	fmt.Fprintf(std.out, "Added %q to %s.\n", g.name, g.file)
	if backup != "" {
		fmt.Fprintf(std.out, "The file as it was: %s\n", backup)
	}
	if slices.Contains(entry.Args, "--agent") && g.tokenFile == "" {
		fmt.Fprintf(std.out, "If the dealer wants a token, put it into the entry's \"env\", as DEALER_TOKEN or, for a dealer called north, DEALER_TOKEN_NORTH.\n")
	}
	fmt.Fprintf(std.out, "Start %s anew to see it.\n", host.Title)
	return nil
}

// isOurs reports whether an entry starts `dealer mcp`.
func isOurs(e hostconfig.Entry) bool {
	base := e.Command[strings.LastIndexAny(e.Command, `/\`)+1:]
	return strings.HasPrefix(base, "dealer") && len(e.Args) > 0 && e.Args[0] == "mcp"
}

// arguments are the command line that the host will use, with whole paths: a
// host starts its servers anywhere.
func (g *mcpInstall) arguments(cmd *cobra.Command) ([]string, error) {
	elsewhere, err := g.forwards(cmd)
	if err != nil {
		return nil, err
	}
	list := []string{"mcp"}
	if elsewhere {
		if _, err := g.dealers(); err != nil {
			return nil, err
		}
		for _, a := range g.agents {
			list = append(list, "--agent", a)
		}
	}
	for _, f := range []struct{ flag, path string }{
		{"agents", g.agentsFile}, {"token-file", g.tokenFile}, {"profile", g.local.profile}, {"feed", g.local.feed}, {"data", g.local.data}, {"outbox", g.local.outbox},
	} {
		if f.path == "" {
			continue
		}
		whole, err := filepath.Abs(f.path)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(whole); err != nil && (f.flag == "profile" || f.flag == "feed" || f.flag == "token-file") {
			return nil, fmt.Errorf("--%s: %w", f.flag, err)
		}
		list = append(list, "--"+f.flag, whole)
	}
	for _, name := range []string{"clock", "deadline", "approve-writes"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			list = append(list, "--"+name+"="+f.Value.String())
		}
	}
	return list, nil
}

// ownPath is this program's path; kept is false for one that `go run` built.
func ownPath() (path string, kept bool, err error) {
	path, err = os.Executable()
	if err != nil {
		return "", false, err
	}
	if !strings.Contains(filepath.ToSlash(path), "/go-build") {
		return path, true, nil
	}
	if installed, err := exec.LookPath("dealer"); err == nil {
		if installed, err = filepath.Abs(installed); err == nil {
			return installed, true, nil
		}
	}
	return "dealer", false, nil
}
