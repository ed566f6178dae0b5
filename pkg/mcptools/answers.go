package mcptools

import (
	"container/list"
	"slices"
	"sync"
	"time"
)

// given is what a person agreed to. It says nothing of who they are.
type given struct {
	channels []string
	// at is when, see asker.granted.
	at time.Time
	// key is the idempotency key of the lead when its sender gave none.
	key string
}

// mostAnswers bounds the memory of answers: beyond it the oldest is forgotten,
// and its person would be asked again.
const mostAnswers = 4096

// answers remembers, as long as a form lives, what was agreed to: a call that
// is repeated with it leads to the same payload, to the letter, and so to the
// same lead.
type answers struct {
	most int

	mu     sync.Mutex
	by     map[string]*list.Element
	oldest *list.List // of answer
}

type answer struct {
	id    string
	since time.Time
	given
}

func newAnswers(most int) *answers {
	return &answers{most: most, by: map[string]*list.Element{}, oldest: list.New()}
}

// find is what was agreed to for the id.
func (a *answers) find(id string, now time.Time) (given, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.holding(id, now)
}

func (a *answers) holding(id string, now time.Time) (given, bool) {
	e, ok := a.by[id]
	if !ok {
		return given{}, false
	}
	known := e.Value.(answer)
	age := now.Sub(known.since)
	return known.given, age >= -clockSkew && age <= formLife
}

// keep remembers an agreement and returns what holds from now on: the earlier
// one where that was the same.
func (a *answers) keep(id string, g given, now time.Time) given {
	a.mu.Lock()
	defer a.mu.Unlock()
	if earlier, ok := a.holding(id, now); ok && slices.Equal(earlier.channels, g.channels) {
		return earlier
	}
	a.drop(id)
	if a.oldest.Len() >= a.most {
		a.drop(a.oldest.Front().Value.(answer).id)
	}
	a.by[id] = a.oldest.PushBack(answer{id, now, g})
	return g
}

// forget drops what was agreed to for the id.
func (a *answers) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drop(id)
}

func (a *answers) drop(id string) {
	if e, ok := a.by[id]; ok {
		a.oldest.Remove(e)
		delete(a.by, id)
	}
}
