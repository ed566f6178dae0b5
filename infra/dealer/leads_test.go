package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// shopfront is a running agent whose data folder commands work on.
type shopfront struct {
	data string
	url  string
	stop func()
}

func openShopfront(t *testing.T) *shopfront {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	m, stop := machinetest.Serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: fixtureProfile, Feed: fixtureFeed, Data: data,
		Log: slog.New(slog.DiscardHandler), Command: inFolder,
	})
	return &shopfront{data, m.URL(), stop}
}

// submit sends a lead of the buyer with this e-mail and returns its id.
func (s *shopfront) submit(t *testing.T, email, first, message string) string {
	t.Helper()
	payload, err := json.Marshal(map[string]any{
		"type":     "lead.submit.request",
		"customer": map[string]any{"first_name": first, "last_name": "Marlowe", "email": email, "phone": "+13035550142"},
		"consent": map[string]any{
			"granted_at": "2026-01-01T15:04:05Z", "allowed_channels": []string{"email", "phone"},
			"consent_text": "Yes, contact me.", "scope": []string{"lead_submission"},
		},
		"source_agent": map[string]any{"name": "errand"}, "message": message, "idempotency_key": email + message,
		"vehicle_of_interest": map[string]any{"stock": "T100"},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := dealerCommand(t, string(payload), "call", s.url, "lead.submit", "-")
	var answer struct {
		Data struct {
			LeadID string `json:"lead_id"`
		}
	}
	if json.Unmarshal([]byte(r.out), &answer) != nil || answer.Data.LeadID == "" {
		t.Fatalf("the lead was not taken: %s%s", r.out, r.err)
	}
	return answer.Data.LeadID
}

// leads runs `dealer leads` on the folder and wants success.
func (s *shopfront) leads(t *testing.T, args ...string) string {
	t.Helper()
	r := dealerCommand(t, "", append(append([]string{"leads"}, args...), "--data", s.data)...)
	if r.code != 0 {
		t.Fatalf("leads %v: exit code %d\n%s%s", args, r.code, r.out, r.err)
	}
	return r.out
}

func (s *shopfront) handedOver(t *testing.T, id string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(s.leads(t, "show", id), "handed over") {
			return
		}
	}
	t.Fatalf("lead %s is not handed over", id)
}

// heldAndFree runs the claim while the agent runs on the folder and again
// after it has stopped.
func heldAndFree(t *testing.T, s *shopfront, claim func(t *testing.T)) {
	t.Run("while the agent runs", claim)
	s.stop()
	t.Run("after it has stopped", claim)
}

func TestLeadsAreListedWithoutContactData(t *testing.T) {
	s := openShopfront(t)
	first := s.submit(t, "maya@example.com", "Maya", "one")
	s.handedOver(t, first)
	second := s.submit(t, "theo@example.com", "Theo\u202e\x1b[31m", "two")
	s.handedOver(t, second)
	heldAndFree(t, s, func(t *testing.T) {
		text := s.leads(t, "list")
		if !strings.Contains(text, second) || strings.Index(text, first) < strings.Index(text, second) {
			t.Errorf("not newest first:\n%s", text)
		}
		for _, secret := range []string{"Maya", "Marlowe", "maya@", "3035550142"} {
			if strings.Contains(text+s.leads(t, "list", "--json")+s.leads(t, "stats")+s.leads(t, "stats", "--json"), secret) {
				t.Errorf("%s is shown unasked", secret)
			}
		}
		if with := s.leads(t, "list", "--contacts"); !strings.Contains(with, "maya@example.com") || strings.ContainsAny(with, "\x1b\u202e") {
			t.Errorf("with contacts: %q", with)
		}
		var rows []struct{ ID, State, About string }
		if err := json.Unmarshal([]byte(s.leads(t, "list", "--json", "--state", "handed_over", "--rooftop", "north", "--since", "24h")), &rows); err != nil ||
			len(rows) != 2 || rows[1].ID != first || !strings.Contains(rows[1].About, "T100") {
			t.Errorf("%v %+v", err, rows)
		}
		if none := s.leads(t, "list", "--json", "--state", "failed"); none != "[]\n" {
			t.Errorf("failed ones: %s", none)
		}
		var stats struct {
			Leads  int
			States map[string]int
			Median *float64 `json:"median_hand_over_seconds"`
		}
		if err := json.Unmarshal([]byte(s.leads(t, "stats", "--json")), &stats); err != nil || stats.Leads != 2 || stats.States["handed_over"] != 2 || stats.Median == nil {
			t.Errorf("%v %+v", err, stats)
		}
	})
}

func TestTheStoryOfALeadIsToldInPlainWords(t *testing.T) {
	s := openShopfront(t)
	id := s.submit(t, "maya@example.com", "Maya", "Is it red?")
	s.handedOver(t, id)
	s.leads(t, "resend", id, "--target", "outbox")
	s.leads(t, "revoke", "--email", "MAYA@example.com", "--channel", "phone")
	time.Sleep(100 * time.Millisecond)
	s.handedOver(t, id)
	heldAndFree(t, s, func(t *testing.T) {
		text := s.leads(t, "show", id)
		for _, want := range []string{
			"Maya Marlowe", "Is it red?", "stock T100", `"received"`, `"Yes, contact me."`, "for email and phone", "no end of its own",
			"Taken back", "by email and in no other way", "outbox: handed over", "after 2 attempts", "It said: written at", "asked for it once more",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not told:\n%s", want, text)
			}
		}
		var whole struct {
			Request    json.RawMessage
			Deliveries []lead.Delivery
			Story      []lead.Event
		}
		if err := json.Unmarshal([]byte(s.leads(t, "show", id, "--json")), &whole); err != nil || len(whole.Deliveries) != 1 || len(whole.Story) != 2 {
			t.Errorf("%v %+v", err, whole.Story)
		}
	})
	s2 := dealerCommand(t, "", "leads", "show", "nobody", "--data", s.data)
	if s2.code != 1 || !strings.Contains(s2.err, "there is no lead nobody") {
		t.Errorf("an unknown lead: %d %s", s2.code, s2.err)
	}
}

