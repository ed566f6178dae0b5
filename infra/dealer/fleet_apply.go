package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dealer-agent/dealer/infra/fleet"
)

// applied is what `dealer fleet apply` and `destroy` say.
type applied struct {
	Fleet    string       `json:"fleet"`
	Version  string       `json:"version,omitempty"`
	Rooftops fleet.Report `json:"rooftops"`
}

func newFleetApply(std streams) *cobra.Command {
	var o fleetFlags
	var canary int
	cmd := &cobra.Command{
		Use:   "apply FILE",
		Short: "Bring the stack of each rooftop where the file wants it",
		Long: `Apply makes and updates stacks by change sets, several at once, and uploads
template, code and dealer profiles that are not there yet. A rooftop whose stack
fails is rolled back by CloudFormation, named at the end with the first cause,
and stops no other. A stack that never came up is removed and made anew.

Interrupted, also by kill -9, the same command goes on where it was: the state
is read back from the stacks. A journal beside the fleet file saves it
questions. Two applies of one fleet never run at once: the lock is an object in
the code bucket of the first region, and is free three minutes after its holder
was last heard of.

Exit codes: 0 every rooftop is where it should be, 1 some are not, or somebody
else is at work on the fleet, 2 the command line or the fleet file is wrong.`,
		Example: `  dealer fleet apply fleet.yaml --canary 2
  dealer fleet apply fleet.yaml --only seabright,alder`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			f, err := o.openToChange(cmd.Context(), std, given[0])
			if err != nil {
				return err
			}
			if f.file.Mode == fleet.ModePooled {
				if canary > 0 {
					return usageError{errors.New("--canary is for stacks that the fleet makes; begin a pooled one with --only")}
				}
				return o.applyPool(cmd.Context(), std, f)
			}
			return f.alone(cmd.Context(), std, func(ctx context.Context) error {
				journal, err := fleet.OpenJournal(filepath.Join(f.folder, "."+f.file.Name+".fleet-journal"))
				if err != nil {
					return err
				}
				run := o.runner(f)
				run.Journal = journal
				watch := newWatch(std.err, len(f.rooftops))
				run.Tell = watch.tell
				report := run.Apply(ctx, f.rooftops, canary)
				watch.end()
				if ctx.Err() == nil {
					err = journal.Finish()
				} else {
					err = journal.Close()
				}
				return errors.Join(applied{f.file.Name, f.release.Template.Version, report}.say(std.out, o.asJSON), err)
			})
		},
	}
	o.flags(cmd)
	o.onlyFlag(cmd)
	cmd.Flags().IntVar(&canary, "canary", 0, "begin with the first `N` rooftops, and go on only if all of them come up")
	return cmd
}

func (a applied) say(out io.Writer, asJSON bool) error {
	if asJSON {
		if err := writeJSON(out, a); err != nil {
			return err
		}
	} else {
		a.write(out)
	}
	if !a.Rooftops.Good() {
		return errReported
	}
	return nil
}

func (a applied) write(out io.Writer) {
	var sums []string
	for _, result := range []fleet.Result{fleet.Created, fleet.Updated, fleet.Removed, fleet.Kept, fleet.Failed, fleet.Unfinished, fleet.Untouched} {
		if n := a.Rooftops.Count(result); n > 0 {
			sums = append(sums, fmt.Sprintf("%d %s", n, result))
		}
	}
	for _, o := range a.Rooftops {
		if o.Cause != "" {
			fmt.Fprintf(out, "%s (%s, %s) %s: %s\n", shown(o.ID), o.Stack, o.Place, o.Result, shown(o.Cause))
		}
	}
	fmt.Fprintln(out, strings.Join(sums, ", "))
}

// watch shows how far a run is: a bar on a terminal, a line for each rooftop
// elsewhere.
type watch struct {
	mu    sync.Mutex
	out   io.Writer
	bar   *progressbar.ProgressBar
	total int
	done  int
}

func newWatch(out io.Writer, total int) *watch {
	w := &watch{out: out, total: total}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		w.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(f), progressbar.OptionShowCount(),
			progressbar.OptionSetDescription("rooftops"), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	return w
}

func (w *watch) tell(p fleet.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.Result != "" {
		w.done++
	}
	line := strings.TrimPrefix(p.ID+": "+p.What, ": ")
	switch {
	case w.bar == nil && (p.Result != "" || p.ID == ""):
		fmt.Fprintf(w.out, "%d/%d %s\n", w.done, w.total, line)
	case w.bar != nil:
		w.bar.Describe(line)
		if p.Result != "" {
			_ = w.bar.Add(1) // a terminal that is gone stops no run
		}
	}
}

func (w *watch) end() {
	if w.bar != nil {
		_ = w.bar.Finish()
	}
}
