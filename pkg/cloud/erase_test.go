package cloud_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// dump is all that a table holds as text, what is compressed included.
func dump(t *testing.T, client *dynamodb.Client, table string) string {
	t.Helper()
	expand, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer expand.Close()
	var b strings.Builder
	for _, i := range items(t, client, table) {
		for name, value := range i {
			text := fmt.Sprint(value)
			switch v := value.(type) {
			case *types.AttributeValueMemberS:
				text = v.Value
			case *types.AttributeValueMemberSS:
				text = strings.Join(v.Value, " ")
			case *types.AttributeValueMemberB:
				raw, err := expand.DecodeAll(v.Value, nil)
				if err != nil {
					t.Fatal(err)
				}
				text = string(raw)
			}
			fmt.Fprintln(&b, name, text)
		}
	}
	return b.String()
}

// TestAnErasureThatIsCutShortIsFinishedByTheNext cuts each kind of request an
// erasure makes, and looks at every attribute of the table afterwards.
func TestAnErasureThatIsCutShortIsFinishedByTheNext(t *testing.T) {
	client, w := wired(cloudtest.Moto(t))
	for _, op := range []string{"Scan", "DeleteItem", "Query", "PutItem", ""} {
		table := cloudtest.Table(t, client)
		leads := cloud.NewLeads(client, table)
		gone, kept := entry(1), entry(2)
		gone.Record.Request = []byte(`{"customer":{"email":"mallory@example.com"}}`)
		gone.Key.Value = "mallory@example.com"
		kept.Key.Value, kept.Equal, kept.Poorer = "other", "other", nil
		for _, e := range []lead.Entry{gone, kept} {
			if err := leads.Create(t.Context(), e, epoch); err != nil {
				t.Fatal(err)
			}
		}
		id := gone.Record.ID
		again := lead.Key{Value: "mallory again", Digest: "y", LeadID: id, ExpiresAt: epoch.Add(48 * time.Hour)}
		if err := leads.Bind(t.Context(), "seabright", again, epoch); err != nil {
			t.Fatal(err)
		}
		if err := leads.Note(t.Context(), "seabright", id, lead.Event{ID: "e", At: epoch, Kind: lead.Revoked}); err != nil {
			t.Fatal(err)
		}
		if _, err := leads.UpdateDelivery(t.Context(), "seabright", id, lead.Delivery{Target: "crm", Receipt: "mallory is known"}); err != nil {
			t.Fatal(err)
		}
		for _, i := range items(t, client, table) {
			if _, ends := i["expires"]; !ends {
				t.Errorf("%v never expires", i["pk"])
			}
		}
		audit := lead.Audit{ID: "a", At: epoch, Action: "erase", Leads: 1}
		if op != "" {
			w.cut = map[string]bool{op: true}
			if err := leads.Erase(t.Context(), "seabright", []string{id}, audit); err == nil {
				t.Errorf("an erasure without %s reports success", op)
			}
			w.cut = nil
		}
		ids := []string{id}
		if op == "Scan" || op == "DeleteItem" {
			ids = nil // the record may be gone, so that nobody finds the lead any more
		}
		if err := leads.Erase(t.Context(), "seabright", ids, lead.Audit{ID: "b", At: epoch.Add(1), Action: "erase", Leads: 1}); err != nil {
			t.Fatal(err)
		}
		all := dump(t, client, table)
		for _, trace := range []string{"mallory", id} {
			if strings.Contains(all, trace) {
				t.Errorf("cut at %q: %s is still in the table:\n%s", op, trace, all)
			}
		}
		if _, err := leads.Load(t.Context(), "seabright", kept.Record.ID, epoch); err != nil {
			t.Errorf("cut at %q: the other lead: %v", op, err)
		}
		if audits, err := leads.Audits(t.Context(), "seabright"); err != nil || len(audits) == 0 {
			t.Errorf("cut at %q: account %v, %v", op, audits, err)
		}
	}
}
