package faults

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// receiver is a CRM that behaves badly and remembers what it really did.
type receiver struct {
	*httptest.Server
	dice *dice

	mu sync.Mutex
	// got are the documents it took, by lead id.
	got map[string][]taken
}

// taken is one document that the CRM has, and whether it said so.
type taken struct {
	resend bool
	told   bool
}

// The ways in which it answers; those marked took have the lead afterwards.
var answers = []struct {
	name   string
	weight float64
	took   bool
	told   bool
	answer http.HandlerFunc
}{
	{"thanks", 0.55, true, true, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }},
	{"takes it and breaks off", 0.10, true, false, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	{"takes it and says 500", 0.05, true, false, status(http.StatusInternalServerError)},
	{"takes it, says 200 and an error", 0.05, true, false, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ERROR in module 7") }},
	{"too many", 0.10, false, false, status(http.StatusTooManyRequests)},
	{"closed", 0.10, false, false, status(http.StatusServiceUnavailable)},
	{"wants another key", 0.05, false, false, status(http.StatusUnauthorized)},
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func newReceiver(t *testing.T, d *dice) *receiver {
	t.Helper()
	r := &receiver{dice: d, got: map[string][]taken{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

var idElement = regexp.MustCompile(`<id [^>]*>([^<]+)</id>`)

// ServeHTTP rolls the dice for one document.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	match := idElement.FindSubmatch(body)
	if err != nil || match == nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	x, pick := r.dice.float(), len(answers)-1
	for n, a := range answers {
		if x -= a.weight; x < 0 {
			pick = n
			break
		}
	}
	if answers[pick].took {
		r.mu.Lock()
		id := string(match[1])
		r.got[id] = append(r.got[id], taken{strings.Contains(string(body), `<prospect status="resend">`), answers[pick].told})
		r.mu.Unlock()
	}
	answers[pick].answer(w, req)
}

// audit compares what the CRM has with what buyers hold ids for.
func (r *receiver) audit(t *testing.T, acknowledged []string) (twice int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range acknowledged {
		got := r.got[id]
		if len(got) == 0 {
			t.Errorf("lead %s was acknowledged and never delivered", id)
		}
		for n, d := range got {
			switch {
			case n == 0:
			case !d.resend:
				t.Errorf("lead %s: document %d of %d is not marked as a resend", id, n+1, len(got))
			case got[n-1].told:
				t.Errorf("lead %s: the CRM had said that it has document %d, and got another: %+v", id, n, got)
			default:
				twice++
			}
		}
	}
	for id := range r.got {
		if !slices.Contains(acknowledged, id) {
			t.Errorf("lead %s was delivered and nobody submitted it", id)
		}
	}
	return twice
}
