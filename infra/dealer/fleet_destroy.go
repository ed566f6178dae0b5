package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

func newFleetDestroy(std streams) *cobra.Command {
	var o fleetFlags
	var all, yes bool
	cmd := &cobra.Command{
		Use:   "destroy FILE (ID… | --all)",
		Short: "Delete the stacks of rooftops; tables and buckets stay",
		Long: `Destroy deletes stacks of the fleet, those included that the file does not have
any more, after you have typed the rooftop's id, or the fleet's name for
several. Tables and buckets outlive their stack and are named. A stack with
termination protection is refused. Where dealers share a stack, it removes the
profiles of those named, and says what is kept of them and how to erase it.

Exit codes: 0 the stacks are gone, 1 some are not or you typed something else, 2
the command line or the fleet file is wrong.`,
		Example: `  dealer fleet destroy fleet.yaml seabright`,
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			ids := given[1:]
			if all == (len(ids) > 0) {
				return usageError{errors.New("dealer fleet destroy needs the ids of rooftops, or --all")}
			}
			f, err := o.open(cmd.Context(), given[0], ifThere)
			if err != nil {
				return err
			}
			if f.file.Mode == fleet.ModePooled {
				return o.destroyPool(cmd.Context(), std, f, ids, yes)
			}
			run := o.runner(f)
			doomed, unknown, err := run.Doom(cmd.Context(), func(p stacks.Place) fleet.Inspector { return f.accounts.At(p) }, ids)
			if err != nil {
				return err
			}
			if len(unknown) > 0 {
				return usageError{fmt.Errorf("no stack of the fleet %s is for %s", f.file.Name, strings.Join(unknown, ", "))}
			}
			if len(doomed) == 0 {
				_, err := fmt.Fprintln(std.err, "the fleet has no stacks")
				return err
			}
			if !yes && !typed(std, f.file, doomed) {
				return errors.New("nothing was deleted")
			}
			return f.alone(cmd.Context(), std, func(ctx context.Context) error {
				watch := newWatch(std.err, len(doomed))
				run.Tell = watch.tell
				report := run.Destroy(ctx, doomed)
				watch.end()
				return applied{Fleet: f.file.Name, Rooftops: report}.say(std.out, o.asJSON)
			})
		},
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "every stack of the fleet")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask; for programs")
	return cmd
}

// typed says what would go and what would stay, and asks.
func typed(std streams, f *fleet.File, doomed []fleet.Doomed) bool {
	for _, d := range doomed {
		fmt.Fprintf(std.err, "%s: stack %s (%s)\n", shown(d.ID), d.Stack, d.Place)
		if d.Refused != "" {
			fmt.Fprintf(std.err, "  is not deleted: %s\n", shown(d.Refused))
			continue
		}
		for _, kept := range d.Retained {
			fmt.Fprintf(std.err, "  stays: %s %s (%s)\n", kept.Logical, kept.Physical, kept.Type)
		}
	}
	what := f.Name
	if len(doomed) == 1 {
		what = doomed[0].ID
	}
	fmt.Fprintf(std.err, "Buyers get no answer from deleted stacks, and leads that are not handed over yet stay in the tables only.\nType %s to delete: ", what)
	line, _ := bufio.NewReader(std.in).ReadString('\n')
	return strings.TrimSpace(line) == what
}
