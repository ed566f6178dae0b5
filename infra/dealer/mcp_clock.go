package main

import (
	"net/http"
	"sync/atomic"
	"time"
)

// mostAhead is the furthest that this machine's clock is taken to run ahead of
// a dealer's. Beyond it the dealer's Date says something else.
const mostAhead = 24 * time.Hour

// dealersClock learns from the Date of a dealer's answers (RFC 9110 §6.6.1) how
// far this machine's clock runs ahead.
type dealersClock struct {
	http.RoundTripper
	ahead atomic.Int64 // nanoseconds
}

// RoundTrip looks at each answer that did not lie in a cache.
func (c *dealersClock) RoundTrip(r *http.Request) (*http.Response, error) {
	began := time.Now()
	resp, err := c.RoundTripper.RoundTrip(r)
	if err != nil || resp.Header.Get("Age") != "" {
		return resp, err
	}
	if date, wrong := http.ParseTime(resp.Header.Get("Date")); wrong == nil {
		ahead := began.Sub(date.Add(time.Second)) // a Date has no fractions
		if ahead < 0 || ahead > mostAhead {
			ahead = 0
		}
		c.ahead.Store(int64(ahead))
	}
	return resp, nil
}

// now is the time, by the dealer's clock where that is slow.
func (c *dealersClock) now() time.Time { return time.Now().Add(-time.Duration(c.ahead.Load())) }
