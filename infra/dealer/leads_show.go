package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func newLeadsShow(std streams) *cobra.Command {
	var at whereabouts
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show LEAD-ID --data DIR",
		Short:   "Tell the story of one lead: what came, where it went, what happens next",
		Example: `  dealer leads show LEAD-ID --data DIR`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				f, err := p.find(ctx, given[0])
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(std.out, f)
				}
				var text bytes.Buffer
				tell(&text, f, p)
				_, err = text.WriteTo(std.out)
				return err
			})
		},
	}
	at.flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print everything that is stored, as JSON")
	return cmd
}

// find loads one lead by its id.
func (p place) find(ctx context.Context, id string) (filed, error) {
	r, err := p.Leads.Load(ctx, p.dealer, id, p.Now())
	if errors.Is(err, lead.ErrNotFound) {
		return filed{}, fmt.Errorf("there is no lead %s; it was never taken here, was erased, or its retention has ended. `dealer leads list` shows those there are", shown(id))
	}
	if err != nil {
		return filed{}, err
	}
	return p.file(ctx, r)
}

// tell writes the story in plain words. It claims nothing that the stored
// request, answer and receipts do not say.
func tell(w io.Writer, f filed, p place) {
	line := func(format string, parts ...any) { fmt.Fprintf(w, format+"\n", parts...) }
	clock := time.UTC
	if p.profile != nil {
		if r := p.profile.Rooftop(f.Rooftop); r != nil {
			clock = r.Location()
		}
	}
	at := func(t time.Time) string { return t.In(clock).Format("Mon 2 Jan 2006 15:04:05 MST") }
	r := f.request

	line("Lead %s", f.ID)
	line("")
	line("Received   %s, under AAP %s, for %s.", at(f.ReceivedAt), f.Version, cmp.Or(shown(f.Rooftop), "no rooftop in particular"))
	line("From       %s%s.", cmp.Or(shown(strings.TrimSpace(r.Customer.FirstName+" "+r.Customer.LastName)), "a buyer without a name"), reach(r.Customer))
	if name := shown(r.SourceAgent.Name); name != "" {
		line("Through    %s.", name)
	}
	line("About      %s.", cmp.Or(about(f), "no vehicle in particular"))
	if f.Listing == nil && r.VehicleOfInterest != nil {
		line("           It matched none of the dealer's own vehicles when the lead came.")
	}
	if t := r.TradeIn; t != nil {
		line("Trade-in   %s.", cmp.Or(about(filed{request: aap.LeadRequest{VehicleOfInterest: t}}), "without details"))
	}
	if r.Message != "" {
		line("Message    %s", shown(r.Message))
	}
	line("")
	tellAnswer(line, f)
	tellVisit(line, f, at)
	line("")
	tellConsent(line, f, at)
	line("")
	tellDeliveries(line, f, p, at)
	line("")
	line("Kept until %s.", at(f.ExpiresAt))
}

func reach(c aap.Customer) string {
	var ways []string
	for _, way := range []string{c.Email, c.Phone} {
		if way != "" {
			ways = append(ways, shown(way))
		}
	}
	if len(ways) == 0 {
		return ""
	}
	text := " (" + strings.Join(ways, ", ")
	if c.PreferredContact != "" {
		text += "; prefers " + shown(c.PreferredContact)
	}
	return text + ")"
}

type liner func(format string, parts ...any)

func tellAnswer(line liner, f filed) {
	var result aap.LeadResult
	_ = json.Unmarshal(f.Answer.Data, &result)
	line("Answered   %q", cmp.Or(shown(result.Status), "without a status"))
	if f.Answer.Message != "" {
		line("           The buyer was told: %s", shown(f.Answer.Message))
	}
	if a := result.Appointment; a != nil {
		line("           Appointment: %q.", shown(a.Status))
	}
}

func tellVisit(line liner, f filed, at func(time.Time) string) {
	if a := f.request.Appointment; a != nil && f.Visit == nil {
		wish := "no time was named"
		if t, err := time.Parse(time.RFC3339, strings.ToUpper(a.AppointmentAt)); err == nil {
			wish = "asked for " + at(t)
		}
		line("Visit      %s, %s. Nothing is booked by the agent.", shown(strings.ReplaceAll(a.AppointmentType, "_", " ")), wish)
	}
	if v := f.Visit; v != nil {
		line("Visit      %s, %s: %s.", shown(strings.ReplaceAll(v.Type, "_", " ")), at(v.Start), v.State)
		for _, c := range v.History {
			line("           %s: %s by the %s, for %s.", at(c.At), c.What, c.By, at(c.Start))
		}
	}
}

func tellConsent(line liner, f filed, at func(time.Time) string) {
	c := f.request.Consent
	line("Consent    %q", shown(c.ConsentText))
	granted := shown(c.GrantedAt)
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(c.GrantedAt)); err == nil {
		granted = at(t)
	}
	until := "no end of its own"
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(c.ExpiresAt)); err == nil {
		until = "until " + at(t)
	}
	line("           Given %s for %s; %s.", granted, channels(c.AllowedChannels), until)
	for _, e := range f.Story {
		if e.Kind != lead.Revoked {
			continue
		}
		what := "all of it"
		if len(e.Channels) > 0 {
			what = channels(e.Channels)
		}
		line("           Taken back %s: %s (%s).", at(e.At), what, cmp.Or(shown(e.By), "it is not known how"))
	}
	switch left := f.channels(); {
	case len(left) > 0:
		line("           The buyer may be contacted by %s and in no other way.", channels(left))
	default:
		line("           The buyer may not be contacted in any way.")
	}
}

