package inside_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	ssmtypes "github.com/aws/aws-sdk-go-v2/service/ssm/types"
	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/inside"
	"github.com/dealer-agent/dealer/pkg/cloud/site"
)

// notWell are the findings that are neither pass nor skip, as "id verdict".
func notWell(all []inside.Finding) []string {
	out := []string{}
	for _, f := range all {
		if f.Verdict == inside.Warn || f.Verdict == inside.Fail {
			out = append(out, f.ID+" "+string(f.Verdict))
		}
	}
	return out
}

func text(all []inside.Finding) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Verdict, f.ID, f.Seen)
	}
	return b.String()
}

// fault is something wrong with a stack, and what is said of it.
type fault struct {
	name      string
	put, undo func(*testing.T, *world)
	want      []string
	says      string
}

// told has AWS answer one action otherwise.
func told(action, was, old, new string) (put, undo func(*testing.T, *world)) {
	return func(t *testing.T, w *world) {
			if !strings.Contains(was, old) {
				t.Fatalf("nothing to replace: %s", old)
			}
			w.recorded[action] = strings.Replace(was, old, new, 1)
		}, func(_ *testing.T, w *world) {
			delete(w.recorded, action)
			if strings.HasPrefix(action, "ses:") {
				w.recorded[action] = was // the emulator has no answer of its own
			}
		}
}

// parameter deploys with another value.
func parameter(name, value string) (put, undo func(*testing.T, *world)) {
	usual := ""
	return func(_ *testing.T, w *world) { usual = w.deployed.Parameters[name]; w.deployed.Parameters[name] = value },
		func(_ *testing.T, w *world) { w.deployed.Parameters[name] = usual }
}

// withProfile publishes a changed profile.
func withProfile(old, new string) (put, undo func(*testing.T, *world)) {
	return func(t *testing.T, w *world) {
		if !strings.Contains(profile, old) {
			t.Fatalf("nothing to replace: %s", old)
		}
		w.publish(t, strings.Replace(profile, old, new, 1))
	}, func(t *testing.T, w *world) { w.publish(t, profile) }
}

// gone loses a resource of the stack.
func gone(logical string) (put, undo func(*testing.T, *world)) {
	kept := ""
	return func(_ *testing.T, w *world) {
			kept, w.deployed.Resources[logical] = w.deployed.Resources[logical], "never-there"
		},
		func(_ *testing.T, w *world) { w.deployed.Resources[logical] = kept }
}

