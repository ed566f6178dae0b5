// Package faults holds one suite of tests: leads are sent while everything
// around them breaks, and when it is over a ledger compares what buyers were
// told with what the dealer's systems took. It runs on the data file, on
// DynamoDB and SQS, through the compiled functions and through the command.
//
// DEALER_FAULTS_SEED repeats a run whose seed a failure printed, as far as its
// goroutines allow. DEALER_FAULTS_LEADS asks for more leads than usual.
package faults

import (
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
)

// storm says when something breaks: by seeded chance until it is over.
type storm struct {
	mu   sync.Mutex
	rng  *rand.Rand
	over atomic.Bool
}

// newStorm prints its seed when the test fails.
func newStorm(t testing.TB) *storm {
	t.Helper()
	seed := rand.Uint64()
	if s, err := strconv.ParseUint(os.Getenv("DEALER_FAULTS_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("DEALER_FAULTS_SEED=%d", seed)
		}
	})
	return &storm{rng: rand.New(rand.NewPCG(seed, 0))}
}

// roll is a number from 0 to below n.
func (s *storm) roll(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rng.IntN(n)
}

// strikes is true once in that many times, and never when the storm is over.
func (s *storm) strikes(once int) bool { return !s.over.Load() && s.roll(once) == 0 }

type moment = leadtest.Moment

const (
	healthy = leadtest.Healthy
	before  = leadtest.Before
	after   = leadtest.After
)

// breaks draws a moment; one operation in that many breaks.
func (s *storm) breaks(once int) moment {
	if !s.strikes(once) {
		return healthy
	}
	return before + moment(s.roll(2))
}

var errDown = leadtest.ErrDown

// clock runs like the real one and jumps when told to.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) set(ahead time.Duration) { c.ahead.Store(int64(ahead)) }

// count is how many leads a test sends: few with -short, more when asked for.
func count(usual, short int) int {
	if testing.Short() {
		return short
	}
	if n, err := strconv.Atoi(os.Getenv("DEALER_FAULTS_LEADS")); err == nil && n > usual {
		return n
	}
	return usual
}
