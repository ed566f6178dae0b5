package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

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

// exit is errReported of a command that another process ran, with its code.
type exit int

func (e exit) Error() string { return fmt.Sprintf("it ended with exit code %d", int(e)) }

// Is makes it an errReported.
func (e exit) Is(target error) bool { return target == errReported }

// usageError is a fault of the command line, not of the work.
type usageError struct{ error }

func newRoot(std streams) *cobra.Command {
	root := family(&cobra.Command{
		Use:   "dealer",
		Short: "Run a car dealer's agent, and talk to any",
		Long: `Dealer runs a dealer agent: it answers the five skills of the Auto Agent
Protocol over A2A and MCP and hands accepted leads over as ADF/XML.`,
		Example: `  dealer run
  dealer call http://127.0.0.1:8080 dealer.information
  dealer doctor http://127.0.0.1:8080`,
		SilenceUsage:  true,
		SilenceErrors: true,
	})
	var order []string
	root.SetUsageFunc(func(cmd *cobra.Command) error { return usage(cmd, order) })
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	if std.folder != nil {
		root.PersistentPreRunE = outside
	}
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Run an agent", []*cobra.Command{newInit(std), newRun(std), newImport(std), newFeed(std), newPublish(std)}},
		{"Look after it", []*cobra.Command{newLeads(std), newAppointments(std), newInventory(std), newVehicle(std), newFleet(std), newToken(std)}},
		{"Talk to agents", []*cobra.Command{newCall(std), newMCP(std), newDoctor(std)}},
		{"Lead documents", []*cobra.Command{newADF(std)}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, c := range group.commands {
			c.GroupID = group.title
			root.AddCommand(c)
			order = append(order, c.Name())
		}
	}
	return root
}

// required makes the named flags compulsory; leaving one out counts as usage.
func required(cmd *cobra.Command, flags ...string) error {
	var missing []string
	for _, name := range flags {
		if !cmd.Flags().Changed(name) {
			missing = append(missing, "--"+name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	last := len(missing) - 1
	if last == 0 {
		return usageError{fmt.Errorf("%s needs %s", cmd.CommandPath(), missing[0])}
	}
	return usageError{fmt.Errorf("%s needs %s and %s", cmd.CommandPath(), strings.Join(missing[:last], ", "), missing[last])}
}
