package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

func newInventory(std streams) *cobra.Command {
	cmd := family(&cobra.Command{
		Use:         "inventory",
		Short:       "Look up what was published about vehicles",
		Example:     `  dealer inventory log --data DIR`,
		Annotations: map[string]string{insideKey: "yes"},
	})
	cmd.AddCommand(newInventoryLog(std))
	return cmd
}

func newInventoryLog(std streams) *cobra.Command {
	var at whereabouts
	var moment, format string
	cmd := &cobra.Command{
		Use:   "log [VIN | STOCK] [--at TIME] --data DIR",
		Short: "Show which price, charges and availability were published, and when",
		Long: `Log shows every change of what buyers were told about a vehicle, or about all of
them: price, charges, availability and the file that said so. With --at it shows
what stood at that moment. The log is kept for as long as records.prices in the
profile says; with a rooftop in California that is two years by itself.`,
		Example: `  dealer inventory log STOCK --at 2026-05-01 --data DIR`,
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			var when time.Time
			if moment != "" {
				var err error
				if when, err = parseMoment(moment); err != nil {
					return usageError{fmt.Errorf("--at wants a day or a time, such as 2026-05-01 or 2026-05-01T09:00:00-06:00, not %q", moment)}
				}
			}
			if !slices.Contains([]string{"table", "json", "csv"}, format) {
				return usageError{fmt.Errorf("--format wants table, json or csv, not %q", format)}
			}
			id := strings.Join(given, "")
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				to := publicationTable(std, format)
				told, err := tellPublished(ctx, p, id, when, to.row)
				if err != nil {
					return err
				}
				if told == 0 {
					return nothingPublished(ctx, p, id)
				}
				return to.end()
			})
		},
	}
	at.flags(cmd.Flags())
	cmd.Flags().StringVar(&moment, "at", "", "what stood at this `TIME`; a day means its beginning on this machine's clock")
	cmd.Flags().StringVar(&format, "format", "table", "table, json or csv")
	return cmd
}

// tellPublished calls tell for the publications asked for and counts them.
func tellPublished(ctx context.Context, p place, id string, at time.Time, tell func(inventory.Publication) error) (told int, err error) {
	always := at.IsZero()
	latest := map[string]inventory.Publication{}
	if at.Nanosecond() == 0 {
		at = at.Add(time.Second - 1) // as the table shows times, the second is meant
	}
	err = p.Inventory.Published(ctx, p.dealer, p.Now(), func(e inventory.Publication) error {
		switch {
		case id != "" && !e.Is(id):
		case always:
			told++
			return tell(e)
		case !e.At.After(at):
			latest[e.Key] = e
		}
		return nil
	})
	if err != nil {
		return told, err
	}
	for _, key := range slices.Sorted(maps.Keys(latest)) {
		// Who asks for all wants what was offered; of one vehicle, that it was not.
		if id == "" && !latest[key].Status.Listed() {
			continue
		}
		told++
		if err := tell(latest[key]); err != nil {
			return told, err
		}
	}
	return told, nil
}

// nothingPublished says why there is nothing to show.
func nothingPublished(ctx context.Context, p place, id string) error {
	head, err := p.Inventory.Head(ctx, p.dealer)
	if err != nil && !errors.Is(err, inventory.ErrNotFound) {
		return err
	}
	if !head.Logged {
		return errors.New("no log of publications is kept; set records: {prices: 730d} in the profile, and the next import begins it")
	}
	if id == "" {
		return errors.New("nothing was published by then, or it was longer ago than the log is kept")
	}
	return fmt.Errorf("nothing was published about %s by then, or it was longer ago than the log is kept", shown(id))
}

// publicationLister writes publications one by one.
type publicationLister struct {
	row func(inventory.Publication) error
	end func() error
}

func publicationTable(std streams, format string) publicationLister {
	switch format {
	case "json":
		array := newArray(std.out)
		return publicationLister{func(p inventory.Publication) error { return array.add(p) }, array.end}
	case "csv":
		head := []string{"at", "vin", "stock", "rooftop", "status", "price", "list_price", "msrp", "fees", "price_column", "source", "feed_time"}
		first := true
		return publicationLister{func(p inventory.Publication) error {
			if first {
				first = false
				if err := writeRecord(std.out, head); err != nil {
					return err
				}
			}
			return writeRecord(std.out, []string{
				p.At.Format(time.RFC3339), p.VIN, p.Stock, p.Rooftop, string(p.Status), dollars(p.Price), dollars(p.ListPrice), dollars(p.MSRP),
				listed(p.Fees), p.Column, p.Source, p.FeedTime.Format(time.RFC3339),
			})
		}, func() error { return nil }}
	}
	table := tabwriter.NewWriter(std.out, 0, 8, 2, ' ', 0)
	first := true
	return publicationLister{func(p inventory.Publication) error {
		if first {
			first = false
			fmt.Fprintln(table, "SINCE\tVIN\tSTOCK\tSTATUS\tPRICE\tLIST PRICE\tFEES\tFILE")
		}
		_, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", p.At.UTC().Format("2006-01-02 15:04:05 MST"), shown(p.VIN), shown(p.Stock),
			p.Status, dollars(p.Price), dollars(p.ListPrice), shown(listed(p.Fees)), shown(p.Source))
		return err
	}, table.Flush}
}

func dollars(n *aap.Int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

// listed are the charges as they were listed.
func listed(fees []aap.Fee) string {
	var out []string
	for _, f := range fees {
		out = append(out, fmt.Sprintf("%s %d", f.Name, f.Amount))
	}
	return strings.Join(out, "; ")
}
