package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// bookingProfile is the fixture dealer who books test drives by itself, open
// every day from 9 to 17; it returns the path of its profile.
func bookingProfile(t *testing.T) string {
	t.Helper()
	document, err := os.ReadFile(fixtureProfile)
	if err != nil {
		t.Fatal(err)
	}
	days := ""
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		days += day + `: "09:00-17:00", `
	}
	name := filepath.Join(t.TempDir(), "dealer.yaml")
	policy := "leads: {appointments: {test_drive: {mode: auto, slot: 1h, days: {" + days + "}}}}\n"
	if err := os.WriteFile(name, append(document, policy...), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// slotIn is the slot of the hour, three days from now at the fixture's first
// rooftop, as people there write it.
func slotIn(hour int) string {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		panic(err)
	}
	return time.Now().In(zone).AddDate(0, 0, 3).Format("2006-01-02T") + fmt.Sprintf("%02d:00", hour)
}

func drivePayload(t *testing.T, first string, hour int) string {
	t.Helper()
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02T15:04", slotIn(hour), zone)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(map[string]any{
		"type":     "lead.submit.request",
		"customer": map[string]any{"first_name": first, "last_name": "Marlowe", "email": strings.ToLower(first) + "@example.com"},
		"consent": map[string]any{
			"granted_at": time.Now().Add(-time.Minute).Format(time.RFC3339), "allowed_channels": []string{"email"},
			"consent_text": "Yes, contact me.", "scope": []string{"lead_submission"},
		},
		"source_agent": map[string]any{"name": "errand"}, "vehicle_of_interest": map[string]any{"stock": "T100"},
		"appointment": map[string]any{"appointment_type": "test_drive", "appointment_at": at.Format(time.RFC3339)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(payload)
}

var leadID = regexp.MustCompile(`"lead_id": ?"([^"]+)"`)

func TestAppointmentsAreListedMovedAndCancelledInAFolder(t *testing.T) {
	data, profile := filepath.Join(t.TempDir(), "data"), bookingProfile(t)
	m, stop := machinetest.Serve(t, machine.Config{
		Addr: "127.0.0.1:0", Profile: profile, Feed: fixtureFeed, Data: data, Log: slog.New(slog.DiscardHandler), Command: inFolder,
	})
	var ids []string
	for n, first := range []string{"Maya", "Nora"} {
		r := dealerCommand(t, drivePayload(t, first, 10+n), "call", m.URL(), "lead.submit", "-")
		id := leadID.FindStringSubmatch(r.out)
		if id == nil || !strings.Contains(r.out, `"confirmed"`) {
			t.Fatalf("not booked: %s%s", r.out, r.err)
		}
		ids = append(ids, id[1])
	}
	document := func() string {
		body, _ := os.ReadFile(filepath.Join(data, "outbox", ids[0]+".xml"))
		return string(body)
	}
	eventually := func(what string) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); !strings.Contains(document(), what); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				r := dealerCommand(t, "", "leads", "show", ids[0], "--data", data)
				t.Fatalf("%s is not in the document:\n%s%s", what, document(), r.out+r.err)
			}
		}
	}
	eventually("Booked test-drive: " + strings.Replace(slotIn(10), "T", " ", 1) + " PT, 60 minutes.")
	appointments := func(wantCode int, args ...string) string {
		t.Helper()
		r := dealerCommand(t, "", append(append([]string{"appointments"}, args...), "--data", data, "--profile", profile)...)
		if r.code != wantCode {
			t.Fatalf("appointments %v: exit code %d\n%s%s", args, r.code, r.out, r.err)
		}
		return r.out + r.err
	}
	claim := func(first, second int) func(t *testing.T) {
		return func(t *testing.T) {
			list := appointments(0, "list")
			if strings.Count(list, "booked") != 2 || !strings.Contains(list, fmt.Sprintf("%02d:00-%02d:00 P", first, first+1)) || !strings.Contains(list, "Civic") {
				t.Errorf("list:\n%s", list)
			}
			for _, text := range []string{list, appointments(0, "list", "--json")} {
				if strings.Contains(strings.ToLower(text), "maya") {
					t.Errorf("contact data is shown unasked:\n%s", text)
				}
			}
			if text := appointments(0, "list", "--contacts", "--json"); !strings.Contains(text, `"email":"maya@example.com"`) || !strings.Contains(text, `"start":"`+slotIn(first)+":00-0") {
				t.Errorf("with contacts:\n%s", text)
			}
			day := strings.Split(slotIn(first), "T")[0]
			if text := appointments(0, "list", "--day", day, "--days", "1", "--rooftop", "north"); strings.Count(text, day) != 2 {
				t.Errorf("on %s:\n%s", day, text)
			}
			if text := appointments(0, "list", "--rooftop", "South"); !strings.Contains(text, "No visits") {
				t.Errorf("at the other rooftop:\n%s", text)
			}
			if text := appointments(1, "move", ids[0], "--to", slotIn(11)); !strings.Contains(text, "no free slot; the nearest free ones are "+slotIn(12)) && !strings.Contains(text, slotIn(10)) {
				t.Errorf("moved to a taken slot: %s", text)
			}
			if text := appointments(0, "move", ids[0], "--to", slotIn(second)); !strings.Contains(text, "is booked for") || !strings.Contains(text, "call them") {
				t.Errorf("moved: %s", text)
			}
			if text := appointments(0, "list"); !strings.Contains(text, fmt.Sprintf("%02d:00-%02d:00 P", second, second+1)) || strings.Contains(text, fmt.Sprintf("%02d:00-%02d:00 P", first, first+1)) {
				t.Errorf("after the move:\n%s", text)
			}
		}
	}
	t.Run("while the agent runs", claim(10, 14))
	eventually("Booked test-drive: " + strings.Replace(slotIn(14), "T", " ", 1) + " PT, 60 minutes, moved from " + strings.Replace(slotIn(10), "T", " ", 1) + " PT.")
	eventually(`status="resend"`)
	if text := appointments(0, "cancel", ids[1]); !strings.Contains(text, "is cancelled and its slot is free") {
		t.Errorf("cancelled: %s", text)
	}
	if text := appointments(0, "cancel", ids[1]); !strings.Contains(text, "nothing was changed") || strings.Contains(text, "once more") {
		t.Errorf("cancelled again: %s", text)
	}
	if text := appointments(0, "move", ids[0], "--to", slotIn(14)); !strings.Contains(text, "nothing was changed") {
		t.Errorf("moved to where it is: %s", text)
	}
	if list, whole := appointments(0, "list"), appointments(0, "list", "--all"); strings.Contains(list, ids[1]) || !strings.Contains(whole, "cancelled") {
		t.Errorf("after the cancellation:\n%s\n%s", list, whole)
	}
	appointments(0, "move", ids[1], "--to", slotIn(11))
	stop()
	t.Run("after it has stopped", claim(14, 15))

	for want, args := range map[string][]string{
		"has no booked visit":   {"cancel", "nobody"},
		"--to wants a time":     {"move", ids[0], "--to", "noon"},
		"needs --to":            {"move", ids[0]},
		"--day wants a date":    {"list", "--day", "today"},
		"--days wants 1 to 400": {"list", "--days", "0"},
	} {
		if r := dealerCommand(t, "", append(append([]string{"appointments"}, args...), "--data", data, "--profile", profile)...); r.code == 0 || !strings.Contains(r.err, want) {
			t.Errorf("%v: exit code %d, %s, want %q", args, r.code, r.err, want)
		}
	}
	if r := dealerCommand(t, "", "appointments", "move", ids[0], "--to", slotIn(16), "--data", data); r.code == 0 || !strings.Contains(r.err, "--profile FILE") {
		t.Errorf("without a profile: exit code %d, %s", r.code, r.err)
	}
	// Who takes the consent back may still come.
	for _, channel := range []string{"sms", "email"} {
		told := channel == "email" // the only one that was allowed
		r := dealerCommand(t, "", "leads", "revoke", "--lead", ids[0], "--channel", channel, "--data", data, "--profile", profile)
		if r.code != 0 || strings.Contains(r.out, "The test drive of lead "+ids[0]+" at North on ") != told || strings.Contains(r.out, "15:00 P") != told ||
			strings.Contains(r.out, "still stands; if the buyer is not coming, `dealer appointments cancel "+ids[0]+"` frees its slot.") != told {
			t.Fatalf("revoke %s: exit code %d\n%s%s", channel, r.code, r.out, r.err)
		}
	}
	if text := appointments(1, "move", ids[0], "--to", slotIn(16)); !strings.Contains(text, "is booked for") || !strings.Contains(text, "took the consent back; tell the store yourself") {
		t.Errorf("moved without a consent: %s", text)
	}
	// A visit erased with its lead leaves nothing behind.
	if r := dealerCommand(t, "yes\n", "leads", "erase", "--email", "maya@example.com", "--data", data); r.code != 0 {
		t.Fatalf("erase: %s%s", r.out, r.err)
	}
	if text := appointments(0, "list", "--all"); strings.Contains(text, ids[0]) || !strings.Contains(text, ids[1]) {
		t.Errorf("after the erasure:\n%s", text)
	}
	appointments(0, "move", ids[1], "--to", slotIn(15))
}

