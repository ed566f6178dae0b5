package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func newLeads(io streams) *cobra.Command {
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
	cmd.AddCommand(newLeadsList(io), newLeadsShow(io), newLeadsResend(io), newLeadsRevoke(io),
		newLeadsExport(io), newLeadsErase(io), newLeadsStats(io), newLeadsAudit(io))
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
	err := p.archive().Each(ctx, p.dealer, s.from, func(r lead.Record) error {
		if s.rooftop != "" && !strings.EqualFold(s.rooftop, r.Rooftop) {
			return nil
		}
		if waiting = append(waiting, r); len(waiting) < together {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
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

func newLeadsList(io streams) *cobra.Command {
	var at whereabouts
	var chosen selection
	var asJSON, contacts bool
	var limit int
	cmd := &cobra.Command{
		Use:   "list --data DIR",
		Short: "List leads, newest first, without contact data",
		Example: `  dealer leads list --data DIR --since 48h --state failed
  dealer leads list --leads-table TABLE --profile dealer.yaml`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := chosen.check(); err != nil {
				return err
			}
			return at.in(cmd, given, io, nil, func(ctx context.Context, p place) error {
				if asJSON {
					return list(ctx, p, &chosen, limit, jsonList(io.out), contacts)
				}
				return list(ctx, p, &chosen, limit, textList(io.out, contacts), contacts)
			})
		},
	}
	at.flags(cmd.Flags())
	chosen.flags(cmd)
	cmd.Flags().IntVar(&limit, "limit", 0, "at most so many (default: all)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.Flags().BoolVar(&contacts, "contacts", false, "show names, e-mail addresses and phone numbers too")
	return cmd
}

// row is one lead in a list.
type row struct {
	ID         string    `json:"id"`
	ReceivedAt time.Time `json:"received_at"`
	Rooftop    string    `json:"rooftop"`
	Kind       string    `json:"kind"`
	About      string    `json:"about,omitempty"`
	State      string    `json:"state"`
	Name       string    `json:"name,omitempty"`
	Email      string    `json:"email,omitempty"`
	Phone      string    `json:"phone,omitempty"`
}

func rowOf(f filed, contacts bool) row {
	r := row{
		ID: f.ID, ReceivedAt: f.ReceivedAt.UTC(), Rooftop: f.Rooftop, Kind: kindOf(f.request),
		About: about(f), State: lead.Overall(f.Deliveries),
	}
	if contacts {
		who := f.request.Customer
		r.Name, r.Email, r.Phone = strings.TrimSpace(who.FirstName+" "+who.LastName), who.Email, who.Phone
	}
	return r
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

// lister writes rows one by one; end is called once after the last.
type lister struct {
	row func(row) error
	end func() error
}

var errEnough = errors.New("enough")

func list(ctx context.Context, p place, chosen *selection, limit int, to lister, contacts bool) error {
	n := 0
	err := chosen.each(ctx, p, func(f filed) error {
		if err := to.row(rowOf(f, contacts)); err != nil {
			return err
		}
		if n++; n == limit {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	return to.end()
}

func jsonList(out io.Writer) lister {
	array := newArray(out)
	return lister{func(r row) error { return array.add(r) }, array.end}
}

func textList(out io.Writer, contacts bool) lister {
	const aligned = 200 // rows that share their column widths
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	head := "RECEIVED\tLEAD\tROOFTOP\tKIND\tSTATE\tABOUT"
	if contacts {
		head += "\tNAME\tEMAIL\tPHONE"
	}
	n := 0
	return lister{
		row: func(r row) error {
			if n == 0 {
				fmt.Fprintln(table, head)
			}
			line := []string{r.ReceivedAt.Format("2006-01-02 15:04 MST"), r.ID, shown(r.Rooftop), shown(r.Kind), r.State, r.About}
			if contacts {
				line = append(line, shown(r.Name), shown(r.Email), shown(r.Phone))
			}
			_, err := fmt.Fprintln(table, strings.Join(line, "\t"))
			if n++; err == nil && n%aligned == 0 {
				err = table.Flush()
			}
			return err
		},
		end: func() error {
			if n == 0 {
				_, err := fmt.Fprintln(out, "No leads.")
				return err
			}
			return table.Flush()
		},
	}
}

// array writes a JSON array an element a line, one by one.
type array struct {
	out io.Writer
	n   int
}

func newArray(out io.Writer) *array { return &array{out: out} }

func (a *array) add(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	head := ",\n"
	if a.n == 0 {
		head = "[\n"
	}
	a.n++
	_, err = a.out.Write(append([]byte(head), body...))
	return err
}

func (a *array) end() error {
	tail := "\n]\n"
	if a.n == 0 {
		tail = "[]\n"
	}
	_, err := io.WriteString(a.out, tail)
	return err
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
