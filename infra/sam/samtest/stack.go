// Package samtest plays the parts of SAM and AWS that no emulator on a machine
// without Docker plays: it builds the functions as `sam build` does, makes what
// the template describes in moto, runs each bootstrap under AWS's runtime
// interface emulator with the environment that the template gives it, and serves
// the template's API and its CloudFront front door on loopback. Events reach
// functions as the template wires them, and only where it permits that; a role
// may do what its policies allow and nothing else.
package samtest

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/dealer-agent/dealer/infra/sam/built"
	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

const (
	region  = "us-east-1"
	account = "123456789012"
	// StackName is what every stack is called.
	StackName = "seabright"
	stackID   = "arn:aws:cloudformation:" + region + ":" + account + ":stack/" + StackName + "/0f5e9b00-4d0a-11ef-8a1c-0affd5f1c2e3"
)

// Stack is a deployed stack.
type Stack struct {
	// Address is the front door as buyers reach it, by https.
	Address string
	// Outputs are those of the template.
	Outputs map[string]string
	// Parameters are the values that the stack was made with.
	Parameters map[string]any

	t         testing.TB
	artifacts built.Artifacts
	template  tree
	resolver  built.Resolver
	aws       *cloudAccount
	door      *httptest.Server
	front     *distribution
	api       *Gateway
	// answers are those of custom resources to CloudFormation.
	answers *httptest.Server
	told    chan customAnswer

	mu        sync.Mutex
	resources map[string]built.Resource
	making    []string
	functions map[string]*function
	stopped   bool
	ending    []func()

	// viewer are the statements of CloudFront functions, by ARN.
	viewer map[string][][]string

	wiring
}

// Deploy makes the stack of a built template in a fresh emulator, with the
// parameters given and the defaults of the others.
func Deploy(t testing.TB, a built.Artifacts, parameters map[string]string) *Stack {
	t.Helper()
	s := &Stack{t: t, artifacts: a, resources: map[string]built.Resource{}, functions: map[string]*function{}, told: make(chan customAnswer, 1)}
	if _, err := exec.LookPath("aws-lambda-rie"); err != nil {
		aaptest.Missing(t, "aws-lambda-rie (go install github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie)")
	}
	s.template = translated(t, a)
	values, err := built.ParametersOf(s.template, parameters)
	if err != nil {
		t.Fatal(err)
	}
	s.Parameters = values
	s.resolver = built.Resolver{Template: s.template, Parameters: values, Made: s.make, Pseudo: map[string]any{
		"AWS::AccountId": account, "AWS::Region": region, "AWS::Partition": "aws", "AWS::URLSuffix": "amazonaws.com",
		"AWS::StackName": StackName, "AWS::StackId": stackID, "AWS::NotificationARNs": []any{},
	}}
	s.aws = openAccount(t, cloudtest.Moto(t), s.stored)
	s.door = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.front.ServeHTTP(w, r) }))
	s.answers = httptest.NewServer(http.HandlerFunc(s.hear))
	t.Cleanup(s.end)
	s.must(s.create())
	s.listen()
	return s
}

// must ends the test with the error.
func (s *Stack) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// create makes every resource whose condition holds, those last that call a function.
func (s *Stack) create() error {
	custom := func(id string) bool { return strings.HasPrefix(s.typeOf(id), "Custom::") }
	for _, last := range []bool{false, true} {
		for _, id := range sorted(treeAt(s.template, "Resources")) {
			wanted, err := s.wanted(id)
			if err == nil && wanted && custom(id) == last {
				_, err = s.make(id)
			}
			if err != nil {
				return err
			}
		}
	}
	if s.front == nil || s.api == nil {
		return errors.New("the template makes no API behind a CloudFront distribution with these parameters")
	}
	s.Address = "https://" + s.door.Listener.Addr().String()
	s.Outputs = map[string]string{}
	for name := range treeAt(s.template, "Outputs") {
		output := treeAt(s.template, "Outputs", name)
		wanted, err := s.resolver.Holds(textAt(output, "Condition"))
		if err != nil {
			return err
		}
		if !wanted {
			continue
		}
		value, err := s.resolver.Resolve(output["Value"])
		if err != nil {
			return err
		}
		s.Outputs[name] = text(value)
	}
	return nil
}

func (s *Stack) typeOf(id string) string { return textAt(s.template, "Resources", id, "Type") }

// wanted reports whether the resource's condition holds.
func (s *Stack) wanted(id string) (bool, error) {
	return s.resolver.Holds(textAt(s.template, "Resources", id, "Condition"))
}