func TestAWithdrawnConsentEndsResending(t *testing.T) {
	s := openShopfront(t)
	id := s.submit(t, "maya@example.com", "Maya", "hello")
	s.handedOver(t, id)
	if out := s.leads(t, "revoke", "--lead", id); !strings.Contains(out, "outbox was handed the lead before") {
		t.Errorf("revoke says %s", out)
	}
	r := dealerCommand(t, "", "leads", "resend", id, "--data", s.data)
	if r.code != 1 || !strings.Contains(r.err, "consent") {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	if audit := s.leads(t, "audit"); !strings.Contains(audit, "revoke") || strings.Contains(audit, id) {
		t.Errorf("account:\n%s", audit)
	}
}

func TestExportsComeBackEqual(t *testing.T) {
	s := openShopfront(t)
	hostile := []string{"=HYPERLINK(\"http://x\",\"y\")", "+1+1", "-2", "@SUM(A1)", "'=1", "a,\"b\"\r\nc\n;d", "\t=1", "＝1", "plain"}
	ids := map[string]string{}
	for n, text := range hostile {
		ids[s.submit(t, fmt.Sprintf("b%d@example.com", n), text, text)] = text
	}
	for id := range ids {
		s.handedOver(t, id)
	}
	heldAndFree(t, s, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "leads.csv")
		s.leads(t, "export", "--format", "csv", "--out", file)
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%v %v", info, err)
		}
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
		if err != nil || len(rows) != len(hostile)+1 || !bytes.HasSuffix(body, []byte("\r\n")) {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		at := func(name string) int { return slices.Index(rows[0], name) }
		for _, row := range rows[1:] {
			for n, cell := range row {
				if cell != "" && strings.ContainsRune(formulaStarts, []rune(cell)[0]) {
					t.Errorf("column %s could be a formula: %q", rows[0][n], cell)
				}
			}
			want := ids[row[at("lead_id")]]
			var request struct{ Message string }
			if err := json.Unmarshal([]byte(row[at("request_json")]), &request); err != nil || request.Message != want {
				t.Errorf("the request has %q, want %q: %v", request.Message, want, err)
			}
			wild := strings.TrimPrefix(row[at("first_name")], "'")
			if wild != want && wild != strings.ReplaceAll(want, "\r\n", "\n") && row[at("first_name")] != want {
				t.Errorf("first name %q, want %q", row[at("first_name")], want)
			}
			if row[at("phone")] != "'+13035550142" || row[at("state")] != lead.HandedOver {
				t.Errorf("phone %q, state %q", row[at("phone")], row[at("state")])
			}
		}
		var all []filed
		if err := json.Unmarshal([]byte(s.leads(t, "export")), &all); err != nil || len(all) != len(hostile) {
			t.Fatalf("%d records, %v", len(all), err)
		}
		for _, f := range all {
			r, err := f.Lead()
			if err != nil || r.Message != ids[f.ID] || len(f.Deliveries) != 1 || f.Listing == nil {
				t.Errorf("record %s: %v", f.ID, err)
			}
		}
	})
}

