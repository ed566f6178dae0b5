package attacks

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// trap is an address that nobody has any business at. Whoever goes there is
// told in the test's end.
type trap struct {
	url string
	mu  sync.Mutex
	hit []string
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	at := &trap{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		at.mu.Lock()
		defer at.mu.Unlock()
		at.hit = append(at.hit, r.Method+" "+r.URL.Path)
	}))
	at.url = server.URL
	t.Cleanup(func() {
		server.Close()
		at.mu.Lock()
		defer at.mu.Unlock()
		if len(at.hit) > 0 {
			t.Errorf("an address that somebody else wrote was gone to: %s", strings.Join(at.hit, ", "))
		}
	})
	return at
}
