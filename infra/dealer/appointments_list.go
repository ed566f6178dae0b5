package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// mostVisits is how many visits one list shows.
const mostVisits = 10_000

func newAppointmentsList(std streams) *cobra.Command {
	var at whereabouts
	var day, rooftop string
	var days int
	var all, asJSON, contacts bool
	cmd := &cobra.Command{
		Use:   "list --data DIR",
		Short: "List booked visits by day and rooftop, without contact data",
		Long: `List shows the booked visits of a day and the days after it, by the date on
each rooftop's own clock.`,
		Example: `  dealer appointments list --data DIR --day 2026-05-03 --days 7 --contacts`,
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, given []string) error {
			if days < 1 || days > 400 {
				return usageError{errors.New("--days wants 1 to 400")}
			}
			if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
				return usageError{fmt.Errorf("--day wants a date such as 2026-05-03, not %q", day)}
			}
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				shownDays, err := p.visits(ctx, cmp.Or(day, p.today(rooftop)), days)
				if err != nil {
					return err
				}
				array := newArray(std.out)
				table := tabwriter.NewWriter(std.out, 0, 8, 2, ' ', 0)
				n := 0
				for _, v := range shownDays {
					if rooftop != "" && !p.same(rooftop, v.Rooftop) || v.State != lead.Booked && !all {
						continue
					}
					row, err := p.appointmentOf(ctx, v, contacts)
					if err != nil {
						return err
					}
					if asJSON {
						err = array.add(row)
					} else {
						err = row.write(table, n, contacts)
					}
					if err != nil {
						return err
					}
					n++
				}
				if n == 0 {
					if err := p.knows(ctx, rooftop); err != nil {
						return err
					}
				}
				switch {
				case asJSON:
					return array.end()
				case n == 0:
					_, err = fmt.Fprintln(std.out, "No visits.")
					return err
				}
				return table.Flush()
			})
		},
	}
	at.flags(cmd.Flags())
	set := cmd.Flags()
	set.StringVar(&day, "day", "", "first `DATE`, such as 2026-05-03 (default: today)")
	set.IntVar(&days, "days", 31, "how many days")
	set.StringVar(&rooftop, "rooftop", "", "only visits at the rooftop with this `NAME`")
	set.BoolVar(&all, "all", false, "show cancelled visits too")
	set.BoolVar(&asJSON, "json", false, "print a JSON array")
	set.BoolVar(&contacts, "contacts", false, "show names, e-mail addresses and phone numbers too")
	return cmd
}

// today is the date at the rooftop, or at the first one.
func (p place) today(rooftop string) string {
	if rooftop == "" && p.profile != nil {
		rooftop = p.profile.Rooftops[0].Name
	}
	return p.Now().In(p.clock(rooftop)).Format(time.DateOnly)
}

// visits are those that begin on the dates, each on its rooftop's clock, by
// date, rooftop and time.
func (p place) visits(ctx context.Context, day string, days int) ([]lead.Visit, error) {
	first, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, err
	}
	last := first.AddDate(0, 0, days-1).Format(time.DateOnly)
	// No clock is more than 15 hours from UTC.
	all, err := p.Leads.Visits(ctx, p.dealer, first.Add(-15*time.Hour), first.AddDate(0, 0, days).Add(15*time.Hour), mostVisits, p.Now())
	if err != nil {
		return nil, err
	}
	date := func(v lead.Visit) string { return v.Start.In(p.clock(v.Rooftop)).Format(time.DateOnly) }
	all = slices.DeleteFunc(all, func(v lead.Visit) bool { return date(v) < day || date(v) > last })
	slices.SortStableFunc(all, func(a, b lead.Visit) int {
		return cmp.Or(cmp.Compare(date(a), date(b)), cmp.Compare(a.Rooftop, b.Rooftop), a.Start.Compare(b.Start))
	})
	return all, nil
}

// appointment is one visit in a list.
type appointment struct {
	LeadID        string    `json:"lead_id"`
	AppointmentID string    `json:"appointment_id"`
	Start         time.Time `json:"start"`
	End           time.Time `json:"end"`
	Rooftop       string    `json:"rooftop"`
	Type          string    `json:"type"`
	State         string    `json:"state"`
	About         string    `json:"about,omitempty"`
	Name          string    `json:"name,omitempty"`
	Email         string    `json:"email,omitempty"`
	Phone         string    `json:"phone,omitempty"`
}

func (p place) appointmentOf(ctx context.Context, v lead.Visit, contacts bool) (appointment, error) {
	clock := p.clock(v.Rooftop)
	a := appointment{
		LeadID: v.LeadID, AppointmentID: v.AppointmentID, Start: v.Start.In(clock), End: v.End.In(clock),
		Rooftop: v.Rooftop, Type: v.Type, State: v.State,
	}
	r, err := p.Leads.Load(ctx, p.dealer, v.LeadID, p.Now())
	if errors.Is(err, lead.ErrNotFound) {
		return a, nil // erased a moment ago
	}
	if err != nil {
		return a, err
	}
	f := filed{Record: r}
	f.request, _ = r.Lead() // what does not read has nothing to show
	a.About = about(f)
	if contacts {
		who := f.request.Customer
		a.Name, a.Email, a.Phone = strings.TrimSpace(who.FirstName+" "+who.LastName), who.Email, who.Phone
	}
	return a, nil
}

// write adds the visit to a table as row n.
func (a appointment) write(table *tabwriter.Writer, n int, contacts bool) error {
	head := []string{"DAY", "TIME", "ROOFTOP", "TYPE", "STATE", "LEAD", "ABOUT"}
	line := []string{
		a.Start.Format("Mon 2006-01-02"), a.Start.Format("15:04") + "-" + a.End.Format("15:04 MST"), shown(a.Rooftop), a.Type, a.State, a.LeadID, a.About,
	}
	if contacts {
		head = append(head, "NAME", "EMAIL", "PHONE")
		line = append(line, shown(a.Name), shown(a.Email), shown(a.Phone))
	}
	if n == 0 {
		fmt.Fprintln(table, strings.Join(head, "\t"))
	}
	_, err := fmt.Fprintln(table, strings.Join(line, "\t"))
	return err
}
