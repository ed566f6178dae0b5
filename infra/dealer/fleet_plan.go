package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/infra/fleet"
)

// planned is what `dealer fleet plan` says.
type planned struct {
	Fleet   string        `json:"fleet"`
	Version string        `json:"version,omitempty"`
	Steps   []fleet.Step  `json:"steps"`
	Month   fleet.Month   `json:"month"`
	Total   float64       `json:"month_total"`
	Assumed string        `json:"month_assumes"`
	Limits  []fleet.Limit `json:"limits"`
}

// toDo is the exit code of a plan that has something to do.
const toDo = exit(4)

func newFleetPlan(std streams) *cobra.Command {
	var o fleetFlags
	var drift bool
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Tell what an apply would do to each rooftop, and what it costs",
		Long: `Plan compares the fleet file with the stacks that are there and changes nothing.
Stacks of the fleet that the file does not have any more are listed; only
destroy removes them. With --drift CloudFormation looks for resources that
somebody changed by hand.

Exit codes: 0 nothing to do, 4 something to do or drifted, 1 a rooftop is
blocked or its account cannot be asked, 2 the command line or the fleet file is
wrong.`,
		Example: `  dealer fleet plan fleet.yaml --drift`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			f, err := o.openToChange(cmd.Context(), std, given[0])
			if err != nil {
				return err
			}
			if f.file.Mode == fleet.ModePooled {
				if drift {
					return usageError{errors.New("--drift is for stacks that the fleet makes; in a pooled one only profiles are compared")}
				}
				return o.planPool(cmd.Context(), std, f)
			}
			run := o.runner(f)
			steps := run.Plan(cmd.Context(), f.rooftops)
			if drift {
				run.Drift(cmd.Context(), steps)
			}
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			month := fleet.Sum(steps)
			p := planned{f.file.Name, f.release.Template.Version, steps, month, month.Total(), fleet.Assumed, fleet.Limits(f.release.Template, f.file.Rooftops)}
			return p.say(std.out, o.asJSON)
		},
	}
	o.flags(cmd)
	o.onlyFlag(cmd)
	cmd.Flags().BoolVar(&drift, "drift", false, "have CloudFormation look for changes made by hand; takes about a minute")
	return cmd
}

// say prints the plan; the error is the exit code.
func (p planned) say(out io.Writer, asJSON bool) error {
	say := p.write
	if asJSON {
		say = func(out io.Writer) error { return writeJSON(out, p) }
	}
	if err := say(out); err != nil {
		return err
	}
	return p.code()
}

func (p planned) code() error {
	var code error
	for _, s := range p.Steps {
		switch s.Action {
		case fleet.Blocked, fleet.Unknown:
			return errReported
		case fleet.Create, fleet.Replace, fleet.Update, fleet.Upload, fleet.Waiting:
			code = toDo
		}
		if len(s.Drift) > 0 {
			code = toDo
		}
	}
	return code
}

func (p planned) write(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "ROOFTOP\tSTACK\tWHERE\tACTION\tSTATE\tUSD A MONTH")
	count := map[fleet.Action]int{}
	for _, s := range p.Steps {
		count[s.Action]++
		month := ""
		if s.Month != nil {
			month = fmt.Sprintf("%.2f", s.Month.Total())
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", shown(s.ID), s.Stack, s.Place, s.Action, s.State, month)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, s := range p.Steps {
		var lines []string
		for _, c := range s.Changes {
			lines = append(lines, shown(c.String()))
		}
		for _, d := range s.Drift {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("drift: %s (%s) is %s %s", d.Logical, d.Type, strings.ToLower(d.Status), strings.Join(d.Paths, " "))))
		}
		if s.Note != "" {
			lines = append(lines, shown(s.Note))
		}
		if len(lines) > 0 {
			fmt.Fprintf(out, "\n%s:\n  %s\n", shown(s.ID), strings.Join(lines, "\n  "))
		}
	}
	var sums []string
	for _, a := range fleet.Actions {
		if count[a] > 0 {
			sums = append(sums, fmt.Sprintf("%d %s", count[a], a))
		}
	}
	if p.Version == "" { // the stack is none of this file's
		_, err := fmt.Fprintf(out, "\n%s\n", strings.Join(sums, ", "))
		return err
	}
	fmt.Fprintf(out, "\n%s; version %s\n%.2f USD a month, %s.\n", strings.Join(sums, ", "), p.Version, p.Total, p.Assumed)
	for _, l := range p.Limits {
		fmt.Fprintf(out, "Limit: %s.\n", l)
	}
	return nil
}
