package fleet_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// small is a template that emulators make quickly.
const small = `{"AWSTemplateFormatVersion":"2010-09-09","Parameters":{"DealerName":{"Type":"String","Default":""},"LogLevel":{"Type":"String","Default":"info","AllowedValues":["info","warn"]}},
"Resources":{"Q":{"Type":"AWS::SQS::Queue"}}}`

func releaseOf(t *testing.T, body string) *fleet.Release {
	t.Helper()
	name := filepath.Join(t.TempDir(), "template.json")
	if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	release, err := fleet.OpenRelease(name)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

func fleetOf(t *testing.T, release *fleet.Release, n int, more string) *fleet.File {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,region,DealerName,LogLevel,tag:owner\n")
	for i := range n {
		fmt.Fprintf(&b, "r%03d,us-east-1,Dealer %d,%s,northwind\n", i, i, more)
	}
	f, err := fleet.Read("nw.csv", []byte(b.String()), release.Template, fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (w *weather) runner(f *fleet.File, release *fleet.Release) *fleet.Runner {
	accounts := w.accounts()
	return &fleet.Runner{
		Fleet: f, Release: release, At: func(p stacks.Place) fleet.Account { return accounts.At(p) },
		Clock: newHurried(), Random: rand.Float64, Parallel: 8, Patience: time.Hour, Profile: os.ReadFile,
	}
}

// deployed are the fleet's stacks by name, which must be there once each.
func (w *weather) deployed(t *testing.T) map[string]stacks.Stack {
	t.Helper()
	w.turn(func() { w.storm = 0 })
	all, err := w.accounts().At(stacks.Place{Region: "us-east-1"}).All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]stacks.Stack{}
	for _, s := range all {
		if _, twice := byName[s.Name]; twice {
			t.Errorf("%s is there twice", s.Name)
		}
		byName[s.Name] = s
	}
	return byName
}

func right(t *testing.T, f *fleet.File, release *fleet.Release, got map[string]stacks.Stack, but ...string) {
	t.Helper()
	for _, r := range f.Rooftops {
		s := got[r.Stack]
		if strings.Contains(strings.Join(but, " "), r.ID) {
			continue
		}
		if s.Status != "CREATE_COMPLETE" && s.Status != "UPDATE_COMPLETE" || s.Parameters["DealerName"] != r.Parameters["DealerName"] || s.Parameters["LogLevel"] != r.Parameters["LogLevel"] ||
			s.Tags["dealer:rooftop"] != r.ID || s.Tags["dealer:fleet"] != "nw" || s.Tags["dealer:version"] != release.Template.Version || s.Tags["owner"] != "northwind" {
			t.Errorf("%s is %+v", r.ID, s)
		}
	}
	if len(got) != len(f.Rooftops) {
		t.Errorf("%d stacks, want %d", len(got), len(f.Rooftops))
	}
}

func TestFiveHundredRooftopsComeUpOnceEachThroughAStormAndAfterAKill(t *testing.T) {
	n := 500
	if testing.Short() {
		n = 20
	}
	w := newWeather(t)
	release := releaseOf(t, small)
	f := fleetOf(t, release, n, "info")
	w.storm = 0.12
	w.fails["nw-r007"], w.fails["nw-r013"] = true, true

	// The first run is cut off in its middle: nothing it has begun is waited for.
	ctx, kill := context.WithCancel(t.Context())
	var begun atomic.Int64
	w.after = func(string) {
		// More than work at once, so that some are done; two less than all but those.
		if begun.Add(1) == int64(max(n/3, 10)) {
			kill()
		}
	}
	path := filepath.Join(t.TempDir(), "journal")
	journal, err := fleet.OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	run := w.runner(f, release)
	run.Journal = journal
	report := run.Apply(ctx, f.Rooftops, 0)
	w.turn(func() { w.after = nil })
	if report.Good() || report.Count(fleet.Untouched) == 0 || report.Count(fleet.Created) == 0 {
		t.Fatalf("cut off after %d: %d created, %d not started", begun.Load(), report.Count(fleet.Created), report.Count(fleet.Untouched))
	}

	// The second goes on; half a line of the journal is what a kill leaves.
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, body[:len(body)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	if journal, err = fleet.OpenJournal(path); err != nil {
		t.Fatal(err)
	}
	run = w.runner(f, release)
	run.Journal = journal
	report = run.Apply(t.Context(), f.Rooftops, 0)
	if report.Good() || report.Count(fleet.Failed) != 2 || report.Count(fleet.Untouched)+report.Count(fleet.Unfinished) != 0 {
		t.Errorf("%d failed, %d not started, %d unfinished", report.Count(fleet.Failed), report.Count(fleet.Untouched), report.Count(fleet.Unfinished))
	}
	for _, o := range report {
		if o.Result == fleet.Failed && (o.ID != "r007" && o.ID != "r013" || o.Cause != "ROLLBACK_COMPLETE: Q (AWS::SQS::Queue): The queue of "+o.Stack+" is one too many") {
			t.Errorf("%+v", o)
		}
	}
	right(t, f, release, w.deployed(t), "r007", "r013")

	// The third removes what never came up and makes it anew.
	w.turn(func() { w.fails, w.storm = map[string]bool{}, 0.12 })
	run = w.runner(f, release)
	report = run.Apply(t.Context(), f.Rooftops, 0)
	if !report.Good() || report.Count(fleet.Created) != 2 || report.Count(fleet.Kept) != n-2 {
		t.Errorf("%d created, %d unchanged", report.Count(fleet.Created), report.Count(fleet.Kept))
	}
	right(t, f, release, w.deployed(t))
	for _, r := range f.Rooftops {
		if w.executed[r.Stack] != 1 {
			t.Errorf("%s was made %d times", r.ID, w.executed[r.Stack])
		}
	}
	if w.counts["ExecuteChangeSet"] == 0 || w.counts["CreateChangeSet"] == 0 {
		t.Fatal("nothing went through the storm")
	}
}

func TestAnUpdateChangesWhatTheFileChangedAndWaitsForOthers(t *testing.T) {
	w := newWeather(t)
	release := releaseOf(t, small)
	if r := w.runner(fleetOf(t, release, 6, "info"), release).Apply(t.Context(), fleetOf(t, release, 6, "info").Rooftops, 0); !r.Good() {
		t.Fatal(r)
	}
	next := releaseOf(t, strings.Replace(small, `{"Q":`, `{"Q2":{"Type":"AWS::SQS::Queue"},"Q":`, 1))
	f := fleetOf(t, next, 6, "warn")
	w.storm, w.busy["nw-r002"] = 0.2, 5
	report := w.runner(f, next).Apply(t.Context(), f.Rooftops, 0)
	if !report.Good() || report.Count(fleet.Updated) != 6 {
		t.Errorf("%+v", report)
	}
	right(t, f, next, w.deployed(t))
	before := w.counts["CreateChangeSet"]
	if again := w.runner(f, next).Apply(t.Context(), f.Rooftops, 0); again.Count(fleet.Kept) != 6 || w.counts["CreateChangeSet"] != before {
		t.Errorf("a second apply is not quiet: %+v", again)
	}
	w.turn(func() { w.drift = "nw-r001" })
	run := w.runner(f, next)
	steps := run.Plan(t.Context(), f.Rooftops)
	run.Drift(t.Context(), steps)
	for _, s := range steps {
		if got := fmt.Sprint(s.Drift); (s.ID == "r001") != strings.Contains(got, "Q AWS::SQS::Queue MODIFIED [/DelaySeconds]") || s.Note != "" {
			t.Errorf("%s drifted: %s %s", s.ID, got, s.Note)
		}
	}
}

func TestACanaryThatFailsStopsTheRest(t *testing.T) {
	w := newWeather(t)
	release := releaseOf(t, small)
	f := fleetOf(t, release, 5, "info")
	if report := w.runner(f, release).Apply(t.Context(), f.Rooftops[:1], 0); !report.Good() {
		t.Fatal(report)
	}
	w.fails["nw-r001"] = true
	report := w.runner(f, release).Apply(t.Context(), f.Rooftops, 1)
	if report[0].Result != fleet.Untouched || report[1].Result != fleet.Failed || report.Count(fleet.Untouched) != 4 || report[4].Cause == "" {
		t.Errorf("%+v", report)
	}
	if got := w.deployed(t); len(got) != 2 {
		t.Errorf("%d stacks", len(got))
	}
}

func TestOneAccountOutOfReachStopsNoOther(t *testing.T) {
	w := newWeather(t)
	release := releaseOf(t, small)
	f := fleetOf(t, release, 3, "info")
	f.Rooftops[1].Place.Role = "arn:aws:iam::444455556666:role/none"
	run := w.runner(f, release)
	at := run.At
	run.At = func(p stacks.Place) fleet.Account {
		if p.Role != "" {
			return denied{at(p)}
		}
		return at(p)
	}
	report := run.Apply(t.Context(), f.Rooftops, 0)
	if report[0].Result != fleet.Created || report[1].Result != fleet.Failed || report[2].Result != fleet.Created || !strings.Contains(report[1].Cause, "access denied") {
		t.Errorf("%+v", report)
	}
}

// denied is an account whose role may not be assumed.
type denied struct{ fleet.Account }

func (denied) All(context.Context) ([]stacks.Stack, error) { return nil, stacks.ErrDenied }
