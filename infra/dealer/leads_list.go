package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/lead"
)

func newLeadsList(std streams) *cobra.Command {
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
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				if asJSON {
					return list(ctx, p, &chosen, limit, jsonList(std.out), contacts)
				}
				return list(ctx, p, &chosen, limit, textList(std.out, contacts), contacts)
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
	_, err = a.out.Write(append([]byte(head), escapeControls(body)...))
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
