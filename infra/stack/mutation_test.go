package stack

import (
	"strings"
	"testing"
)

// seeded is a fault put into the template, and who must find it.
type seeded struct {
	fault string
	check string
	says  string
	put   func(tree)
}

// set puts the value at the end of the path; lists are followed by index.
func set(value any, path ...any) func(tree) {
	return func(t tree) {
		last := len(path) - 1
		switch parent := at(t, path[:last]...).(type) {
		case tree:
			if value == nil {
				delete(parent, path[last].(string))
				return
			}
			parent[path[last].(string)] = value
		case []any:
			parent[path[last].(int)] = value
		default:
			panic("the path leads nowhere")
		}
	}
}

// in is a path to a property of a resource.
func in(id string, path ...any) []any { return append([]any{"Resources", id, "Properties"}, path...) }

// method is a path into one method of the API.
func method(path, name string, more ...any) []any {
	return append(in("Api", "DefinitionBody", "paths", path, name), more...)
}

const (
	file        = "/.well-known/{file}"
	integration = "x-amazon-apigateway-integration"
)

func ref(name string) tree { return tree{"Ref": name} }
func sub(text string) tree { return tree{"Fn::Sub": text} }

// inStatement is a path into a statement of a function's role.
func inStatement(role string, n int, more ...any) []any {
	return append(in(role, "Policies", 0, "PolicyDocument", "Statement", n), more...)
}

// mutations are all seeded faults.
var mutations = [][]seeded{functionFaults, apiFaults, refusalFaults, doorFaults, rateFaults, dashboardFaults, observationFaults, policyFaults, stateFaults, eventFaults, manualFaults}

func TestEveryCheckFindsItsSeededFaults(t *testing.T) {
	found := map[string]bool{}
	for _, group := range mutations {
		for _, m := range group {
			t.Run(m.check+"/"+m.fault, func(t *testing.T) {
				mutant := readTemplate(t)
				m.put(mutant)
				c, ok := checkNamed(m.check)
				if !ok {
					t.Fatalf("no check is called %q", m.check)
				}
				all := strings.Join(c.find(mutant), "\n")
				if !strings.Contains(all, m.says) || all == "" {
					t.Errorf("want a fault that says %q, got:\n%s", m.says, all)
				}
			})
			found[m.check] = true
		}
	}
	for _, c := range checks {
		if !found[c.name] {
			t.Errorf("check %q was never seen to fail", c.name)
		}
	}
}

