package stack

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// trusted is the one service that may assume the role, or "".
func trusted(role tree) string {
	statements := list(at(role, "AssumeRolePolicyDocument", "Statement"))
	if len(statements) != 1 || textAt(statements, 0, "Effect") != "Allow" || len(treeAt(statements, 0, "Principal")) != 1 {
		return ""
	}
	if actions := list(at(statements, 0, "Action")); len(actions) != 1 || actions[0] != "sts:AssumeRole" {
		return ""
	}
	services := list(at(statements, 0, "Principal", "Service"))
	if len(services) != 1 {
		return ""
	}
	return render(services[0])
}

// grant is one action on one resource.
type grant struct{ action, resource string }

// needs are what each role must be able to do, and all it may. Log stands for
// the function's own log group.
var needs = map[string]map[string][]string{
	"SiteReaderRole": {
		"${SiteBucket.Arn}/.well-known/*": {"s3:GetObject"},
	},
	"AgentRole": {
		"${AgentLogGroup.Arn}":            {"logs:CreateLogStream", "logs:PutLogEvents"},
		"${SiteBucket.Arn}/${ProfileKey}": {"s3:GetObject"},
		"${InventoryTable.Arn}":           {"dynamodb:BatchGetItem", "dynamodb:GetItem"},
		"${LeadsTable.Arn}":               {"dynamodb:BatchGetItem", "dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"},
		"${LeadQueue.Arn}":                {"sqs:SendMessage"},
	},
	"McpRole": {
		"${McpLogGroup.Arn}":              {"logs:CreateLogStream", "logs:PutLogEvents"},
		"${SiteBucket.Arn}/${ProfileKey}": {"s3:GetObject"},
		"${InventoryTable.Arn}":           {"dynamodb:BatchGetItem", "dynamodb:GetItem"},
		"${LeadsTable.Arn}":               {"dynamodb:BatchGetItem", "dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"},
		"${LeadQueue.Arn}":                {"sqs:SendMessage"},
	},
	"LeadWorkerRole": {
		"${LeadWorkerLogGroup.Arn}":                                {"logs:CreateLogStream", "logs:PutLogEvents"},
		"${SiteBucket.Arn}/${ProfileKey}":                          {"s3:GetObject"},
		"${LeadsTable.Arn}":                                        {"dynamodb:ConditionCheckItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"},
		"${LeadQueue.Arn}":                                         {"sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"},
		account("ssm", "parameter/${SecretPrefix}/*"):              {"ssm:GetParameter"},
		account("secretsmanager", "secret:${SecretPrefix}/*"):      {"secretsmanager:GetSecretValue"},
		account("ses", "identity/${SesIdentity}"):                  {"ses:SendEmail", "ses:SendRawEmail"},
		account("ses", "configuration-set/${SesConfigurationSet}"): {"ses:SendEmail", "ses:SendRawEmail"},
		"arn:${AWS::Partition}:s3:::${LeadDropBucket}/*":           {"s3:PutObject"},
	},
	"ApiLogRole": {
		"arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:*": {
			"logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogGroups", "logs:DescribeLogStreams", "logs:FilterLogEvents", "logs:GetLogEvents", "logs:PutLogEvents",
		},
	},
	"SweeperRole": {
		"${SweeperLogGroup.Arn}":          {"logs:CreateLogStream", "logs:PutLogEvents"},
		"${SiteBucket.Arn}/${ProfileKey}": {"s3:GetObject"},
		"${LeadsTable.Arn}":               {"dynamodb:DeleteItem", "dynamodb:Query"},
		"${LeadQueue.Arn}":                {"sqs:SendMessage"},
	},
	"PublishRole": {
		"${PublishLogGroup.Arn}":          {"logs:CreateLogStream", "logs:PutLogEvents"},
		"${SiteBucket.Arn}/${ProfileKey}": {"s3:GetObject", "s3:PutObject"},
		"${SiteBucket.Arn}/.well-known/*": {"s3:DeleteObject", "s3:GetObject", "s3:PutObject"},
	},
	"FeedImportRole": {
		"${FeedImportLogGroup.Arn}":       {"logs:CreateLogStream", "logs:PutLogEvents"},
		"${SiteBucket.Arn}/${ProfileKey}": {"s3:GetObject"},
		"${InventoryTable.Arn}":           {"dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"},
		"${FeedBucket.Arn}":               {"s3:ListBucket"},
		"${FeedBucket.Arn}/feeds/*":       {"s3:GetObject"},
		"${FeedBucket.Arn}/reports/*":     {"s3:PutObject"},
		"${FeedBucket.Arn}/pickups/*":     {"s3:PutObject"},

		account("ssm", "parameter/${SecretPrefix}/*"):         {"ssm:GetParameter"},
		account("secretsmanager", "secret:${SecretPrefix}/*"): {"secretsmanager:GetSecretValue"},
	},
}

