package pickup_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/pickup"
)

// TestAFailedImportBringsTheFileAgain: the source says "unchanged" of what was
// never imported, and is asked for it all the same.
func TestAFailedImportBringsTheFileAgain(t *testing.T) {
	s := newSite(t, serves(head+civic, time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC)))
	l := newLot(t, s.roots, s.source(""))
	l.down = true
	st := l.want(pickup.Failed, 0, "a part of the import failed")
	if st.Wait != 5*time.Minute {
		t.Errorf("tried again in %s", st.Wait)
	}
	l.down = false
	l.later(5 * time.Minute)
	if st := l.turn(); st.Result != pickup.Imported || l.listed() != 1 || st.Failures != 0 {
		t.Errorf("%+v, %d listed", st, l.listed())
	}
}

// TestPausesGrowWithTheFailuresUpToTheSchedule: a turn before the pause is over
// asks nobody.
func TestPausesGrowWithTheFailuresUpToTheSchedule(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusBadGateway) })
	l := newLot(t, s.roots, s.source(", every: 1h"))
	for n, wait := range []time.Duration{5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute, time.Hour, time.Hour} {
		if st := l.turn(); st.Wait != wait || len(s.asked) != n+1 {
			t.Errorf("after failure %d it waits %s, and was asked %d times", n+1, st.Wait, len(s.asked))
		}
		l.later(wait - 2*time.Minute)
		l.turn()
		l.later(2 * time.Minute)
	}
}

func TestASourceGetsThePauseItAsksForUpToADay(t *testing.T) {
	for asked, wait := range map[string]time.Duration{
		"7200": 2 * time.Hour, "31536000": 24 * time.Hour, "Fri, 01 May 2026 16:00:00 GMT": 4 * time.Hour, "Fri, 01 May 2026 11:00:00 GMT": 5 * time.Minute,
		"-7200": 5 * time.Minute, "soon": 5 * time.Minute, "1": 5 * time.Minute,
	} {
		s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", asked)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		if st := newLot(t, s.roots, s.source("")).turn(); st.Result != pickup.Failed || st.Wait != wait {
			t.Errorf("asked for %q it waits %s", asked, st.Wait)
		}
	}
}

// TestAClockThatWasWrongStopsNoSource: the last visit seems to lie days ahead.
func TestAClockThatWasWrongStopsNoSource(t *testing.T) {
	s := newSite(t, text(head+civic))
	l := newLot(t, s.roots, s.source(""))
	l.later(48 * time.Hour)
	l.turn()
	l.later(-48 * time.Hour)
	l.turn()
	if len(s.asked) != 2 {
		t.Errorf("asked %d times", len(s.asked))
	}
}

