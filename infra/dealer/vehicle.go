package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/inventory"
)

func newVehicle(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vehicle",
		Short: "Mark one vehicle sold, hold it, release it, or change its price",
		Long: `Vehicle changes one vehicle by hand, between two exports. It shows at the next
request. The next import leaves it alone, unless the export vouched for the
vehicle after that: a file written before the sale changes nothing, however late
it is imported; one written after it has the last word.`,
		Example:     `  dealer vehicle sold 1HGCV1F30LA000001 --data DIR --profile dealer.yaml`,
		Annotations: map[string]string{insideKey: "yes"},
	}
	for _, c := range []struct {
		do           inventory.Deed
		short, after string
	}{
		{inventory.MarkSold, "Take a vehicle off the list because it is sold", "is sold; buyers do not see it any more"},
		{inventory.Hold, "Take a vehicle off the list for a while", "is on hold; buyers do not see it until `dealer vehicle release`, or a later export"},
		{inventory.Release, "Take back `sold` or `hold`", "is what the export says again"},
		{inventory.Reprice, "Give a vehicle another price", "has a new price"},
	} {
		cmd.AddCommand(newDeed(std, c.do, c.short, c.after))
	}
	return cmd
}

func newDeed(std streams, do inventory.Deed, short, after string) *cobra.Command {
	var at whereabouts
	use, example, count := string(do)+" VIN|STOCK", string(do)+" A1234", 1
	long := short + "."
	if do == inventory.Reprice {
		use, example, count = use+" DOLLARS", example+" 26780", 2
		long += `
DOLLARS is a number as the export's price column would hold it; the profile says
what that includes, and which charges come on top.`
	}
	cmd := &cobra.Command{
		Use:     use + " --data DIR --profile FILE",
		Short:   short,
		Long:    long,
		Example: "  dealer vehicle " + example + " --data DIR --profile dealer.yaml",
		Args:    args(cobra.ExactArgs(count)),
		RunE: func(cmd *cobra.Command, given []string) error {
			order := inventory.Order{ID: given[0], Do: do}
			if do == inventory.Reprice {
				var err error
				if order.Price, err = wholeDollars(given[1]); err != nil {
					return usageError{err}
				}
			}
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				if p.profile == nil {
					return usageError{errors.New("name the dealer's profile with --profile FILE: it says what a price includes and how long publications are kept")}
				}
				v, err := inventory.Desk{Store: p.Inventory, Now: p.Now}.Carry(ctx, p.profile, order)
				if err != nil {
					return deedFailed(order, v, err)
				}
				fmt.Fprintf(std.out, "%s %s%s\n", unitName(v), after, shownPrice(order, v))
				return nil
			})
		},
	}
	at.flags(cmd.Flags())
	return cmd
}

// deedFailed says what to do about an order that was not carried out.
func deedFailed(o inventory.Order, v inventory.Vehicle, err error) error {
	switch {
	case errors.Is(err, inventory.ErrAmbiguous):
		return fmt.Errorf("%w; use the VIN", err)
	case errors.Is(err, inventory.ErrNotFound):
		return fmt.Errorf("no vehicle has the VIN or stock number %s; the last import report lists what was taken", shown(o.ID))
	case errors.Is(err, inventory.ErrNothingSaid):
		return fmt.Errorf("%s is %s because the export says so; change it there", unitName(v), v.State)
	case errors.Is(err, inventory.ErrConflict):
		return errors.New("imports kept changing the inventory meanwhile; try again")
	}
	return err
}

func unitName(v inventory.Vehicle) string {
	name := strings.Join(strings.Fields(v.Listing.Make+" "+v.Listing.Model), " ")
	if v.Listing.Year != nil {
		name = strings.TrimSpace(fmt.Sprintf("%d %s", *v.Listing.Year, name))
	}
	return shown(strings.TrimSpace(v.Key + " " + name))
}

// shownPrice tells what buyers see for a price that was given, and ends the
// sentence.
func shownPrice(o inventory.Order, v inventory.Vehicle) string {
	switch l := v.Listing; {
	case o.Do == inventory.Release && v.Word.Price != nil:
		return fmt.Sprintf(", but for the price %d that was given by hand.", *v.Word.Price)
	case o.Do != inventory.Reprice:
		return "."
	case l.Price != nil && l.ListPrice != nil:
		return fmt.Sprintf(". Buyers see the price %d and the list price %d.", *l.Price, *l.ListPrice)
	case l.Price != nil:
		return fmt.Sprintf(". Buyers see the price %d.", *l.Price)
	}
	return fmt.Sprintf(". Buyers see the list price %d and no price, since the profile does not say what prices include.", *v.Word.Price)
}

// wholeDollars reads a price such as 26780, 26,780 or $26,780.
func wholeDollars(s string) (int64, error) {
	n, err := strconv.ParseInt(strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(s), "$"), ",", ""), 10, 64)
	if err != nil || n < 100 || n > 9_999_998 {
		return 0, fmt.Errorf("a price is whole US dollars such as 26780, from 100 on, not %s", shown(s))
	}
	return n, nil
}
