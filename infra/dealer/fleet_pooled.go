package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// pool opens the stack that the fleet's dealers share.
func (o *fleetFlags) pool(ctx context.Context, f *opened) (*fleet.PoolRunner, *stacks.Pool, error) {
	first := f.file.Rooftops[0]
	pool, err := f.accounts.At(first.Place).Pool(ctx, first.Stack)
	if errors.Is(err, stacks.ErrMissing) {
		return nil, nil, fmt.Errorf("%w in %s; deploy it first, with Dealers=many", err, first.Place)
	}
	return &fleet.PoolRunner{Fleet: f.file, Pool: pool, Clock: fleet.Wall{}, Random: rand.Float64, Parallel: o.parallel, Profile: f.profile}, pool, err
}

func (o *fleetFlags) planPool(ctx context.Context, std streams, f *opened) error {
	run, _, err := o.pool(ctx, f)
	if err != nil {
		return err
	}
	steps, err := run.Plan(ctx, f.rooftops)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	return planned{Fleet: f.file.Name, Steps: steps}.say(std.out, o.asJSON)
}

// applyPool needs no lock: what two runs upload at once is the file's in either case.
func (o *fleetFlags) applyPool(ctx context.Context, std streams, f *opened) error {
	run, _, err := o.pool(ctx, f)
	if err != nil {
		return err
	}
	watch := newWatch(std.err, len(f.rooftops))
	run.Tell = watch.tell
	report, err := run.Apply(ctx, f.rooftops)
	watch.end()
	if err != nil {
		return err
	}
	return applied{Fleet: f.file.Name, Rooftops: report}.say(std.out, o.asJSON)
}

// destroyPool removes the profiles of dealers, all of them when there are no ids.
func (o *fleetFlags) destroyPool(ctx context.Context, std streams, f *opened, ids []string, yes bool) error {
	run, pool, err := o.pool(ctx, f)
	if err != nil {
		return err
	}
	there, err := pool.Dealers(ctx)
	if err != nil {
		return err
	}
	var unknown []string
	for _, id := range ids {
		if !slices.Contains(there, id) {
			unknown = append(unknown, id)
		}
	}
	first := f.file.Rooftops[0]
	if len(unknown) > 0 {
		return usageError{fmt.Errorf("the stack %s has no profile of %s", first.Stack, strings.Join(unknown, ", "))}
	}
	if len(ids) == 0 {
		ids = there
	}
	if len(ids) == 0 {
		_, err := fmt.Fprintln(std.err, "the stack has no profiles")
		return err
	}
	if !yes && !typedPool(std, f.file, pool, ids) {
		return errors.New("nothing was removed")
	}
	var steps []fleet.Step
	for _, id := range ids {
		steps = append(steps, fleet.Step{ID: id, Stack: first.Stack, Place: first.Place})
	}
	watch := newWatch(std.err, len(steps))
	run.Tell = watch.tell
	report := run.Remove(ctx, steps)
	watch.end()
	return applied{Fleet: f.file.Name, Rooftops: report}.say(std.out, o.asJSON)
}

// typedPool says what goes and what stays, and how that is erased, and asks.
func typedPool(std streams, f *fleet.File, pool *stacks.Pool, ids []string) bool {
	what, stack := f.Name, f.Rooftops[0].Stack
	if len(ids) == 1 {
		what = ids[0]
	}
	fmt.Fprintf(std.err, "The profiles of %s are removed, and the stack %s withdraws these dealers: buyers get no answer, and leads that wait are not handed over.\n", strings.Join(ids, ", "), stack)
	for _, kept := range pool.Kept {
		fmt.Fprintf(std.err, "  stays: what is theirs in %s %s\n", kept.Logical, kept.Physical)
	}
	fmt.Fprintf(std.err, "Leads end when their time is over. To erase one before, whether or not the profile is there:\n"+
		"  dealer leads list --stack %[1]s --dealer ID, then dealer leads erase --stack %[1]s --dealer ID --lead LEAD-ID\n"+
		"Exports lie below feeds/ID/ and pickups/ID/ of the feed bucket, reports below reports/: remove them with `aws s3 rm --recursive`.\n", stack)
	for _, r := range f.Rooftops {
		if slices.Contains(ids, r.ID) {
			fmt.Fprintln(std.err, "Those whom the fleet file still has come back with the next apply: take them out of it.")
			break
		}
	}
	fmt.Fprintf(std.err, "Type %s to remove: ", what)
	line, _ := bufio.NewReader(std.in).ReadString('\n')
	return strings.TrimSpace(line) == what
}