// TestTurnsThatOverlapBringAFileOnce: the schedule comes round while a slow
// download is under way.
func TestTurnsThatOverlapBringAFileOnce(t *testing.T) {
	begun, rest := make(chan struct{}, 8), make(chan struct{})
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, head)
		w.(http.Flusher).Flush()
		begun <- struct{}{}
		<-rest
		_, _ = io.WriteString(w, civic)
	})
	l := newLot(t, s.roots, s.source(""))
	var slow sync.WaitGroup
	slow.Go(func() {
		if err := l.Turn(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	<-begun
	for range 3 {
		l.later(5 * time.Minute)
		if err := l.Turn(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Pull(t.Context(), "", func(v pickup.Visit) error {
		if v.Result != pickup.Busy {
			t.Errorf("a second visitor finds %s", v.Result)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	close(rest)
	slow.Wait()
	if len(s.asked) != 1 || len(l.took) != 1 || l.listed() != 1 {
		t.Errorf("asked %d times, %d files brought, %d listed", len(s.asked), len(l.took), l.listed())
	}
}

// TestADealerHasOneTurnAtATime: of many dealers, one with many slow sources
// would else hold an instance for each of them, and nobody's exports be imported.
func TestADealerHasOneTurnAtATime(t *testing.T) {
	begun, rest := make(chan struct{}, 8), make(chan struct{})
	slow := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		begun <- struct{}{}
		<-rest
		_, _ = io.WriteString(w, head+civic)
	})
	second := newSite(t, text(head+ford))
	slow.roots.AddCert(second.Certificate())
	l := newLot(t, slow.roots, slow.source(", rooftops: [North]")+`}
    - {name: second, url: "`+second.URL+`/lot.csv", rooftops: [South]`)
	var first sync.WaitGroup
	first.Go(func() {
		if err := l.Turn(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	<-begun
	if err := l.Turn(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(second.asked); n != 0 {
		t.Errorf("a second turn began %d visits beside the first one", n)
	}
	close(rest)
	first.Wait()
	if len(second.asked) != 1 || l.listed() != 2 {
		t.Errorf("the first turn went to the second source %d times, %d listed", len(second.asked), l.listed())
	}
}

// TestAVisitThatLastsTooLongUndoesNothing: its claim ran out, and another
// visitor brought a newer file meanwhile.
func TestAVisitThatLastsTooLongUndoesNothing(t *testing.T) {
	old, late := make(chan struct{}), make(chan struct{})
	at := time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC)
	first := true
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if !first {
			serves(head+civic+camry, at.Add(time.Hour))(w, r)
			return
		}
		first = false
		w.Header().Set("Last-Modified", at.Format(http.TimeFormat))
		_, _ = io.WriteString(w, head)
		w.(http.Flusher).Flush()
		close(old)
		<-late
		_, _ = io.WriteString(w, ford)
	})
	l := newLot(t, s.roots, s.source(""))
	var slow sync.WaitGroup
	slow.Go(func() {
		if err := l.Turn(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	<-old
	l.later(21 * time.Minute)
	if st := l.turn(); st.Result != pickup.Imported || l.listed() != 2 {
		t.Fatalf("%+v", st)
	}
	close(late)
	slow.Wait()
	states, err := l.States.States(t.Context(), "demo")
	if err != nil || len(states) != 1 || states[0].Result != pickup.Imported || !states[0].FeedTime.Equal(at.Add(time.Hour)) || l.listed() != 2 || !l.vouched().Equal(at.Add(time.Hour)) {
		t.Errorf("%+v, %v; %d listed, vouched for at %s", states, err, l.listed(), l.vouched())
	}
}

// TestAVisitThatIsCutShortIsMadeAgain: the process is stopped within a download.
func TestAVisitThatIsCutShortIsMadeAgain(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, head)
		w.(http.Flusher).Flush()
		stop()
		<-r.Context().Done()
	})
	l := newLot(t, s.roots, s.source(""))
	if err := l.Turn(ctx); err != nil {
		t.Fatal(err)
	}
	s.answer = serves(head+civic, l.clock())
	if st := l.turn(); st.Result != pickup.Imported || st.Failures != 0 || l.listed() != 1 {
		t.Errorf("right after the stop: %+v", st)
	}
	if strings.Contains(l.log.String(), pickup.LogFailed) {
		t.Errorf("a stop is logged as a fault:\n%s", &l.log)
	}
}

// TestASourceOfOneRooftopLeavesTheOther sells no car of the rooftop whose
// file comes from elsewhere.
func TestASourceOfOneRooftopLeavesTheOther(t *testing.T) {
	north := newSite(t, serves(head+civic+camry, time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC)))
	south := newSite(t, serves(head+ford, time.Date(2026, 5, 1, 7, 0, 0, 0, time.UTC)))
	north.roots.AddCert(south.Certificate())
	l := newLot(t, north.roots, north.source(", rooftops: [North]")+`}
    - {name: second, url: "`+south.URL+`/lot.json", rooftops: [South]`)
	if err := l.Turn(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l.listed() != 3 || l.took[1].Name != "second.json" {
		t.Fatalf("%d listed", l.listed())
	}
	north.answer = serves(head+camry, time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC))
	l.later(2 * time.Hour)
	var visits []string
	if err := l.Pull(t.Context(), "export", func(v pickup.Visit) error {
		visits = append(visits, v.Source+" "+v.Result)
		if v.Report == nil || v.Report.Changes.Gone != 1 {
			t.Errorf("%+v", v.Report)
		}
		return nil
	}); err != nil || strings.Join(visits, ", ") != "export imported" || l.listed() != 2 {
		t.Errorf("%v, %v; %d listed", visits, err, l.listed())
	}
	// An address that changes is another source: nothing known holds for it.
	l.profile.Feed.Sources[0].URL = south.URL + "/elsewhere.csv"
	l.profile.Feed.Sources = l.profile.Feed.Sources[:1]
	asked := len(south.asked)
	if st := l.visitOnly(); len(south.asked) != asked+1 || south.asked[asked].Header.Get("If-None-Match") != "" {
		t.Errorf("%+v", st)
	}
}

func (l *lot) visitOnly() []pickup.State {
	l.t.Helper()
	if err := l.Turn(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	states, err := l.States.States(l.t.Context(), "demo")
	if err != nil {
		l.t.Fatal(err)
	}
	return states
}

// TestLittleTimeBeginsNoVisit leaves the source to the next turn.
func TestLittleTimeBeginsNoVisit(t *testing.T) {
	s := newSite(t, text(head+civic))
	l := newLot(t, s.roots, s.source(""))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := l.Turn(ctx); err != nil || len(s.asked) != 0 {
		t.Errorf("%v, asked %d times", err, len(s.asked))
	}
}
