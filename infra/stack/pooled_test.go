package stack

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/sam/built"
)

// dealerRoles are the roles for one dealer of many, and the functions' roles that
// may take them on.
var dealerRoles = map[string][]string{
	"BuyersDealerRole":     {"${AgentRole.Arn}", "${McpRole.Arn}"},
	"LeadWorkerDealerRole": {"${LeadWorkerRole.Arn}"},
	"SweeperDealerRole":    {"${SweeperRole.Arn}"},
	"FeedImportDealerRole": {"${FeedImportRole.Arn}"},
}

const (
	// oneDealerOnly is the condition of every trust, ownKeysOnly that on tables.
	oneDealerOnly = `{"ForAllValues:StringEquals":{"aws:TagKeys":["dealer"]},"StringLike":{"aws:RequestTag/dealer":"?*"}}`
	ownKeysOnly   = `{"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["${aws:PrincipalTag/dealer}#*"]},"Null":{"dynamodb:LeadingKeys":"false"}}`
	ownFolder     = "/${!aws:PrincipalTag/dealer}/"
)

// statementsOf are those of a role's policies, in either mode of writing.
func (t template) statementsOf(role string) (all []tree) {
	for n := range listAt(t.props(role), "Policies") {
		for _, s := range list(at(t.props(role), "Policies", n, "PolicyDocument", "Statement")) {
			if statement, ok := s.(tree); ok && statement["Fn::If"] == nil {
				all = append(all, statement)
			}
		}
	}
	return all
}

// checkDealerRoles: where a stack serves many dealers, data is reached as one of
// them only, by a role that compares the session's tag with key, folder or name.
func checkDealerRoles(t template) (f faults) {
	for _, id := range sorted(dealerRoles) {
		trust := list(at(t.props(id), "AssumeRolePolicyDocument", "Statement"))
		var who []string
		for _, principal := range list(at(trust, 0, "Principal", "AWS")) {
			who = append(who, render(principal))
		}
		if condition, _ := json.Marshal(at(trust, 0, "Condition")); len(trust) != 1 || !slices.Equal(who, dealerRoles[id]) || string(condition) != oneDealerOnly {
			f.add("%s: trusts %v when %s", id, who, condition)
		}
		for _, s := range t.statementsOf(id) {
			f = append(f, t.checkOneDealer(id, s)...)
		}
	}
	for _, id := range []string{"AgentRole", "McpRole", "LeadWorkerRole", "SweeperRole", "FeedImportRole", "PublishRole"} {
		for _, s := range t.statementsOf(id) {
			for _, action := range list(s["Action"]) {
				name := render(action)
				service, _, _ := strings.Cut(name, ":")
				if slices.Contains([]string{"dynamodb", "ssm", "secretsmanager", "ses"}, service) || service == "s3" && id != "PublishRole" && name != "s3:ListBucket" {
					f.add("%s: may %s of every dealer", id, name)
				}
				if condition, _ := json.Marshal(s["Condition"]); name == "s3:ListBucket" && !strings.Contains(string(condition), `{"s3:prefix":`) {
					f.add("%s: may list the whole bucket", id)
				}
			}
		}
	}
	return f
}

func (t template) checkOneDealer(id string, s tree) (f faults) {
	for _, action := range list(s["Action"]) {
		name := render(action)
		if !slices.Contains(knownActions, name) || strings.Contains(name, "*") || name == "dynamodb:Scan" {
			f.add("%s: may %s", id, name)
		}
		condition, _ := json.Marshal(s["Condition"])
		if strings.HasPrefix(name, "dynamodb:") && string(condition) != ownKeysOnly {
			f.add("%s: may %s of keys where %s", id, name, condition)
		}
		for _, resource := range list(s["Resource"]) {
			if strings.HasPrefix(name, "dynamodb:") || strings.HasPrefix(name, "ses:") {
				continue
			}
			if where := render(resource); !strings.Contains(where, ownFolder) {
				f.add("%s: may %s on %s", id, name, where)
			}
		}
	}
	return f
}

func TestManyDealersKeepEveryRule(t *testing.T) {
	translated, _ := translateWhole(t, source(t))
	for mode, parsed := range map[string]template{"source": readPooled(t), "translation": translated.inMode(true)} {
		for _, c := range checks {
			// The front door and the roles differ, and have checks of their own.
			if slices.Contains([]string{"door", "roles", "events", "outputs", "api"}, c.name) || mode == "translation" && !c.translated {
				continue
			}
			for _, fault := range c.find(parsed) {
				if strings.HasSuffix(fault, "the profile's key is dealers/, want dealer.yaml") {
					continue // as it must be
				}
				t.Errorf("%s, %s: %s", mode, c.name, fault)
			}
		}
		for _, fault := range checkDealerRoles(parsed) {
			t.Errorf("%s: %s", mode, fault)
		}
		if got := sorted(treeAt(tree(parsed), "Resources")); !slices.Contains(got, "BuyersDealerRole") {
			t.Errorf("%s: no role for one dealer in %v", mode, got)
		}
	}
}

