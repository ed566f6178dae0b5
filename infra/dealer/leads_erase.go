package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// whose are the flags that name a buyer, or a single lead.
type whose struct {
	lead.Person
	leadID string
}

func (w *whose) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.Email, "email", "", "all leads with this e-mail `ADDRESS`; - reads it from standard input")
	cmd.Flags().StringVar(&w.Phone, "phone", "", "all leads with this phone `NUMBER`, in any spelling; without a country code it is North American; - reads it from standard input")
	cmd.Flags().StringVar(&w.leadID, "lead", "", "only the lead with this `ID`")
}

// read takes what is given as - from a line of its own, and keeps the rest of
// the input for questions. Whoever sends the command line on sends what was read.
func (w *whose) read(std streams) (streams, error) {
	lines := bufio.NewReader(std.in)
	std.in = lines
	for _, f := range []struct {
		value      *string
		flag, what string
	}{{&w.Email, "--email", "address"}, {&w.Phone, "--phone", "number"}} {
		if *f.value != "-" {
			continue
		}
		line, err := lines.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return std, err
		}
		if line = strings.TrimSpace(line); line == "" || line == "-" {
			return std, usageError{fmt.Errorf("%s - wants the %s on standard input, on a line of its own", f.flag, f.what)}
		}
		*f.value = line
	}
	return std, nil
}

func (w *whose) check(cmd *cobra.Command) error {
	if w.Phone != "" && !(lead.Person{Phone: w.Phone}).Named() {
		return usageError{errors.New("--phone wants a number, such as +13125550123 or (312) 555-0123")}
	}
	if (w.leadID == "") == !w.Named() {
		return usageError{fmt.Errorf("%s wants --email or --phone, or else --lead", cmd.CommandPath())}
	}
	return nil
}

// leads returns the ids that are meant, newest first.
func (w *whose) leads(ctx context.Context, p place) ([]string, error) {
	if w.leadID != "" {
		return []string{w.leadID}, nil
	}
	return p.archive().Of(ctx, p.dealer, w.Person)
}

func newLeadsErase(std streams) *cobra.Command {
	var at whereabouts
	var who whose
	var dryRun, yes bool
	cmd := &cobra.Command{
		Use:   "erase (--email ADDRESS | --phone NUMBER | --lead ID) --data DIR",
		Short: "Remove all that is stored of a person's leads, for good",
		Long: `Erase removes every lead of the person with its consent, deliveries, idempotency
keys, duplicate keys and appointment, from every index, and rewrites the data
file so that no byte is left. What was handed over before lies with the
receivers: erase names them, so that you can ask them to do the same. The
account gets the time and the number of leads, nothing of the person. An erasure
that was interrupted is finished by the next one.

What stands on a command line can be read in the list of processes and in the
shell's history: --email - and --phone - read it from standard input instead,
before the question is answered.`,
		Example: `  dealer leads erase --email pat@example.com --data DIR --dry-run
  dealer leads erase --email - --data DIR`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, given []string) error {
			std, err := who.read(std)
			if err != nil {
				return err
			}
			if err := who.check(cmd); err != nil {
				return err
			}
			return at.in(cmd, given, std, nil, func(ctx context.Context, p place) error {
				ids, err := who.leads(ctx, p)
				if err != nil {
					return err
				}
				receivers := map[string][]string{}
				if ids, err = gather(ctx, p, ids, receivers); err != nil {
					return err
				}
				if err := preview(ids, std.out); err != nil || dryRun {
					return err
				}
				if len(ids) > 0 && !yes && !confirmed(std, fmt.Sprintf("Erase %s for good?", counted(len(ids)))) {
					return errors.New("nothing was erased; say yes, or give --yes")
				}
				n, err := eraseAll(ctx, p, &who, ids, receivers)
				if err != nil {
					return fmt.Errorf("the erasure was interrupted and the same command finishes it: %w", err)
				}
				return erased(std.out, p, n, receivers)
			})
		},
	}
	at.flags(cmd.Flags())
	who.flags(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only tell what would be erased")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// eraseAll repeats until no lead of the person is left: one may have come
// meanwhile. Even without a lead it finishes what was interrupted.
func eraseAll(ctx context.Context, p place, who *whose, ids []string, to map[string][]string) (total int, err error) {
	for {
		// What was handed over since the preview counts too.
		if ids, err = gather(ctx, p, ids, to); err != nil {
			return total, err
		}
		if err := p.archive().Erase(ctx, p.dealer, ids); err != nil {
			return total, err
		}
		total += len(ids)
		if len(ids) == 0 || who.leadID != "" {
			return total, nil
		}
		if ids, err = who.leads(ctx, p); err != nil || len(ids) == 0 {
			return total, err
		}
	}
}

// gather returns those of the leads that are stored, and adds to each receiver
// what it may have of them.
func gather(ctx context.Context, p place, ids []string, to map[string][]string) (found []string, err error) {
	for _, id := range ids {
		if _, err := p.Leads.Load(ctx, p.dealer, id, p.Now()); errors.Is(err, lead.ErrNotFound) {
			continue
		} else if err != nil {
			return found, err
		}
		found = append(found, id)
		states, err := p.Leads.Deliveries(ctx, p.dealer, id)
		if err != nil {
			return found, err
		}
		for _, d := range states {
			if d.State == lead.HandedOver || d.Begun {
				if what := id + received(d); !slices.Contains(to[d.Target], what) {
					to[d.Target] = append(to[d.Target], what)
				}
			}
		}
	}
	return found, nil
}

// perhaps follows a lead that a receiver may have without having said so.
const perhaps = " (perhaps: an attempt did not say whether it arrived)"

func received(d lead.Delivery) string {
	if d.State != lead.HandedOver {
		return perhaps
	}
	return " (" + shown(d.Receipt) + ")"
}

// preview tells what is there.
func preview(ids []string, out io.Writer) error {
	text := fmt.Sprintf("Found %s.\n", counted(len(ids)))
	for _, id := range ids {
		text += "  " + shown(id) + "\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

func counted(n int) string {
	switch n {
	case 0:
		return "no lead"
	case 1:
		return "1 lead"
	}
	return fmt.Sprintf("%d leads", n)
}

// erased tells the outcome and whom the dealer has to ask.
func erased(out io.Writer, p place, n int, to map[string][]string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Erased %s.\n", counted(n))
	if len(to) > 0 {
		b.WriteString("\nThese receivers were handed documents that cannot be called back; ask them to erase theirs:\n")
	}
	for _, name := range sortedNames(to) {
		kind := ""
		if p.profile != nil {
			for _, t := range p.profile.Delivery {
				if t.Name == name {
					kind = ", " + t.Type + map[bool]string{true: " in " + t.Folder}[t.Folder != ""]
				}
			}
		}
		fmt.Fprintf(&b, "  %s%s\n", shown(name), shown(kind))
		for _, what := range to[name] {
			fmt.Fprintf(&b, "    %s\n", what)
		}
	}
	if p.data == "" {
		b.WriteString("\nDynamoDB's point-in-time recovery can bring erased items back for up to 35 days; after a restore, erase again.\n")
	} else {
		b.WriteString("\nCopies of the data folder, such as backups, are out of reach.\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func sortedNames(m map[string][]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// confirmed asks on the terminal; only a clear yes counts.
func confirmed(std streams, question string) bool {
	fmt.Fprint(std.out, question+" [yes/no] ")
	answer, _ := bufio.NewReader(std.in).ReadString('\n')
	return strings.EqualFold(strings.TrimSpace(answer), "yes")
}
