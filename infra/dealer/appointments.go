package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/lead"
)

func newAppointments(std streams) *cobra.Command {
	cmd := family(&cobra.Command{
		Use:   "appointments",
		Short: "List, move and cancel the visits that were booked",
		Long: `Appointments works on the visits that the agent booked, in a data folder, also
while ` + "`dealer run`" + ` is using it, or on AWS on the table of a stack. A visit that is
moved or cancelled frees its slot at once, keeps a history without personal data,
and its lead goes to the CRM once more, marked as a resend, with the new time or
the word that it is cancelled. The buyer is not told: call them.`,
		Example:     `  dealer appointments list --data DIR`,
		Annotations: map[string]string{insideKey: "yes"},
	})
	cmd.AddCommand(newAppointmentsList(std), newAppointmentsMove(std), newAppointmentsCancel(std))
	return cmd
}

func newAppointmentsMove(std streams) *cobra.Command {
	var at whereabouts
	var to string
	cmd := &cobra.Command{
		Use:   "move LEAD-ID --to TIME --data DIR --profile FILE",
		Short: "Move a visit to another free slot",
		Long: `Move books the visit of the lead at another time and frees the one it had; a
cancelled visit is booked again. The time must be a free slot of the rooftop's
opening hours; lead time and horizon bind buyers only. It needs the profile,
which a running agent has.`,
		Example: `  dealer appointments move LEAD-ID --to 2026-05-03T11:00 --data DIR --profile dealer.yaml`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := required(cmd, "to"); err != nil {
				return err
			}
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				if p.profile == nil {
					return usageError{errors.New("moving a visit needs the opening hours: add --profile FILE")}
				}
				before, err := p.visit(ctx, given[0])
				if err != nil {
					return err
				}
				clock := p.clock(before.Rooftop)
				when, err := parseVisitTime(to, clock)
				if err != nil {
					return usageError{err}
				}
				v, err := p.archive().Move(ctx, p.profile, given[0], when)
				if none, ok := errors.AsType[*lead.NoSlot](err); ok {
					return errors.New(noSlot(when, none.Nearest, clock))
				}
				if errors.Is(err, lead.ErrNoCalendar) {
					return fmt.Errorf("the profile has no policy for %s appointments at %s; add it under leads.appointments, or cancel the visit", v.Type, shown(v.Rooftop))
				}
				return p.changed(std, before, v, err, "is booked for "+spoken(v.Start, clock))
			})
		},
	}
	at.flags(cmd.Flags())
	cmd.Flags().StringVar(&to, "to", "", "the new `TIME` on the rooftop's clock, such as 2026-05-03T11:00, or with an offset")
	return cmd
}

func newAppointmentsCancel(std streams) *cobra.Command {
	var at whereabouts
	cmd := &cobra.Command{
		Use:     "cancel LEAD-ID --data DIR",
		Short:   "Cancel a visit and free its slot; the lead stays",
		Example: `  dealer appointments cancel LEAD-ID --data DIR`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				before, err := p.visit(ctx, given[0])
				if err != nil {
					return err
				}
				v, err := p.archive().Cancel(ctx, p.dealer, given[0])
				return p.changed(std, before, v, err, "on "+spoken(v.Start, p.clock(v.Rooftop))+" is cancelled and its slot is free")
			})
		},
	}
	at.flags(cmd.Flags())
	return cmd
}

// visit loads the visit of a lead.
func (p place) visit(ctx context.Context, leadID string) (lead.Visit, error) {
	v, err := p.Leads.Visit(ctx, p.dealer, leadID, p.Now())
	if errors.Is(err, lead.ErrNotFound) {
		return v, fmt.Errorf("lead %s has no booked visit; `dealer appointments list` shows those there are", shown(leadID))
	}
	return v, err
}

// changed tells what became of a visit.
func (p place) changed(std streams, before, v lead.Visit, err error, what string) error {
	told := "The CRM gets the lead once more; the buyer is not told, so call them."
	switch {
	case err == nil && len(v.History) == len(before.History):
		told = "It was so before; nothing was changed."
	case errors.Is(err, lead.ErrNoConsent):
		told = "The CRM was not told, because the buyer took the consent back; tell the store yourself."
	case errors.Is(err, lead.ErrNotTold):
		told = "The CRM was not told (" + strings.TrimPrefix(err.Error(), lead.ErrNotTold.Error()+": ") +
			"); `dealer leads resend " + v.LeadID + "` tries that again."
	case err != nil:
		return err
	}
	_, werr := fmt.Fprintf(std.out, "The %s of lead %s at %s %s. %s\n", strings.ReplaceAll(v.Type, "_", " "), v.LeadID, shown(v.Rooftop), what, told)
	if err != nil {
		return errors.Join(errReported, werr)
	}
	return werr
}

// clock is the rooftop's; UTC without a profile.
func (p place) clock(rooftop string) *time.Location {
	if p.profile == nil {
		return time.UTC
	}
	return p.profile.Rooftop(rooftop).Location()
}

func spoken(t time.Time, clock *time.Location) string {
	return t.In(clock).Format("Mon 2 Jan 2006 15:04 MST")
}

func noSlot(when time.Time, nearest []time.Time, clock *time.Location) string {
	text := spoken(when, clock) + " is no free slot"
	if len(nearest) == 0 {
		return text + ", and none is near it; choose a time within the opening hours of the next year"
	}
	var near []string
	for _, t := range nearest {
		near = append(near, t.In(clock).Format("2006-01-02T15:04"))
	}
	return text + "; the nearest free ones are " + strings.Join(near, ", ")
}

// parseVisitTime reads a time on the clock or with an offset of its own.
func parseVisitTime(s string, clock *time.Location) (time.Time, error) {
	for _, form := range []string{"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(form, s, clock); err == nil {
			return t, nil
		}
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("--to wants a time on the rooftop's clock, such as 2026-05-03T11:00, or one with an offset, such as 2026-05-03T11:00:00-07:00, not %q", s)
}
