package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/cloud/feeds"
	"github.com/dealer-agent/dealer/pkg/cloud/targets"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/pickup"
)

func newFeedPull(std streams) *cobra.Command {
	var at whereabouts
	var stack string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "pull [SOURCE]",
		Short: "Fetch the exports that the profile names, now, and say what happened",
		Long: `Pull visits the sources of feed.sources in the profile, or the one of that name,
whether they are due or not, and imports what is new. A file that was imported
already is not imported again. An agent that runs, and a stack on AWS, visits
its sources by itself; this is for the first time, and for finding faults.`,
		Example: `  dealer feed pull --profile dealer.yaml --data DIR
  dealer feed pull website --stack dealer`,
		Args:        args(cobra.MaximumNArgs(1)),
		Annotations: map[string]string{insideKey: "yes"},
		RunE: func(cmd *cobra.Command, given []string) error {
			source := ""
			if len(given) == 1 {
				source = given[0]
			}
			if stack != "" {
				ctx, picker, err := pickerOf(cmd.Context(), stack, at.region, at.dealer)
				if err != nil {
					return err
				}
				return pull(ctx, picker, source, std.out, asJSON)
			}
			if at.data == "" && std.folder == nil {
				return usageError{errors.New("dealer feed pull needs --profile FILE and --data DIR, or on AWS --stack STACK")}
			}
			if std.folder == nil && !embedded.Exists(at.data) {
				// The first files of a dealer come by this command.
				db, err := embedded.Open(at.data)
				if err == nil {
					err = db.Close()
				}
				if err != nil {
					return err
				}
			}
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				if p.profile == nil {
					return usageError{errors.New("name the dealer's profile with --profile FILE: its feed.sources say what is fetched")}
				}
				picker, err := p.Picker(ctx)
				if err != nil {
					return err
				}
				return pull(ctx, picker, source, std.out, asJSON)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&at.profile, "profile", "", "dealer profile, a YAML `FILE`")
	flags.StringVar(&at.data, "data", "", "`DIR` that keeps the inventory; `dealer run` may be using it")
	flags.StringVar(&stack, "stack", "", "the AWS `STACK` whose profile and inventory it is")
	flags.StringVar(&at.region, "region", "", "the `REGION` (default: the environment's)")
	dealerFlag(flags, &at.dealer)
	flags.BoolVar(&asJSON, "json", false, "print each visit as JSON, one a line")
	section(flags, "On AWS", "stack", "region", "dealer")
	return cmd
}

// pull tells each visit, and fails when one did.
func pull(ctx context.Context, picker *pickup.Picker, source string, out io.Writer, asJSON bool) error {
	p, err := picker.Profiles.Profile(ctx)
	if err != nil {
		return err
	}
	if err := namesSource(p, source); err != nil {
		return err
	}
	bad := 0
	err = picker.Pull(ctx, source, func(v pickup.Visit) error {
		if v.Result == pickup.Failed || v.Result == pickup.Refused {
			bad++
		}
		if asJSON {
			return json.NewEncoder(out).Encode(v)
		}
		_, err := fmt.Fprintln(out, shown(visitText(v)))
		return err
	})
	if err == nil && bad > 0 {
		err = fmt.Errorf("%d of the sources brought nothing; the lines above say why, and the last good inventory stays", bad)
	}
	return err
}

func namesSource(p *dealer.Profile, source string) error {
	var names []string
	for _, s := range p.Feed.Sources {
		if s.Name == source {
			return nil
		}
		names = append(names, s.Name)
	}
	switch {
	case len(names) == 0:
		return errors.New("the profile has no feed.sources; write at least {name: export, url: https://…} there")
	case source != "":
		return usageError{fmt.Errorf("the profile has no source %.64q; it has %s", source, strings.Join(names, ", "))}
	}
	return nil
}

func visitText(v pickup.Visit) string {
	text := v.Source + ": " + v.Result
	switch v.Result {
	case pickup.Imported:
		if r := v.Report; r != nil && r.Changes != nil {
			text += fmt.Sprintf(", %d rows, %d vehicles for sale; %d added, %d changed, %d gone", r.Rows, r.Visible, r.Changes.Added, r.Changes.Changed, r.Changes.Gone)
			for _, k := range r.Changes.Kept {
				text += fmt.Sprintf("; %s keeps its last good inventory: %s", k.Rooftop, k.Reason)
			}
		}
		text += "; vouched for as of " + v.FeedTime.UTC().Format(time.RFC3339)
	case pickup.Unchanged:
		text += " since the file of " + v.FeedTime.UTC().Format(time.RFC3339)
	case pickup.Busy:
		text += ": it is being fetched at this moment; its outcome is in the log"
	}
	if v.Reason != "" {
		text += ": " + v.Reason
	}
	return text
}

// pickerOf fetches for a stack from this machine, with its user's own AWS rights.
func pickerOf(ctx context.Context, name, region, dealerID string) (context.Context, *pickup.Picker, error) {
	ctx, stack, err := openStackFor(ctx, name, region, dealerID, "")
	if err != nil {
		return ctx, nil, err
	}
	if stack.dealer != "" {
		if _, err := stack.profile(ctx); err != nil {
			return ctx, nil, err
		}
	}
	quiet := slog.New(slog.DiscardHandler)
	profiles := stack.source()
	imports := &feeds.Events{
		Objects: stack.Objects(), ReportPrefix: stack.Settings.ReportPrefix, Log: quiet,
		Importer: &feed.Importer{Store: stack.Inventory(), Profiles: profiles, Now: time.Now},
	}
	return ctx, &pickup.Picker{
		Profiles: profiles, States: stack.Pickups(), Depot: feeds.Shelf{Events: imports, Bucket: stack.deployed.FeedBucket()},
		Secrets: targets.NewDirect(stack.Config()), Now: time.Now, Log: quiet,
	}, nil
}
