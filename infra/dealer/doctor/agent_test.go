package doctor_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/infra/dealer/doctor"
	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/schemas"
)

// noon is the clock of agent and doctor.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func fixed() time.Time { return noon }

// roomy lets one caller examine an agent many times.
const roomy = "{per_minute: 1000000, leads_per_hour: 1000000}"

const everyVersion = "versions: [v1.3, v1.2, v1.1, v1.0, v0.2, v0.1]\n"

// machineOf runs the fixture dealer, with more lines in its profile and every
// car vouched for this morning.
func machineOf(t *testing.T, lines string) *machine.Machine {
	t.Helper()
	dir := t.TempDir()
	write := func(name, from string, change func(string) string) string {
		text, err := os.ReadFile(filepath.Join("../machine/testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(change(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if !strings.Contains(lines, "access:") {
		lines += "access: " + roomy + "\n"
	}
	date := regexp.MustCompile(`"updated_at": "[^"]*"`)
	m, _ := machinetest.Serve(t, machine.Config{
		Addr: "127.0.0.1:0",
		Profile: write("dealer.yaml", "dealer.yaml", func(s string) string {
			return strings.Replace(s, "all_mandatory_charges\n", "all_mandatory_charges\n  out_the_door: true\n", 1) + lines
		}),
		Feed: write("feed.json", "feed.json", func(s string) string { return date.ReplaceAllString(s, `"updated_at": "2026-05-01T08:00:00Z"`) }),
		Data: filepath.Join(dir, "data"), Outbox: filepath.Join(dir, "outbox"), Now: fixed, Log: slog.New(slog.DiscardHandler),
	})
	return m
}

// exchange is one request to the agent and its answer, for a fault to change.
type exchange struct {
	method, path string
	header       http.Header // of the request
	body         string      // of the request

	status int
	out    http.Header
	answer string
}

// calls reports whether the request is for a skill.
func (e *exchange) calls(id string) bool { return strings.Contains(e.body, `"type":"`+id+`.request"`) }

// card reports whether the request is for the main card.
func (e *exchange) card() bool { return e.path == "/.well-known/agent-card.json" }

// swap replaces a part of the answer that must be there.
func (e *exchange) swap(old, new string) {
	if !strings.Contains(e.answer, old) {
		panic("nothing to replace: " + old + " in " + e.answer)
	}
	e.answer = strings.ReplaceAll(e.answer, old, new)
}

// front stands before an agent under an address of its own. ask changes a
// request on its way in, give the answer on its way out; the schemas that cards
// name are served there too.
type front struct {
	ask, give func(*exchange)
	// below is a path that the whole agent lies under.
	below string
}

func (f front) serve(t *testing.T, m *machine.Machine) string {
	t.Helper()
	server := httptest.NewServer(f.handler(t, m))
	t.Cleanup(server.Close)
	return server.URL + f.below
}

func (f front) handler(t *testing.T, m *machine.Machine) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		own := "http://" + r.Host + f.below
		if r.TLS != nil {
			own = "https://" + r.Host + f.below
		}
		path, ok := strings.CutPrefix(r.URL.Path, f.below)
		if !ok {
			http.NotFound(w, r)
			return
		}
		e := &exchange{method: r.Method, path: path, header: r.Header.Clone(), body: string(body)}
		if f.ask != nil {
			f.ask(e)
		}
		inner := httptest.NewRequest(e.method, m.URL()+e.path, bytes.NewReader([]byte(e.body)))
		inner.Header = e.header
		got := httptest.NewRecorder()
		if label, file, ok := strings.Cut(e.path[1:], "/schemas/"); ok {
			serveSchema(t, got, label, file)
		} else {
			m.Handler().ServeHTTP(got, inner)
		}
		e.status, e.out = got.Code, got.Header()
		e.answer = published.ReplaceAllString(strings.ReplaceAll(got.Body.String(), m.URL(), own), own+"/$1/schemas/")
		if f.give != nil {
			f.give(e)
		}
		e.out.Del("Content-Length")
		maps.Copy(w.Header(), e.out)
		w.WriteHeader(e.status)
		if e.method != http.MethodHead {
			_, _ = io.WriteString(w, e.answer)
		}
	})
}

// published are the addresses of schemas on cards.
var published = regexp.MustCompile(`https://autoagentprotocol\.org/(v[0-9.]+)/schemas/`)

func serveSchema(t *testing.T, w *httptest.ResponseRecorder, label, file string) {
	files, err := schemas.Version(label)
	if err != nil {
		t.Error(err)
		return
	}
	text, err := fs.ReadFile(files, file)
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = w.Write(text)
}

func examine(t *testing.T, c doctor.Config) *doctor.Report {
	t.Helper()
	if c.Now == nil {
		c.Now = fixed
	}
	if c.Slow == 0 {
		c.Slow = time.Minute
	}
	r, err := doctor.Examine(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// notices are the findings that are not well, each once, as "id verdict".
func notices(r *doctor.Report) []string {
	found := map[string]bool{}
	for _, f := range r.Findings {
		if f.Verdict == doctor.Warn || f.Verdict == doctor.Fail {
			found[f.ID+" "+string(f.Verdict)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// holds compares what is not well with what should not be.
func holds(t *testing.T, r *doctor.Report, want ...string) {
	t.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(want, notices(r), cmp.Transformer("set", func(s []string) string { return fmt.Sprint(s) })); diff != "" {
		var text strings.Builder
		_ = r.WriteText(&text)
		t.Errorf("(-want +got):\n%s\n%s", diff, text.String())
	}
}
