package inside

import "slices"

// rule is what one check is about.
type rule struct{ id, title, rule, url, next string }

// The guides that are cited.
const (
	guides  = "https://docs.aws.amazon.com/"
	ses     = guides + "ses/latest/dg/"
	dynamo  = guides + "amazondynamodb/latest/developerguide/"
	sqsDocs = guides + "AWSSimpleQueueService/latest/SQSDeveloperGuide/"
	aapDocs = "https://autoagentprotocol.org/docs/v1.3/"
)

// rules has one row a check, in the order of an examination.
var rules = [...]rule{
	{"inside.stack", "The last deployment of the stack succeeded", "CloudFormation User Guide, stack status", guides + "AWSCloudFormation/latest/UserGuide/view-stack-events.html",
		"Read the stack's events, mend what they name and deploy again: aws cloudformation describe-stack-events --stack-name NAME."},
	{"inside.profile", "The dealer profile can be read and used", "README, the dealer profile", "",
		"Mend the profile and upload it with the command in the stack's output Step2UploadProfile."},
	{"inside.published", "The published files are those that the profile gives", "AAP v1.3 discovery", aapDocs + "discovery",
		"Run dealer publish, or upload the profile again, and look at the publish function's log if they stay different."},
	{"inside.functions", "Every function runs its newest code on arm64", "Lambda Developer Guide, function states", guides + "lambda/latest/dg/functions-states.html",
		"Deploy again; the reason that Lambda gives says what hinders the function."},
	{"inside.certificate", "The certificate of the host name is issued and valid for three weeks more", "Certificate Manager User Guide, managed renewal", guides + "acm/latest/userguide/managed-renewal.html",
		"See that the certificate's validation record is still in your DNS, or import a new certificate under the same ARN."},
	{"inside.feed-age", "The inventory is as young as the profile promises", "AAP v1.3 behavior-rules", aapDocs + "behavior-rules",
		"See that the dealer's system exports each day and that the export reaches the feed bucket."},
	{"inside.feed-report", "The last inventory file was taken", "AAP v1.3 behavior-rules", aapDocs + "behavior-rules",
		"Read the report in the feed bucket; it names the rows and columns at fault."},
	{"inside.queue", "Leads do not wait to be handed over", "SQS Developer Guide, CloudWatch metrics", sqsDocs + "sqs-available-cloudwatch-metrics.html",
		"The lead worker's log names each lead that waits, its target and the reason."},
	{"inside.waiting", "No lead has waited for longer than 20 minutes", "SQS Developer Guide, CloudWatch metrics", sqsDocs + "sqs-available-cloudwatch-metrics.html",
		"The lead worker's log names the lead, the target and the reason; call the CRM's support with these."},
	{"inside.dead-letters", "No lead was given up", "SQS Developer Guide, dead-letter queues", sqsDocs + "sqs-dead-letter-queues.html",
		"Find the cause in the lead worker's log, then run the command in the stack's output RetryDeadLetters."},
	{"inside.ses-identity", "SES has verified the address or domain that leads are mailed from", "SES Developer Guide, verified identities", ses + "verify-addresses-and-domains.html",
		"Verify the domain in SES, in the region of the stack, and give it as the parameter SesIdentity."},
	{"inside.ses-sandbox", "SES sends to every receiver", "SES Developer Guide, moving out of the sandbox", ses + "request-production-access.html",
		"Ask for production access in the SES console, or verify each receiver's address until it is granted."},
	{"inside.ses-dkim", "Mails of the domain are signed", "SES Developer Guide, DKIM", ses + "send-email-authentication-dkim.html",
		"Put the three CNAME records that SES shows for the domain into its DNS."},
	{"inside.ses-mail-from", "Mails leave under a MAIL FROM domain of your own", "SES Developer Guide, custom MAIL FROM domain", ses + "mail-from.html",
		"Set a MAIL FROM domain with its MX and SPF records: some CRMs drop mail whose SPF domain is not the sender's."},
	{"inside.secrets", "Every secret that the profile names is there", "Systems Manager User Guide, Parameter Store", guides + "systems-manager/latest/userguide/systems-manager-parameter-store.html",
		"Store the secret under that name, below the parameter SecretPrefix, as SecureString or in Secrets Manager."},
	{"inside.alarms", "No alarm is on", "CloudWatch User Guide, alarms", guides + "AmazonCloudWatch/latest/monitoring/AlarmThatSendsEmail.html",
		"Each alarm's description says what happened and where to look."},
	{"inside.alarm-topic", "Somebody hears of alarms", "SNS Developer Guide, confirming a subscription", guides + "sns/latest/dg/SendMessageToHttp.confirm.html",
		"Deploy with AlarmEmail, or subscribe to the stack's output AlarmTopicArn, and confirm by the link in AWS's mail."},
	{"inside.recovery", "Tables can be brought back to any second", "DynamoDB Developer Guide, point-in-time recovery", dynamo + "PointInTimeRecovery.html",
		"Turn point-in-time recovery on again: deploying the stack does so once a property of the table changes; aws dynamodb update-continuous-backups at once."},
	{"inside.deletion", "Tables cannot be deleted by mistake", "DynamoDB Developer Guide, deletion protection", dynamo + "WorkingWithTables.Basics.html#WorkingWithTables.Basics.DeletionProtection",
		"Turn it on: aws dynamodb update-table --deletion-protection-enabled --table-name NAME."},
	{"inside.expiry", "Items end when their time is over", "DynamoDB Developer Guide, time to live", dynamo + "TTL.html",
		"Turn time to live on for the attribute expires: without it leads are kept beyond what the profile promises."},
	{"inside.buckets", "No bucket can be made public", "S3 User Guide, blocking public access", guides + "AmazonS3/latest/userguide/access-control-block-public-access.html",
		"Turn all four settings of the public access block on, for the bucket named here."},
	{"inside.logs", "Logs are deleted after a time", "CloudWatch Logs User Guide, retention", guides + "AmazonCloudWatch/latest/logs/Working-with-log-groups-and-streams.html#SettingLogRetention",
		"Set the retention of the log group named here; deploying the stack does so too."},
}

func ruleOf(id string) rule {
	for _, r := range rules {
		if r.id == id {
			return r
		}
	}
	return rule{id: id, title: id}
}

// actions are the rights that the examination asks for, apart from those of
// reading the stack itself.
var actions = []string{
	"acm:DescribeCertificate", "cloudformation:DescribeStacks", "cloudformation:ListStackResources", "cloudwatch:DescribeAlarms", "cloudwatch:GetMetricStatistics",
	"dynamodb:DescribeContinuousBackups", "dynamodb:DescribeTable", "dynamodb:DescribeTimeToLive", "dynamodb:GetItem", "lambda:GetFunctionConfiguration",
	"logs:DescribeLogGroups", "s3:GetBucketPublicAccessBlock", "s3:GetObject", "s3:ListBucket", "secretsmanager:DescribeSecret", "ses:GetAccount", "ses:GetEmailIdentity",
	"sns:ListSubscriptionsByTopic", "sqs:GetQueueAttributes", "ssm:DescribeParameters",
}

// Actions are all rights that a person needs to examine a stack and to find it
// by its name.
func Actions() []string { return slices.Clone(actions) }
