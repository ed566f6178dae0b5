package crm_test

import (
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// receiver is a CRM behind TLS with a certificate authority of its own.
func receiver(t testing.TB, answer http.HandlerFunc, change func(*dealer.Target)) *bench {
	t.Helper()
	server := httptest.NewUnstartedServer(answer)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	target := dealer.Target{Name: "crm", Type: dealer.TargetHTTPS, URL: server.URL + "/adf"}
	if change != nil {
		change(&target)
	}
	b := newBench(t, target)
	b.RootCAs = x509.NewCertPool()
	b.RootCAs.AddCert(server.Certificate())
	return b
}

func TestPostCarriesTheDocumentAndHeaders(t *testing.T) {
	var body string
	var headers http.Header
	b := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body, headers = string(data), r.Header
		w.Header().Set("Location", "/leads/77")
		w.WriteHeader(http.StatusCreated)
	}, func(t *dealer.Target) {
		t.Headers = map[string]string{"Authorization": "env:CRM_TOKEN", "X-Store": "north"}
		t.ASCII = true
	})
	r := b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.rendered(t, r, adf.Options{ASCII: true}), body); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/x-adf+xml", "Authorization": "secret of env:CRM_TOKEN", "X-Store": "north",
	} {
		if got := headers.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	d := b.want(t, "L-1", "crm", lead.HandedOver, 1)
	if want := "HTTP 201 at 2026-05-01T12:00:00Z: /leads/77"; d.Receipt != want {
		t.Errorf("receipt %q, want %q", d.Receipt, want)
	}
}

func TestPostLetsAHastyReceiverFinishAndThenHangsUp(t *testing.T) {
	for name, answer := range map[string]string{"no body": "", "a body": "taken", "a body that is too long": strings.Repeat("x", 70<<10)} {
		t.Run(name, func(t *testing.T) {
			var askedToClose atomic.Bool
			hasty := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				askedToClose.Store(r.Close) // and the document is not read
				_, _ = io.WriteString(w, answer)
			}))
			gone := make(chan struct{}, 1)
			hasty.Config.ConnState = func(_ net.Conn, s http.ConnState) {
				if s == http.StateClosed {
					gone <- struct{}{}
				}
			}
			hasty.StartTLS()
			t.Cleanup(hasty.Close)
			b := newBench(t, dealer.Target{Name: "crm", Type: dealer.TargetHTTPS, URL: hasty.URL})
			b.RootCAs = x509.NewCertPool()
			b.RootCAs.AddCert(hasty.Certificate())
			b.submit(t, "L-1", nil)
			if err := b.handle(t, "L-1"); err != nil {
				t.Fatal(err)
			}
			b.want(t, "L-1", "crm", lead.HandedOver, 1)
			if askedToClose.Load() {
				t.Error("the receiver is asked to close before it has read")
			}
			select {
			case <-gone:
			case <-time.After(5 * time.Second):
				t.Error("the connection stays open")
			}
		})
	}
}

func TestPostAnswersDecideWhatHappensNext(t *testing.T) {
	tests := []struct {
		status int
		state  string
		again  bool // the second document is a resend
	}{
		{200, lead.HandedOver, false}, {204, lead.HandedOver, false},
		{301, lead.Failed, false}, {307, lead.Failed, false},
		{400, lead.Failed, false}, {404, lead.Failed, false}, {422, lead.Failed, false},
		{401, lead.Retrying, false}, {403, lead.Retrying, false}, {407, lead.Retrying, false},
		{408, lead.Retrying, false}, {425, lead.Retrying, false}, {429, lead.Retrying, false},
		{500, lead.Retrying, true}, {503, lead.Retrying, true},
	}
	for _, tt := range tests {
		t.Run(http.StatusText(tt.status), func(t *testing.T) {
			var calls atomic.Int64
			var last atomic.Value
			b := receiver(t, func(w http.ResponseWriter, r *http.Request) {
				data, _ := io.ReadAll(r.Body)
				last.Store(string(data))
				w.Header().Set("Location", "/elsewhere")
				if calls.Add(1) == 1 {
					w.WriteHeader(tt.status)
				}
			}, nil)
			b.submit(t, "L-1", nil)
			err := b.handle(t, "L-1")
			if (err != nil) != (tt.state == lead.Retrying) {
				t.Errorf("the queue is told %v", err)
			}
			b.want(t, "L-1", "crm", tt.state, 1)
			if calls.Load() != 1 {
				t.Errorf("%d requests", calls.Load())
			}
			if tt.state == lead.Failed && !strings.Contains(b.log.String(), `"level":"ERROR","msg":"lead delivery failed","lead_id":"L-1","target":"crm"`) {
				t.Errorf("no alarm in %s", b.log)
			}
			if tt.state != lead.Retrying {
				return
			}
			if err := b.handle(t, "L-1"); err != nil {
				t.Fatal(err)
			}
			b.want(t, "L-1", "crm", lead.HandedOver, 2)
			if resend := strings.Contains(last.Load().(string), `status="resend"`); resend != tt.again {
				t.Errorf("the second document is a resend: %v", resend)
			}
		})
	}
}

