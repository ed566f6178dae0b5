package crm_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestConsentIsCheckedWhenTheLeadIsHandedOver(t *testing.T) {
	tests := []struct {
		name   string
		after  time.Duration
		maxAge time.Duration
		change func(*aap.LeadRequest)
		sent   bool
	}{
		{"still valid", time.Hour, 0, nil, true},
		{"expired meanwhile", 24 * time.Hour, 0, nil, false},
		{"explicit end wins over the dealer's window", 2 * time.Hour, time.Hour, nil, true},
		{"within the dealer's window", time.Minute, time.Hour, func(r *aap.LeadRequest) { r.Consent.ExpiresAt = "" }, true},
		{"older than the dealer's window", 2 * time.Hour, time.Hour, func(r *aap.LeadRequest) { r.Consent.ExpiresAt = "" }, false},
		{"no window, no end", 10000 * time.Hour, 0, func(r *aap.LeadRequest) { r.Consent.ExpiresAt = "" }, true},
		{"no channel left", 0, 0, func(r *aap.LeadRequest) { r.Consent.AllowedChannels, r.Customer.Phone = []string{"sms"}, "" }, false},
		{"a phone reached by text", 0, 0, func(r *aap.LeadRequest) { r.Consent.AllowedChannels = []string{"sms"} }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, outbox("box", "out"))
			b.profile.Leads.ConsentMaxAge = dealer.Duration(tt.maxAge)
			b.submit(t, "L-1", func(r *aap.LeadRequest, _ *lead.Record) {
				if tt.change != nil {
					tt.change(r)
				}
			})
			b.clock = start.Add(tt.after)
			if err := b.handle(t, "L-1"); err != nil {
				t.Fatal(err)
			}
			if tt.sent {
				b.want(t, "L-1", "box", lead.HandedOver, 1)
				return
			}
			b.want(t, "L-1", "box", lead.Withheld, 0)
			if len(folder(t, filepath.Join(b.BaseDir, "out"))) != 0 {
				t.Error("a withheld lead was written")
			}
			if !strings.Contains(b.log.String(), `"level":"ERROR","msg":"lead withheld","lead_id":"L-1"`) {
				t.Errorf("no alarm in %s", b.log)
			}
			b.clock = start
			if err := b.handle(t, "L-1"); err != nil {
				t.Fatal(err)
			}
			b.want(t, "L-1", "box", lead.Withheld, 0)
		})
	}
}

func TestConsentTakenBackStopsWhatWasNotSentYet(t *testing.T) {
	for _, tt := range []struct {
		name   string
		back   [][]string
		reason string
	}{
		{"wholly", [][]string{nil}, "the buyer took the consent back"},
		{"channel by channel", [][]string{{"email"}, {"phone", "sms"}}, "the buyer took the consent back"},
		{"for some channels", [][]string{{"email"}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, outbox("first", "first"), dealer.Target{Name: "second", Type: "custom"})
			up := false
			var sent atomic.Int64
			b.custom(func(context.Context, crm.Document) (crm.Receipt, error) {
				if !up {
					return crm.Receipt{}, &crm.Failure{Reason: "no answer"}
				}
				sent.Add(1)
				return crm.Receipt{}, nil
			})
			b.submit(t, "L-1", nil)
			if err := b.handle(t, "L-1"); err == nil {
				t.Fatal("the second target is down")
			}
			for n, channels := range tt.back {
				e := lead.Event{ID: string(rune('a' + n)), At: start, Kind: lead.Revoked, Channels: channels}
				if err := b.store.Note(t.Context(), "lakeside", "L-1", e); err != nil {
					t.Fatal(err)
				}
			}
			up = true
			if err := b.handle(t, "L-1"); err != nil {
				t.Fatal(err)
			}
			b.want(t, "L-1", "first", lead.HandedOver, 1)
			if tt.reason == "" {
				b.want(t, "L-1", "second", lead.HandedOver, 2)
				return
			}
			if d := b.want(t, "L-1", "second", lead.Withheld, 1); d.LastError != tt.reason || sent.Load() != 0 {
				t.Errorf("%+v, %d sent", d, sent.Load())
			}
			if !strings.Contains(b.log.String(), `"level":"ERROR","msg":"lead withheld","lead_id":"L-1","target":"second"`) {
				t.Errorf("no alarm in %s", b.log)
			}
		})
	}
}

func TestConsentTakenBackWhileAnAttemptBeginsCounts(t *testing.T) {
	for _, tt := range []struct {
		name, state, contact string
		back                 []string
		begun                bool
	}{
		{name: "wholly", state: lead.Withheld},
		{name: "wholly, after an attempt that may have arrived", state: lead.Withheld, begun: true},
		{name: "for a channel", state: lead.HandedOver, back: []string{"email"}, contact: "Contact by phone or text message only."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, dealer.Target{Name: "crm", Type: "custom"})
			var docs []string
			b.Transports = map[string]crm.Opener{"custom": func(dealer.Target, crm.Setup) (crm.Transport, error) {
				// What is known of the lead is read, the attempt is not on record yet.
				e := lead.Event{ID: "back", At: start, Kind: lead.Revoked, Channels: tt.back}
				if err := b.store.Note(t.Context(), "lakeside", "L-1", e); err != nil {
					t.Fatal(err)
				}
				return failing{func(_ context.Context, d crm.Document) (crm.Receipt, error) {
					docs = append(docs, string(d.Body))
					return crm.Receipt{}, nil
				}}, nil
			}}
			b.submit(t, "L-1", nil)
			attempts := 0
			if tt.begun {
				attempts = 1
				if _, err := b.store.UpdateDelivery(t.Context(), "lakeside", "L-1", lead.Delivery{
					Target: "crm", State: lead.Retrying, Attempts: 1, Begun: true, LastError: "silence", UpdatedAt: start,
				}); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.handle(t, "L-1"); err != nil {
				t.Fatal(err)
			}
			if tt.state == lead.HandedOver {
				b.want(t, "L-1", "crm", tt.state, 1)
				if len(docs) != 1 || !strings.Contains(docs[0], tt.contact) {
					t.Errorf("documents %q", docs)
				}
				return
			}
			if d := b.want(t, "L-1", "crm", tt.state, attempts); d.Begun != tt.begun || len(docs) != 0 {
				t.Errorf("%+v, %d sent", d, len(docs))
			}
		})
	}
}

func TestALeadErasedWhileItWaitsIsNotSent(t *testing.T) {
	b := newBench(t, dealer.Target{Name: "crm", Type: "custom"})
	erase := func() {
		if err := b.store.Erase(t.Context(), "lakeside", []string{"L-1"}, lead.Audit{ID: "a", At: start, Action: "erase", Leads: 1}); err != nil {
			t.Fatal(err)
		}
	}
	var sent atomic.Int64
	b.Transports = map[string]crm.Opener{"custom": func(dealer.Target, crm.Setup) (crm.Transport, error) {
		erase() // the record is read, nothing is written yet
		return failing{func(context.Context, crm.Document) (crm.Receipt, error) {
			sent.Add(1)
			return crm.Receipt{}, nil
		}}, nil
	}}
	b.submit(t, "L-1", nil)
	if err := b.handle(t, "L-1"); err != nil || sent.Load() != 0 {
		t.Errorf("%v, %d sent", err, sent.Load())
	}
	if err := b.handle(t, "L-1"); err != nil {
		t.Errorf("the queue keeps an erased lead: %v", err)
	}
}