func faults() []fault {
	row := func(name string, both func() (put, undo func(*testing.T, *world)), says string, want ...string) fault {
		put, undo := both()
		return fault{name, put, undo, want, says}
	}
	two := func(put, undo func(*testing.T, *world)) func() (func(*testing.T, *world), func(*testing.T, *world)) {
		return func() (func(*testing.T, *world), func(*testing.T, *world)) { return put, undo }
	}
	status := func(status string) func() (func(*testing.T, *world), func(*testing.T, *world)) {
		return two(func(_ *testing.T, w *world) { w.deployed.Status = status }, func(_ *testing.T, w *world) { w.deployed.Status = "UPDATE_COMPLETE" })
	}
	ses := func(old, new string) func() (func(*testing.T, *world), func(*testing.T, *world)) {
		return two(told("ses:GetEmailIdentity", domain, old, new))
	}
	sesAccount := func(old, new string) func() (func(*testing.T, *world), func(*testing.T, *world)) {
		return two(told("ses:GetAccount", account, old, new))
	}
	message := func(queue string) func() (func(*testing.T, *world), func(*testing.T, *world)) {
		return two(func(t *testing.T, w *world) {
			must[any](t)(sqs.NewFromConfig(w.config).SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(w.deployed.Resources[queue]), MessageBody: aws.String("id")}))
		}, func(t *testing.T, w *world) {
			must[any](t)(sqs.NewFromConfig(w.config).PurgeQueue(t.Context(), &sqs.PurgeQueueInput{QueueUrl: aws.String(w.deployed.Resources[queue])}))
		})
	}
	remove := func(key string) func(t *testing.T, w *world) {
		return func(t *testing.T, w *world) {
			must[any](t)(cloudtest.Objects(w.endpoint).DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(w.deployed.Resources["SiteBucket"]), Key: aws.String(key)}))
		}
	}
	republish := func(t *testing.T, w *world) { w.publish(t, profile) }
	wellReport := func(t *testing.T, w *world) { w.report(t, `{"feed":"s3://feeds/feeds/lot.csv","result":"imported"}`) }
	young := func(t *testing.T, w *world) { w.inventory(t, w.now.Add(-2*time.Hour)) }
	later := func(d time.Duration) func() (func(*testing.T, *world), func(*testing.T, *world)) {
		return two(func(_ *testing.T, w *world) { w.now = w.now.Add(d) }, func(t *testing.T, w *world) { w.now = w.now.Add(-d); young(t, w) })
	}
	return []fault{
		row("rolled back", status("UPDATE_ROLLBACK_COMPLETE"), "UPDATE_ROLLBACK_COMPLETE", "inside.stack fail"),
		row("being deployed", status("UPDATE_IN_PROGRESS"), "being deployed", "inside.stack warn"),
		row("no profile", two(remove("dealer.yaml"), republish), "there is no s3://", "inside.profile fail"),
		row("a profile at fault", two(func(t *testing.T, w *world) { w.profile(t, strings.Replace(profile, "36h", "soon", 1)) }, republish), "max_age", "inside.profile fail"),
		row("a file missing", two(remove(".well-known/agent-card.json"), republish), "/.well-known/agent-card.json is missing", "inside.published fail"),
		row("files of an older profile", two(func(t *testing.T, w *world) {
			w.profile(t, strings.Replace(profile, "Seabright Motors", "Seabright Cars", 1))
		}, republish), "another profile", "inside.published fail"),
		row("a function gone", two(gone("SweeperFunction")), "SweeperFunction is gone", "inside.functions fail"),
		row("a function for other processors", two(func(t *testing.T, w *world) { w.function(t, "McpFunction", lambdatypes.ArchitectureX8664) },
			func(t *testing.T, w *world) { w.function(t, "McpFunction", lambdatypes.ArchitectureArm64) }), "McpFunction is built for [x86_64]", "inside.functions fail"),
		row("an update that failed", two(told("lambda:GetFunctionConfiguration", `{"State":"Active","LastUpdateStatus":"Successful","Architectures":["arm64"]}`, `"Successful"`, `"Failed","LastUpdateStatusReasonCode":"InvalidImage"`)),
			"the last update of AgentFunction is Failed (InvalidImage)", "inside.functions fail"),
		row("a function that cannot start", two(told("lambda:GetFunctionConfiguration", `{"State":"Active","LastUpdateStatus":"Successful","Architectures":["arm64"]}`, `"Active"`, `"Failed","StateReasonCode":"InternalError"`)),
			"AgentFunction is Failed (InternalError)", "inside.functions fail"),
		row("a certificate near its end", two(func(t *testing.T, w *world) { w.certificate(t, 10*24*time.Hour) }, func(t *testing.T, w *world) { w.certificate(t, 365*24*time.Hour) }), "it ends in ", "inside.certificate warn"),
		row("a certificate that ended", two(told("acm:DescribeCertificate", "", "", `{"Certificate":{"Status":"ISSUED","NotAfter":1700000000}}`)), "it ended ", "inside.certificate fail"),
		row("a certificate that nobody validated", two(told("acm:DescribeCertificate", "", "", `{"Certificate":{"Status":"PENDING_VALIDATION"}}`)), "it is PENDING_VALIDATION", "inside.certificate fail"),
		row("no certificate", two(parameter("CertificateArn", "arn:aws:acm:us-east-1:123456789012:certificate/1b2c3d4e-0000-4000-8000-000000000000")), "there is no certificate", "inside.certificate fail"),
		row("an old inventory", later(48*time.Hour), "buyers are warned", "inside.feed-age warn"),
		row("an inventory too old to sell from", later(120*time.Hour), "none is for sale", "inside.feed-age fail"),
		row("a refused file", two(func(t *testing.T, w *world) {
			w.report(t, `{"feed":"s3://feeds/feeds/lot\u001b.csv","result":"refused","reason":"no column is known\nsecond"}`)
		}, wellReport),
			"s3://feeds/feeds/lot.csv was refused 1.0 hours ago: no column is known …", "inside.feed-report fail"),
		row("an import that failed", two(func(t *testing.T, w *world) { w.report(t, `{"feed":"s3://feeds/feeds/lot.csv","result":"failed"}`) }, wellReport), "failed 1.0 hours ago", "inside.feed-report fail"),
		row("a report that is none", two(func(t *testing.T, w *world) { w.report(t, `{`) }, wellReport), "cannot be read", "inside.feed-report fail"),
		row("a dead letter", message("LeadDeadLetters"), "1 leads are in the dead-letter queue", "inside.dead-letters fail"),
		row("a crowd of leads", two(told("sqs:GetQueueAttributes", `{"Attributes":{"ApproximateNumberOfMessages":"0"}}`, `"0"`, `"500"`)), "500 leads", "inside.queue warn", "inside.dead-letters fail"),
		row("no queue", two(gone("LeadQueue")), "the queue is gone", "inside.queue fail"),
		row("an unverified domain", ses(`"VerifiedForSendingStatus":true,"VerificationStatus":"SUCCESS"`, `"VerifiedForSendingStatus":false,"VerificationStatus":"PENDING"`), "not verified (PENDING)", "inside.ses-identity fail"),
		row("a domain that SES does not know", two(told("ses:GetEmailIdentity", domain, domain, `404 {"message":"Email identity does not exist."}`)), "does not know seabright.example", "inside.ses-identity fail"),
		row("no DKIM", ses(`"Status":"SUCCESS","Tokens"`, `"Status":"FAILED","Tokens"`), "(FAILED)", "inside.ses-dkim warn"),
		row("DKIM turned off", ses(`"SigningEnabled":true`, `"SigningEnabled":false`), "not signed", "inside.ses-dkim warn"),
		row("no MAIL FROM domain", ses(`"MailFromDomain":"bounce.seabright.example","MailFromDomainStatus":"SUCCESS",`, ``), "amazonses.com", "inside.ses-mail-from warn"),
		row("MAIL FROM without records", ses(`"MailFromDomainStatus":"SUCCESS"`, `"MailFromDomainStatus":"PENDING"`), "(PENDING)", "inside.ses-mail-from warn"),
		row("no identity for the worker", two(parameter("SesIdentity", "-")), "SesIdentity", "inside.ses-identity fail"),
		row("a sender of another domain", two(parameter("SesIdentity", "right.example")), "alone", "inside.ses-identity fail"),
		row("the sandbox", sesAccount(`"ProductionAccessEnabled":true`, `"ProductionAccessEnabled":false`), "sandbox", "inside.ses-sandbox fail"),
		row("sending stopped", sesAccount(`"SendingEnabled":true`, `"SendingEnabled":false`), "stopped", "inside.ses-sandbox fail"),
		row("probation", sesAccount(`HEALTHY`, `PROBATION`), "PROBATION", "inside.ses-sandbox fail"),
		row("a quota used up", sesAccount(`"SentLast24Hours":12.0`, `"SentLast24Hours":50000.0`), "50000 of 50000", "inside.ses-sandbox fail"),
		row("a parameter that is not there", two(withProfile("/dealer/crm-token", "/dealer/crm-tokn")), "ssm:/dealer/crm-tokn is not there", "inside.secrets fail"),
		row("a parameter in the clear", two(func(t *testing.T, w *world) {
			must[any](t)(ssm.NewFromConfig(w.config).PutParameter(t.Context(), &ssm.PutParameterInput{Name: aws.String("/dealer/plain"), Value: aws.String("opensesame"), Type: ssmtypes.ParameterTypeString, Overwrite: aws.Bool(true)}))
			w.publish(t, strings.Replace(profile, "crm-token", "plain", 1))
		}, republish), "ssm:/dealer/plain is a String", "inside.secrets fail"),
		row("a parameter that the worker may not read", two(withProfile("/dealer/crm-token", "/other/crm-token")), "not below /dealer/", "inside.secrets fail"),
		row("a secret that is not there", two(withProfile("dealer/store#token", "dealer/shop#token")), "secretsmanager:dealer/shop#token is not there", "inside.secrets fail"),
		row("a secret that the worker may not read", two(withProfile("dealer/store#token", "store#token")), "not below dealer/", "inside.secrets fail"),
		row("a secret to be deleted", two(func(t *testing.T, w *world) {
			must[any](t)(secretsmanager.NewFromConfig(w.config).DeleteSecret(t.Context(), &secretsmanager.DeleteSecretInput{SecretId: aws.String("dealer/store")}))
		}, func(t *testing.T, w *world) {
			must[any](t)(secretsmanager.NewFromConfig(w.config).RestoreSecret(t.Context(), &secretsmanager.RestoreSecretInput{SecretId: aws.String("dealer/store")}))
		}), "going to be deleted", "inside.secrets fail"),
		row("a secret of the environment", two(withProfile("ssm:/dealer/crm-token", "env:CRM_TOKEN")), "env:CRM_TOKEN cannot be read on AWS", "inside.secrets fail"),
		row("an alarm that is on", two(func(_ *testing.T, w *world) { w.alarm("FeedStaleAlarm", "ALARM", true) }, func(_ *testing.T, w *world) { w.alarm("FeedStaleAlarm", "OK", true) }),
			"FeedStaleAlarm: What seabright-FeedStaleAlarm means.", "inside.alarms fail"),
		row("an alarm deleted", two(gone("FeedStaleAlarm")), "1 of the stack's 2 alarms", "inside.alarms fail"),
		row("an alarm without actions", two(func(_ *testing.T, w *world) { w.alarm("FeedStaleAlarm", "OK", false) }, func(_ *testing.T, w *world) { w.alarm("FeedStaleAlarm", "OK", true) }), "turned off: FeedStaleAlarm", "inside.alarms warn"),
		row("a subscription nobody confirmed", two(told("sns:ListSubscriptionsByTopic", subscriptions, "arn:aws:sns:us-east-1:123456789012:alarms:1", "PendingConfirmation")), "1 subscriptions wait", "inside.alarm-topic fail"),
		row("nobody subscribed", two(told("sns:ListSubscriptionsByTopic", subscriptions, subscriptions, strings.Replace(subscriptions, subscription, "", 1))), "nobody is subscribed", "inside.alarm-topic fail"),
		row("no recovery", two(func(t *testing.T, w *world) { w.recovery(t, "LeadsTable", false) }, func(t *testing.T, w *world) { w.recovery(t, "LeadsTable", true) }), "LeadsTable has no point-in-time", "inside.recovery fail"),
		row("no deletion protection", two(func(t *testing.T, w *world) { w.protected(t, "InventoryTable", false) }, func(t *testing.T, w *world) { w.protected(t, "InventoryTable", true) }), "InventoryTable has no deletion", "inside.deletion fail"),
		row("items for ever", two(func(t *testing.T, w *world) { w.expires(t, "LeadsTable", false) }, func(t *testing.T, w *world) { w.expires(t, "LeadsTable", true) }), "LeadsTable keeps items for ever", "inside.expiry fail"),
		row("a bucket half open", two(func(t *testing.T, w *world) { w.closed(t, "SiteBucket", false) }, func(t *testing.T, w *world) { w.closed(t, "SiteBucket", true) }), "SiteBucket may be made public", "inside.buckets fail"),
		row("a bucket without a block", two(func(t *testing.T, w *world) {
			must[any](t)(cloudtest.Objects(w.endpoint).DeletePublicAccessBlock(t.Context(), &s3.DeletePublicAccessBlockInput{Bucket: aws.String(w.deployed.Resources["FeedBucket"])}))
		}, func(t *testing.T, w *world) { w.closed(t, "FeedBucket", true) }), "FeedBucket may be made public", "inside.buckets fail"),
		row("a log for ever", two(func(t *testing.T, w *world) { w.retention(t, "/dealer/seabright/agent", 0) }, func(t *testing.T, w *world) { w.retention(t, "/dealer/seabright/agent", 90) }), "/dealer/seabright/agent is kept for ever", "inside.logs warn"),
		// The last: what was told of the hour stays.
		row("a lead that waits", two(func(_ *testing.T, w *world) { w.waited(50*time.Minute, 10*time.Minute) }, nil), "a lead waited for 50m0s", "inside.waiting fail"),
	}
}

