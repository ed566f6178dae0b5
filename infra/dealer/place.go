package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/pickup"
)

// place is where a dealer's leads and inventory are kept: a data folder or the
// tables of a stack.
type place struct {
	machine.Folder
	// dealer names whose they are; profile is nil when none was given.
	dealer  string
	profile *dealer.Profile
	// data is the folder; empty on AWS.
	data string
}

func (p place) archive() lead.Archive {
	return lead.Archive{Store: p.Leads, Queue: p.Queue, Now: p.Now}
}

// whereabouts are the flags that say which place a command works on.
type whereabouts struct {
	data, profile, dealer                  string
	stack, leads, inventory, queue, region string
}

func (w *whereabouts) flags(set *pflag.FlagSet) {
	set.StringVar(&w.data, "data", "", "`DIR` that keeps inventory and leads; `dealer run` may be using it")
	set.StringVar(&w.profile, "profile", "", "dealer profile, a YAML `FILE`; names the dealer and the targets")
	set.StringVar(&w.dealer, "dealer", "", "`ID` of the dealer (default: that of the profile, or the only one there is)")
	set.StringVar(&w.stack, "stack", "", "the `STACK`, whose tables, queue and profile are found by its name")
	set.StringVar(&w.leads, "leads-table", os.Getenv("DEALER_LEADS_TABLE"), "the `TABLE` of leads")
	set.StringVar(&w.inventory, "inventory-table", os.Getenv("DEALER_INVENTORY_TABLE"), "the `TABLE` of vehicles")
	set.StringVar(&w.queue, "queue-url", os.Getenv("DEALER_QUEUE_URL"), "the `URL` of the queue of leads")
	set.StringVar(&w.region, "region", "", "the `REGION` (default: the environment's)")
	section(set, "Whose leads and vehicles", "data", "profile", "dealer")
	section(set, "On AWS", "stack", "leads-table", "inventory-table", "queue-url", "region")
}

// outward are the flags that mean nothing to the process that holds the folder.
var outward = []string{"data", "profile", "stack", "leads-table", "inventory-table", "queue-url", "region"}

// in runs work on the place. When another `dealer` process holds the data
// folder it runs the same command line there instead, without the flags named.
func (w *whereabouts) in(cmd *cobra.Command, given []string, std streams, without []string, work func(ctx context.Context, p place) error) error {
	ctx := cmd.Context()
	if std.folder != nil {
		p, err := w.fill(ctx, place{Folder: *std.folder, data: "here"}, nil)
		if err != nil {
			return err
		}
		return work(ctx, p)
	}
	profile, err := w.loadProfile(ctx)
	if err != nil {
		return err
	}
	if w.data == "" {
		if w.stack == "" && w.leads == "" && w.inventory == "" {
			return usageError{fmt.Errorf("%s needs --data DIR, or on AWS --stack STACK or --leads-table TABLE", cmd.CommandPath())}
		}
		ctx, p, err := w.onAWS(ctx, profile, std)
		if err != nil {
			return err
		}
		return work(ctx, p)
	}
	if !embedded.Exists(w.data) {
		return fmt.Errorf("%s keeps no inventory and no leads yet; name the folder that `dealer run --data` uses", w.data)
	}
	if err := w.forward(cmd, given, std, without); !errors.Is(err, machine.ErrNoControl) {
		return err
	}
	db, err := embedded.Open(w.data)
	if errors.Is(err, embedded.ErrInUse) {
		return fmt.Errorf("another process is using %s and takes no commands; try again when it has ended", w.data)
	}
	if err != nil {
		return err
	}
	defer db.Close()
	dealers, err := db.Dealers(ctx)
	if err != nil {
		return err
	}
	p := place{data: w.data, Folder: machine.Folder{
		Leads: db.Leads(), Queue: db.Queue(time.Now), Inventory: db.Inventory(), Profiles: profile, Now: time.Now,
		Picker: func(ctx context.Context) (*pickup.Picker, error) {
			secrets, err := machine.Secrets(ctx)
			if err != nil {
				return nil, err
			}
			return machine.NewPicker(db, profile, w.data, secrets, time.Now, slog.New(slog.DiscardHandler))
		},
	}}
	if p, err = w.fill(ctx, p, dealers); err != nil {
		return err
	}
	return errors.Join(work(ctx, p), db.Close())
}

func (w *whereabouts) loadProfile(ctx context.Context) (dealer.Source, error) {
	if w.profile == "" {
		return nil, nil
	}
	p, err := loadProfile(ctx, w.profile)
	if err != nil {
		return nil, err
	}
	return dealer.Fixed(p), nil
}

