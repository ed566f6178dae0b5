package cloud_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/cloud"
)

func from(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
}

func TestSettingsAreReadWithTheirDefaults(t *testing.T) {
	got, err := cloud.ReadSettings(cloud.Agent, from(map[string]string{
		"DEALER_INVENTORY_TABLE": "inventory", "DEALER_LEADS_TABLE": "leads", "DEALER_PROFILE_BUCKET": "config",
		"DEALER_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/123456789012/leads", "DEALER_LOG_LEVEL": "warn",
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := cloud.Settings{
		InventoryTable: "inventory", LeadsTable: "leads", QueueURL: "https://sqs.us-east-1.amazonaws.com/123456789012/leads",
		ProfileBucket: "config", ProfileKey: "dealer.yaml", ProfileMaxAge: time.Minute, LogLevel: slog.LevelWarn,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAllFaultsOfTheSettingsAreToldAtOnce(t *testing.T) {
	_, err := cloud.ReadSettings(cloud.Agent, from(map[string]string{
		"DEALER_LEADS_TABLE": " ", "DEALER_QUEUE_URL": "leads", "DEALER_PROFILE_MAX_AGE": "soon", "DEALER_LOG_LEVEL": "loud",
	}))
	if err == nil {
		t.Fatal("taken for good")
	}
	for _, name := range []string{"DEALER_INVENTORY_TABLE", "DEALER_LEADS_TABLE", "DEALER_PROFILE_BUCKET", "DEALER_QUEUE_URL", "DEALER_PROFILE_MAX_AGE", "DEALER_LOG_LEVEL"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named in:\n%v", name, err)
		}
	}
}

func TestAKeyIsReadAndNeverTold(t *testing.T) {
	env := map[string]string{
		"DEALER_INVENTORY_TABLE": "i", "DEALER_LEADS_TABLE": "l", "DEALER_PROFILE_BUCKET": "b", "DEALER_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/1/q",
		"DEALER_FORM_KEY": "0123456789abcdef0123456789abcdef",
	}
	got, err := cloud.ReadSettings(cloud.MCP, from(env))
	if err != nil || string(got.FormKey) != env["DEALER_FORM_KEY"] {
		t.Errorf("%q, %v", got.FormKey, err)
	}
	for _, short := range []string{"hunter2", "0123456789abcdef0123456789abcde", ""} {
		env["DEALER_FORM_KEY"] = short
		if _, err := cloud.ReadSettings(cloud.MCP, from(env)); err == nil || !strings.Contains(err.Error(), "DEALER_FORM_KEY") || short != "" && strings.Contains(err.Error(), short) {
			t.Errorf("%q: %v", short, err)
		}
	}
}

func TestTheSecretOfTheCDNIsReadOrThereIsNone(t *testing.T) {
	env := map[string]string{
		"DEALER_INVENTORY_TABLE": "i", "DEALER_LEADS_TABLE": "l", "DEALER_PROFILE_BUCKET": "b", "DEALER_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/1/q",
	}
	for given, want := range map[string]string{"": "", "none": "", originSecret: originSecret} {
		env["DEALER_ORIGIN_SECRET"] = given
		if got, err := cloud.ReadSettings(cloud.Agent, from(env)); err != nil || string(got.OriginSecret) != want {
			t.Errorf("%q gives %q, %v", given, got.OriginSecret, err)
		}
	}
	env["DEALER_ORIGIN_SECRET"] = originSecret[:31]
	if _, err := cloud.ReadSettings(cloud.Agent, from(env)); err == nil || strings.Contains(err.Error(), originSecret[:31]) {
		t.Errorf("a short secret: %v", err)
	}
}

func TestAFunctionAsksOnlyForItsOwnVariables(t *testing.T) {
	for f, required := range map[cloud.Function]string{
		cloud.LeadWorker: "DEALER_LEADS_TABLE DEALER_PROFILE_BUCKET DEALER_QUEUE_URL",
		cloud.Sweeper:    "DEALER_LEADS_TABLE DEALER_PROFILE_BUCKET DEALER_QUEUE_URL",
		cloud.FeedImport: "DEALER_FEED_BUCKET DEALER_INVENTORY_TABLE DEALER_PROFILE_BUCKET",
	} {
		env := map[string]string{}
		for name := range strings.FieldsSeq(required) {
			env[name] = "https://sqs.example.com/1/leads"
		}
		if _, err := cloud.ReadSettings(f, from(env)); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		for name := range env {
			without := map[string]string{name: ""}
			for n, v := range env {
				if n != name {
					without[n] = v
				}
			}
			if _, err := cloud.ReadSettings(f, from(without)); err == nil {
				t.Errorf("%s does without %s", f, name)
			}
		}
	}
}