// make makes a resource after those that it names.
func (s *Stack) make(id string) (built.Resource, error) {
	if made, ok := s.resources[id]; ok {
		return made, nil
	}
	declared := treeAt(s.template, "Resources", id)
	if declared == nil {
		return built.Resource{}, fmt.Errorf("there is no resource and no parameter %s", id)
	}
	if wanted, err := s.wanted(id); err != nil || !wanted {
		return built.Resource{}, fmt.Errorf("%s is not made under these parameters, and is named: %w", id, err)
	}
	if slices.Contains(s.making, id) {
		return built.Resource{}, fmt.Errorf("%s needs itself, through %v", id, s.making)
	}
	s.making = append(s.making, id)
	for _, other := range list(declared["DependsOn"]) {
		wanted, err := s.wanted(text(other))
		if err == nil && wanted {
			_, err = s.make(text(other))
		}
		if err != nil {
			return built.Resource{}, err
		}
	}
	resolved, err := s.resolver.Resolve(declared["Properties"])
	if err != nil {
		return built.Resource{}, fmt.Errorf("%s: %w", id, err)
	}
	properties, _ := resolved.(tree)
	made, err := s.makers(id, textAt(declared, "Type"), properties)
	if err != nil {
		return built.Resource{}, fmt.Errorf("%s: %w", id, err)
	}
	s.making = s.making[:len(s.making)-1]
	s.resources[id] = made
	return made, nil
}

// Resource is the physical id of a resource, as Ref gives it.
func (s *Stack) Resource(id string) string {
	s.t.Helper()
	made, ok := s.resources[id]
	if !ok {
		s.t.Fatalf("the template has no resource %s", id)
	}
	return made.Ref
}

// Attribute is an attribute of a resource, as Fn::GetAtt gives it.
func (s *Stack) Attribute(id, name string) string {
	s.t.Helper()
	value, ok := s.resources[id].Attributes[name]
	if !ok {
		s.t.Fatalf("%s has no attribute %s", id, name)
	}
	return value
}

// Of are the logical ids of a type's resources that were made.
func (s *Stack) Of(kind string) (ids []string) {
	for _, id := range sorted(s.resources) {
		if s.typeOf(id) == kind {
			ids = append(ids, id)
		}
	}
	return ids
}

// Properties are those of a resource, without intrinsic functions.
func (s *Stack) Properties(id string) map[string]any {
	s.t.Helper()
	out, err := s.resolver.Resolve(at(s.template, "Resources", id, "Properties"))
	s.must(err)
	properties, _ := out.(tree)
	return properties
}

// Config reaches the emulated account with every right, as the dealer does with
// the aws command.
func (s *Stack) Config() aws.Config { return cloudtest.Config(s.aws.URL) }

// Environment is the same for a child process.
func (s *Stack) Environment() []string { return cloudtest.Environment(s.aws.URL) }

// Client trusts the front door's certificate and follows no redirects.
func (s *Stack) Client() *http.Client {
	client := s.door.Client()
	client.Timeout = time.Minute
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// Certificate is that of the front door.
func (s *Stack) Certificate() *x509.Certificate { return s.door.Certificate() }

// API is the API behind the front door.
func (s *Stack) API() *Gateway { return s.api }

// Forget is what time does: CloudFront keeps no file any more.
func (s *Stack) Forget() { s.front.forget() }

// end stops what runs in the background, and fails the test for what a role was
// refused or a function failed at without anybody hearing of it.
func (s *Stack) end() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.stopListening()
	for _, end := range s.ending {
		end()
	}
	s.door.Close()
	s.answers.Close()
	for _, refused := range s.aws.Refused() {
		s.t.Errorf("a role is refused what its function needs: %s", refused)
	}
	for _, failed := range s.failures() {
		s.t.Error(failed)
	}
}

// arnOf is the usual form of a resource's name.
func arnOf(service, name string) string {
	return fmt.Sprintf("arn:aws:%s:%s:%s:%s", service, region, account, name)
}

// translated is the CloudFormation of a built template.
func translated(t testing.TB, a built.Artifacts) (template tree) {
	t.Helper()
	source, err := os.ReadFile(a.Template)
	if err != nil {
		t.Fatal(err)
	}
	out, err := built.Translate(t.Context(), source)
	if errors.Is(err, built.ErrNoTranslator) {
		aaptest.Missing(t, err.Error())
	}
	if err == nil {
		err = json.Unmarshal(out, &template)
	}
	if err != nil {
		t.Fatal(err)
	}
	return template
}
