package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

func newFleetStatus(std streams) *cobra.Command {
	var o fleetFlags
	cmd := &cobra.Command{
		Use:   "status FILE",
		Short: "Tell how each rooftop is: stack, version, last import, leads today, alarms",
		Long: `Status asks each account once for its stacks and alarms, and each stack for its
profile, its last import and how many leads came since midnight here: a fraction
of a cent for hundreds of rooftops. It reads no lead. What cannot be learned is
said, and stops nothing else.

Exit codes: 0 every stack is up and no alarm rings, 1 otherwise, 2 the command
line or the fleet file is wrong.`,
		Example: `  dealer fleet status fleet.yaml --json`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			f, err := o.open(cmd.Context(), given[0], ifThere)
			if err != nil {
				return err
			}
			now := time.Now()
			midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
			list, err := o.look(cmd.Context(), f, midnight)
			if err != nil {
				return err
			}
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if o.asJSON {
				err = writeJSON(std.out, list)
			} else {
				err = writeStatus(std.out, list)
			}
			for _, s := range list {
				if err == nil && !s.Well() {
					err = errReported
				}
			}
			return err
		},
	}
	o.flags(cmd)
	o.onlyFlag(cmd)
	return cmd
}

// look asks the stack of each rooftop, or the one that they share.
func (o *fleetFlags) look(ctx context.Context, f *opened, since time.Time) ([]fleet.Status, error) {
	if f.file.Mode == fleet.ModePooled {
		run, _, err := o.pool(ctx, f)
		if err != nil {
			return nil, err
		}
		return run.Look(ctx, f.rooftops, since)
	}
	look := fleet.Observer{At: func(p stacks.Place) fleet.Watched { return f.accounts.At(p) }, Clock: fleet.Wall{}, Random: rand.Float64, Parallel: o.parallel}
	return look.Look(ctx, f.rooftops, since), nil
}

func writeStatus(out io.Writer, list []fleet.Status) error {
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "ROOFTOP\tSTACK\tSTATE\tVERSION\tLAST IMPORT\tLEADS TODAY\tALARMS")
	well := 0
	for _, s := range list {
		imported, leads := "-", "-"
		if s.LastImport != nil {
			imported = s.LastImport.UTC().Format("2006-01-02 15:04 MST")
		}
		if s.LeadsToday != nil {
			leads = fmt.Sprint(*s.LeadsToday)
		}
		if s.Well() {
			well++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, s.Stack, cmp.Or(s.State, "-"), cmp.Or(shown(s.Version), "-"), imported, leads, cmp.Or(strings.Join(s.Alarms, " "), "-"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, s := range list {
		if s.Note != "" {
			fmt.Fprintf(out, "%s: %s\n", s.ID, shown(s.Note))
		}
	}
	_, err := fmt.Fprintf(out, "%d of %d are well\n", well, len(list))
	return err
}
