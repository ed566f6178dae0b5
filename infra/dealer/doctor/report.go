package doctor

import (
	"time"
)

// Verdict is how a check ended. A fail breaks a MUST of the cited rule or makes
// the agent useless to some buyers; a warn breaks a SHOULD or is unusual; a
// skip could not or need not be looked at.
type Verdict string

// The verdicts, worst last.
const (
	Skip Verdict = "skip"
	Pass Verdict = "pass"
	Warn Verdict = "warn"
	Fail Verdict = "fail"
)

// Report is one examination. As JSON it is a stable document: members and ids
// are added and never renamed, and readers should look findings up by id.
//
//	url          the address as it was given
//	checked_at   when the examination began, RFC 3339
//	verdict      the worst of the findings: pass, warn or fail; a report whose
//	             agent could not be reached fails
//	reachable    false when no HTTP answer came
//	versions     the contracts that both sides speak, newest first
//	counts       how many findings had each verdict
//	findings     in the order of the examination
type Report struct {
	URL       string          `json:"url"`
	CheckedAt time.Time       `json:"checked_at"`
	Verdict   Verdict         `json:"verdict"`
	Reachable bool            `json:"reachable"`
	Versions  []string        `json:"versions"`
	Counts    map[Verdict]int `json:"counts"`
	Findings  []Finding       `json:"findings"`
}

// Finding is the outcome of one check. An id may occur once for each contract
// version and skill.
type Finding struct {
	// ID is area.name, such as card.found.
	ID      string  `json:"id"`
	Verdict Verdict `json:"verdict"`
	// Version and Skill are what was looked at; empty when it is the agent as a whole.
	Version string `json:"version,omitempty"`
	Skill   string `json:"skill,omitempty"`
	// Title is what should hold, Seen what was found.
	Title string `json:"title"`
	Seen  string `json:"seen"`
	// Rule is where it is asked for, and URL the page.
	Rule string `json:"rule"`
	URL  string `json:"rule_url,omitempty"`
	// Next is what to do about a warn or a fail; empty otherwise.
	Next string `json:"next,omitempty"`
}

// ledger collects findings; it alone turns words of the other side into text.
type ledger struct {
	findings []Finding
	token    string
}

// about is what a finding is of.
type about struct {
	version, skill string
}

func (l *ledger) pass(id string, of about, seen string, args ...any) { l.add(id, Pass, of, seen, args) }
func (l *ledger) warn(id string, of about, seen string, args ...any) { l.add(id, Warn, of, seen, args) }
func (l *ledger) fail(id string, of about, seen string, args ...any) { l.add(id, Fail, of, seen, args) }
func (l *ledger) skip(id string, of about, seen string, args ...any) { l.add(id, Skip, of, seen, args) }

func (l *ledger) add(id string, v Verdict, of about, seen string, args []any) {
	r := ruleOf(id)
	f := Finding{
		ID: id, Verdict: v, Version: of.version, Skill: of.skill,
		Title: r.title, Seen: said(l.token, seen, args), Rule: r.rule, URL: r.url,
	}
	if v == Warn || v == Fail {
		f.Next = r.next
	}
	l.findings = append(l.findings, f)
}

// Add puts findings of another examination behind those of this one.
func (r *Report) Add(more ...Finding) {
	r.Findings = append(r.Findings, more...)
	r.judge()
}

// close ends the examination.
func (r *Report) close(l *ledger) {
	r.Findings = l.findings
	r.judge()
}

// judge counts the findings and judges the whole.
func (r *Report) judge() {
	r.Verdict = Pass
	r.Counts = map[Verdict]int{Pass: 0, Warn: 0, Fail: 0, Skip: 0}
	for _, f := range r.Findings {
		r.Counts[f.Verdict]++
	}
	switch {
	case r.Counts[Fail] > 0 || !r.Reachable:
		r.Verdict = Fail
	case r.Counts[Warn] > 0:
		r.Verdict = Warn
	}
}
