package crm_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestAuthProvesWhoSends(t *testing.T) {
	sent := func(auth dealer.Auth) (head http.Header, body string) {
		b := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
			data, _ := io.ReadAll(r.Body)
			head, body = r.Header, string(data)
		}, func(t *dealer.Target) { t.Auth = &auth })
		b.submit(t, "L-1", nil)
		if err := b.handle(t, "L-1"); err != nil {
			t.Fatal(err)
		}
		return head, body
	}
	head, _ := sent(dealer.Auth{Type: dealer.AuthBasic, Username: "store", Secret: "env:CRM"})
	if user, password, ok := (&http.Request{Header: head}).BasicAuth(); !ok || user != "store" || password != "secret of env:CRM" {
		t.Errorf("basic: %q %q", user, password)
	}
	head, _ = sent(dealer.Auth{Type: dealer.AuthBearer, Secret: "env:CRM"})
	if got := head.Get("Authorization"); got != "Bearer secret of env:CRM" {
		t.Errorf("bearer: %q", got)
	}
	head, body := sent(dealer.Auth{Type: dealer.AuthHMAC, Secret: "env:CRM", Header: "X-Signature"})
	at, signature, _ := strings.Cut(strings.TrimPrefix(head.Get("X-Signature"), "t="), ",v1=")
	mac := hmac.New(sha256.New, []byte("secret of env:CRM"))
	fmt.Fprintf(mac, "%s.%s", at, body)
	if signature != hex.EncodeToString(mac.Sum(nil)) || at != strconv.FormatInt(start.Unix(), 10) {
		t.Errorf("hmac: %q", head.Get("X-Signature"))
	}
}

func TestARefusedCredentialIsReadAnewAndAlarmsOnlyWhenStillRefused(t *testing.T) {
	var good atomic.Value
	good.Store("Bearer old")
	b := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != good.Load() {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}, func(t *dealer.Target) { t.Auth = &dealer.Auth{Type: dealer.AuthBearer, Secret: "env:CRM"} })
	value, reads := "old", 0
	b.Secrets = cacheOf(b, func() (string, error) { reads++; return value, nil })
	b.submit(t, "L-1", nil)
	b.submit(t, "L-2", nil)
	b.submit(t, "L-3", nil)
	if err := b.handle(t, "L-1"); err != nil || reads != 1 {
		t.Fatalf("%v after %d reads", err, reads)
	}
	// The credential changes on both sides; the copy kept is still the old one.
	good.Store("Bearer new")
	value = "new"
	if err := b.handle(t, "L-2"); err == nil || reads != 1 {
		t.Fatalf("%v after %d reads", err, reads)
	}
	if err := b.handle(t, "L-2"); err != nil || reads != 2 {
		t.Fatalf("%v after %d reads", err, reads)
	}
	const alarm = `"level":"ERROR","msg":"receiver refuses the credentials"`
	if strings.Contains(b.log.String(), alarm) {
		t.Error("a changed credential alarms")
	}
	good.Store("Bearer third")
	for range 2 {
		if err := b.handle(t, "L-3"); err == nil {
			t.Fatal("a refused credential counts as done")
		}
	}
	b.want(t, "L-3", "crm", lead.Retrying, 2)
	if !strings.Contains(b.log.String(), alarm) {
		t.Errorf("no alarm in %s", b.log)
	}
	if strings.Contains(b.log.String(), "Bearer") || strings.Contains(b.log.String(), `"new"`) {
		t.Error("a secret is in the log")
	}
}

func TestAnAnswerThatDisownsItsStatusIsTriedAgain(t *testing.T) {
	for body, taken := range map[string]bool{
		`{"result":"ok"}`: true, `{"result":"REJECTED: no such store"}`: false, "<html>Error</html>": false, "": true,
	} {
		b := receiver(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) },
			func(t *dealer.Target) { t.FailureWords = []string{"rejected", "error"} })
		b.submit(t, "L-1", nil)
		if err := b.handle(t, "L-1"); (err == nil) != taken {
			t.Errorf("%q: %v", body, err)
		}
		if !taken && !b.want(t, "L-1", "crm", lead.Retrying, 1).Begun {
			t.Errorf("%q: the receiver may have the document all the same", body)
		}
	}
}

func TestAReceiverThatAsksForTimeGetsIt(t *testing.T) {
	for _, tt := range []struct {
		status int
		after  string
		least  time.Duration
		most   time.Duration
	}{
		{429, "120", 2 * time.Minute, 2 * time.Minute},
		{503, "90", 90 * time.Second, 90 * time.Second},
		{429, start.Add(5 * time.Minute).Format(http.TimeFormat), 5 * time.Minute, 5 * time.Minute},
		{429, start.Add(-time.Minute).Format(http.TimeFormat), 0, time.Second},
		{429, "999999", time.Hour, time.Hour},
		{429, "-5", 0, time.Second},
		{429, "soon", 0, time.Second},
		{429, "", 0, time.Second},
	} {
		b := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", tt.after)
			w.WriteHeader(tt.status)
		}, nil)
		b.submit(t, "L-1", nil)
		err := b.handle(t, "L-1")
		later, ok := errors.AsType[interface {
			error
			RetryAfter() time.Duration
		}](err)
		if !ok || later.RetryAfter() < tt.least || later.RetryAfter() > tt.most {
			t.Errorf("Retry-After %q: %v", tt.after, err)
			continue
		}
		d := b.want(t, "L-1", "crm", lead.Retrying, 1)
		if got := d.NextAttempt.Sub(start); got != later.RetryAfter() {
			t.Errorf("Retry-After %q: the state says %v, the queue is told %v", tt.after, got, later.RetryAfter())
		}
	}
}

func TestAPostCannotBeHeldUpOrFlooded(t *testing.T) {
	drip := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("drop "))
			w.(http.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	}
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		words  []string
		state  string
		resend bool
	}{
		"headers that never come":           {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, nil, lead.Retrying, true},
		"a body that never ends":            {drip, nil, lead.HandedOver, false},
		"a body to be believed never ends":  {drip, []string{"error"}, lead.Retrying, true},
		"a body of 20 MB":                   {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 20<<20)) }, nil, lead.HandedOver, false},
		"headers of 1 MB":                   {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Big", strings.Repeat("a", 1<<20)) }, nil, lead.Retrying, true},
		"the connection closed mid-answer":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil, lead.Retrying, true},
		"an answer that is no HTTP":         {garbage, nil, lead.Retrying, true},
		"an answer with a body of no shape": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("\xff\x00<<>>")) }, nil, lead.HandedOver, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := receiver(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				tt.answer(w, r)
			}, func(t *dealer.Target) {
				t.Timeout, t.FailureWords = dealer.Duration(400*time.Millisecond), tt.words
			})
			b.submit(t, "L-1", nil)
			begin := time.Now()
			err := b.handle(t, "L-1")
			if took := time.Since(begin); took > 4*time.Second {
				t.Errorf("took %v", took)
			}
			if d := b.want(t, "L-1", "crm", tt.state, 1); d.Begun != tt.resend {
				t.Errorf("may have arrived: %v, want %v; %v", d.Begun, tt.resend, err)
			}
		})
	}
}

// garbage answers in no protocol.
func garbage(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: close the stream
	}
	_, _ = conn.Write([]byte("SSH-2.0-OpenSSH\r\n\r\n"))
	_ = conn.Close()
}
