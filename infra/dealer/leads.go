package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func newLeads(std streams) *cobra.Command {
	cmd := family(&cobra.Command{
		Use:   "leads",
		Short: "List leads, tell the story of one, export, resend, revoke and erase",
		Long: `Leads works on the leads in a data folder, also while ` + "`dealer run`" + ` is using it, or
on AWS on the table of a stack. Contact data is shown only where you ask for it,
and every export, resend, revocation and erasure is written to the account that
` + "`dealer leads audit`" + ` shows.`,
		Example: `  dealer leads list --data DIR
  dealer leads show LEAD-ID --data DIR`,
		Annotations: map[string]string{insideKey: "yes"},
	})
	cmd.AddCommand(newLeadsList(std), newLeadsShow(std), newLeadsResend(std), newLeadsRevoke(std),
		newLeadsExport(std), newLeadsErase(std), newLeadsStats(std), newLeadsAudit(std))
	return cmd
}

// selection are the flags that choose leads.
type selection struct {
	since, rooftop, state string
	from                  time.Time
}

func (s *selection) flags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&s.since, "since", "", "only leads received since this `TIME`, such as 2026-05-01, 2026-05-01T09:00:00-06:00 or 48h (ago)")
	set.StringVar(&s.rooftop, "rooftop", "", "only leads of the rooftop with this `NAME`")
	set.StringVar(&s.state, "state", "", "only leads in this `STATE`: "+strings.Join(states, ", "))
}

var states = []string{lead.Queued, lead.Retrying, lead.HandedOver, lead.Failed, lead.Withheld}

func (s *selection) check() error {
	if s.state != "" && !slices.Contains(states, s.state) {
		return usageError{fmt.Errorf("--state wants one of %s, not %q", strings.Join(states, ", "), s.state)}
	}
	if s.since == "" {
		return nil
	}
	if ago, err := time.ParseDuration(s.since); err == nil && ago > 0 {
		s.from = time.Now().Add(-ago)
		return nil
	}
	var err error
	if s.from, err = parseMoment(s.since); err != nil {
		return usageError{fmt.Errorf("--since wants a day, a time or a duration, such as 2026-05-01, 2026-05-01T09:00:00Z or 48h, not %q", s.since)}
	}
	return nil
}

// parseMoment reads a day, in this machine's time zone, or an RFC 3339 time.
func parseMoment(s string) (time.Time, error) {
	if t, err := time.ParseInLocation(time.DateOnly, s, time.Local); err == nil {
		return t, nil
	}
	return time.Parse(time.RFC3339, s)
}

// filed is a lead with all that is kept beside it.
type filed struct {
	lead.Record
	Deliveries []lead.Delivery `json:"deliveries"`
	Story      []lead.Event    `json:"story,omitempty"`
	Visit      *lead.Visit     `json:"visit,omitempty"`

	// request is decoded; empty when it does not read as a lead.
	request aap.LeadRequest
}

// file reads what is kept beside the record.
func (p place) file(ctx context.Context, r lead.Record) (f filed, err error) {
	f.Record = r
	if f.Deliveries, err = p.Leads.Deliveries(ctx, p.dealer, r.ID); err != nil {
		return f, err
	}
	if f.Story, err = p.Leads.Story(ctx, p.dealer, r.ID); err != nil {
		return f, err
	}
	visit, err := p.Leads.Visit(ctx, p.dealer, r.ID, p.Now())
	switch {
	case err == nil:
		f.Visit = &visit
	case !errors.Is(err, lead.ErrNotFound):
		return f, err
	}
	f.request, _ = r.Lead() // what does not read stays in Request
	return f, nil
}

// channels are those the buyer may still be contacted on.
func (f filed) channels() []string {
	return lead.Channels(f.request.Customer, lead.Remaining(f.request.Consent, f.Story))
}

// kindOf is what a lead asks for: the kind of visit, a trade-in or a question.
func kindOf(r aap.LeadRequest) string {
	switch {
	case r.Appointment != nil:
		return r.Appointment.AppointmentType
	case r.VehicleOfInterest != nil:
		return "vehicle"
	case r.TradeIn != nil:
		return "trade_in"
	}
	return "general"
}

// about names the car in a few words.
func about(f filed) string {
	v := f.Listing
	if v == nil {
		v = f.request.VehicleOfInterest
	}
	if v == nil {
		return ""
	}
	words := []string{}
	if v.Year != nil {
		words = append(words, fmt.Sprint(*v.Year))
	}
	for _, word := range []string{v.Make, v.Model, v.Trim} {
		if word != "" {
			words = append(words, word)
		}
	}
	switch {
	case v.Stock != "":
		words = append(words, "(stock "+v.Stock+")")
	case v.VIN != "":
		words = append(words, "("+v.VIN+")")
	}
	return shown(strings.Join(words, " "))
}

// together is how many leads are read beside each other.
const together = 32

// each calls do for every lead that is chosen, newest first.
func (s *selection) each(ctx context.Context, p place, do func(filed) error) error {
	var waiting []lead.Record
	flush := func() error {
		files, err := p.fileAll(ctx, waiting)
		waiting = waiting[:0]
		for n := 0; n < len(files) && err == nil; n++ {
			if s.state == "" || lead.Overall(files[n].Deliveries) == s.state {
				err = do(files[n])
			}
		}
		return err
	}
	matched := false
	err := p.archive().Each(ctx, p.dealer, s.from, func(r lead.Record) error {
		if s.rooftop != "" && !p.same(s.rooftop, r.Rooftop) {
			return nil
		}
		matched = true
		if waiting = append(waiting, r); len(waiting) < together {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	if !matched {
		return p.knows(ctx, s.rooftop)
	}
	return flush()
}

// same reports whether what was asked for, perhaps by an alias, is the rooftop.
func (p place) same(asked, rooftop string) bool {
	if strings.EqualFold(asked, rooftop) || p.profile == nil {
		return strings.EqualFold(asked, rooftop)
	}
	r := p.profile.Rooftop(asked)
	return r != nil && r.Is(rooftop)
}

// knows refuses the name of a rooftop, empty for none, that neither the profile
// nor any lead has, so that nobody takes a slip of the pen for an empty list.
func (p place) knows(ctx context.Context, rooftop string) error {
	if rooftop == "" || p.profile != nil && p.profile.Rooftop(rooftop) != nil {
		return nil
	}
	var known []string
	if p.profile != nil {
		for _, r := range p.profile.Rooftops {
			known = append(known, r.Name)
		}
	}
	err := p.archive().Each(ctx, p.dealer, time.Time{}, func(r lead.Record) error {
		if strings.EqualFold(rooftop, r.Rooftop) {
			return errEnough
		}
		if r.Rooftop != "" && !slices.Contains(known, r.Rooftop) {
			known = append(known, r.Rooftop)
		}
		return nil
	})
	if errors.Is(err, errEnough) || err == nil && len(known) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	slices.Sort(known)
	return usageError{fmt.Errorf("no rooftop is called %q; there are: %s", rooftop, shown(strings.Join(known, ", ")))}
}

// fileAll reads what is kept beside the records, at the same time: on AWS each
// takes some requests.
func (p place) fileAll(ctx context.Context, records []lead.Record) ([]filed, error) {
	files := make([]filed, len(records))
	reads, ctx := errgroup.WithContext(ctx)
	for n, r := range records {
		reads.Go(func() (err error) {
			files[n], err = p.file(ctx, r)
			return err
		})
	}
	return files, reads.Wait()
}

// shown is a text of somebody else as a terminal may show it: on one line,
// without control and direction characters.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\r':
			return ' '
		case r == unicode.ReplacementChar, !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
}
