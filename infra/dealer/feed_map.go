package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
)

func newFeed(std streams) *cobra.Command {
	cmd := family(&cobra.Command{
		Use:     "feed",
		Short:   "Look at an inventory export before it is imported, or fetch it",
		Example: `  dealer feed map inventory.csv`,
	})
	cmd.AddCommand(newFeedMap(std), newFeedPull(std))
	return cmd
}

func newFeedMap(std streams) *cobra.Command {
	var profile string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "map FILE",
		Short: "Propose which column is what, and print the profile lines to paste",
		Long: `Map reads the first rows of an export and says of each column what it holds, how
sure that is, and three of its values. Below the table stand the lines for the
profile. Columns about costs and about persons are named as dropped; their values
are not shown. Nothing is imported or changed.`,
		Example: `  dealer feed map inventory.csv
  dealer feed map inventory.xml --profile dealer.yaml --json`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			p := &dealer.Profile{}
			if profile != "" {
				var err error
				if p, err = loadProfile(cmd.Context(), profile); err != nil {
					return err
				}
			}
			file, err := os.Open(given[0])
			if err != nil {
				return err
			}
			defer file.Close()
			info, err := file.Stat()
			if err != nil {
				return err
			}
			proposal, err := feed.Propose(cmd.Context(), feed.Source{Name: info.Name(), Size: info.Size(), Body: file}, p)
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(std.out)
				enc.SetIndent("", "  ")
				return enc.Encode(proposal)
			}
			return showProposal(std.out, proposal)
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "", "dealer profile, a YAML `FILE` whose feed settings stand")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the proposal as JSON")
	return cmd
}

func showProposal(out io.Writer, p feed.Proposal) error {
	fmt.Fprintf(out, "%s (%s, %s), %d rows looked at", p.File, p.Format, p.Encoding, p.Rows)
	if p.NoHeader {
		fmt.Fprint(out, "; it has no header row")
	}
	fmt.Fprint(out, "\n\n")
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "COLUMN\tIS\tSURE\tFILLED\tSAMPLES")
	for i, c := range p.Columns {
		name := shown(c.Header)
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}
		is, sure, samples := c.Member, fmt.Sprintf("%.0f %%", 100*c.Confidence), make([]string, len(c.Samples))
		switch {
		case c.Dropped != "":
			is, sure, samples = "dropped", "", []string{"(" + c.Dropped + ")"}
		case is == "":
			if is, sure = "?", ""; c.Why != "" {
				is = "? (" + c.Why + ")"
			}
		}
		if c.Dropped == "" {
			for i, s := range c.Samples {
				samples[i] = brief(shown(s), 28)
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%.0f %%\t%s\n", brief(name, 36), is, sure, 100*c.Filled, strings.Join(samples, " | "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if !slices.ContainsFunc(p.Columns, func(c feed.ProposedColumn) bool { return c.Member != "" }) {
		_, err := fmt.Fprintln(out, "\nNo column could be told; is this the export of an inventory?")
		return err
	}
	_, err := fmt.Fprintf(out, "\nInto the profile:\n\n%s", p.YAML)
	return err
}

// brief shortens a text to so many characters.
func brief(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return s
}
