package mcptools_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

// secret is what all instances of a function share.
var secret = []byte("0123456789abcdef0123456789abcdef")

// at serves the same dealer as another instance does, whose clock is off by so much.
func (h *house) at(t *testing.T, off time.Duration, key []byte, lines string) *house {
	t.Helper()
	return open(t, lines, func(c *mcptools.Config) {
		if h != nil {
			c.Agent, c.Replay = h.stack.Agent, h.stack.Agent.Replay
		}
		c.Asking.Key = key
		c.Now = func() time.Time { return agenttest.Clock.Add(off) }
	})
}

// TestAnAnswerHoldsForNothingButWhatWasShown: whatever does not fit is no
// answer, and the person is asked about what is really to be sent.
func TestAnAnswerHoldsForNothingButWhatWasShown(t *testing.T) {
	h := (*house)(nil).at(t, 0, secret, "")
	asked := h.submit(t, shows, unconsented(""), "").RequestState
	altered := "A" + asked[1:]
	if asked[0] == 'A' {
		altered = "B" + asked[1:]
	}
	last := asked[:len(asked)-1] + map[bool]string{true: "_", false: "-"}[asked[len(asked)-1] == '-']
	for name, c := range map[string]struct {
		to               *house
		arguments, state string
	}{
		"no state":           {h, unconsented(""), ""},
		"a forged state":     {h, unconsented(""), strings.Repeat("A", 54)},
		"altered at first":   {h, unconsented(""), altered},
		"altered at last":    {h, unconsented(""), last},
		"with more":          {h, unconsented(""), asked + "A"},
		"with a line end":    {h, unconsented(""), asked[:20] + "\n" + asked[20:]},
		"huge":               {h, unconsented(""), strings.Repeat(asked, 2000)},
		"another message":    {h, unconsented(`,"message":"x"`), asked},
		"another mail":       {h, strings.Replace(unconsented(""), "rosa@quist", "eve@quist", 1), asked},
		"another agent":      {h, strings.Replace(unconsented(""), "trip-planner", "x", 1), asked},
		"a hidden member":    {h, unconsented(`,"vehicle_of_interest":{"notes":"x"}`), asked},
		"a key of the buyer": {h, unconsented(`,"idempotency_key":"k"`), asked},
		"another dealer":     {(*house)(nil).at(t, 0, secret, "description: x\n").dealer(t, "id: harbor-auto", "id: other-auto"), unconsented(""), asked},
		"another name":       {(*house)(nil).at(t, 0, secret, "").dealer(t, "name: Harbor Auto Group", "name: Harbour"), unconsented(""), asked},
		"another text":       {h.at(t, 0, secret, "leads: {consent_text: Anything.}\n"), unconsented(""), asked},
		"another key":        {h.at(t, 0, nil, ""), unconsented(""), asked},
		"expired":            {h.at(t, 10*time.Minute+time.Second, secret, ""), unconsented(""), asked},
		"a year later":       {h.at(t, 8760*time.Hour, secret, ""), unconsented(""), asked},
		"from the future":    {h.at(t, -2*time.Minute-time.Second, secret, ""), unconsented(""), asked},
	} {
		got := c.to.submit(t, shows, c.arguments, with(yes, c.state))
		if !got.asks() {
			t.Errorf("%s: %s", name, got.raw)
		}
		if n := len(kept(t, c.to.stack)) + len(kept(t, h.stack)); n != 0 {
			t.Fatalf("%s: %d leads", name, n)
		}
	}
	for name, to := range map[string]*house{
		"spelt otherwise": h, "another instance": h.at(t, time.Minute, secret, ""), "a slow clock": h.at(t, -time.Minute, secret, ""),
	} {
		if got := to.submit(t, shows, "\n "+unconsented(""), with(yes, asked)); got.IsError || got.asks() {
			t.Errorf("%s: %s", name, got.raw)
		}
	}
	if n := len(kept(t, h.stack)); n != 1 {
		t.Errorf("%d leads", n)
	}
}

