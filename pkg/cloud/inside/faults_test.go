package inside_test

import (
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

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

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
		row("a secret of a feed's source that is not there", two(withProfile("delivery:", `feed: {sources: [{name: dms, url: "https://exports.seabright.example/lot.csv", auth: {type: bearer, secret: "ssm:/dealer/dms-token"}}]}
delivery:`)), "ssm:/dealer/dms-token is not there", "inside.secrets fail"),
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
