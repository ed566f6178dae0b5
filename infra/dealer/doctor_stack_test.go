package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/inside"
)

// TestDoctorLooksInsideAStackToo examines an agent and a stack that has almost
// nothing of what it should.
func TestDoctorLooksInsideAStackToo(t *testing.T) {
	well := running(t, t.TempDir())
	endpoint := cloudtest.Moto(t)
	for _, pair := range cloudtest.Environment(endpoint) {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	_, err := cloudformation.NewFromConfig(cloudtest.Config(endpoint)).CreateStack(t.Context(), &cloudformation.CreateStackInput{
		StackName: aws.String("seabright"), TemplateBody: aws.String(fmt.Sprintf(`{
			"Resources": {"LeadQueue": {"Type": "AWS::SQS::Queue"}, "LeadDeadLetters": {"Type": "AWS::SQS::Queue"}, "AlarmTopic": {"Type": "AWS::SNS::Topic"}},
			"Outputs": {"Address": {"Value": %q}}}`, well)),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--stack", "seabright"}, {well, "--stack", "seabright", "--region", "us-east-1"}} {
		r := dealerCommand(t, "", append([]string{"doctor", "--json"}, args...)...)
		var report struct {
			URL, Verdict string
			Reachable    bool
			Findings     []struct{ ID, Verdict, Seen, Next, Rule string }
			Counts       map[string]int
		}
		if err := json.Unmarshal([]byte(r.out), &report); err != nil || r.code != 1 || r.err != "" {
			t.Fatalf("exit code %d, %v\n%s%s", r.code, err, r.out, r.err)
		}
		verdicts, counted := map[string]string{}, 0
		for _, f := range report.Findings {
			verdicts[f.ID] = f.Verdict
		}
		for _, n := range report.Counts {
			counted += n
		}
		for id, want := range map[string]string{
			"card.found": "pass", "inside.stack": "pass", "inside.queue": "pass", "inside.dead-letters": "pass", "inside.alarm-topic": "fail", "inside.profile": "fail", "inside.recovery": "fail",
			"inside.secrets": "skip",
		} {
			if verdicts[id] != want {
				t.Errorf("%s is %q, want %s", id, verdicts[id], want)
			}
		}
		if report.URL != well || report.Verdict != "fail" || !report.Reachable || counted != len(report.Findings) {
			t.Errorf("%+v", report)
		}
	}
	text := dealerCommand(t, "", "doctor", well, "--stack", "seabright")
	if text.code != 1 || !strings.Contains(text.out, "\nInside the stack\n  pass  The last deployment of the stack succeeded") || !strings.Contains(text.out, "[inside.alarm-topic]") {
		t.Errorf("exit code %d\n%s%s", text.code, text.out, text.err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--stack", "harbor"}, 1, "harbor"},
		{[]string{well, "--region", "us-east-1"}, 2, "--region goes with --stack"},
	} {
		if r := dealerCommand(t, "", append([]string{"doctor"}, c.args...)...); r.code != c.code || r.out != "" || !strings.Contains(r.err, c.says) || strings.Count(r.err, "\n") != 1 {
			t.Errorf("%v: exit code %d\n%s%s", c.args, r.code, r.out, r.err)
		}
	}
}

// TestThePolicyForExaminingAStackIsWhatDoctorAsksFor reads the policy of
// infra/README.md: no right too many, none too few, and nothing but reading.
func TestThePolicyForExaminingAStackIsWhatDoctorAsksFor(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)<!-- policy: doctor -->\n```json\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("infra/README.md has no policy")
	}
	var policy struct {
		Version   string
		Statement []struct {
			Sid, Effect string
			Action      []string
			Resource    []string
		}
	}
	if err := json.Unmarshal(block[1], &policy); err != nil || policy.Version != "2012-10-17" {
		t.Fatalf("%v\n%s", err, block[1])
	}
	var actions []string
	reads := regexp.MustCompile(`^[a-z0-9]+:(Get|List|Describe)[A-Za-z]+$`)
	for _, s := range policy.Statement {
		actions = append(actions, s.Action...)
		for _, action := range s.Action {
			if !reads.MatchString(action) {
				t.Errorf("%s may do more than read: %s", s.Sid, action)
			}
			for _, resource := range s.Resource {
				if strings.HasPrefix(action, "s3:GetObject") && strings.HasSuffix(resource, "*/*") || action == "dynamodb:GetItem" && strings.Contains(resource, "Leads") {
					t.Errorf("%s reaches %s with %s", s.Sid, resource, action)
				}
			}
		}
		if s.Effect != "Allow" || len(s.Resource) == 0 {
			t.Errorf("%+v", s)
		}
	}
	slices.Sort(actions)
	if diff := cmp.Diff(inside.Actions(), actions); diff != "" {
		t.Errorf("(-asked +allowed):\n%s", diff)
	}
}
