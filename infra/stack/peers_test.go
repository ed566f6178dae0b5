package stack

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/infra/sam/built"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
)

// translate makes the CloudFormation of a SAM template, with AWS's translator.
func translate(t *testing.T, source []byte) (template, []byte) {
	t.Helper()
	whole, out := translateWhole(t, source)
	return whole.inMode(false), out
}

// translateWhole keeps the choices between one dealer and many.
func translateWhole(t *testing.T, source []byte) (template, []byte) {
	t.Helper()
	out, err := built.Translate(t.Context(), source)
	if errors.Is(err, built.ErrNoTranslator) {
		aaptest.Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	var translated template
	if err := json.Unmarshal(out, &translated); err != nil {
		t.Fatal(err)
	}
	return translated, out
}

// lint runs cfn-lint, warnings included, and returns what it says.
func lint(t *testing.T, name string) (string, error) {
	t.Helper()
	path, err := exec.LookPath("cfn-lint")
	if err != nil {
		aaptest.Missing(t, "cfn-lint (pip install cfn-lint)")
	}
	out, err := exec.CommandContext(t.Context(), path, "--non-zero-exit-code", "informational", "--template", name).CombinedOutput()
	return string(out), err
}

func written(t *testing.T, name string, body []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func source(t *testing.T) []byte {
	t.Helper()
	body, err := os.ReadFile(templateFile)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func mutant(t *testing.T, put func(tree)) []byte {
	t.Helper()
	parsed := readTemplate(t)
	put(parsed)
	delete(parsed, otherwise)
	raw, err := json.Marshal(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestCFNLintAcceptsTheSource(t *testing.T) {
	t.Parallel()
	if said, err := lint(t, templateFile); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestCFNLintAcceptsTheTranslation(t *testing.T) {
	t.Parallel()
	_, raw := translate(t, source(t))
	if said, err := lint(t, written(t, "translated.json", raw)); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestCFNLintFindsASeededFault(t *testing.T) {
	t.Parallel()
	raw := mutant(t, set("ReportBatchItemFailure", in("LeadWorkerFunction", "Events", "Leads", "Properties", "FunctionResponseTypes", 0)...))
	if said, err := lint(t, written(t, "template.json", raw)); err == nil || !strings.Contains(said, "ReportBatchItemFailure") {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestTheTranslationKeepsEveryRule(t *testing.T) {
	translated, _ := translate(t, source(t))
	for _, c := range checks {
		if !c.translated {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			for _, fault := range c.find(translated) {
				t.Error(fault)
			}
		})
	}
	mappings := translated.of("AWS::Lambda::EventSourceMapping")
	if len(mappings) != 1 {
		t.Fatalf("event sources: %v", mappings)
	}
	p := translated.props(mappings[0])
	if render(p["EventSourceArn"]) != "${LeadQueue.Arn}" || render(p["FunctionName"]) != "${LeadWorkerFunction}" ||
		render(at(p, "FunctionResponseTypes", 0)) != "ReportBatchItemFailures" || render(at(p, "ScalingConfig", "MaximumConcurrency")) != "${HandOversAtOnce}" {
		t.Errorf("the worker takes %v", p)
	}
	if rest := translated.of("AWS::Serverless::Function", "AWS::Serverless::Api"); len(rest) > 0 {
		t.Errorf("left to SAM: %v", rest)
	}
}

func TestWhatSAMWouldAddIsFoundInTheTranslation(t *testing.T) {
	for _, m := range []seeded{
		{"the role left to SAM", "roles", "managed policies", set(nil, in("LeadWorkerFunction", "Role")...)},
		{"a policy template", "roles", "nobody needs this role", func(t tree) {
			set(nil, in("AgentFunction", "Role")...)(t)
			set([]any{tree{"SQSSendMessagePolicy": tree{"QueueName": ref("LeadQueue")}}}, in("AgentFunction", "Policies")...)(t)
		}},
		{"tracing", "roles", "AWSXrayWriteOnlyAccess", func(t tree) {
			set(nil, in("AgentFunction", "Role")...)(t)
			set("Active", in("AgentFunction", "Tracing")...)(t)
		}},
		{"a route of SAM's", "permissions", "AgentFunctionAnyPermissionlive", set(tree{
			"Any": tree{"Type": "Api", "Properties": tree{"RestApiId": ref("Api"), "Path": "/any", "Method": "any"}},
		}, in("AgentFunction", "Events")...)},
		{"a proxy misspelt", "api", "aws_prox", set("aws_prox", method("/a2a", "post", integration, "type")...)},
	} {
		t.Run(m.fault, func(t *testing.T) {
			translated, _ := translate(t, mutant(t, m.put))
			c, _ := checkNamed(m.check)
			if all := strings.Join(c.find(translated), "\n"); !strings.Contains(all, m.says) {
				t.Errorf("want a fault that says %q, got:\n%s", m.says, all)
			}
		})
	}
}