// onAWS opens the tables that are named, or those of a stack. The context is for
// the work on them.
func (w *whereabouts) onAWS(ctx context.Context, profile dealer.Source, std streams) (context.Context, place, error) {
	if w.stack != "" {
		return w.inStack(ctx, profile, std)
	}
	stack, err := cloud.OpenFor(ctx, cloud.Settings{LeadsTable: w.leads, InventoryTable: w.inventory, QueueURL: w.queue}, w.region)
	if err != nil {
		return ctx, place{}, err
	}
	p, err := w.keptIn(ctx, stack, profile)
	return ctx, p, err
}

func (w *whereabouts) keptIn(ctx context.Context, stack *cloud.Stack, profile dealer.Source) (place, error) {
	return w.fill(ctx, place{Folder: machine.Folder{
		Leads: stack.Leads(), Queue: stack.Queue(), Inventory: stack.Inventory(), Profiles: profile, Now: time.Now,
	}}, nil)
}

// inStack goes by the profile that the stack itself has, unless one is given.
func (w *whereabouts) inStack(ctx context.Context, given dealer.Source, std streams) (context.Context, place, error) {
	id := ""
	if given != nil {
		p, err := given.Profile(ctx)
		if err != nil {
			return ctx, place{}, err
		}
		id = p.ID
	}
	ctx, s, err := openStackFor(ctx, w.stack, w.region, w.dealer, id)
	if err == nil && s.Settings.LeadsTable == "" {
		err = fmt.Errorf("the stack %s has no table of leads (its state is %s); is it a dealer agent, and deployed whole?", s.deployed.Name, s.deployed.Status)
	}
	if err != nil {
		return ctx, place{}, err
	}
	profile := given
	if profile == nil {
		switch _, err := s.profile(ctx); {
		case err == nil:
			profile = s.source()
		case w.dealer == "" && errors.Is(err, fs.ErrNotExist):
			return ctx, place{}, fmt.Errorf("the stack %s has no profile yet; give it one with `dealer publish`, or say whose leads with --dealer ID", w.stack)
		case w.dealer == "":
			return ctx, place{}, fmt.Errorf("the profile of the stack %s cannot be read, so say whose leads with --dealer ID: %w", w.stack, cloud.Access(err))
		case s.dealer != "":
			if err := s.known(ctx); err != nil {
				return ctx, place{}, err
			}
			fmt.Fprintf(std.err, "The stack %s has no profile of %s that can be read; what is kept of that dealer is there.\n", s.deployed.Name, s.dealer)
		}
	}
	p, err := w.keptIn(ctx, s.Stack, profile)
	return ctx, p, err
}

// fill names the dealer.
func (w *whereabouts) fill(ctx context.Context, p place, dealers []string) (place, error) {
	if p.Profiles != nil {
		var err error
		if p.profile, err = p.Profiles.Profile(ctx); err != nil {
			return p, err
		}
		p.dealer = p.profile.ID
	}
	p.dealer = cmp.Or(w.dealer, p.dealer)
	if p.dealer == "" && len(dealers) == 1 {
		p.dealer = dealers[0]
	}
	switch {
	case p.dealer != "":
		return p, nil
	case len(dealers) > 1:
		return p, usageError{fmt.Errorf("there are several dealers; choose one with --dealer: %s", strings.Join(dealers, ", "))}
	case p.data != "":
		return p, fmt.Errorf("%s keeps no inventory and no leads yet", p.data)
	}
	return p, usageError{errors.New("say whose leads: --dealer ID, the id of the profile, or --profile FILE")}
}

// forward has the agent that holds the data folder do the work;
// machine.ErrNoControl when there is none.
func (w *whereabouts) forward(cmd *cobra.Command, given []string, std streams, without []string) error {
	line := strings.Fields(cmd.CommandPath())[1:]
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(outward, f.Name) || slices.Contains(without, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			line = append(line, "--"+f.Name+"="+value)
		}
	})
	line = append(append(line, "--"), given...)
	code, err := machine.Forward(cmd.Context(), w.data, line, std.in, std.out, std.err)
	if err == nil && code != 0 {
		return exit(code)
	}
	return err
}

// inFolder runs a command line that another process sent on the folder that
// this one holds.
func inFolder(ctx context.Context, f machine.Folder, args []string, in io.Reader, out, err io.Writer) int {
	return execute(ctx, args, streams{in, out, err, &f})
}

// outside refuses commands that have no business in a running agent.
func outside(cmd *cobra.Command, _ []string) error {
	for c := cmd; c != nil; c = c.Parent() {
		if c.Annotations[insideKey] != "" {
			return nil
		}
	}
	return usageError{fmt.Errorf("%s does not run inside a running agent", cmd.CommandPath())}
}

// insideKey annotates the command groups that run inside a running agent.
const insideKey = "inside"

// writeWhole makes the file at name, whole or not at all, and private unless
// write changes that. An error leaves what was there.
func writeWhole(name string, write func(*os.File) error) (err error) {
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, "."+filepath.Base(name)+"-*.tmp") // 0600
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