// What SNS lists, in the form of its query API.
const (
	subscription  = `<member><SubscriptionArn>arn:aws:sns:us-east-1:123456789012:alarms:1</SubscriptionArn><Protocol>email</Protocol><Endpoint>ops@seabright.example</Endpoint></member>`
	subscriptions = `<ListSubscriptionsByTopicResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><ListSubscriptionsByTopicResult><Subscriptions>` + subscription +
		`</Subscriptions></ListSubscriptionsByTopicResult></ListSubscriptionsByTopicResponse>`
)

// TestAStackIsExaminedFromInside has one stack, which takes a while to make.
func TestAStackIsExaminedFromInside(t *testing.T) {
	w := newWorld(t)
	t.Run("a missing right is a warning that names it", func(t *testing.T) { withoutRights(t, w) })
	t.Run("every fault is found and no other", func(t *testing.T) { withFaults(t, w) })
	t.Run("of many dealers each is looked at", func(t *testing.T) { withDealers(t, w) })
}

// withFaults seeds one fault after the other.
func withFaults(t *testing.T, w *world) {
	w.waited(10*time.Minute, 10*time.Minute)
	w.waited(50*time.Minute, 3*time.Hour) // long over
	well := w.findings(t)
	if bad := notWell(well); len(bad) > 0 || len(well) != 22 {
		t.Fatalf("a well stack:\n%s", text(well))
	}
	seen := map[string]bool{}
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			f.put(t, w)
			got := w.findings(t)
			if diff := cmp.Diff(f.want, notWell(got)); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, text(got))
			}
			if !strings.Contains(text(got), f.says) {
				t.Errorf("nothing says %q:\n%s", f.says, text(got))
			}
			for _, g := range got {
				if strings.Contains(g.Seen, "opensesame") || (g.Next != "") != (g.Verdict == inside.Warn || g.Verdict == inside.Fail) || g.Title == g.ID || g.Rule == "" {
					t.Errorf("%+v", g)
				}
			}
			if f.undo != nil {
				f.undo(t, w)
			}
		})
		for _, id := range f.want {
			seen[strings.Fields(id)[0]] = true
		}
	}
	for _, f := range well {
		if !seen[f.ID] {
			t.Errorf("%s was never seen to fail", f.ID)
		}
	}
}

