package pickup_test

import (
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/outbound"
	"github.com/dealer-agent/dealer/pkg/pickup"
)

// site serves an export over TLS, as answer says.
type site struct {
	*httptest.Server
	roots  *x509.CertPool
	answer http.HandlerFunc
	asked  []*http.Request
}

func newSite(t *testing.T, answer http.HandlerFunc) *site {
	s := &site{answer: answer, roots: x509.NewCertPool()}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, r)
		s.answer(w, r)
	}))
	t.Cleanup(s.Close)
	s.roots.AddCert(s.Certificate())
	s.Config.ErrorLog = nil
	return s
}

func (s *site) source(more string) string {
	return fmt.Sprintf(`name: export, url: "%s/out/inventory.csv"%s`, s.URL, more)
}

// serves is a file server as they are: Last-Modified, ETag, conditional, gzip
// never.
func serves(body string, at time.Time) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", fmt.Sprintf(`"%x-%x"`, len(body), at.Unix()))
		http.ServeContent(w, r, "inventory.csv", at, strings.NewReader(body))
	}
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func packed(body string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, body)
	_ = z.Close()
	return b.String()
}

func TestAnExportIsFetchedWhenItIsDueAndTakenOnce(t *testing.T) {
	morning := time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC)
	s := newSite(t, serves(head+civic+camry, morning))
	l := newLot(t, s.roots, s.source(", every: 1h"))
	l.want(pickup.Imported, 2, "")
	if !l.vouched().Equal(morning) || l.took[0].Name != "export.csv" {
		t.Errorf("vouched for at %s, %q", l.vouched(), l.took[0].Name)
	}
	l.later(30 * time.Minute)
	if l.turn(); len(s.asked) != 1 {
		t.Errorf("a source that is not due was asked: %d", len(s.asked))
	}
	l.want(pickup.Unchanged, 2, "")
	if len(l.took) != 1 || !l.vouched().Equal(morning) || s.asked[1].Header.Get("If-None-Match") == "" {
		t.Errorf("an unchanged file was taken %d times, vouched for at %s", len(l.took), l.vouched())
	}
	// The same cars in a newer file are vouched for anew.
	s.answer = serves(head+civic+camry, morning.Add(time.Hour))
	l.want(pickup.Imported, 2, "")
	if !l.vouched().Equal(morning.Add(time.Hour)) {
		t.Errorf("a new file of the same cars vouches for them as of %s", l.vouched())
	}
	// An older one, from a server that lags behind, is not taken.
	s.answer = serves(head+civic, morning.Add(30*time.Minute))
	l.want(pickup.Failed, 2, "older than the one taken before")
	s.answer = serves(head+civic, morning.Add(2*time.Hour))
	l.want(pickup.Imported, 1, "")
}

func TestAFileWithoutATimeVouchesOnceOnly(t *testing.T) {
	s := newSite(t, text(head+civic))
	l := newLot(t, s.roots, s.source(""))
	l.want(pickup.Imported, 1, "")
	first := l.vouched()
	if !first.Equal(l.clock()) {
		t.Errorf("vouched for at %s, want the time of the fetch %s", first, l.clock())
	}
	l.want(pickup.Unchanged, 1, "")
	if !l.vouched().Equal(first) || len(l.took) != 1 {
		t.Errorf("the same bytes vouch for the cars as of %s, again", l.vouched())
	}
	s.answer = text(head + civic + camry)
	l.want(pickup.Imported, 2, "")
	if !l.vouched().Equal(l.clock()) {
		t.Errorf("vouched for at %s", l.vouched())
	}
}

func TestAChangedProfileReadsTheSameFileAnew(t *testing.T) {
	s := newSite(t, serves("code,yr,brand,mdl\nH1,2019,Honda,Civic\n", time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC)))
	l := newLot(t, s.roots, s.source(""))
	l.want(pickup.Refused, 0, "feed.columns")
	l.want(pickup.Refused, 0, "feed.columns") // and is not fetched again
	if len(l.took) != 1 {
		t.Fatalf("a refused file was brought %d times", len(l.took))
	}
	l.profile.Feed.Columns = map[string]string{"stock": "code", "model": "mdl"}
	l.profile.Modified = l.clock()
	if st := l.turn(); st.Result != pickup.Imported || l.listed() != 1 {
		t.Errorf("with the column named: %s, %s", st.Result, st.Reason)
	}
}