func TestAFolderThatIsInUseWithoutAnAgentIsNamed(t *testing.T) {
	data := t.TempDir()
	running(t, data) // takes no commands
	r := dealerCommand(t, "", "leads", "list", "--data", data)
	if r.code != 1 || !strings.Contains(r.err, "takes no commands") {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	empty := dealerCommand(t, "", "leads", "list", "--data", t.TempDir())
	if empty.code != 1 || !strings.Contains(empty.err, "keeps no inventory") {
		t.Errorf("exit code %d: %s", empty.code, empty.err)
	}
	for _, wrong := range [][]string{
		{"list"}, {"erase", "--data", data}, {"erase", "--email", "a@b.c", "--lead", "x", "--data", data},
		{"list", "--state", "sold", "--data", data}, {"list", "--since", "noon", "--data", data}, {"export", "--format", "xml", "--data", data},
		{"revoke", "--email", "a@b.c", "--channel", "fax", "--data", data}, {"erase", "--phone", "none", "--data", data},
	} {
		t.Setenv("DEALER_LEADS_TABLE", "")
		if r := dealerCommand(t, "", append([]string{"leads"}, wrong...)...); r.code != 2 {
			t.Errorf("leads %v: exit code %d: %s", wrong, r.code, r.err)
		}
	}
}

func TestARunningAgentRunsNoOtherCommands(t *testing.T) {
	s := openShopfront(t)
	for _, line := range [][]string{{"run", "--data", "x"}, {"publish", "--profile", "x", "--dir", "y"}, {"import", "--data", "z"}} {
		var out, errs bytes.Buffer
		code, err := machine.Forward(t.Context(), s.data, line, strings.NewReader(""), &out, &errs)
		if err != nil || code != 2 || !strings.Contains(errs.String(), "does not run inside") {
			t.Errorf("%v: %d, %v, %s", line, code, err, errs.String())
		}
	}
	info, err := filepath.Glob(filepath.Join(s.data, ".control-*"))
	if err != nil || len(info) > 1 {
		t.Fatalf("%v %v", info, err)
	}
	for _, dir := range info {
		if i, err := os.Stat(dir); err != nil || i.Mode().Perm() != 0o700 {
			t.Errorf("the socket's folder is %v, %v", i.Mode(), err)
		}
	}
	s.stop()
	if left, _ := filepath.Glob(filepath.Join(s.data, "*control*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAFolderFromElsewhereCannotHaveAnotherFolderRemoved(t *testing.T) {
	data, precious := filepath.Join(t.TempDir(), "data"), t.TempDir()
	for name, body := range map[string]string{filepath.Join(data, "control"): filepath.Join(precious, "s"), filepath.Join(precious, "s"): "mine"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, stop := machinetest.Serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: fixtureProfile, Feed: fixtureFeed, Data: data, Log: slog.New(slog.DiscardHandler), Command: inFolder,
	})
	s := &shopfront{data, m.URL(), stop}
	if out := s.leads(t, "list"); !strings.Contains(out, "No leads") {
		t.Errorf("list says %s", out)
	}
	if body, err := os.ReadFile(filepath.Join(precious, "s")); err != nil || string(body) != "mine" {
		t.Errorf("%q, %v", body, err)
	}
}

// TestARooftopThatNobodyKnowsIsTold: a list that is empty for a slip of the pen
// would be believed.
func TestARooftopThatNobodyKnowsIsTold(t *testing.T) {
	s := openShopfront(t)
	s.handedOver(t, s.submit(t, "maya@example.com", "Maya", "one"))
	heldAndFree(t, s, func(t *testing.T) {
		for _, command := range [][]string{{"leads", "list"}, {"leads", "list", "--json"}, {"leads", "stats"}, {"leads", "export"}, {"appointments", "list"}} {
			r := dealerCommand(t, "", append(command, "--rooftop", "Nroth", "--data", s.data, "--profile", fixtureProfile)...)
			if r.code != 2 || r.out != "" || r.err != "dealer: no rooftop is called \"Nroth\"; there are: North, South\n" {
				t.Errorf("%v: exit code %d\n%s%s", command, r.code, r.out, r.err)
			}
			r = dealerCommand(t, "", append(command, "--rooftop", "south", "--data", s.data, "--profile", fixtureProfile)...)
			if r.code != 0 {
				t.Errorf("%v of a rooftop without any: exit code %d\n%s%s", command, r.code, r.out, r.err)
			}
		}
	})
	// An alias is a name too.
	document, err := os.ReadFile(fixtureProfile)
	if err != nil {
		t.Fatal(err)
	}
	aliased := filepath.Join(t.TempDir(), "dealer.yaml")
	if err := os.WriteFile(aliased, bytes.Replace(document, []byte("name: North\n"), []byte("name: North\n    aliases: [Uptown]\n"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := s.leads(t, "list", "--rooftop", "uptown", "--profile", aliased); !strings.Contains(out, "North") {
		t.Errorf("by its alias:\n%s", out)
	}
	// Without a profile the leads tell.
	if r := dealerCommand(t, "", "leads", "list", "--rooftop", "Nroth", "--since", "2036-01-01", "--data", s.data); r.code != 2 || !strings.HasSuffix(r.err, "there are: North\n") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
}
