package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

func newFleet(std streams) *cobra.Command {
	cmd := family(&cobra.Command{
		Use:   "fleet",
		Short: "Run a stack on AWS for each of many rooftops, or one for all",
		Long: `Fleet reads a file of rooftops, YAML or CSV, and brings the stack of each where
the file wants it, in one's own account or in others by a role. The stacks are
made of what ` + "`make release`" + ` writes below dist/. infra/README.md shows such a file.
With mode: pooled in the file all dealers share one stack that is there, deployed
with Dealers=many, and fleet brings their profiles.`,
		Example: `  dealer fleet plan fleet.yaml
  dealer fleet apply fleet.yaml --canary 2
  dealer fleet status fleet.yaml`,
	})
	cmd.AddCommand(newFleetPlan(std), newFleetApply(std), newFleetStatus(std), newFleetDestroy(std))
	return cmd
}

// fleetFlags are common to all commands of a fleet.
type fleetFlags struct {
	template, bucket, prefix string
	only                     []string
	parallel                 int
	asJSON                   bool
}

const defaultRelease = "dist/dealer.template.json"

func (o *fleetFlags) flags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&o.template, "template", defaultRelease, "the release, a `FILE` of plain CloudFormation with its code in the folder code beside it")
	set.StringVar(&o.bucket, "code-bucket", "", "the `BUCKET` that gets template and code; {region} stands for the region (default: the file's code_bucket)")
	set.StringVar(&o.prefix, "code-prefix", "", "what keys in that bucket begin with (default: the file's code_prefix, or dealer)")
	set.IntVar(&o.parallel, "parallel", 8, "work on so many rooftops at once")
	set.BoolVar(&o.asJSON, "json", false, "print JSON")
}

func (o *fleetFlags) onlyFlag(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&o.only, "only", nil, "only the rooftops with these `IDS`, with commas between them")
}

// opened is a fleet file, what it is about, and the accounts.
type opened struct {
	file     *fleet.File
	rooftops []fleet.Rooftop
	release  *fleet.Release
	accounts *stacks.Accounts
	folder   string
}

// ifThere opens the release that stacks were made of; nil where it is not there,
// since looking at stacks takes none.
func ifThere(path string) (*fleet.Release, error) {
	release, err := fleet.OpenRelease(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return release, err
}

// needed opens the release, for those who change stacks.
func needed(path string) (*fleet.Release, error) {
	release, err := fleet.OpenRelease(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s; `make release` writes one, or name another with --template", path)
	}
	return release, err
}

// openToChange opens a fleet whose stacks are to be changed, once its profiles
// can be used.
func (o *fleetFlags) openToChange(ctx context.Context, std streams, path string) (*opened, error) {
	f, err := o.open(ctx, path, needed)
	if err != nil {
		return nil, err
	}
	return f, f.profiles(std)
}

// open reads the fleet file, and checks it against the release if there is one.
func (o *fleetFlags) open(ctx context.Context, path string, released func(path string) (*fleet.Release, error)) (*opened, error) {
	if o.parallel < 1 || o.parallel > 64 {
		return nil, usageError{errors.New("--parallel wants a number from 1 to 64")}
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, usageError{fmt.Errorf("the fleet file cannot be read: %w", err)}
	}
	var template *fleet.Template
	if fleet.ModeOf(path, body) == fleet.ModePooled {
		released = ifThere // no stack is made
	}
	release, err := released(o.template)
	if err != nil {
		return nil, usageError{err}
	}
	if release != nil {
		template = release.Template
	}
	out := &opened{release: release, folder: filepath.Dir(path)}
	out.file, err = fleet.Read(path, body, template, fleet.Options{CodeBucket: o.bucket, CodePrefix: o.prefix})
	if err != nil {
		return nil, usageError{err}
	}
	out.rooftops = out.file.Rooftops
	if len(o.only) > 0 {
		var unknown []string
		if out.rooftops, unknown = out.file.Only(o.only); len(unknown) > 0 {
			return nil, usageError{fmt.Errorf("the fleet file has no rooftop %s", strings.Join(unknown, ", "))}
		}
	}
	out.accounts, err = stacks.Open(ctx)
	return out, err
}

// runner works on the fleet by this machine's clock.
func (o *fleetFlags) runner(f *opened) *fleet.Runner {
	return &fleet.Runner{
		Fleet: f.file, Release: f.release, At: func(p stacks.Place) fleet.Account { return f.accounts.At(p) },
		Clock: fleet.Wall{}, Random: rand.Float64, Parallel: o.parallel, Patience: time.Hour, Profile: f.profile,
	}
}

// profile reads and checks a dealer profile; its path begins at the fleet file.
func (f *opened) profile(path string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.folder, path)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, err = dealer.Parse(body)
	if faults, ok := errors.AsType[*dealer.Faults](err); ok {
		faults.Document = filepath.Base(path)
	}
	return body, err
}