func TestAFaultOfTheSiteLeavesTheLastGoodInventory(t *testing.T) {
	at := time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC)
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "hunter2 said no", code) }
	}
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		_, _ = io.WriteString(w, head+ford)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	chunk := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, head+ford)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	to := func(where string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, where, http.StatusFound) }
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"login wanted":            {status(401), "login is refused (401)"},
		"forbidden":               {status(403), "lets nobody in like this (403)"},
		"gone":                    {status(404), "no file at the address (404)"},
		"broken":                  {status(500), "fault of its own (500)"},
		"odd":                     {status(204), "answers 204 instead"},
		"cut at a byte":           {cut, "broke off after 75 of 100000 bytes"},
		"cut in a chunk":          {chunk, "broke off before the whole file"},
		"empty":                   {text(""), "file is empty"},
		"web page":                {text("\n<!DOCTYPE html><html><form>login</form></html>"), "wants a login"},
		"XHTML page":              {text(`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>`), "wants a login"},
		"packed web page":         {text(packed("<html>" + strings.Repeat("<p>login</p>", 900))), "wants a login"},
		"unknown packing":         {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Encoding", "br") }, "was not asked for"},
		"larger than an export":   {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "2000000000") }, "larger than"},
		"to the cloud's metadata": {to("https://169.254.169.254/latest/meta-data/"), "private network"},
		"to the neighbour":        {to("https://10.0.0.7/a.csv"), "private network"},
		"out of TLS":              {to("http://exports.example.com/a.csv"), "not encrypted"},
		"in a circle":             {to("/again"), "more than 5 times"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, serves(head+civic+camry, at))
			l := newLot(t, s.roots, s.source(`, query: {key: "env:KEY"}, auth: {type: basic, username: me, secret: "env:PASS"}`))
			l.secrets.kept["env:PASS"], l.secrets.kept["env:KEY"] = "hunter2", "s3same"
			l.want(pickup.Imported, 2, "")
			s.answer = c.answer
			first := l.want(pickup.Failed, 2, c.says)
			l.want(pickup.Failed, 2, c.says)
			if strings.Contains(l.log.String(), pickup.LogFailing) {
				t.Error("two failures are called a row")
			}
			if st := l.want(pickup.Failed, 2, c.says); st.Failures != 3 || !strings.Contains(l.log.String(), pickup.LogFailing) {
				t.Errorf("after %d failures in a row the log says\n%s", st.Failures, &l.log)
			}
			if denied := strings.Contains(name, "login wanted") || name == "forbidden"; (first.Wait == time.Hour) != denied || denied && len(l.secrets.forgot) == 0 {
				t.Errorf("the next visit is in %s, %d secrets are read anew", first.Wait, len(l.secrets.forgot))
			}
			l.discreet("hunter2", "s3same", "127.0.0.1")
			s.answer = serves(head+civic+camry+ford, at.Add(time.Hour))
			if st := l.want(pickup.Imported, 3, ""); st.Failures != 0 {
				t.Errorf("%d failures after a good visit", st.Failures)
			}
		})
	}
}

func TestASilentSiteIsLeft(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, head+civic)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	l := newLot(t, s.roots, s.source(""))
	l.Silence = 100 * time.Millisecond
	l.want(pickup.Failed, 0, "fell silent")
}

func TestASecretGoesToTheSourceAlone(t *testing.T) {
	var seen []string
	other := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, fmt.Sprint(r.URL, r.Header))
		_, _ = io.WriteString(w, head+civic)
	})
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if user, pass, _ := r.BasicAuth(); user != "me" || pass != "hunter2" || r.Header.Get("X-Key") != "s3same" || r.URL.Query().Get("lot") != "17" || r.URL.Query().Get("key") != "k3y" {
			t.Errorf("the source is sent %s %v", r.URL, r.Header)
		}
		http.Redirect(w, r, other.URL+"/signed?for=5m", http.StatusSeeOther)
	})
	s.roots.AddCert(other.Certificate())
	l := newLot(t, s.roots, fmt.Sprintf(`name: export, url: "%s/a.csv?lot=17", query: {key: "env:Q"}, headers: {X-Key: "env:KEY"}, auth: {type: basic, username: me, secret: "env:PASS"}`, s.URL))
	l.secrets.kept = map[string]string{"env:PASS": "hunter2", "env:KEY": "s3same", "env:Q": "k3y"}
	l.want(pickup.Imported, 1, "")
	if len(seen) != 1 || strings.Contains(seen[0], "s3same") || strings.Contains(seen[0], "Authorization") || strings.Contains(seen[0], "k3y") || strings.Contains(seen[0], "Referer") {
		t.Errorf("another host is sent %v", seen)
	}
	delete(l.secrets.kept, "env:KEY")
	s.answer = serves(head+civic+camry, l.clock())
	l.want(pickup.Failed, 1, "the secret env:KEY cannot be read")
}

func TestPackedExportsAreUnpackedOnce(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"packed for the journey": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "gzip" {
				t.Error("gzip is not asked for")
			}
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, packed(head+civic))
		},
		"a packed file": text(packed(head + civic)),
		"a packed file called packed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "x-gzip")
			_, _ = io.WriteString(w, packed(head+civic))
		},
		"a packed file, packed for the journey too": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, packed(packed(head+civic)))
		},
		"called packed, and is not": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, head+civic)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, answer)
			newLot(t, s.roots, s.source("")).want(pickup.Imported, 1, "")
		})
	}
	t.Run("a bomb", func(t *testing.T) {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		zeros := make([]byte, 1<<20)
		for range 200 {
			_, _ = z.Write(zeros)
		}
		_ = z.Close()
		s := newSite(t, serves(packed(b.String()), time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC)))
		newLot(t, s.roots, s.source("")).want(pickup.Refused, 0, "unpacks to more than an export holds")
	})
}

func TestOnlyPublicAddressesAreFetchedFrom(t *testing.T) {
	s := newSite(t, text(head+civic))
	for name, url := range map[string]string{"by address": s.URL, "by name": strings.Replace(s.URL, "127.0.0.1", "localhost", 1), "mapped": strings.Replace(s.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1)} {
		t.Run(name, func(t *testing.T) {
			l := newLot(t, s.roots, fmt.Sprintf(`name: export, url: "%s/a.csv"`, url))
			l.Route = nil // as on AWS
			l.want(pickup.Failed, 0, "private network")
		})
	}
	t.Run("metadata over SFTP", func(t *testing.T) {
		l := newLot(t, s.roots, `name: export, url: "sftp://u@169.254.169.254/a.csv", password: "env:P"`)
		l.secrets.kept["env:P"] = "x"
		l.Route = nil
		l.want(pickup.Failed, 0, "private network")
	})
	t.Run("a certificate of nobody", func(t *testing.T) {
		l := newLot(t, s.roots, s.source(""))
		l.Route = func(host string) outbound.Route { return outbound.Route{Named: host} }
		l.want(pickup.Failed, 0, "certificate cannot be verified")
	})
	if len(s.asked) > 0 {
		t.Error("the server was asked")
	}
}
