package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
)

// streams are the terminal's three ends; tests pass buffers.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// folder is set in a running agent that does the work of another process.
	folder *machine.Folder
}

// errReported ends a command whose output already said what is wrong.
var errReported = errors.New("already reported")

// errUnreachable is errReported of an agent that gave no answer at all.
var errUnreachable = fmt.Errorf("the agent cannot be reached: %w", errReported)

// usageError is a fault of the command line, not of the work.
type usageError struct{ error }

func newRoot(io streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "dealer",
		Short: "Run a car dealer's agent, and talk to any",
		Long: `dealer runs a dealer agent: it answers the five skills of the Auto Agent
Protocol over A2A and hands accepted leads over as ADF/XML.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, given []string) error {
			if len(given) > 0 {
				return usageError{fmt.Errorf("no command %q; `dealer --help` lists them", given[0])}
			}
			return cmd.Help()
		},
	}
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	if io.folder != nil {
		root.PersistentPreRunE = outside
	}
	root.AddCommand(newRun(io), newImport(io), newLeads(io), newAppointments(io), newInventory(io), newCall(io), newMCP(io), newDoctor(io), newADF(io), newPublish(io))
	return root
}

// required makes the named flags compulsory; leaving one out counts as usage.
func required(cmd *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if !cmd.Flags().Changed(name) {
			return usageError{fmt.Errorf("%s needs --%s", cmd.CommandPath(), name)}
		}
	}
	return nil
}

// args wraps a cobra argument check so that its failure counts as usage.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := check(cmd, given); err != nil {
			return usageError{fmt.Errorf("%w; usage: %s", err, cmd.UseLine())}
		}
		return nil
	}
}