var functionFaults = []seeded{
	{"a function without code", "functions", "there is no functions/ghost", func(t tree) { set(t["Resources"].(tree)["AgentFunction"], "Resources", "GhostFunction")(t) }},
	{"code without a function", "functions", "functions/leadworker has no function", set(nil, "Resources", "LeadWorkerFunction")},
	{"no make target", "functions", "no target build-GhostFunction", func(t tree) { set(t["Resources"].(tree)["AgentFunction"], "Resources", "GhostFunction")(t) }},
	{"another runtime", "functions", "Runtime", set("go1.x", "Globals", "Function", "Runtime")},
	{"another processor", "functions", "arm64", set("x86_64", "Globals", "Function", "Architectures", 0)},
	{"another handler", "functions", "Handler", set("main", in("AgentFunction", "Handler")...)},
	{"code from elsewhere", "functions", "CodeUri", set("functions/agent", in("AgentFunction", "CodeUri")...)},
	{"SAM's own Go builder", "functions", "BuildMethod", set("go1.x", "Resources", "AgentFunction", "Metadata", "BuildMethod")},
	{"the role left to SAM", "functions", "not one of the written-out roles", set(nil, in("AgentFunction", "Role")...)},
	{"a role shared", "functions", "share the role", set(tree{"Fn::GetAtt": []any{"AgentRole", "Arn"}}, in("LeadWorkerFunction", "Role")...)},
	{"a policy template", "functions", "Policies would widen", set([]any{"AmazonS3FullAccess"}, in("AgentFunction", "Policies")...)},
	{"a public function URL", "functions", "FunctionUrlConfig", set(tree{"AuthType": "NONE"}, in("AgentFunction", "FunctionUrlConfig")...)},
	{"longer than API Gateway waits", "functions", "waits for 29", set(30.0, in("AgentFunction", "Timeout")...)},
	{"no timeout", "functions", "Timeout is 0", set(nil, in("LeadWorkerFunction", "Timeout")...)},

	{"a variable missing", "environment", "DEALER_QUEUE_URL is missing", set(nil, in("AgentFunction", "Environment", "Variables", "DEALER_QUEUE_URL")...)},
	{"a variable that nothing reads", "environment", "nothing reads DEALER_INVENTORY_TABEL", set("x", in("AgentFunction", "Environment", "Variables", "DEALER_INVENTORY_TABEL")...)},
	{"another function's variable", "environment", "nothing reads DEALER_QUEUE_URL", set(ref("LeadQueue"), in("FeedImportFunction", "Environment", "Variables", "DEALER_QUEUE_URL")...)},
	{"a global variable missing", "environment", "DEALER_PROFILE_BUCKET is missing", set(nil, "Globals", "Function", "Environment", "Variables", "DEALER_PROFILE_BUCKET")},
	{"the wrong table", "environment", "the leads table is InventoryTable", set(ref("InventoryTable"), in("AgentFunction", "Environment", "Variables", "DEALER_LEADS_TABLE")...)},
	{"a queue's name for its URL", "environment", "DEALER_QUEUE_URL", set(tree{"Fn::GetAtt": []any{"LeadQueue", "QueueName"}}, in("AgentFunction", "Environment", "Variables", "DEALER_QUEUE_URL")...)},
	{"a value that settings refuse", "environment", "must be a duration", set("60", "Globals", "Function", "Environment", "Variables", "DEALER_PROFILE_MAX_AGE")},
	{"a key in the open", "environment", "not a reference to a secret that this template makes", set("0123456789abcdef0123456789abcdef", in("McpFunction", "Environment", "Variables", "DEALER_FORM_KEY")...)},
	{"a key that somebody has to make", "environment", "not a reference to a secret that this template makes", set(sub("{{resolve:secretsmanager:${SesIdentity}}}"), in("McpFunction", "Environment", "Variables", "DEALER_FORM_KEY")...)},
	{"a short key", "environment", "of 32 characters or more", set(16.0, in("FormKey", "GenerateSecretString", "PasswordLength")...)},
	{"no key", "environment", "DEALER_FORM_KEY is missing", set(nil, in("McpFunction", "Environment", "Variables", "DEALER_FORM_KEY")...)},
	{"a key for who asks nobody", "environment", "nothing reads DEALER_FORM_KEY", set(sub("{{resolve:secretsmanager:${FormKey}}}"), in("AgentFunction", "Environment", "Variables", "DEALER_FORM_KEY")...)},
	{"a secret in the environment", "environment", "nothing reads CRM_AUTHORIZATION", set("Bearer abc", in("LeadWorkerFunction", "Environment", "Variables", "CRM_AUTHORIZATION")...)},
}

var manualFaults = []seeded{
	{"a parameter outside the groups", "parameters", "in groups", set([]any{}, "Metadata", "AWS::CloudFormation::Interface", "ParameterGroups", 0, "Parameters")},
	{"a parameter without effect", "parameters", "AlarmEmail: has no effect", func(t tree) {
		set(nil, "Conditions", "HasAlarmEmail")(t)
		set("me@example.com", in("AlarmSubscription", "Endpoint")...)(t)
	}},
	{"a parameter without words", "parameters", "not described", set("Level", "Parameters", "LogLevel", "Description")},
	{"a parameter that must be given", "parameters", "has no default", set(nil, "Parameters", "ProfileKey", "Default")},
	{"a pattern that is open at one end", "parameters", "does not fit the whole", set("^[a-z.]+", "Parameters", "ProfileKey", "AllowedPattern")},
	{"a profile that would be published", "parameters", "among the published files", set("^.+$", "Parameters", "ProfileKey", "AllowedPattern")},
	{"the card read below the stage", "outputs", "Step3ReadCard", set(sub("curl https://${Api}.execute-api.${AWS::Region}.amazonaws.com/live/.well-known/agent-card.json"), "Outputs", "Step3ReadCard", "Value")},
	{"a name to point that is none", "outputs", "told when", set(nil, "Outputs", "Step1PointName", "Condition")},
	{"the feed put where nobody looks", "outputs", "Step4UploadInventory", set(sub("aws s3 cp inventory.csv s3://${FeedBucket}/inventory.csv"), "Outputs", "Step4UploadInventory", "Value")},
	{"errors of one door only", "outputs", "FindErrorID", set(sub("aws logs filter-log-events --log-group-name ${AgentLogGroup} --filter-pattern '\"ERROR_ID\"'"), "Outputs", "FindErrorID", "Value")},
	{"the front door not spoken of", "outputs", "Description does not speak", set("A dealer agent", "Description")},
}
