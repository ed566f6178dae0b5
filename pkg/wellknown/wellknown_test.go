package wellknown_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

func profile(t *testing.T) *dealer.Profile {
	t.Helper()
	p, err := dealer.Parse([]byte(agenttest.Profile))
	if err != nil {
		t.Fatal(err)
	}
	p.Modified = agenttest.Modified
	return p
}

// source gives whatever profile it holds at the moment.
type source struct {
	profile *dealer.Profile
	err     error
}

func (s *source) Profile(context.Context) (*dealer.Profile, error) { return s.profile, s.err }

func ask(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestCardIsServedWithWhatCachesNeed(t *testing.T) {
	h := wellknown.Handler(dealer.Fixed(profile(t)), nil)
	w := ask(h, http.MethodGet, wellknown.CardPath)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"https://agent.harbor-auto.example/a2a"`) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "public, max-age=300",
		"Last-Modified": "Mon, 01 Jun 2026 08:00:00 GMT", "Access-Control-Allow-Origin": "*",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if tag := w.Header().Get("ETag"); len(tag) < 10 || tag[0] != '"' {
		t.Errorf("ETag %q is not strong", tag)
	}
	head := ask(h, http.MethodHead, wellknown.CardPath)
	if head.Code != http.StatusOK || head.Body.Len() != 0 || head.Header().Get("ETag") != w.Header().Get("ETag") {
		t.Errorf("HEAD: %d with %d bytes", head.Code, head.Body.Len())
	}
}

func TestConditionalRequests(t *testing.T) {
	h := wellknown.Handler(dealer.Fixed(profile(t)), nil)
	tag := ask(h, http.MethodGet, wellknown.CardPath).Header().Get("ETag")
	at := func(d time.Duration) string { return agenttest.Modified.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"the current tag", []string{"If-None-Match", tag}, 304},
		{"the current tag, weakly", []string{"If-None-Match", "W/" + tag}, 304},
		{"one of several tags", []string{"If-None-Match", `"x", ` + tag}, 304},
		{"any tag", []string{"If-None-Match", "*"}, 304},
		{"another tag", []string{"If-None-Match", `"x"`}, 200},
		{"another tag wins over the date", []string{"If-None-Match", `"x"`, "If-Modified-Since", at(time.Hour)}, 200},
		{"not modified since", []string{"If-Modified-Since", at(0)}, 304},
		{"modified since", []string{"If-Modified-Since", at(-time.Second)}, 200},
		{"a date that is none", []string{"If-Modified-Since", "yesterday"}, 200},
	} {
		w := ask(h, http.MethodGet, wellknown.CardPath, c.headers...)
		if w.Code != c.want || w.Code == 304 && (w.Body.Len() > 0 || w.Header().Get("ETag") != tag) {
			t.Errorf("%s: %d with %d bytes, want %d", c.name, w.Code, w.Body.Len(), c.want)
		}
	}
}

func TestRangesNeverMakeTheAnswerLonger(t *testing.T) {
	h := wellknown.Handler(dealer.Fixed(profile(t)), nil)
	whole := ask(h, http.MethodGet, wellknown.CardPath)
	many := ask(h, http.MethodGet, wellknown.CardPath, "Range", "bytes=0-"+strings.Repeat(",0-", 500))
	if many.Code != http.StatusOK || many.Body.String() != whole.Body.String() {
		t.Errorf("many ranges: %d with %d bytes, the file has %d", many.Code, many.Body.Len(), whole.Body.Len())
	}
	if one := ask(h, http.MethodGet, wellknown.CardPath, "Range", "bytes=0-9"); one.Code != http.StatusPartialContent || one.Body.Len() != 10 {
		t.Errorf("one range: %d with %d bytes", one.Code, one.Body.Len())
	}
}

func TestAnEditedProfileHasAnotherTag(t *testing.T) {
	s := &source{profile: profile(t)}
	h := wellknown.Handler(s, nil)
	before := ask(h, http.MethodGet, wellknown.CardPath)
	edited := profile(t)
	edited.Name = "Harbor & Sons"
	s.profile = edited
	after := ask(h, http.MethodGet, wellknown.CardPath, "If-None-Match", before.Header().Get("ETag"))
	if after.Code != http.StatusOK || after.Header().Get("ETag") == before.Header().Get("ETag") || !strings.Contains(after.Body.String(), "Harbor & Sons") {
		t.Errorf("%d %s", after.Code, after.Header().Get("ETag"))
	}
}

func TestWhatIsNoFileAndNoReading(t *testing.T) {
	h := wellknown.Handler(dealer.Fixed(profile(t)), nil)
	for _, path := range []string{"/.well-known/", "/.well-known/agent.json", "/.well-known/agent-card.json/", "/agent-card.json", "/.well-known/../etc/passwd"} {
		if w := ask(h, http.MethodGet, path); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "passwd") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := ask(h, http.MethodPost, wellknown.CardPath); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("POST: %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
	w := ask(h, http.MethodOptions, wellknown.CardPath, "Origin", "https://buyer.example", "Access-Control-Request-Method", "GET")
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "A2A-Version, A2A-Extensions, Authorization") {
		t.Errorf("OPTIONS: %d %v", w.Code, w.Header())
	}
}

func TestFilesNeedAURLAndAProfile(t *testing.T) {
	p := profile(t)
	p.URL = ""
	if _, err := wellknown.Files(p); !errors.Is(err, wellknown.ErrNoURL) {
		t.Errorf("Files: %v, want ErrNoURL", err)
	}
	for name, s := range map[string]*source{"no url": {profile: p}, "no profile": {err: errors.New("bucket is on fire")}} {
		w := ask(wellknown.Handler(s, nil), http.MethodGet, wellknown.CardPath)
		if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "fire") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestFilesAreEqualOnEveryInstance(t *testing.T) {
	one, err := wellknown.Files(profile(t))
	if err != nil {
		t.Fatal(err)
	}
	two, err := wellknown.Files(profile(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(one) != len(two) || one[0].ETag != two[0].ETag || string(one[0].Body) != string(two[0].Body) {
		t.Error("two instances make different files of one profile")
	}
}
