package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/lead"
)

func newLeadsRevoke(std streams) *cobra.Command {
	var at whereabouts
	var who whose
	var off []string
	cmd := &cobra.Command{
		Use:   "revoke (--email ADDRESS | --phone NUMBER | --lead ID) [--channel NAME] --data DIR",
		Short: "Note that a buyer took the consent back, wholly or for some channels",
		Long: `Revoke notes that the buyer took back the consent of their leads. What was not
handed over yet is withheld when no channel is left. Who was handed a lead
before does not hear of it: revoke names them. A booked visit stands, since who
wants no calls may still come; revoke names it and how to cancel it. --email -
and --phone - read from standard input, which no list of processes shows.`,
		Example: `  dealer leads revoke --email pat@example.com --channel sms --data DIR`,
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, given []string) error {
			std, err := who.read(std)
			if err != nil {
				return err
			}
			if err := who.check(cmd); err != nil {
				return err
			}
			for _, channel := range off {
				if !slices.Contains([]string{"email", "phone", "sms"}, channel) {
					return usageError{fmt.Errorf("--channel wants email, phone or sms, not %q", channel)}
				}
			}
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				ids, err := who.leads(ctx, p)
				if err != nil {
					return err
				}
				found, err := gather(ctx, p, ids, map[string][]string{})
				if err != nil {
					return err
				}
				if len(found) == 0 {
					return errors.New("no lead of that person is stored, so there is no consent to take back")
				}
				if err := p.archive().Revoke(ctx, p.dealer, found, off, cmd.CommandPath()); err != nil {
					return err
				}
				what := "every channel"
				if len(off) > 0 {
					what = channels(off)
				}
				if _, err := fmt.Fprintf(std.out, "Noted for %s: %s taken back.\n", counted(len(found)), what); err != nil {
					return err
				}
				// Read after the consent is gone: what begins now is withheld.
				to := map[string][]string{}
				if _, err := gather(ctx, p, found, to); err != nil {
					return err
				}
				for _, name := range sortedNames(to) {
					had := "was handed the lead before"
					if !slices.ContainsFunc(to[name], func(what string) bool { return !strings.HasSuffix(what, perhaps) }) {
						had = "may have been handed the lead before"
					}
					if _, err := fmt.Fprintf(std.out, "%s %s; tell them.\n", shown(name), had); err != nil {
						return err
					}
				}
				return p.standing(ctx, found, std.out)
			})
		},
	}
	at.flags(cmd.Flags())
	who.flags(cmd)
	cmd.Flags().StringArrayVar(&off, "channel", nil, "only this channel: email, phone or sms; may be given several times (default: all)")
	return cmd
}

// standing names the visits to come of leads whose buyer may be contacted in no
// way any more.
func (p place) standing(ctx context.Context, leadIDs []string, out io.Writer) error {
	for _, id := range leadIDs {
		r, err := p.Leads.Load(ctx, p.dealer, id, p.Now())
		if errors.Is(err, lead.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		f, err := p.file(ctx, r)
		if err != nil {
			return err
		}
		v := f.Visit
		if v == nil || v.State != lead.Booked || !v.End.After(p.Now()) || len(f.channels()) > 0 {
			continue
		}
		_, err = fmt.Fprintf(out, "The %s of lead %s at %s on %s still stands; if the buyer is not coming, `dealer appointments cancel %s` frees its slot.\n",
			strings.ReplaceAll(v.Type, "_", " "), shown(id), shown(v.Rooftop), spoken(v.Start, p.clock(v.Rooftop)), shown(id))
		if err != nil {
			return err
		}
	}
	return nil
}