// account is the ARN of a resource of this account that is not of this stack.
func account(service, resource string) string {
	return "arn:${AWS::Partition}:" + service + ":${AWS::Region}:${AWS::AccountId}:" + resource
}

// byARN writes a bucket's ARN that is made of its name as ${Bucket.Arn}.
func (t template) byARN(resource string) string {
	for _, id := range t.of("AWS::S3::Bucket") {
		if name := at(t.props(id), "BucketName"); name != nil {
			arn := "arn:${AWS::Partition}:s3:::" + render(name)
			if rest, ok := strings.CutPrefix(resource, arn); ok && (rest == "" || rest[0] == '/') {
				return "${" + id + ".Arn}" + rest
			}
		}
	}
	return resource
}

// checkRoles: each role trusts one service, carries no policy of AWS's, and
// grants exactly what is needed.
func checkRoles(t template) (f faults) {
	for _, kind := range []string{"AWS::IAM::Policy", "AWS::IAM::RolePolicy", "AWS::IAM::ManagedPolicy", "AWS::IAM::User", "AWS::IAM::Group"} {
		if more := t.of(kind); len(more) > 0 {
			f.add("%v: policies belong into the roles", more)
		}
	}
	for _, id := range t.of("AWS::IAM::Role") {
		p := t.props(id)
		if managed := listAt(p, "ManagedPolicyArns"); len(managed) > 0 {
			f.add("%s: managed policies reach further than one function: %v", id, managed)
		}
		service := trusted(p)
		if want := serviceOf(id); service != want {
			f.add("%s: may be assumed by %q, want %s alone", id, service, want)
		}
		if got := textAt(p, "AssumeRolePolicyDocument", "Version"); got != "2012-10-17" {
			f.add("%s: trust policy has version %q", id, got)
		}
		if needs[id] == nil {
			f.add("%s: nobody needs this role", id)
			continue
		}
		granted := map[grant]bool{}
		for n := range listAt(p, "Policies") {
			document := maps.Clone(treeAt(p, "Policies", n, "PolicyDocument"))
			document["Statement"] = slices.DeleteFunc(slices.Clone(list(document["Statement"])), writesTraces)
			f = append(f, checkDocument(id, document)...)
			for _, statement := range list(document["Statement"]) {
				for _, action := range list(at(statement, "Action")) {
					for _, resource := range list(at(statement, "Resource")) {
						granted[grant{render(action), t.byARN(render(resource))}] = true
					}
				}
			}
		}
		for resource, actions := range needs[id] {
			for _, action := range actions {
				if g := (grant{action, resource}); !granted[g] {
					f.add("%s: may not %s on %s, which its function needs", id, action, resource)
				} else {
					delete(granted, g)
				}
			}
		}
		for g := range granted {
			f.add("%s: may %s on %s, which its function does not need", id, g.action, g.resource)
		}
	}
	for _, id := range sorted(needs) {
		if !t.isA(id, "AWS::IAM::Role") {
			f.add("%s is missing", id)
		}
	}
	return f
}

func serviceOf(role string) string {
	if role == "SiteReaderRole" || role == "ApiLogRole" {
		return "apigateway.amazonaws.com"
	}
	return "lambda.amazonaws.com"
}

// What policies of this template may hold; anything else may be misspelt.
var (
	knownActions = []string{
		"dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem",
		"logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogGroups", "logs:DescribeLogStreams", "logs:FilterLogEvents", "logs:GetLogEvents", "logs:PutLogEvents", "s3:DeleteObject", "s3:GetObject", "s3:ListBucket", "s3:PutObject", "sns:Publish",
		"secretsmanager:GetSecretValue", "ses:SendEmail", "ses:SendRawEmail", "ssm:GetParameter",
		"sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:SendMessage",
	}
	knownConditions = map[string][]string{
		"Bool":         {"aws:SecureTransport"},
		"StringEquals": {"aws:SourceAccount"},
		"ArnLike":      {"aws:SourceArn"},
	}
	statementMembers = []string{"Sid", "Effect", "Principal", "Action", "Resource", "Condition"}
	unscoped         = regexp.MustCompile(`^[^$]*\*`)
)