func channels(list []string) string {
	var words []string
	for _, c := range list {
		if c == "sms" {
			c = "text message"
		}
		words = append(words, shown(c))
	}
	switch n := len(words); n {
	case 0:
		return "no channel"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

func tellDeliveries(line liner, f filed, p place, at func(time.Time) string) {
	known := map[string]bool{}
	for _, d := range f.Deliveries {
		known[d.Target] = true
		tellDelivery(line, f, d, at)
		for _, e := range f.Story {
			if e.Kind == lead.ResendAsked && e.Target == d.Target {
				line("           The dealer asked for it once more %s (%s).", at(e.At), cmp.Or(shown(e.By), "it is not known how"))
			}
		}
	}
	if p.profile != nil {
		for _, t := range p.profile.Delivery {
			if !known[t.Name] && t.Takes(f.Rooftop) {
				line("Target     %s: not begun. The worker takes the lead from the queue next.", shown(t.Name))
				known[t.Name] = true
			}
		}
	}
	if len(known) == 0 {
		line("Targets    No hand-over was begun yet. The worker takes the lead from the queue next.")
	}
}

func tellDelivery(line liner, f filed, d lead.Delivery, at func(time.Time) string) {
	attempts := "after 1 attempt"
	if d.Attempts != 1 {
		attempts = fmt.Sprintf("after %d attempts", d.Attempts)
	}
	name := shown(d.Target)
	switch d.State {
	case lead.HandedOver:
		line("Target     %s: handed over %s %s.", name, at(d.UpdatedAt), attempts)
		line("           It said: %s. More than that the agent cannot know: not whether anybody has read it.", cmp.Or(shown(d.Receipt), "nothing"))
	case lead.Failed:
		line("Target     %s: failed %s %s: %s.", name, at(d.UpdatedAt), attempts, shown(d.LastError))
		if len(f.channels()) == 0 {
			line("           It is not tried again: the consent covers no channel any more.")
			break
		}
		line("           It is not tried again by itself. Mend the cause, then: dealer leads resend %s --target %s", f.ID, name)
	case lead.Withheld:
		line("Target     %s: withheld %s: %s.", name, at(d.UpdatedAt), shown(d.LastError))
		line("           It is kept and not sent; only a new lead with a new consent changes that.")
	case lead.Retrying:
		line("Target     %s: not handed over yet, %s, the last one %s: %s.", name, attempts, at(d.UpdatedAt), cmp.Or(shown(d.LastError), "under way, or cut off"))
		again := "It is tried again by itself."
		if !d.NextAttempt.IsZero() {
			again = "It is tried again by itself, not before " + at(d.NextAttempt) + "."
		}
		line("           %s", again)
	default:
		line("Target     %s: %s since %s, %s.", name, cmp.Or(d.State, lead.Queued), at(d.UpdatedAt), attempts)
		line("           The worker takes it next.")
	}
	if d.Begun && d.State != lead.HandedOver {
		line("           An earlier attempt may have arrived without saying so; the next document is marked as a resend.")
	}
}

func newLeadsResend(std streams) *cobra.Command {
	var at whereabouts
	var targets []string
	cmd := &cobra.Command{
		Use:     "resend LEAD-ID [--target NAME] --data DIR",
		Short:   "Queue a lead once more, as a resend where it may be known, if the consent allows",
		Example: `  dealer leads resend LEAD-ID --data DIR --target crm`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				if p.data == "" && at.queue == "" && at.stack == "" {
					return usageError{errors.New("resend on AWS needs --stack STACK, or --queue-url URL, which the stack's outputs name")}
				}
				if _, err := p.find(ctx, given[0]); err != nil {
					return err
				}
				asked, err := p.archive().Resend(ctx, p.dealer, given[0], targets, cmd.CommandPath())
				switch {
				case errors.Is(err, lead.ErrNoConsent):
					return errors.New("the buyer's consent covers no channel any more, so the lead stays withheld; only a new lead with a new consent changes that")
				case errors.Is(err, lead.ErrUnderWay):
					return errors.New("the lead is being handed over at this moment; look at it with `dealer leads show` in a few minutes")
				case errors.Is(err, lead.ErrNotFound):
					return errors.New("no hand-over to that target was begun; `dealer leads show` names the targets")
				case err != nil:
					return err
				}
				if len(asked) == 0 {
					asked = []string{"every target"}
				}
				slices.Sort(asked)
				_, err = fmt.Fprintf(std.out, "Queued once more for %s. The worker looks at the consent again before it sends.\n", shown(strings.Join(asked, ", ")))
				return err
			})
		},
	}
	at.flags(cmd.Flags())
	cmd.Flags().StringArrayVar(&targets, "target", nil, "only this target, by its `NAME` in the profile; may be given several times")
	return cmd
}
