// Package peers drives the running agent with clients that nobody here wrote.
package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
)

// jsSDK is the official JavaScript client the agent is held against.
const jsSDK = "@a2a-js/sdk@1.3.0"

// TestOfficialJavaScriptClient resolves the card, calls each skill and reads
// the code of each kind of error.
func TestOfficialJavaScriptClient(t *testing.T) {
	folder := npmInstall(t, jsSDK)
	base := serve(t)
	lead := `{"type":"lead.submit.request","customer":{"first_name":"Anna","last_name":"Lee","email":"anna@example.com"},` +
		`"consent":{"granted_at":"2026-05-01T11:59:00Z","allowed_channels":["email"],"consent_text":"I agree.","scope":["lead_submission"]},` +
		`"source_agent":{"name":"js-client"}`
	cases := []struct{ payload, want string }{
		{`{"type":"dealer.information.request"}`, "dealer.information.response"},
		{`{"type":"inventory.facets.request"}`, "inventory.facets.response"},
		{`{"type":"inventory.search.request","filters":{"make":["Honda"]}}`, "inventory.search.response"},
		{`{"type":"inventory.vehicle.request","stock":"T100"}`, "inventory.vehicle.response"},
		{lead + `}`, "lead.submit.response"},
		{lead + `,"idempotency_key":"K","message":"1"}`, "lead.submit.response"},
		{lead + `,"idempotency_key":"K","message":"2"}`, "IDEMPOTENCY_CONFLICT"},
		{`{"type":"inventory.general.request"}`, "UNSUPPORTED_SKILL"},
		{`{"type":"inventory.search.request","filters":{"color":["red"]}}`, "SCHEMA_VALIDATION_FAILED"},
		{`{"type":"inventory.search.request","sort":{"field":"price"}}`, "MISSING_REQUIRED_FIELD"},
		{lead + `,"trade_in":{"condition":"used"}}`, "INVALID_CONDITION"},
		{`{"type":"inventory.vehicle.request","stock":"none"}`, "VEHICLE_NOT_FOUND"},
		{`{"type":"inventory.vehicle.request","stock":"S201"}`, "VEHICLE_UNAVAILABLE"},
		{strings.Replace(lead, `"consent"`, `"nothing"`, 1) + `}`, "CONTACT_CONSENT_REQUIRED"},
		{strings.Replace(lead, `"I agree."`, `" "`, 1) + `}`, "INVALID_CONSENT"},
	}
	var payloads []json.RawMessage
	for _, c := range cases {
		payloads = append(payloads, json.RawMessage(c.payload))
	}
	input, err := json.Marshal(payloads)
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/call.mjs")
	if err != nil {
		t.Fatal(err)
	}
	// Beside node_modules, where the script's import finds the SDK.
	file := filepath.Join(folder, "call.mjs")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", file, base+"/")
	cmd.Stdin = bytes.NewReader(input)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	var answers []struct {
		Payload struct{ Type string }
		Error   json.RawMessage
	}
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(answers) != len(cases) {
		t.Fatalf("%d answers to %d requests", len(answers), len(cases))
	}
	for i, c := range cases {
		if got := answers[i]; got.Payload.Type != c.want && !strings.Contains(string(got.Error), `"`+c.want+`"`) {
			t.Errorf("%s\ngot  %s %s\nwant %s", c.payload, got.Payload.Type, got.Error, c.want)
		}
	}
}

// npmInstall installs a package into a cache folder and returns the folder.
// Without npm the test is skipped; with CI=true it fails.
func npmInstall(t *testing.T, pkg string) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is missing", tool)
			}
			t.Skipf("%s is not installed", tool)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "dealer-peers", strings.NewReplacer("/", "-", "@", "").Replace(pkg))
	name := pkg[:strings.LastIndex(pkg, "@")]
	if _, err := os.Stat(filepath.Join(folder, "node_modules", name)); err == nil {
		return folder
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--no-package-lock", pkg).CombinedOutput()
	if err != nil {
		if os.Getenv("CI") != "true" {
			t.Skipf("%s cannot be installed: %v", pkg, err)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}

// serve runs the fixture dealer until the test ends.
func serve(t *testing.T) string {
	t.Helper()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	data := t.TempDir()
	m, err := machine.Open(machine.Config{
		Addr: "127.0.0.1:0", Profile: "../dealer/machine/testdata/dealer.yaml", Feed: "../dealer/machine/testdata/feed.json",
		Data: data, Outbox: filepath.Join(data, "outbox"), Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := m.WaitForInventory(ctx); err != nil {
		t.Fatal(err)
	}
	return m.URL()
}