// checkDocument: a policy is in the form IAM reads, and what it allows is named.
func checkDocument(where string, document tree) (f faults) {
	if got := textAt(document, "Version"); got != "2012-10-17" {
		f.add("%s: policy has version %q", where, got)
	}
	statements := list(document["Statement"])
	if len(statements) == 0 {
		f.add("%s: policy says nothing", where)
	}
	for _, s := range statements {
		statement, _ := s.(tree)
		for _, member := range sorted(statement) {
			if !slices.Contains(statementMembers, member) {
				f.add("%s: a statement has the member %s", where, member)
			}
		}
		effect := textAt(s, "Effect")
		if effect != "Allow" && effect != "Deny" {
			f.add("%s: effect %q", where, effect)
		}
		actions, resources := list(at(s, "Action")), list(at(s, "Resource"))
		if len(actions) == 0 || len(resources) == 0 {
			f.add("%s: a statement lacks actions or resources", where)
		}
		for _, action := range actions {
			if name := render(action); effect == "Allow" && !slices.Contains(knownActions, name) {
				f.add("%s: action %s is not one that this template uses", where, name)
			}
		}
		for _, resource := range resources {
			if name := render(resource); effect == "Allow" && (unscoped.MatchString(name) || !strings.Contains(name, "${")) {
				f.add("%s: resource %s is no resource of this template", where, name)
			}
		}
		for operator, tests := range treeAt(s, "Condition") {
			for key := range treeAt(tests) {
				if !slices.Contains(knownConditions[operator], key) {
					f.add("%s: condition %s on %s is not one that this template uses", where, operator, key)
				}
			}
		}
	}
	return f
}

// checkPermissions: functions may be called only by this stack's API, bucket
// and schedule.
func checkPermissions(t template) (f faults) {
	callers := map[string][]string{
		"AgentFunction":      {"apigateway.amazonaws.com arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/live/*/a2a* "},
		"McpFunction":        {"apigateway.amazonaws.com arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/live/*/mcp "},
		"FeedImportFunction": {"s3.amazonaws.com ${FeedBucket.Arn} ${AWS::AccountId}", "events.amazonaws.com ${PickupSchedule.Arn} "},
		"PublishFunction":    {"events.amazonaws.com ${PublishRule.Arn} "},
		"SweeperFunction":    {"events.amazonaws.com ${SweepSchedule.Arn} "},
	}
	called := map[string]int{}
	for _, id := range t.of("AWS::Lambda::Permission") {
		p := t.props(id)
		function := strings.Trim(render(p["FunctionName"]), "${}")
		account := ""
		if p["SourceAccount"] != nil {
			account = render(p["SourceAccount"])
		}
		got := render(p["Principal"]) + " " + t.byARN(render(p["SourceArn"])) + " " + account
		if textAt(p, "Action") != "lambda:InvokeFunction" || !slices.Contains(callers[function], got) {
			f.add("%s: %s on %s is allowed to %s, want %q", id, textAt(p, "Action"), function, got, callers[function])
		}
		called[function]++
	}
	for _, function := range sorted(callers) {
		if called[function] < len(callers[function]) {
			f.add("%s: nobody may call it, or not everybody who must", function)
		}
	}
	return f
}

// checkResourcePolicies: policies on resources open nothing to the world.
func checkResourcePolicies(t template) (f faults) {
	for _, id := range t.of("AWS::S3::BucketPolicy", "AWS::SNS::TopicPolicy", "AWS::SQS::QueuePolicy") {
		document := treeAt(t.props(id), "PolicyDocument")
		f = append(f, checkDocument(id, document)...)
		for _, statement := range list(document["Statement"]) {
			if textAt(statement, "Effect") == "Allow" && (textAt(statement, "Principal", "Service") == "" || len(treeAt(statement, "Condition")) == 0) {
				f.add("%s: allows %s without naming a service and a condition", id, render(at(statement, "Principal")))
			}
		}
	}
	return f
}

// allowed are all actions that any role has.
func allowed() []string {
	var all []string
	for _, resources := range needs {
		for _, actions := range resources {
			all = append(all, actions...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
