package machine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

// schemasOf are our schemas of a contract and the released ones.
func schemasOf(t *testing.T, v aap.Version) []*schema.Set {
	t.Helper()
	return []*schema.Set{schematest.Own(t, v), schematest.Released(t, v)}
}

// underVersion is a test drive as the contract writes it.
func underVersion(v aap.Version, buyer int, at string) string {
	edits := driveOf(buyer, at, "T100")
	switch v.Label {
	case "v0.1":
		edits["appointment"] = object{"appointment_type": "test_drive", "requested_windows": []object{{"start": at}}}
		fallthrough
	case "v0.2", "v1.0":
		edits["source_agent"], edits["consent.source_agent"] = "errand-agent", "errand-agent"
	}
	return lead(edits)
}

func TestEveryContractAnswersABookingInItsOwnForm(t *testing.T) {
	d := open(t, books(hourly), add("versions: [v1.3, v1.2, v1.1, v1.0, v0.2, v0.1]"))
	for n, v := range aap.Versions() {
		taken := fmt.Sprintf("2026-05-%02dT18:00:00Z", 6+n)
		for buyer, want := range []string{"confirmed", "proposed", "requested"} {
			at := taken
			if want == "requested" {
				at = "2026-09-01T18:00:00Z"
			}
			_, body := d.postTo(t, v.Path(), `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":`+
				underVersion(v, 10*n+buyer, at)+`,"mediaType":"application/vnd.autoagent.lead-submit-request+json"}]}}}`)
			var answer struct {
				Result struct {
					Message struct {
						Parts []struct{ Data json.RawMessage }
					}
				}
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Result.Message.Parts) == 0 {
				t.Fatalf("%s: %v %s", v.Label, err, body)
			}
			data := answer.Result.Message.Parts[0].Data
			for _, set := range schemasOf(t, v) {
				if faults, err := set.Check(aap.LeadSubmit.ResponseSchema(), data); err != nil || len(faults) > 0 {
					t.Errorf("%s: %v %v\n%s", v.Label, err, faults, data)
				}
			}
			form := map[string]string{"confirmed": `"confirmed_at":"2026-`, "proposed": `"proposed_times":["2026-`, "requested": `"requested"`}
			if v.Label == "v0.1" {
				form = map[string]string{"confirmed": `"confirmed_window":{"start":"2026-`, "proposed": `"proposed_slots":[{"start":"2026-`, "requested": `"requested"`}
			}
			if !strings.Contains(string(data), `"status":"`+want+`"`) || !strings.Contains(string(data), form[want]) {
				t.Errorf("%s: want %s: %s", v.Label, want, data)
			}
		}
	}
}
