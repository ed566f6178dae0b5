package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// openFor is an agent whose leads go to the CRM.
func openFor(t *testing.T, crm *httptest.Server) *shopfront {
	t.Helper()
	dir := t.TempDir()
	profile := filepath.Join(dir, "dealer.yaml")
	document := `id: demo-group
name: Demo Group
rooftops:
  - {name: North, timezone: America/Los_Angeles, phones: [{value: "+14155550100"}]}
delivery:
  - {name: crm, type: https, url: "` + crm.URL + `"}
`
	if err := os.WriteFile(profile, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	m, stop := machinetest.Serve(t, machine.Config{Addr: "127.0.0.1:0", Profile: profile, Data: data, Log: slog.New(slog.DiscardHandler), Command: inFolder})
	return &shopfront{data, m.URL(), stop}
}

// until waits for a text in the story of a lead.
func (s *shopfront) until(t *testing.T, id, text string) {
	t.Helper()
	var story string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if story = s.leads(t, "show", id); strings.Contains(story, text) {
			return
		}
	}
	t.Fatalf("never told %q:\n%s", text, story)
}

// TestWhatWasNotHandedOverIsWithheldOnceTheConsentIsTakenBack has a CRM that
// is down until after the buyer's word.
func TestWhatWasNotHandedOverIsWithheldOnceTheConsentIsTakenBack(t *testing.T) {
	var down atomic.Bool
	down.Store(true)
	var taken atomic.Int64
	crm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		taken.Add(1)
	}))
	defer crm.Close()
	s := openFor(t, crm)
	id := s.submit(t, "maya@example.com", "Maya", "hello")
	until := func(text string) {
		t.Helper()
		s.until(t, id, text)
	}
	until("tried again by itself")
	s.leads(t, "revoke", "--email", "maya@example.com", "--channel", "email")
	if story := s.leads(t, "show", id); !strings.Contains(story, "by phone and in no other way") {
		t.Errorf("after one channel:\n%s", story)
	}
	s.leads(t, "revoke", "--email", "maya@example.com")
	down.Store(false)
	until("crm: withheld")
	if n := taken.Load(); n != 0 {
		t.Errorf("the CRM got %d documents", n)
	}
}

func TestRevokeNamesWhoIsBeingHandedTheLead(t *testing.T) {
	arrived, answer := make(chan struct{}, 1), make(chan struct{})
	crm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-answer
		w.WriteHeader(http.StatusUnprocessableEntity)
	}))
	defer crm.Close()
	s := openFor(t, crm)
	id := s.submit(t, "maya@example.com", "Maya", "hello")
	<-arrived
	if out := s.leads(t, "revoke", "--lead", id); !strings.Contains(out, "crm may have been handed the lead before; tell them.") {
		t.Errorf("revoke says %s", out)
	}
	close(answer)
	s.until(t, id, "crm: failed")
	if story := s.leads(t, "show", id); !strings.Contains(story, "not tried again: the consent covers no channel") || strings.Contains(story, "leads resend") {
		t.Errorf("the story sends the dealer to a resend that is refused:\n%s", story)
	}
}
