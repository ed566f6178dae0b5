package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func newLeadsExport(std streams) *cobra.Command {
	var at whereabouts
	var chosen selection
	var format, out string
	cmd := &cobra.Command{
		Use:   "export --data DIR [--out FILE] [--format json|csv]",
		Short: "Write leads with everything that is stored of them, as JSON or CSV",
		Long: `Export writes full records, contact data included, newest first, to a private
file or to standard output. In CSV a cell that a spreadsheet could take for a
formula begins with an apostrophe, as does one that begins with an apostrophe
itself; the last columns hold the request and the deliveries whole, as JSON.`,
		Example: `  dealer leads export --data DIR --format csv --out leads.csv`,
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := chosen.check(); err != nil {
				return err
			}
			if format != "json" && format != "csv" {
				return usageError{fmt.Errorf("--format wants json or csv, not %q", format)}
			}
			if out == "" {
				return export(cmd, given, std, &at, &chosen, format)
			}
			return writeWhole(out, func(f *os.File) error {
				inner := std
				inner.out = f
				return export(cmd, given, inner, &at, &chosen, format)
			})
		},
	}
	at.flags(cmd.Flags())
	chosen.flags(cmd)
	cmd.Flags().StringVar(&format, "format", "json", "json or csv")
	cmd.Flags().StringVar(&out, "out", "", "`FILE` to write, readable by you alone (default: standard output)")
	return cmd
}

func export(cmd *cobra.Command, given []string, std streams, at *whereabouts, chosen *selection, format string) error {
	return at.in(cmd, given, std, []string{"out"}, func(ctx context.Context, p place) error {
		buffered := bufio.NewWriterSize(std.out, 64<<10)
		add, end := exportTo(buffered, format)
		n := 0
		err := chosen.each(ctx, p, func(f filed) error {
			n++
			return add(f)
		})
		if err == nil {
			err = end()
		}
		if err == nil {
			err = buffered.Flush()
		}
		if err != nil {
			return err
		}
		return p.archive().Exported(ctx, p.dealer, n)
	})
}

func exportTo(out io.Writer, format string) (add func(filed) error, end func() error) {
	if format == "csv" {
		head := false
		header := func() error {
			if head {
				return nil
			}
			head = true
			return writeRecord(out, columnNames())
		}
		return func(f filed) error {
			if err := header(); err != nil {
				return err
			}
			return writeRecord(out, cells(f))
		}, header
	}
	array := newArray(out)
	return func(f filed) error { return array.add(f) }, array.end
}

// exportColumn is one column of the CSV.
type exportColumn struct {
	name string
	cell func(filed) string
}

func exportColumns() []exportColumn {
	contact := func(get func(aap.Customer) string) func(filed) string {
		return func(f filed) string { return get(f.request.Customer) }
	}
	address := func(get func(aap.Address) string) func(filed) string {
		return func(f filed) string {
			if f.request.Customer.Address == nil {
				return ""
			}
			return get(*f.request.Customer.Address)
		}
	}
	moment := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
	return []exportColumn{
		{"lead_id", func(f filed) string { return f.ID }},
		{"received_at", func(f filed) string { return moment(f.ReceivedAt) }},
		{"version", func(f filed) string { return f.Version }},
		{"rooftop", func(f filed) string { return f.Rooftop }},
		{"kind", func(f filed) string { return kindOf(f.request) }},
		{"about", about},
		{"state", func(f filed) string { return lead.Overall(f.Deliveries) }},
		{"first_name", contact(func(c aap.Customer) string { return c.FirstName })},
		{"last_name", contact(func(c aap.Customer) string { return c.LastName })},
		{"email", contact(func(c aap.Customer) string { return c.Email })},
		{"phone", contact(func(c aap.Customer) string { return c.Phone })},
		{"preferred_contact", contact(func(c aap.Customer) string { return c.PreferredContact })},
		{"address_line_1", address(func(a aap.Address) string { return a.AddressLine1 })},
		{"address_line_2", address(func(a aap.Address) string { return a.AddressLine2 })},
		{"city", address(func(a aap.Address) string { return a.City })},
		{"region", address(func(a aap.Address) string { return a.State })},
		{"zip", address(func(a aap.Address) string { return a.Zip })},
		{"country", address(func(a aap.Address) string { return a.Country })},
		{"message", func(f filed) string { return f.request.Message }},
		{"source_agent", func(f filed) string { return f.request.SourceAgent.Name }},
		{"consent_text", func(f filed) string { return f.request.Consent.ConsentText }},
		{"consent_channels", func(f filed) string { return strings.Join(f.request.Consent.AllowedChannels, " ") }},
		{"consent_granted_at", func(f filed) string { return f.request.Consent.GrantedAt }},
		{"consent_expires_at", func(f filed) string { return f.request.Consent.ExpiresAt }},
		{"channels_left", func(f filed) string { return strings.Join(f.channels(), " ") }},
		{"expires_at", func(f filed) string { return moment(f.ExpiresAt) }},
		{"request_json", func(f filed) string { return string(f.Request) }},
		{"answer_json", func(f filed) string { return asJSON(f.Answer) }},
		{"listing_json", func(f filed) string { return asJSON(f.Listing) }},
		{"deliveries_json", func(f filed) string { return asJSON(f.Deliveries) }},
		{"story_json", func(f filed) string { return asJSON(f.Story) }},
		{"visit_json", func(f filed) string { return asJSON(f.Visit) }},
	}
}

func columnNames() (names []string) {
	for _, c := range exportColumns() {
		names = append(names, c.name)
	}
	return names
}

func cells(f filed) (row []string) {
	for _, c := range exportColumns() {
		row = append(row, c.cell(f))
	}
	return row
}