// withoutRights denies each action by itself, and all
// at once: every action that is asked for is in the policy for people.
func withoutRights(t *testing.T, w *world) {
	all := w.findings(t)
	want := slices.DeleteFunc(inside.Actions(), func(a string) bool { return strings.HasPrefix(a, "cloudformation:") })
	asked := slices.Sorted(maps.Keys(w.asked))
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Fatalf("(-allowed +asked):\n%s", diff)
	}
	for _, action := range want {
		w.denied = map[string]bool{action: true}
		got := w.findings(t)
		warned := 0
		for _, f := range got {
			if f.Verdict == inside.Fail {
				t.Errorf("without %s: %+v", action, f)
			}
			if f.Verdict == inside.Warn && strings.Contains(f.Seen, action) && strings.Contains(f.Next, action) {
				warned++
			}
			if strings.Contains(f.Seen, "maxine") {
				t.Errorf("AWS's words are told: %+v", f)
			}
		}
		if warned == 0 || len(got) != len(all) {
			t.Errorf("without %s:\n%s", action, text(got))
		}
	}
	for _, action := range want {
		w.denied[action] = true
	}
	for _, f := range w.findings(t) {
		if f.Verdict == inside.Fail || f.Verdict == inside.Pass && f.ID != "inside.stack" {
			t.Errorf("without any right: %+v", f)
		}
	}
	// Answers of garbage end nothing either.
	w.denied = map[string]bool{}
	for _, action := range []string{"ses:GetAccount", "lambda:GetFunctionConfiguration", "s3:ListBucket", "sqs:GetQueueAttributes", "ssm:DescribeParameters"} {
		w.recorded[action] = "\x00not an answer"
	}
	for _, f := range w.findings(t) {
		if f.Verdict == inside.Fail || strings.Contains(f.Seen, "not an answer") {
			t.Errorf("garbage: %+v", f)
		}
	}
	w.denied, w.recorded = map[string]bool{}, map[string]string{"ses:GetAccount": account, "ses:GetEmailIdentity": domain}
}

