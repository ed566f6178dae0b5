package doctor_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/dealer-agent/dealer/infra/dealer/doctor"
)

// TestHostileAgentsEndSoon examines agents that want to keep the doctor busy.
func TestHostileAgentsEndSoon(t *testing.T) {
	m := machineOf(t, "")
	// The server notices that a client is gone once the body was read.
	never := func(r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	calls := func(r *http.Request) bool { return r.Method == http.MethodPost }
	all := func(*http.Request) bool { return true }
	for _, c := range []struct {
		name  string
		which func(*http.Request) bool
		do    func(http.ResponseWriter, *http.Request)
	}{
		{"never answers", all, func(_ http.ResponseWriter, r *http.Request) { never(r) }},
		{"never answers a call", calls, func(_ http.ResponseWriter, r *http.Request) { never(r) }},
		{"answers a byte at a time", calls, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte(" "))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		}},
		{"answers without end", calls, func(w http.ResponseWriter, _ *http.Request) {
			for range 6 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		}},
		{"answers with a packed bomb", calls, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.CopyN(z, zeros{}, 16<<20)
			_ = z.Close()
		}},
		{"answers with a deep nest", calls, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":`+strings.Repeat("[", 1<<20))
		}},
		{"answers with endless headers", calls, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		}},
		{"closes the line", calls, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"sends calls in circles", calls, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			well := front{}.handler(t, m)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.which(r) {
					c.do(w, r)
					return
				}
				well.ServeHTTP(w, r)
			}))
			defer server.Close()
			began := time.Now()
			r := examine(t, doctor.Config{URL: server.URL, Timeout: 150 * time.Millisecond, Deep: true})
			if took := time.Since(began); took > 7*time.Second {
				t.Errorf("it took %s", took)
			}
			if r.Verdict != doctor.Fail {
				t.Errorf("%s\n%s", r.Verdict, textOf(t, r))
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestWordsOfTheAgentSteerNothing puts escapes into everything an agent can say.
func TestWordsOfTheAgentSteerNothing(t *testing.T) {
	const paint = "\\u001b]0;owned\\u0007\\u009b31m\\u202e"
	f := front{give: func(e *exchange) {
		for _, name := range []string{"message", "name", "title"} {
			e.answer = strings.ReplaceAll(e.answer, `"`+name+`":"`, `"`+name+`":"`+paint)
		}
		e.answer = strings.NewReplacer(`"VEHICLE_NOT_FOUND"`, `"`+paint+`"`, `"ROLE_AGENT"`, `"`+paint+`"`, `"id":4200`, `"id":"`+paint+`"`,
			`"rooftops"`, `"`+paint+`"`, `"1.3.0"`, `"`+paint+`"`).Replace(e.answer)
		e.out.Set("Content-Type", "text/\x9b31m")
		e.out.Set("A2A-Extensions", "\u202eevil")
		e.out.Set("Cache-Control", "\x9bno")
	}}
	r := examine(t, doctor.Config{URL: f.serve(t, machineOf(t, "")), Deep: true, Timeout: 20 * time.Second})
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(t, r)
	for _, out := range []string{text, string(raw)} {
		for _, c := range out {
			if c != '\n' && !unicode.IsPrint(c) {
				t.Fatalf("%q is in the output", c)
			}
		}
	}
	if !strings.Contains(text, "owned") {
		t.Errorf("nothing of the agent's words was shown, so nothing was tried:\n%s", text)
	}
	for _, f := range r.Findings {
		if len(f.Seen) > 500 {
			t.Errorf("%s says %d bytes", f.ID, len(f.Seen))
		}
	}
}

// TestTokenStaysAtItsHost watches another host that the agent points to by
// redirects and by its card, and an agent that repeats what it is sent.
func TestTokenStaysAtItsHost(t *testing.T) {
	const secret = "a-very-secret-token"
	m := machineOf(t, "")
	var met atomic.Int32
	var leaked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		met.Add(1)
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(r.Header.Get("Authorization")+r.URL.String()+string(body), secret) {
			leaked.Store(true)
		}
		front{}.handler(t, m).ServeHTTP(w, r)
	}))
	defer other.Close()
	for _, c := range []struct {
		name string
		give func(*exchange)
	}{
		{"the card redirects", func(e *exchange) {
			if e.card() {
				e.status = http.StatusFound
				e.out.Set("Location", other.URL+e.path)
			}
		}},
		{"calls redirect", func(e *exchange) {
			if e.method == http.MethodPost {
				e.status = http.StatusTemporaryRedirect
				e.out.Set("Location", other.URL+e.path)
			}
		}},
		{"GET of the endpoint redirects", func(e *exchange) {
			if e.method == http.MethodGet && e.path == "/a2a" {
				e.status = http.StatusTemporaryRedirect
				e.out.Set("Location", other.URL+"/a2a")
			}
		}},
		{"the card names another host", func(e *exchange) {
			if e.card() && e.answer != "" {
				e.swap(`/a2a"`, `/a2a", "was": "`)
				e.answer = strings.Replace(e.answer, `"url": "http://`, `"url": "`+other.URL+`/a2a", "old": "http://`, 1)
			}
		}},
		{"errors repeat the token", func(e *exchange) {
			e.answer = strings.ReplaceAll(e.answer, `"message":"`, `"message":"`+secret+" ")
			e.out.Set("Content-Type", secret)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := examine(t, doctor.Config{URL: front{give: c.give}.serve(t, m), Token: secret, Deep: true, SendTestLead: true, Timeout: 20 * time.Second})
			raw, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(textOf(t, r)+string(raw), secret) {
				t.Errorf("the report shows the token:\n%s", textOf(t, r))
			}
			if leaked.Load() {
				t.Error("the token reached another host")
			}
		})
	}
	if met.Load() == 0 {
		t.Error("the other host was never met, so nothing was tried")
	}
}
