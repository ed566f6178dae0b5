package stack

import (
	"encoding/json"
	"fmt"
	"slices"
)

// tableShape is what both tables look like, in CreateTable's words.
const tableShape = `{"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],` +
	`"BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]}`

// ttlAttribute is when an item ends.
const ttlAttribute = "expires"

// shapeOf picks what tableShape tells.
func shapeOf(table tree) string {
	raw, err := json.Marshal(tree{
		"AttributeDefinitions": table["AttributeDefinitions"], "KeySchema": table["KeySchema"], "BillingMode": table["BillingMode"],
	})
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// checkKept: the resource outlives the stack and its replacement.
func (t template) checkKept(id string) (f faults) {
	for _, policy := range []string{"DeletionPolicy", "UpdateReplacePolicy"} {
		if got := textAt(tree(t), "Resources", id, policy); got != "Retain" {
			f.add("%s: %s is %q, want Retain", id, policy, got)
		}
	}
	return f
}

func checkTables(t template) (f faults) {
	ids := t.of("AWS::DynamoDB::Table", "AWS::Serverless::SimpleTable", "AWS::DynamoDB::GlobalTable")
	if !slices.Equal(ids, []string{"InventoryTable", "LeadsTable"}) {
		f.add("the tables are %v", ids)
	}
	for _, id := range ids {
		p := t.props(id)
		if got := shapeOf(p); got != tableShape {
			f.add("%s is\n%s, want\n%s", id, got, tableShape)
		}
		if textAt(p, "TimeToLiveSpecification", "AttributeName") != ttlAttribute || !flagAt(p, "TimeToLiveSpecification", "Enabled") {
			f.add("%s: items do not end at %q", id, ttlAttribute)
		}
		if !flagAt(p, "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled") {
			f.add("%s: no point-in-time recovery", id)
		}
		if !flagAt(p, "SSESpecification", "SSEEnabled") || textAt(p, "SSESpecification", "SSEType") != "KMS" {
			f.add("%s: not encrypted with KMS", id)
		}
		if !flagAt(p, "DeletionProtectionEnabled") {
			f.add("%s: no deletion protection", id)
		}
		f = append(f, t.checkKept(id)...)
	}
	return f
}

// The numbers of the queues.
const (
	maxReceives      = 40
	visibilityFactor = 6
	deadLetterDays   = 14
)

// checkQueues: a lead id comes back no sooner than its worker is done, for half
// a day at most, and then waits two weeks for a person.
func checkQueues(t template) (f faults) {
	if ids := t.of("AWS::SQS::Queue"); !slices.Equal(ids, []string{"LeadDeadLetters", "LeadQueue"}) {
		f.add("the queues are %v", ids)
	}
	for _, id := range t.of("AWS::SQS::Queue") {
		if p := t.props(id); render(p["KmsMasterKeyId"]) != "alias/aws/sqs" && !flagAt(p, "SqsManagedSseEnabled") {
			f.add("%s: not encrypted", id)
		}
	}
	leads, dead := t.props("LeadQueue"), t.props("LeadDeadLetters")
	timeout := numAt(t.function("LeadWorkerFunction"), "Timeout")
	if got := numAt(leads, "VisibilityTimeout"); got < visibilityFactor*timeout {
		f.add("LeadQueue: a message comes back after %v seconds, want %v or more", got, visibilityFactor*timeout)
	}
	if got := render(at(leads, "RedrivePolicy", "deadLetterTargetArn")); got != "${LeadDeadLetters.Arn}" {
		f.add("LeadQueue: dead letters go to %s", got)
	}
	if got := numAt(leads, "RedrivePolicy", "maxReceiveCount"); got != maxReceives {
		f.add("LeadQueue: dead after %v tries, want %d", got, maxReceives)
	}
	if got := numAt(dead, "MessageRetentionPeriod"); got != deadLetterDays*86400 {
		f.add("LeadDeadLetters: kept %v seconds, want %d days", got, deadLetterDays)
	}
	if got := numAt(leads, "MessageRetentionPeriod"); got >= deadLetterDays*86400 {
		f.add("LeadQueue: kept %v seconds, as long as dead letters, whose age counts from the start", got)
	}
	return f
}

// checkBuckets: no bucket is public, all speak TLS only, and nothing is lost.
func checkBuckets(t template) (f faults) {
	ids := t.of("AWS::S3::Bucket")
	if !slices.Equal(ids, []string{"FeedBucket", "SiteBucket"}) {
		f.add("the buckets are %v", ids)
	}
	for _, id := range ids {
		p := t.props(id)
		for _, block := range []string{"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"} {
			if !flagAt(p, "PublicAccessBlockConfiguration", block) {
				f.add("%s: %s is off", id, block)
			}
		}
		if p["AccessControl"] != nil || p["WebsiteConfiguration"] != nil {
			f.add("%s: has an ACL or is a web site", id)
		}
		if got := textAt(p, "OwnershipControls", "Rules", 0, "ObjectOwnership"); got != "BucketOwnerEnforced" {
			f.add("%s: objects are owned by %q", id, got)
		}
		if textAt(p, "VersioningConfiguration", "Status") != "Enabled" {
			f.add("%s: not versioned", id)
		}
		if got := textAt(p, "BucketEncryption", "ServerSideEncryptionConfiguration", 0, "ServerSideEncryptionByDefault", "SSEAlgorithm"); got != "aws:kms" {
			f.add("%s: encrypted with %q", id, got)
		}
		old := false
		for _, rule := range listAt(p, "LifecycleConfiguration", "Rules") {
			if textAt(rule, "Status") != "Enabled" {
				f.add("%s: lifecycle rule %s is off", id, textAt(rule, "Id"))
			}
			old = old || numAt(rule, "NoncurrentVersionExpiration", "NoncurrentDays") > 0 && textAt(rule, "Prefix") == ""
			if days := at(rule, "ExpirationInDays"); days != nil && textAt(rule, "Prefix") == "" {
				f.add("%s: everything is deleted after %v days", id, days)
			}
		}
		if !old {
			f.add("%s: old versions are kept for ever", id)
		}
		f = append(f, t.checkKept(id)...)
		if !t.onlyTLS(id) {
			f.add("%s: takes requests without TLS", id)
		}
	}
	return f
}

// onlyTLS looks for the statement that denies everybody everything without TLS.
func (t template) onlyTLS(bucket string) bool {
	whole := fmt.Sprintf("[${%s.Arn} ${%s.Arn}/*]", bucket, bucket)
	for _, id := range t.of("AWS::S3::BucketPolicy") {
		p := t.props(id)
		if render(p["Bucket"]) != "${"+bucket+"}" {
			continue
		}
		for _, s := range list(at(p, "PolicyDocument", "Statement")) {
			var resources []string
			for _, r := range list(at(s, "Resource")) {
				resources = append(resources, render(r))
			}
			if textAt(s, "Effect") == "Deny" && render(at(s, "Principal")) == "*" && render(at(s, "Action")) == "s3:*" &&
				fmt.Sprint(resources) == whole && render(at(s, "Condition", "Bool", "aws:SecureTransport")) == "false" {
				return true
			}
		}
	}
	return false
}