func TestAppointmentsAreListedMovedAndCancelledOnAWS(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	client := cloudtest.DynamoDB(endpoint)
	table := cloudtest.Table(t, client)
	queue, _ := cloudtest.Queue(t, endpoint)
	for _, variable := range cloudtest.Environment(endpoint) {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	t.Setenv("DEALER_LEADS_TABLE", table)
	t.Setenv("DEALER_QUEUE_URL", queue)
	profile := bookingProfile(t)
	document, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	p, err := dealer.Parse(document)
	if err != nil {
		t.Fatal(err)
	}
	stack, err := cloud.OpenFor(t.Context(), cloud.Settings{LeadsTable: table, QueueURL: queue}, "")
	if err != nil {
		t.Fatal(err)
	}
	desk := lead.Desk{Store: stack.Leads(), Queue: stack.Queue()}
	reply, err := desk.Submit(t.Context(), p, aap.Primary(), []byte(drivePayload(t, "Maya", 10)))
	if err != nil {
		t.Fatal(err)
	}
	body, err := reply.Append(nil, aap.LeadSubmit)
	if err != nil {
		t.Fatal(err)
	}
	id := leadID.FindStringSubmatch(string(body))[1]
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"list"}, "10:00-11:00 P"},
		{[]string{"move", id, "--to", slotIn(12)}, "is booked for"},
		{[]string{"list"}, "12:00-13:00 P"},
		{[]string{"cancel", id}, "is cancelled"},
		{[]string{"list"}, "No visits."},
		{[]string{"list", "--all", "--json"}, `"state":"cancelled"`},
	} {
		r := dealerCommand(t, "", append(append([]string{"appointments"}, step.args...), "--profile", profile)...)
		if r.code != 0 || !strings.Contains(r.out, step.want) {
			t.Fatalf("%v: exit code %d, want %q\n%s%s", step.args, r.code, step.want, r.out, r.err)
		}
	}
}
