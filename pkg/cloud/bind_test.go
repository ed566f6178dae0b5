package cloud_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/lead"
)

func TestALostAnswerOfABindLeavesWhatWasBound(t *testing.T) {
	client, w := wired(cloudtest.Moto(t))
	leads := cloud.NewLeads(client, cloudtest.Table(t, client))
	first := entry(1)
	if err := leads.Create(t.Context(), first, epoch); err != nil {
		t.Fatal(err)
	}
	want := lead.Key{
		Value: "fresh", Digest: "y", LeadID: first.Record.ID, ExpiresAt: epoch.Add(48 * time.Hour),
		Answer: &lead.Answer{Data: []byte(`{"status":"duplicate"}`), Message: "Known."},
	}
	w.lose["TransactWriteItems"] = 1
	// DynamoDB knows a repetition for some minutes; later it finds the key taken.
	if err := leads.Bind(t.Context(), "seabright", want, epoch); err != nil && !errors.Is(err, lead.ErrKeyTaken) {
		t.Fatalf("the repeated bind: %v, want success or ErrKeyTaken", err)
	}
	if err := leads.Bind(t.Context(), "seabright", want, epoch); !errors.Is(err, lead.ErrKeyTaken) {
		t.Fatalf("the bind again: %v, want ErrKeyTaken", err)
	}
	got, err := leads.ByKey(t.Context(), "seabright", "fresh", epoch)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("key (-want +got):\n%s", d)
	}
	// The lead of a bound key does not own it: it cannot be stored under it.
	first.Key = &lead.Key{Value: "fresh", Digest: "z", LeadID: first.Record.ID, ExpiresAt: want.ExpiresAt}
	if err := leads.Create(t.Context(), first, epoch); !errors.Is(err, lead.ErrKeyTaken) {
		t.Errorf("the lead under the bound key: %v, want ErrKeyTaken", err)
	}
}
