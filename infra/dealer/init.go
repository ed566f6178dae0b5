package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dealer-agent/dealer/infra/dealer/setup"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
)

func newInit(std streams) *cobra.Command {
	var dir, export string
	var force bool
	given := map[string]*[]string{}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make a dealer's profile and deployment settings out of a few answers",
		Long: `Init asks for what a dealer's agent must know, at a terminal, or takes it as
flags, and writes dealer.yaml, the profile, and samconfig.toml, the settings of
its deployment with SAM. Each answer is checked at once by the rules of the
profile. Secrets are never asked: it tells the commands that put them where the
agent reads them, and what else to do next.`,
		Example: `  dealer init --dir my-dealer
  dealer init --dir my-dealer --feed inventory.csv --name "Larkspur Auto" --phone +19705550110 \
    --zip 80524 --leads folder --prices undeclared`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			i := interview{out: std.out, lines: bufio.NewReader(std.in), given: map[string]bool{}}
			for _, q := range setup.Questions() {
				if err := i.flag(q, *given[q.Flag]); err != nil {
					return err
				}
			}
			over := setup.Keep
			if force {
				over = setup.Replace
			} else if err := setup.Free(dir); err != nil {
				return err
			}
			if export != "" {
				if _, err := os.Stat(export); err != nil {
					return fmt.Errorf("the export cannot be read: %w; name another with --feed, or leave it out", err)
				}
			}
			fill := i.propose
			if isTerminal(std.in) && isTerminal(std.out) {
				fill = i.ask
			}
			if err := fill(cmd.Context()); err != nil {
				return err
			}
			if export != "" {
				proposal, err := proposed(cmd.Context(), export, i.answers)
				if err != nil {
					return err
				}
				i.answers.Feed = feedLines(proposal)
			}
			names, err := i.answers.Write(dir, over)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out, "Wrote %s.\n\n%s", strings.Join(names, " and "), i.answers.Steps(dir, export))
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&dir, "dir", ".", "`DIR` that gets the files")
	flags.BoolVar(&force, "force", false, "replace files that are there already")
	flags.StringVar(&export, "feed", "", "inventory export, a `FILE`, whose columns are mapped in the profile")
	var names []string
	for _, q := range setup.Questions() {
		given[q.Flag] = flags.StringArray(q.Flag, nil, q.Help)
		names = append(names, q.Flag)
	}
	section(flags, "Answers", names...)
	return cmd
}

// proposed looks at the export as `dealer feed map` does.
func proposed(ctx context.Context, name string, a setup.Answers) (feed.Proposal, error) {
	p, err := dealer.Parse(a.Profile())
	if err != nil {
		return feed.Proposal{}, err
	}
	file, err := os.Open(name)
	if err != nil {
		return feed.Proposal{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return feed.Proposal{}, err
	}
	return feed.Propose(ctx, feed.Source{Name: info.Name(), Size: info.Size(), Body: file}, p)
}

// feedLines are the profile's lines about the export. When nothing in it could
// be told, only comments are left.
func feedLines(p feed.Proposal) string {
	head, lines, _ := strings.Cut(p.YAML, "\n")
	for line := range strings.Lines(lines) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			return p.YAML
		}
	}
	return "# " + head + "\n" + lines
}

func isTerminal(end any) bool {
	f, ok := end.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
