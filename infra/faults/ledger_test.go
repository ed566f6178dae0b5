package faults

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// arrival is one document that a receiver took.
type arrival struct {
	lead, email string
	resend      bool
	// told says that the receiver confirmed the document.
	told bool
	// run is the life of the process that sent it, when it has several.
	run int
}

// ledger holds what buyers were told and what receivers took.
type ledger struct {
	targets []string

	mu sync.Mutex
	// acknowledged are the lead ids each submission was answered with, by the
	// buyer's address; sent are all submissions.
	acknowledged map[string][]string
	sent         map[string]bool
	arrivals     map[string]map[string][]arrival // target → lead id
	// refused are the leads that a target turned down for good.
	refused map[string]map[string]bool
	// excused counts outcomes that died with their worker, by target and lead.
	excused map[string]int
	run     int
	strange []string
	trail   *trail
	// workers is how many leads a process had in hand when it was killed, for
	// tests that kill processes: so many outcomes at most die with each run.
	workers int
}

func newLedger(targets ...string) *ledger {
	l := &ledger{
		targets: targets, acknowledged: map[string][]string{}, sent: map[string]bool{}, arrivals: map[string]map[string][]arrival{},
		refused: map[string]map[string]bool{}, excused: map[string]int{}, trail: newTrail(),
	}
	for _, name := range targets {
		l.arrivals[name], l.refused[name] = map[string][]arrival{}, map[string]bool{}
	}
	return l
}

// submit notes a submission before its first request.
func (l *ledger) submit(email string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent[email] = true
}

// acknowledge notes an answer that the agent gave, also one that got lost.
func (l *ledger) acknowledge(email, leadID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.acknowledged[email], leadID) {
		l.acknowledged[email] = append(l.acknowledged[email], leadID)
	}
}

// take notes a document; what is none is a fault of its own. how is what the
// receiver did.
func (l *ledger) take(target, how string, doc []byte, told bool) {
	a, err := readDocument(doc)
	l.trail.add(a.lead, target+" took it: "+how)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.strange = append(l.strange, fmt.Sprintf("%s got what is no lead: %v", target, err))
		return
	}
	a.told, a.run = told, l.run
	l.arrivals[target][a.lead] = append(l.arrivals[target][a.lead], a)
}

// refuse notes a lead that the target turned down for good.
func (l *ledger) refuse(target string, doc []byte) {
	if a, err := readDocument(doc); err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.refused[target][a.lead] = true
		l.trail.add(a.lead, target+" refused it")
	}
}

// excuse notes that an outcome died with the worker that knew it.
func (l *ledger) excuse(leadID, target string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.excused[target+" "+leadID]++
	l.trail.add(leadID, target+": the outcome died with its worker")
}

// between cuts the text between two marks out of a document.
func between(doc, open, end string) string {
	_, rest, _ := strings.Cut(doc, open)
	inside, _, found := strings.Cut(rest, end)
	if !found {
		return ""
	}
	return inside
}

func readDocument(doc []byte) (arrival, error) {
	text := string(doc)
	status := between(text, `<prospect status="`, `"`)
	_, id, _ := strings.Cut(between(text, "<id ", "</id>"), ">")
	email := strings.ToLower(between(text, "buyer-", "@example.com"))
	if (status != "new" && status != "resend") || id == "" || email == "" || !strings.Contains(text, "</adf>") {
		return arrival{}, fmt.Errorf("status %q, id %q, buyer %q, %d bytes", status, id, email, len(doc))
	}
	return arrival{lead: id, email: "buyer-" + email + "@example.com", resend: status == "resend"}, nil
}

// The kinds of faults that a ledger finds.
const (
	lost       = "lost"
	turnedDown = "turned down for good and not sent again"
	doubled    = "doubled without cause"
	unmarked   = "doubled without the mark of a resend"
	twoLeads   = "two leads of one submission"
	unasked    = "delivered to a buyer who asked for nothing"
	misstated  = "a state that is not so"
	unreadable = "unreadable"
)

// fault is one thing wrong with the ledger.
type fault struct{ kind, what, lead string }

// audit compares both sides.
func (l *ledger) audit() (faults []fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	find := func(kind, id, format string, args ...any) {
		faults = append(faults, fault{kind, fmt.Sprintf(format, args...), id})
	}
	for _, what := range l.strange {
		find(unreadable, "", "%s", what)
	}
	leads := map[string]map[string]bool{} // by address
	know := func(email, id string) {
		if leads[email] == nil {
			leads[email] = map[string]bool{}
		}
		leads[email][id] = true
	}
	for email, ids := range l.acknowledged {
		for _, id := range ids {
			know(email, id)
			for _, target := range l.targets {
				got := l.arrivals[target][id]
				switch {
				case len(got) > 0:
				case l.refused[target][id]:
					find(turnedDown, id, "lead %s of %s at %s", id, email, target)
				default:
					find(lost, id, "lead %s of %s never reached %s", id, email, target)
				}
			}
		}
	}
	died := map[string]int{} // outcomes that died with a run, by run and target
	for target, byLead := range l.arrivals {
		for id, got := range byLead {
			excused := l.excused[target+" "+id]
			for i, a := range got {
				know(a.email, id)
				if !l.sent[a.email] {
					find(unasked, id, "lead %s of %s at %s", id, a.email, target)
				}
				if i == 0 {
					continue
				}
				if !a.resend {
					find(unmarked, id, "document %d of lead %s at %s", i+1, id, target)
				}
				if before := got[i-1]; before.told {
					if place := fmt.Sprint(before.run, " ", target); before.run < a.run && died[place] < l.workers {
						died[place]++
					} else if excused--; excused < 0 {
						find(doubled, id, "document %d of lead %s at %s, which had confirmed the one before", i+1, id, target)
					}
				}
			}
		}
	}
	for email, ids := range leads {
		if len(ids) > 1 {
			find(twoLeads, "", "%s has %d", email, len(ids))
		}
	}
	return faults
}

// doubles counts documents beyond the first, over all targets.
func (l *ledger) doubles() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, byLead := range l.arrivals {
		for _, got := range byLead {
			n += len(got) - 1
		}
	}
	return n
}

// settled reports whether everything acknowledged has arrived everywhere, or
// was turned down.
func (l *ledger) settled() bool {
	return !slices.ContainsFunc(l.audit(), func(f fault) bool { return f.kind == lost })
}

// balance fails the test when the ledger has faults.
func (l *ledger) balance(t *testing.T) {
	t.Helper()
	faults := l.audit()
	for i, f := range faults {
		if i == 20 {
			t.Errorf("and %d more", len(faults)-i)
			break
		}
		t.Errorf("%s: %s\n%s", f.kind, f.what, l.trail.of(f.lead))
	}
	l.mu.Lock()
	acknowledged, sent := len(l.acknowledged), len(l.sent)
	l.mu.Unlock()
	if acknowledged < sent*9/10 {
		t.Errorf("only %d of %d submissions were acknowledged: the test has no load", acknowledged, sent)
	}
	t.Logf("%d submissions, %d acknowledged, %d documents more than one a lead and target", sent, acknowledged, l.doubles())
}
