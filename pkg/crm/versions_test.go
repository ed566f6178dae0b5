package crm_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestConsentOfAnOldContractIsCheckedToo(t *testing.T) {
	for after, state := range map[time.Duration]string{time.Hour: lead.HandedOver, 24 * time.Hour: lead.Withheld} {
		b := newBench(t, outbox("box", "out"))
		r := lead.Record{
			ID: "L-1", DealerID: b.profile.ID, ReceivedAt: start, Version: "v1.0", Rooftop: "North", ExpiresAt: start.AddDate(2, 0, 0),
			Request: json.RawMessage(`{"type":"lead.submit.request","customer":{"first_name":"W","last_name":"N","email":"w@example.com"},"source_agent":"shopper",` +
				`"consent":{"granted_at":"2026-05-01T11:59:00Z","expires_at":"2026-05-02T12:00:00Z","allowed_channels":["email"],"consent_text":"I agree.",` +
				`"scope":["lead_submission"],"source_agent":"shopper"}}`),
		}
		if err := b.store.Create(t.Context(), lead.Entry{Record: r}, start); err != nil {
			t.Fatal(err)
		}
		b.clock = start.Add(after)
		if err := b.handle(t, "L-1"); err != nil {
			t.Fatal(err)
		}
		if got := b.state(t, "L-1", "box").State; got != state {
			t.Errorf("after %s: %s, want %s", after, got, state)
		}
	}
}
