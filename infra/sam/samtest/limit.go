package samtest

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// limit is the token bucket of a stage's method settings.
type limit struct {
	path, method string
	rate, burst  float64

	mu     sync.Mutex
	tokens float64
	last   time.Time
}

func newLimit(setting any) *limit {
	l := &limit{path: textAt(setting, "ResourcePath"), method: textAt(setting, "HttpMethod"), last: time.Now()}
	l.rate, _ = strconv.ParseFloat(textAt(setting, "ThrottlingRateLimit"), 64)
	l.burst, _ = strconv.ParseFloat(textAt(setting, "ThrottlingBurstLimit"), 64)
	l.tokens = l.burst
	return l
}

func (l *limit) admits() bool {
	if l.rate == 0 && l.burst == 0 {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.tokens = min(l.burst, l.tokens+l.rate*now.Sub(l.last).Seconds())
	l.last = now
	if l.tokens < 1 {
		return false
	}
	l.tokens--
	return true
}

// admits asks the setting of the method, or that of all.
func (g *Gateway) admits(c *call) bool {
	for _, l := range g.limits {
		if l.path == "/*" && l.method == "*" || strings.ReplaceAll(l.path, "~1", "/") == c.resource && (l.method == "*" || l.method == c.Method) {
			return l.admits()
		}
	}
	return true
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// Unlimited takes the stage's limits away.
func (g *Gateway) Unlimited() { g.limits = nil }
