package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestLeadsCommandsWorkOnTheTablesOfAStack(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	for _, pair := range cloudtest.Environment(endpoint) {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	client := cloudtest.DynamoDB(endpoint)
	table := cloudtest.Table(t, client)
	url, _ := cloudtest.Queue(t, endpoint)
	store := cloud.NewLeads(client, table)
	now := time.Now()
	for n, buyer := range []string{"mallory", "theo", "mallory"} {
		id := fmt.Sprintf("0196a3f0-0000-7000-8000-%012d", n)
		e := lead.Entry{
			Record: lead.Record{
				ID: id, DealerID: "seabright", ReceivedAt: now.Add(time.Duration(n) * time.Second), Version: "v1.3", Rooftop: "Main",
				Request: fmt.Appendf(nil, `{"type":"lead.submit.request","customer":{"first_name":"M","last_name":"M","email":"%s@example.com","phone":"+1303555014%d"},
"consent":{"granted_at":"2026-01-01T00:00:00Z","allowed_channels":["email"],"consent_text":"Yes.","scope":["lead_submission"]},"source_agent":{"name":"a"}}`, buyer, n),
				Answer: lead.Answer{Data: json.RawMessage(`{"lead_id":"x","status":"received"}`)}, ExpiresAt: now.AddDate(1, 0, 0),
			},
			Key: &lead.Key{Value: buyer + fmt.Sprint(n), Digest: "x", LeadID: id, ExpiresAt: now.AddDate(1, 0, 0)},
		}
		if err := store.Create(t.Context(), e, now); err != nil {
			t.Fatal(err)
		}
		state := lead.Delivery{Target: "crm", State: lead.HandedOver, Attempts: 1, Receipt: "HTTP 200", UpdatedAt: now.Add(time.Minute)}
		if _, err := store.UpdateDelivery(t.Context(), "seabright", id, state); err != nil {
			t.Fatal(err)
		}
	}
	leads := func(args ...string) string {
		t.Helper()
		r := dealerCommand(t, "", append(append([]string{"leads"}, args...), "--leads-table", table, "--dealer", "seabright", "--queue-url", url)...)
		if r.code != 0 {
			t.Fatalf("leads %v: exit code %d\n%s%s", args, r.code, r.out, r.err)
		}
		return r.out
	}
	if out := leads("list", "--contacts"); strings.Count(out, "mallory@example.com") != 2 {
		t.Errorf("list:\n%s", out)
	}
	if out := leads("resend", "0196a3f0-0000-7000-8000-000000000001"); !strings.Contains(out, "crm") {
		t.Errorf("resend: %s", out)
	}
	if out := leads("show", "0196a3f0-0000-7000-8000-000000000001"); !strings.Contains(out, "crm: queued") || !strings.Contains(out, "marked as a resend") {
		t.Errorf("show:\n%s", out)
	}
	if out := leads("erase", "--email", "MALLORY@example.com", "--yes"); !strings.Contains(out, "Erased 2 leads") || !strings.Contains(out, "point-in-time") ||
		!strings.Contains(out, "HTTP 200") {
		t.Errorf("erase:\n%s", out)
	}
	if out := leads("export"); strings.Contains(out, "mallory") || !strings.Contains(out, "theo") {
		t.Errorf("export:\n%s", out)
	}
	if out := leads("audit"); !strings.Contains(out, "erase") || !strings.Contains(out, "resend") {
		t.Errorf("account:\n%s", out)
	}
	r := dealerCommand(t, "", "leads", "list", "--leads-table", table)
	if r.code != 2 || !strings.Contains(r.err, "--dealer") {
		t.Errorf("without a dealer: %d %s", r.code, r.err)
	}
}
