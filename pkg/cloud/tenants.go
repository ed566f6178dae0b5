package cloud

import (
	"container/list"
	"sync"
)

// Tenants keeps what is made for each dealer while it is in use, up to a total
// weight: beyond it, that of the dealers longest not asked for is dropped and
// made anew when they are asked for again. It is safe for concurrent use.
type Tenants[T any] struct {
	most  int
	open  func(id string) T
	weigh func(T) int

	mu     sync.Mutex
	held   map[string]*list.Element
	recent *list.List // of *tenant[T], the last asked for first
	total  int
}

type tenant[T any] struct {
	id     string
	value  T
	weight int
}

// NewTenants makes a Tenants. open must not block. weigh is asked each time that
// a dealer is asked for, since what is held for it grows.
func NewTenants[T any](most int, open func(id string) T, weigh func(T) int) *Tenants[T] {
	return &Tenants[T]{most: most, open: open, weigh: weigh, held: map[string]*list.Element{}, recent: list.New()}
}

// Of is what belongs to the dealer.
func (t *Tenants[T]) Of(id string) T {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.held[id]
	if ok {
		t.recent.MoveToFront(e)
	} else {
		e = t.recent.PushFront(&tenant[T]{id: id, value: t.open(id)})
		t.held[id] = e
	}
	one := e.Value.(*tenant[T])
	weight := t.weigh(one.value)
	t.total += weight - one.weight
	one.weight = weight
	for t.total > t.most && t.recent.Len() > 1 {
		last := t.recent.Remove(t.recent.Back()).(*tenant[T])
		t.total -= last.weight
		delete(t.held, last.id)
	}
	return one.value
}