// dealer is a house of its own whose profile differs in one line.
func (h *house) dealer(t *testing.T, old, line string) *house {
	t.Helper()
	s := agenttest.New(t, strings.Replace(agenttest.Profile, old, line, 1))
	other := open(t, "", func(c *mcptools.Config) {
		c.Agent, c.Profiles, c.Asking.Key = s.Agent, &profiles{profile: s.Profile}, secret
	})
	other.stack = s
	return other
}

func TestAnAnswerIsTakenFromItsOwnCallerOnly(t *testing.T) {
	tokens := fmt.Sprintf("access: {tokens: [{name: one, sha256: %x}, {name: two, sha256: %x}]}\n", sha256.Sum256([]byte("one")), sha256.Sum256([]byte("two")))
	h := open(t, tokens, nil)
	asked := h.submit(t, shows, unconsented(""), "", "Authorization", "Bearer one")
	if got := h.submit(t, shows, unconsented(""), with(yes, asked.RequestState), "Authorization", "Bearer two"); !got.asks() || len(kept(t, h.stack)) != 0 {
		t.Errorf("another caller: %s", got.raw)
	}
	if got := h.submit(t, shows, unconsented(""), with(yes, asked.RequestState), "Authorization", "Bearer one"); got.IsError || len(kept(t, h.stack)) != 1 {
		t.Errorf("the caller: %s", got.raw)
	}
	if got := h.submit(t, shows, unconsented(""), "", "Authorization", "Bearer two"); !got.asks() {
		t.Errorf("another caller rides on the answer: %s", got.raw)
	}
}

// TestOneAnswerMakesOneLead: the round trip is made again because its answer
// was lost, at this instance or another, at once or later, with a key of the
// buyer or none.
func TestOneAnswerMakesOneLead(t *testing.T) {
	for _, key := range []string{"", `,"idempotency_key":"mine"`} {
		h := (*house)(nil).at(t, 0, secret, "leads: {duplicate_window: 1s}\n")
		asked := h.submit(t, shows, unconsented(key), "").RequestState
		first := h.submit(t, shows, unconsented(key), with(yes, asked))
		if first.IsError || first.asks() {
			t.Fatal(first.raw)
		}
		for name, again := range map[string]round{
			"at once":                    h.submit(t, shows, unconsented(key), with(yes, asked)),
			"at another instance":        h.at(t, 0, secret, "").submit(t, shows, unconsented(key), with(yes, asked)),
			"later, at another":          h.at(t, 5*time.Minute, secret, "").submit(t, shows, unconsented(key), with(yes, asked)),
			"from the start":             h.submit(t, shows, unconsented(key), ""),
			"with ticks spelt otherwise": h.submit(t, shows, unconsented(key), with(`{"action":"accept","content":{"sms":false,"email":true}}`, asked)),
		} {
			if fmt.Sprint(again.StructuredContent) != fmt.Sprint(first.StructuredContent) {
				t.Errorf("%q %s: %s\nwant %s", key, name, again.raw, first.raw)
			}
		}
		wider := h.at(t, 0, secret, "").submit(t, shows, unconsented(key), with(`{"action":"accept","content":{"email":true,"phone":true}}`, asked))
		if wider.StructuredContent["code"] != string(aap.IdempotencyConflict) {
			t.Errorf("%q, another answer to the same form: %s", key, wider.raw)
		}
		if n := len(kept(t, h.stack)); n != 1 {
			t.Errorf("%q: %d leads", key, n)
		}
	}
	h := (*house)(nil).at(t, 0, secret, "")
	lead := unconsented(`,"idempotency_key":"known"`)
	first := h.submit(t, shows, lead, with(yes, h.submit(t, shows, lead, "").RequestState))
	if again := h.at(t, time.Hour, secret, "").submit(t, shows, lead, ""); fmt.Sprint(again.StructuredContent) != fmt.Sprint(first.StructuredContent) {
		t.Errorf("a lead with a known key is asked about again: %s", again.raw)
	}
}

