package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// tally counts leads. It holds no personal data.
type tally struct {
	Leads   int            `json:"leads"`
	Days    map[string]int `json:"days"`
	States  map[string]int `json:"states"`
	Rooftop map[string]int `json:"rooftops"`
	Kinds   map[string]int `json:"kinds"`
	// MedianHandOver is the median time from receipt to hand-over, over every
	// target that has the lead; absent when none has one.
	MedianHandOver *float64 `json:"median_hand_over_seconds,omitempty"`

	took []time.Duration
}

func (t *tally) add(f filed) {
	t.Leads++
	t.Days[f.ReceivedAt.UTC().Format(time.DateOnly)]++
	t.States[lead.Overall(f.Deliveries)]++
	t.Rooftop[f.Rooftop]++
	t.Kinds[kindOf(f.request)]++
	for _, d := range f.Deliveries {
		if d.State == lead.HandedOver {
			t.took = append(t.took, max(0, d.UpdatedAt.Sub(f.ReceivedAt)))
		}
	}
}

func (t *tally) close() {
	slices.Sort(t.took)
	if n := len(t.took); n > 0 {
		median := ((t.took[(n-1)/2] + t.took[n/2]) / 2).Seconds()
		t.MedianHandOver = &median
	}
}

func newLeadsStats(std streams) *cobra.Command {
	var at whereabouts
	var chosen selection
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "stats --data DIR",
		Short:   "Count leads by day, state, rooftop and kind, without personal data",
		Example: `  dealer leads stats --data DIR --since 2026-05-01`,
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := chosen.check(); err != nil {
				return err
			}
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				t := &tally{Days: map[string]int{}, States: map[string]int{}, Rooftop: map[string]int{}, Kinds: map[string]int{}}
				err := chosen.each(ctx, p, func(f filed) error {
					t.add(f)
					return nil
				})
				if err != nil {
					return err
				}
				t.close()
				if asJSON {
					enc := json.NewEncoder(std.out)
					enc.SetIndent("", "  ")
					return enc.Encode(t)
				}
				return t.write(std.out)
			})
		},
	}
	at.flags(cmd.Flags())
	chosen.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the counts as JSON")
	return cmd
}

func (t *tally) write(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(table, "Leads\t%d\n", t.Leads)
	if t.MedianHandOver != nil {
		took := time.Duration(*t.MedianHandOver * float64(time.Second)).Round(time.Millisecond)
		fmt.Fprintf(table, "Median time to hand-over\t%s\n", took)
	}
	for _, part := range []struct {
		title  string
		counts map[string]int
	}{{"State", t.States}, {"Rooftop", t.Rooftop}, {"Kind", t.Kinds}, {"Day (UTC)", t.Days}} {
		if len(part.counts) == 0 {
			continue
		}
		fmt.Fprintf(table, "\n%s\n", part.title)
		for _, name := range slices.Sorted(maps.Keys(part.counts)) {
			fmt.Fprintf(table, "  %s\t%d\n", shown(name), part.counts[name])
		}
	}
	return table.Flush()
}

func newLeadsAudit(std streams) *cobra.Command {
	var at whereabouts
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "audit --data DIR",
		Short:   "Show when leads were exported, resent, revoked or erased, and how many",
		Example: `  dealer leads audit --data DIR`,
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, given []string) error {
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				all, err := p.Leads.Audits(ctx, p.dealer)
				if err != nil {
					return err
				}
				if asJSON {
					array := newArray(std.out)
					for _, a := range all {
						if err := array.add(a); err != nil {
							return err
						}
					}
					return array.end()
				}
				table := tabwriter.NewWriter(std.out, 0, 8, 2, ' ', 0)
				fmt.Fprintln(table, "TIME\tACTION\tLEADS")
				for _, a := range all {
					fmt.Fprintf(table, "%s\t%s\t%d\n", a.At.UTC().Format("2006-01-02 15:04:05 MST"), shown(a.Action), a.Leads)
				}
				return table.Flush()
			})
		},
	}
	at.flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}
