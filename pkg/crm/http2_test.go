package crm_test

import (
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestAPostOverHTTP2FollowsTheSameRules(t *testing.T) {
	var got atomic.Value
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		state  string
		resend bool
	}{
		{"taken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }, lead.HandedOver, false},
		{"refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnprocessableEntity) }, lead.Failed, false},
		{"sent elsewhere", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/other")
			w.WriteHeader(http.StatusPermanentRedirect)
		}, lead.Failed, false},
		{"broken off", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, lead.Retrying, true},
		{"silence", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, lead.Retrying, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Proto != "HTTP/2.0" {
					t.Errorf("the request came as %s", r.Proto)
				}
				data, _ := io.ReadAll(r.Body)
				got.Store(string(data))
				tt.answer(w, r)
			}))
			server.EnableHTTP2 = true
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.StartTLS()
			defer server.Close()
			b := newBench(t, dealer.Target{Name: "crm", Type: dealer.TargetHTTPS, URL: server.URL, Timeout: dealer.Duration(500 * time.Millisecond)})
			b.RootCAs = x509.NewCertPool()
			b.RootCAs.AddCert(server.Certificate())
			r := b.submit(t, "L-1", nil)
			_ = b.handle(t, "L-1")
			if d := b.want(t, "L-1", "crm", tt.state, 1); d.Begun != tt.resend {
				t.Errorf("may have arrived: %v, want %v", d.Begun, tt.resend)
			}
			if diff := cmp.Diff(b.rendered(t, r, adf.Options{}), got.Load().(string)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
