package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// dealerStack is a stack on AWS, and whose of its dealers the work is.
type dealerStack struct {
	*cloud.Stack
	deployed cloud.Deployed
	// dealer is empty in a stack of one dealer.
	dealer string
}

var errDealerAlone = errors.New("--dealer goes with --stack: it chooses one dealer of many")

// dealerFlag is for commands that take --stack and no --data.
func dealerFlag(set *pflag.FlagSet, id *string) {
	set.StringVar(id, "dealer", "", "`ID` of the dealer, in a stack of many")
}

// openStackFor opens the stack of that name for the work of one dealer, which the
// context is for then. A stack of many wants the id: the one asked for, or else that
// of the profile given. One of one dealer is asked for no other.
func openStackFor(ctx context.Context, name, region, asked, given string) (context.Context, *dealerStack, error) {
	id := cmp.Or(asked, given)
	stack, d, err := cloud.OpenDeployed(ctx, name, region)
	if err != nil {
		return ctx, nil, err
	}
	s := &dealerStack{Stack: stack, deployed: d}
	switch {
	case !stack.Settings.Pooled():
		return ctx, s, s.alone(ctx, asked)
	case id == "":
		return ctx, nil, s.choose(ctx, fmt.Sprintf("the stack %s serves many dealers; choose one with --dealer", d.Name))
	case !cloud.IsDealerID(id):
		return ctx, nil, usageError{fmt.Errorf("%q is no id of a dealer; write it as the profile has it, such as --dealer seabright", id)}
	}
	s.dealer = id
	return cloud.ForDealer(ctx, id), s, nil
}

// source is the profile that the stack has of the dealer.
func (s *dealerStack) source() dealer.Source { return s.Profiles(slog.New(slog.DiscardHandler)) }

// alone refuses the id of a dealer that the stack does not serve, where it can be
// known; whoever may not read the profile says whose work it is.
func (s *dealerStack) alone(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	p, err := s.source().Profile(ctx)
	if err != nil || p.ID == id {
		return nil //nolint:nilerr // see above
	}
	return usageError{fmt.Errorf("the stack %s serves the dealer %s alone, and not %.64q; leave --dealer out", s.deployed.Name, p.ID, id)}
}

// profile is that of the dealer: where a stack of many has none, the error lists
// the dealers there are.
func (s *dealerStack) profile(ctx context.Context) (*dealer.Profile, error) {
	p, err := s.source().Profile(ctx)
	if err == nil || s.dealer == "" {
		return p, err
	}
	if absent := s.absent(ctx); absent != nil {
		return nil, absent
	}
	return nil, cloud.Access(err)
}

// absent is the error of a dealer who has no profile in a stack of many; nil for
// one who has, and when that cannot be asked.
func (s *dealerStack) absent(ctx context.Context) error {
	all, err := s.Dealers(ctx)
	for _, id := range all {
		if id == s.dealer {
			return nil
		}
	}
	if err != nil {
		return nil
	}
	return s.choose(ctx, fmt.Sprintf("the stack %s has no profile of a dealer %s; it serves", s.deployed.Name, s.dealer))
}

// known refuses a dealer without profile of whom nothing is kept, which is a slip
// of the pen. One who was withdrawn has leads that somebody may look for or erase.
func (s *dealerStack) known(ctx context.Context) error {
	absent := s.absent(ctx)
	if absent == nil {
		return nil
	}
	if _, err := s.Inventory().Head(ctx, s.dealer); !errors.Is(err, inventory.ErrNotFound) {
		return cloud.Access(err)
	}
	err := lead.Archive{Store: s.Leads(), Now: time.Now}.Each(ctx, s.dealer, time.Time{}, func(lead.Record) error { return errEnough })
	if errors.Is(err, errEnough) {
		return nil
	}
	if err != nil {
		return cloud.Access(err)
	}
	return absent
}

// mostNamed bounds the dealers that a sentence names.
const mostNamed = 10

// choose is a fault of the command line that names dealers of the stack.
func (s *dealerStack) choose(ctx context.Context, what string) error {
	ids, err := s.Dealers(ctx)
	if err != nil {
		return usageError{fmt.Errorf("%s; they cannot be listed: %w", what, cloud.Access(err))}
	}
	if len(ids) == 0 {
		return usageError{errors.New(what + ": none yet; `dealer publish --profile FILE --stack " + s.deployed.Name + "` brings the first")}
	}
	more := ""
	if n := len(ids) - mostNamed; n > 0 {
		ids, more = ids[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	return usageError{errors.New(what + ": " + strings.Join(ids, ", ") + more)}
}