func TestWhatLetsADealerReachAnothersDataIsFound(t *testing.T) {
	statement := func(role string, n int, more ...any) []any { return inStatement(role, n, more...) }
	for _, m := range []seeded{
		{"keys that only begin alike", "", "of keys where", set([]any{"${aws:PrincipalTag/dealer}*"}, statement("BuyersDealerRole", 1, "Condition", "ForAllValues:StringLike", "dynamodb:LeadingKeys")...)},
		{"an absent key", "", "of keys where", set(nil, statement("BuyersDealerRole", 2, "Condition", "Null")...)},
		{"no condition", "", "of keys where null", set(nil, statement("FeedImportDealerRole", 1, "Condition")...)},
		{"a scan", "", "may dynamodb:Scan", set([]any{"dynamodb:Scan"}, statement("SweeperDealerRole", 1, "Action")...)},
		{"everybody's profile", "", "/dealers/*", set(sub("${SiteBucket.Arn}/dealers/*"), statement("BuyersDealerRole", 0, "Resource")...)},
		{"everybody's secrets", "", "ssm:GetParameter on", set(sub("arn:${AWS::Partition}:ssm:::parameter/${SecretPrefix}/*"), statement("LeadWorkerDealerRole", 2, "Resource")...)},
		{"a session without a tag", "", "trusts", set(nil, in("BuyersDealerRole", "AssumeRolePolicyDocument", "Statement", 0, "Condition")...)},
		{"the whole account", "", "trusts", set([]any{"*"}, in("SweeperDealerRole", "AssumeRolePolicyDocument", "Statement", 0, "Principal", "AWS")...)},
		{"a function with a table of its own", "", "AgentRole: may dynamodb:GetItem of every dealer", set(tree{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": sub("${LeadsTable.Arn}")}, statement("AgentRole", 0)...)},
		{"a bucket listed whole", "", "may list the whole bucket", set(nil, statement("AgentRole", 1, "Condition")...)},
	} {
		mutant := readPooled(t)
		m.put(mutant)
		if all := strings.Join(checkDealerRoles(mutant), "\n"); !strings.Contains(all, m.says) {
			t.Errorf("%s: want a fault that says %q, got:\n%s", m.fault, m.says, all)
		}
	}
}

func TestTheNextStepsOfManyDealersCanBeTaken(t *testing.T) {
	whole := tree(readWhole(t))
	for host, want := range map[string]string{"": "https://d1.cloudfront.net", "agents.example.com": "https://agents.example.com", "*.agents.example.com": "https://ID.agents.example.com"} {
		certificate := "arn:aws:acm:us-east-1:123456789012:certificate/1"
		if host == "" {
			certificate = ""
		}
		r := built.Resolver{
			Template: whole, Parameters: map[string]any{"Dealers": "many", "DomainName": host, "CertificateArn": certificate},
			Pseudo: map[string]any{"AWS::StackName": "northwind", "AWS::Region": "us-east-1"},
			Made: func(id string) (built.Resource, error) {
				return built.Resource{Ref: id, Attributes: map[string]string{"DomainName": "d1.cloudfront.net"}}, nil
			},
		}
		for output, step := range map[string]string{
			"Step2UploadProfile":   "aws s3 cp dealer.yaml s3://SiteBucket/dealers/ID/dealer.yaml",
			"Step3ReadCard":        "curl -i " + want + "/dealers/ID/.well-known/agent-card.json",
			"Step4UploadInventory": "aws s3 cp inventory.csv s3://FeedBucket/feeds/ID/inventory.csv",
			"Step5ReadReport":      "aws s3 cp s3://FeedBucket/reports/feeds/ID/inventory.csv.json -",
			"ExamineStack":         "dealer doctor " + want + "/dealers/ID --stack northwind --region us-east-1",
		} {
			if got, err := r.Resolve(at(whole, "Outputs", output, "Value")); err != nil || got != step {
				t.Errorf("%q, %s: %v %v, want %s", host, output, got, err, step)
			}
		}
	}
}

func TestOneDealersStackHasNothingOfMany(t *testing.T) {
	single := readTemplate(t)
	delete(single, otherwise)
	for _, part := range []string{"Resources", "Outputs", "Globals"} {
		raw, err := json.Marshal(single[part])
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"PrincipalTag", "/dealers/", "published/", "hosts/", "roster/", "sts:TagSession", pooledCondition} {
			if strings.Contains(string(raw), word) {
				t.Errorf("%s: %s is in a stack of one dealer", part, word)
			}
		}
	}
}