// profiles finds the profiles that cannot be used, before anything is done, and
// warns of those whose leads would wait.
func (f *opened) profiles(std streams) error {
	var faults []error
	for _, r := range f.rooftops {
		if r.Profile == "" {
			continue
		}
		body, err := f.profile(r.Profile)
		if err != nil {
			faults = append(faults, fmt.Errorf("profile of %s: %w", r.ID, err))
			continue
		}
		p, err := dealer.Parse(body)
		if err != nil {
			return err
		}
		if f.file.Mode == fleet.ModePooled && p.ID != r.ID {
			faults = append(faults, fmt.Errorf("profile of %s: the id in %s is %s; in a stack of many it is that of the fleet file", r.ID, r.Profile, p.ID))
			continue
		}
		for _, fault := range unfit(p) {
			fmt.Fprintf(std.err, "Mend this in the profile of %s, or leads wait: %s\n", r.ID, fault)
		}
	}
	if len(faults) > 0 {
		return usageError{errors.Join(faults...)}
	}
	return nil
}

// alone runs work while the fleet's lock is held, so that no second run changes
// its stacks. A fleet without a bucket is locked by nobody else's knowledge.
func (f *opened) alone(ctx context.Context, std streams, work func(context.Context) error) error {
	if f.file.CodeBucket == "" {
		fmt.Fprintln(std.err, "no lock is taken, since the fleet has no code_bucket; see that nobody else applies it now")
		return work(ctx)
	}
	at := f.accounts.At(stacks.Place{Region: f.file.Region}).Lock(f.file.Bucket(f.file.Region), fleet.LockKey(f.file))
	lock, err := fleet.Acquire(ctx, at, claim(), dead, fleet.Wall{}, rand.Float64)
	if errors.Is(err, stacks.ErrMissing) {
		return fmt.Errorf("the bucket %s is not there; make it with `aws s3 mb s3://%[1]s --region %s`", f.file.Bucket(f.file.Region), f.file.Region)
	}
	if err != nil {
		return err
	}
	inside, stop := context.WithCancelCause(ctx)
	kept := make(chan error, 1)
	go func() {
		err := lock.Keep(inside)
		if err != nil {
			stop(err)
		}
		kept <- err
	}()
	err = work(inside)
	stop(nil)
	if lost := <-kept; lost != nil {
		return errors.Join(err, lost)
	}
	freeing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return errors.Join(err, lock.Release(freeing))
}

// claim names this run to others.
func claim() stacks.Claim {
	name := "somebody"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, _ := os.Hostname()
	return stacks.Claim{Holder: fmt.Sprintf("%s at %s (process %d)", name, cmp.Or(host, "a machine"), os.Getpid()), Host: host, Process: os.Getpid()}
}

// dead reports whether a run was on this machine and is over, so that a run that
// was killed is not waited for.
func dead(c stacks.Claim) bool {
	host, err := os.Hostname()
	if err != nil || host == "" || c.Host != host || c.Process <= 0 {
		return false
	}
	process, err := os.FindProcess(c.Process)
	return err != nil || errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