// TestAnAnswerThatTheLeadIsADuplicateIsGivenAgain: the lead was known under
// another key, and the round trip is made again at another instance, a second
// later.
func TestAnAnswerThatTheLeadIsADuplicateIsGivenAgain(t *testing.T) {
	for _, key := range []string{"", `,"idempotency_key":"mine"`} {
		h := (*house)(nil).at(t, 0, secret, "")
		original := unconsented(`,"idempotency_key":"first"`)
		h.submit(t, shows, original, with(yes, h.submit(t, shows, original, "").RequestState))
		asked := h.submit(t, shows, unconsented(key), "").RequestState
		first := h.submit(t, shows, unconsented(key), with(yes, asked))
		if data, _ := first.StructuredContent["data"].(map[string]any); first.IsError || data["status"] != "duplicate" {
			t.Fatalf("%q: %s", key, first.raw)
		}
		for _, later := range []time.Duration{0, time.Second, 9 * time.Minute} {
			if again := h.at(t, later, secret, "").submit(t, shows, unconsented(key), with(yes, asked)); fmt.Sprint(again.StructuredContent) != fmt.Sprint(first.StructuredContent) {
				t.Errorf("%q, %v later: %s\nwant %s", key, later, again.raw, first.raw)
			}
		}
		if n := len(kept(t, h.stack)); n != 1 {
			t.Errorf("%q: %d leads", key, n)
		}
	}
}

func TestParallelRoundTripsMakeOneLeadAndOneAnswer(t *testing.T) {
	for range 20 {
		h := (*house)(nil).at(t, 0, secret, "")
		asked := h.submit(t, shows, unconsented(""), "").RequestState
		houses := []*house{h, h.at(t, time.Second, secret, ""), h.at(t, 2*time.Second, secret, "")}
		answers := make([]round, 12)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = houses[i%len(houses)].submit(t, shows, unconsented(""), with(yes, asked)) })
		}
		all.Wait()
		for _, a := range answers {
			if a.IsError || fmt.Sprint(a.StructuredContent) != fmt.Sprint(answers[0].StructuredContent) {
				t.Fatalf("%s\nbut another was told %s", a.raw, answers[0].raw)
			}
		}
		if n := len(kept(t, h.stack)); n != 1 {
			t.Errorf("%d leads", n)
		}
	}
}

func TestWhoDeclinesAfterAcceptingIsAskedAgain(t *testing.T) {
	h := (*house)(nil).at(t, 0, secret, "")
	asked := h.submit(t, shows, unconsented(""), "").RequestState
	h.submit(t, shows, unconsented(""), with(`{"action":"decline"}`, asked))
	if got := h.submit(t, shows, unconsented(""), ""); !got.asks() {
		t.Errorf("after a no: %s", got.raw)
	}
	h.submit(t, shows, unconsented(""), with(yes, asked))
	h.submit(t, shows, unconsented(""), with(`{"action":"cancel"}`, asked))
	if n := len(kept(t, h.stack)); n != 1 {
		t.Errorf("%d leads", n)
	}
}

// TestAskingCostsNoLeads: a form uses up a call, and only what is sent a lead.
func TestAskingCostsNoLeads(t *testing.T) {
	h := open(t, "access: {leads_per_hour: 1}\n", nil)
	var asked round
	for range 3 {
		if asked = h.submit(t, shows, unconsented(""), ""); !asked.asks() {
			t.Fatal(asked.raw)
		}
	}
	if got := h.submit(t, shows, unconsented(""), with(yes, asked.RequestState)); got.IsError {
		t.Error(got.raw)
	}
	other := unconsented(`,"vehicle_of_interest":{"stock":"B-0042"}`)
	if got := h.submit(t, shows, other, with(yes, h.submit(t, shows, other, "").RequestState)); got.StructuredContent["code"] != string(aap.RateLimited) {
		t.Error(got.raw)
	}
}