// withDealers makes the stack one of three dealers, of which one is at fault in
// everything.
func withDealers(t *testing.T, w *world) {
	clear(w.watch.points)
	w.deployed.Parameters["Dealers"] = "many"
	settings := w.stack.Settings
	settings.ProfileKey = "dealers/"
	w.stack = cloud.NewStack(settings, w.stack.Config())
	objects, bucket := cloudtest.Objects(w.endpoint), w.deployed.Resources["SiteBucket"]
	profileOf := func(id string) []byte {
		return []byte(strings.NewReplacer("id: seabright", "id: "+id, "/dealer/", "/dealer/"+id+"/", "dealer/store", "dealer/"+id+"/store").Replace(profile))
	}
	for _, id := range []string{"harbor", "north"} {
		cloudtest.Put(t, objects, bucket, settings.ProfileKeyOf(id), profileOf(id))
		cloudtest.Parameter(t, w.endpoint, "/dealer/"+id+"/crm-token", "opensesame")
		must[any](t)(secretsmanager.NewFromConfig(w.config).CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{
			Name: aws.String("dealer/" + id + "/store"), SecretString: aws.String(`{"token":"opensesame"}`),
		}))
		w.inventoryOf(t, id, w.now.Add(-2*time.Hour))
		cloudtest.Put(t, objects, w.deployed.Resources["FeedBucket"], "reports/feeds/"+id+"/lot.csv.json", fmt.Appendf(nil, `{"feed":"s3://f/feeds/%s/lot.csv","result":"imported"}`, id))
	}
	must[any](t)(objects.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(w.deployed.Resources["FeedBucket"]), Key: aws.String("reports/feeds/lot.csv.json")}))
	if err := site.Handler(w.stack)(t.Context(), []byte(`{"source":"aws.events"}`)); err != nil {
		t.Fatal(err)
	}
	if got := w.findings(t); len(notWell(got)) > 0 || !strings.Contains(text(got), "those of 2 dealers") || !strings.Contains(text(got), "the last files of 2 dealers") {
		t.Errorf("well dealers:\n%s", text(got))
	}
	// Unpublished, without inventory, with another's secrets and a refused file.
	cloudtest.Put(t, objects, bucket, settings.ProfileKeyOf("west"), []byte(strings.Replace(string(profileOf("harbor")), "id: harbor", "id: west", 1)))
	cloudtest.Put(t, objects, bucket, settings.ProfileKeyOf("south"), profileOf("north"))
	cloudtest.Put(t, objects, w.deployed.Resources["FeedBucket"], "reports/feeds/west/lot.csv.json", []byte(`{"feed":"s3://f/feeds/west/lot.csv","result":"refused"}`))
	got := w.findings(t)
	want := []string{"inside.profile fail", "inside.published fail", "inside.feed-age fail", "inside.feed-report fail", "inside.secrets fail"}
	if diff := cmp.Diff(want, notWell(got)); diff != "" {
		t.Errorf("(-want +got):\n%s%s", diff, text(got))
	}
	for _, says := range []string{
		"dealers/south/dealer.yaml is of dealer north", "west: /.well-known/agent-card.json is missing", "west: nothing was imported", "feeds/west/lot.csv was refused",
		"west: ssm:/dealer/harbor/crm-token is not below /dealer/west/",
	} {
		if !strings.Contains(text(got), says) {
			t.Errorf("nothing says %q:\n%s", says, text(got))
		}
	}
}
