package sam

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/infra/sam/samtest"
	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

var deliveryBlock = regexp.MustCompile(`(?m)^delivery:\n(?:[ #].*\n|\n)*`)

// sampleProfile is the sample's with a receiver over HTTP and every contract.
func sampleProfile(t *testing.T, crm string) []byte {
	t.Helper()
	profile := sample.Profile()
	if !deliveryBlock.Match(profile) {
		t.Fatal("the sample profile has no delivery")
	}
	profile = deliveryBlock.ReplaceAll(profile, fmt.Appendf(nil, "delivery:\n  - {name: crm, type: https, url: %q}\n", crm))
	var labels []string
	for _, v := range aap.Versions() {
		labels = append(labels, v.Label)
	}
	return append(profile, "\nversions: ["+strings.Join(labels, ", ")+"]\n"...)
}

// certificate writes the front door's certificate into a file.
func certificate(t *testing.T, s *samtest.Stack) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "door.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// command runs the dealer command as somebody outside who trusts the front door.
func command(t *testing.T, s *samtest.Stack, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), machinetest.Command(t), args...)
	cmd.Env = append(os.Environ(), append(s.Environment(), "SSL_CERT_FILE="+certificate(t, s))...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

const leadForm = `{"type":"lead.submit.request","idempotency_key":"key-1",
	"customer":{"first_name":"Maxine","last_name":"Quillfeather","email":"maxine@example.com","phone":"+18315550188"},
	"consent":{"granted_at":"2025-10-01T15:04:05Z","allowed_channels":["email","phone"],"consent_text":"I agree to be contacted.","scope":["lead_submission"]},
	"source_agent":{"name":"test-buyer"},"vehicle_of_interest":{"vin":%q},"message":"The gate code is 4711."}`

// personal is what no log may tell of that lead.
var personal = []string{"Maxine", "Quillfeather", "maxine@example.com", "8315550188", "gate code"}

func TestADealersProfileAndFeedAreSoldAndTheLeadReachesTheCRMOnce(t *testing.T) {
	crm := &receiver{}
	server := httptest.NewServer(crm)
	defer server.Close()
	s := deploy(t, dealerOnly)

	// The next steps are those of the outputs.
	upload(t, s, s.Resource("SiteBucket"), s.Parameters["ProfileKey"].(string), sampleProfile(t, server.URL+"/adf"))
	if got := s.Outputs["Step2UploadProfile"]; got != "aws s3 cp dealer.yaml s3://"+s.Resource("SiteBucket")+"/dealer.yaml" {
		t.Errorf("the profile goes by %q", got)
	}
	_, feed := sample.Feed()
	upload(t, s, s.Resource("FeedBucket"), "feeds/inventory.csv", feed)
	s.Forget()
	s.Restart() // a minute later the functions look for a new profile

	card := ask(t, s.Client(), http.MethodGet, s.Address+wellknown.CardPath, "")
	if card.status != 200 || !strings.Contains(card.body, "Larkspur Ridge") || !strings.Contains(card.body, "lead.submit") {
		t.Fatalf("%d %s\n%s", card.status, card.body, s.Logs()["PublishFunction"])
	}
	found := call(t, s, `{"type":"inventory.search.request","filters":{"make":["Honda"]},"pagination":{"limit":1}}`)
	vehicles, _ := found["vehicles"].([]any)
	if len(vehicles) != 1 {
		t.Fatalf("%v\n%s", found, s.Logs()["FeedImportFunction"])
	}
	vin, _ := vehicles[0].(map[string]any)["vin"].(string)

	form := fmt.Sprintf(leadForm, vin)
	id, _ := call(t, s, form)["lead_id"].(string)
	if again := call(t, s, form)["lead_id"]; id == "" || again != id {
		t.Errorf("the lead is %q, its retry %v", id, again)
	}
	eventually(t, "the CRM has the lead", func() bool { return len(crm.documents()) > 0 })
	s.Scheduled()
	if got := crm.documents(); len(got) != 1 || !strings.Contains(got[0], "<adf>") || !strings.Contains(got[0], id) || !strings.Contains(got[0], vin) || !strings.Contains(got[0], "Quillfeather") {
		t.Errorf("the CRM got %d documents: %s", len(got), got)
	}

	for _, args := range [][]string{{"doctor", s.Address, "--deep"}} {
		if said, err := command(t, s, args...); err != nil {
			t.Errorf("dealer %v: %v\n%s", args, err, said)
		}
	}
	everyContract(t, s)
	tools(t, s, vin)
	closed(t, s, server.URL)
	for function, log := range s.Logs() {
		for _, secret := range append(personal, s.FunctionEnvironment("McpFunction")["DEALER_FORM_KEY"], s.FunctionEnvironment("AgentFunction")["DEALER_ORIGIN_SECRET"]) {
			if strings.Contains(log, secret) {
				t.Errorf("the log of %s tells %q", function, secret)
			}
		}
	}
}

// everyContract calls the dealer under each contract, with the command that
// buyers have.
func everyContract(t *testing.T, s *samtest.Stack) {
	t.Helper()
	for _, v := range aap.Versions() {
		said, err := command(t, s, "call", "--version", v.Label, s.Address, "inventory.search", `{"filters":{"make":["Honda"]},"pagination":{"limit":1}}`)
		if err != nil || !strings.Contains(said, "Honda") {
			t.Errorf("%s: %v\n%s", v.Label, err, said)
		}
	}
}

// tools finds the lot over MCP too.
func tools(t *testing.T, s *samtest.Stack, vin string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aap_inventory_vehicle","arguments":{"vin":"` + vin + `"}}}`
	got := ask(t, s.Client(), http.MethodPost, s.Address+"/mcp", body, "Content-Type", "application/json", "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-06-18")
	if got.status != 200 || !strings.Contains(got.body, vin) || strings.Contains(got.body, `"isError":true`) {
		t.Errorf("%d %s\n%s", got.status, got.body, s.Logs()["McpFunction"])
	}
}

// closed gives the agent a token, as the profile is changed by hand, and has it
// examined with that.
func closed(t *testing.T, s *samtest.Stack, crm string) {
	t.Helper()
	out, err := command(t, s, "token", "new", "--name", "partner-a", "--json")
	var row struct{ Token, SHA256 string }
	if err != nil || json.Unmarshal([]byte(out), &row) != nil || row.Token == "" {
		t.Fatalf("%v: %s", err, out)
	}
	profile := strings.Replace(string(sampleProfile(t, crm+"/adf")), "\naccess:\n", "\naccess:\n  tokens:\n    - {name: partner-a, sha256: "+row.SHA256+"}\n", 1)
	upload(t, s, s.Resource("SiteBucket"), s.Parameters["ProfileKey"].(string), []byte(profile))
	s.Forget()
	s.Restart()
	if got := ask(t, s.Client(), http.MethodPost, s.Address+"/a2a", message(`{"type":"dealer.information.request"}`), "Content-Type", "application/json"); got.status != http.StatusUnauthorized {
		t.Errorf("without a token: %d %s", got.status, got.body)
	}
	t.Setenv("DEALER_TOKEN", row.Token)
	if said, err := command(t, s, "doctor", s.Address); err != nil || !strings.Contains(said, "the token is accepted") {
		t.Errorf("dealer doctor with a token: %v\n%s", err, said)
	}
	if log := s.Logs()["AgentFunction"]; strings.Contains(log, row.Token) {
		t.Error("the log tells the token")
	}
}