func TestPostThatTimesOutAfterAcceptingIsRepeatedAsResend(t *testing.T) {
	var docs []string
	release := make(chan struct{})
	b := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		docs = append(docs, string(data))
		if len(docs) == 1 {
			<-release
		}
	}, func(t *dealer.Target) { t.Timeout = dealer.Duration(300 * time.Millisecond) })
	b.submit(t, "L-1", nil)
	err := b.handle(t, "L-1")
	close(release)
	if err == nil || !strings.Contains(err.Error(), "timed out") {
		t.Fatalf("got %v", err)
	}
	if d := b.want(t, "L-1", "crm", lead.Retrying, 1); !d.Begun {
		t.Error("nothing says that the document may have arrived")
	}
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	if len(docs) != 2 || !strings.Contains(docs[0], `status="new"`) || !strings.Contains(docs[1], `status="resend"`) {
		t.Errorf("%d documents", len(docs))
	}
	b.want(t, "L-1", "crm", lead.HandedOver, 2)
}

func TestPostThatNeverConnectedIsNoResend(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	b := newBench(t, dealer.Target{Name: "crm", Type: dealer.TargetHTTPS, URL: "http://" + listener.Addr().String()})
	b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err == nil {
		t.Fatal("a refused connection counts as done")
	}
	if d := b.want(t, "L-1", "crm", lead.Retrying, 1); d.Begun {
		t.Error("a refused connection may not have carried the document")
	}
}

func TestPostReceiptIsShortAndPrintable(t *testing.T) {
	b := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\x00\x1b[2J\r\n\xff" + strings.Repeat("garbage ", 100000)))
	}, nil)
	b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err != nil {
		t.Fatal(err)
	}
	d := b.want(t, "L-1", "crm", lead.HandedOver, 1)
	_, said, _ := strings.Cut(d.Receipt, "Z: ")
	if len(said) > 200 || !strings.HasPrefix(said, "ok[2J garbage") {
		t.Errorf("receipt %q", d.Receipt)
	}
}

func TestPostRefusesUnsafePlaces(t *testing.T) {
	for name, url := range map[string]string{
		"plain http elsewhere": "http://crm.example.com/adf", "another scheme": "ftp://crm.example.com", "no host": "https:///adf", "nothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, dealer.Target{Name: "crm", Type: dealer.TargetHTTPS, URL: url})
			b.submit(t, "L-1", nil)
			if err := b.handle(t, "L-1"); err != nil {
				t.Fatal(err)
			}
			b.want(t, "L-1", "crm", lead.Failed, 0)
		})
	}
	t.Run("a certificate of an unknown authority", func(t *testing.T) {
		var calls atomic.Int64
		b := receiver(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) }, nil)
		b.RootCAs = x509.NewCertPool()
		b.submit(t, "L-1", nil)
		if err := b.handle(t, "L-1"); err == nil || calls.Load() != 0 {
			t.Errorf("got %v, %d requests", err, calls.Load())
		}
	})
}

func TestPostHeadersCannotBeInjected(t *testing.T) {
	var calls atomic.Int64
	for name, value := range map[string]string{"line break": "x\r\nX-Evil: 1", "a secret that is not set": "env:MISSING"} {
		t.Run(name, func(t *testing.T) {
			b := receiver(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) },
				func(t *dealer.Target) { t.Headers = map[string]string{"X-Store": value} })
			b.submit(t, "L-1", nil)
			if err := b.handle(t, "L-1"); err == nil || calls.Load() != 0 {
				t.Errorf("got %v, %d requests", err, calls.Load())
			}
			b.want(t, "L-1", "crm", lead.Retrying, 1)
		})
	}
}

func TestPostEchoOfTheLeadStaysOutOfTheLog(t *testing.T) {
	for _, status := range []int{200, 400, 500} {
		b := receiver(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.Copy(w, r.Body)
		}, nil)
		b.submit(t, "L-1", func(r *aap.LeadRequest, _ *lead.Record) { r.Message = "purple" })
		err := b.handle(t, "L-1")
		assertSilent(t, b, err)
	}
}
