package samtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dealer-agent/dealer/infra/sam/built"
	"github.com/dealer-agent/dealer/pkg/cloud/lambdatest"
)

// function is one Lambda function. Its program starts with the first event, and
// one instance takes all, one after the other.
type function struct {
	id, name, arn string
	timeout       string
	environment   []string

	mu      sync.Mutex
	running *lambdatest.Emulator
	log     strings.Builder
}

func (s *Stack) makeFunction(id, name string, p tree) (built.Resource, error) {
	f := &function{id: id, name: name, arn: arnOf("lambda", "function:"+name), timeout: textAt(p, "Timeout")}
	if f.timeout == "" {
		f.timeout = "3"
	}
	key, err := s.aws.assume(textAt(p, "Role"), "lambda.amazonaws.com")
	if err != nil {
		return built.Resource{}, err
	}
	f.environment = []string{
		"AWS_ENDPOINT_URL=" + s.aws.URL, "AWS_REGION=" + region, "AWS_ACCESS_KEY_ID=" + key, "AWS_SECRET_ACCESS_KEY=test",
		"AWS_LAMBDA_FUNCTION_NAME=" + name, "AWS_LAMBDA_FUNCTION_TIMEOUT=" + f.timeout, "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=" + textAt(p, "MemorySize"),
	}
	variables := treeAt(p, "Environment", "Variables")
	for _, variable := range sorted(variables) {
		value, err := s.reveal(text(variables[variable]))
		if err != nil {
			return built.Resource{}, fmt.Errorf("variable %s: %w", variable, err)
		}
		f.environment = append(f.environment, variable+"="+value)
	}
	s.functions[id] = f
	return known(name, map[string]string{"Arn": f.arn}), nil
}

// function finds one by its logical id, name or ARN.
func (s *Stack) function(named string) *function {
	for _, f := range s.functions {
		if named == f.id || named == f.name || named == f.arn {
			return f
		}
	}
	return nil
}

// failure is what a function answers that failed.
type failure struct {
	Message string `json:"errorMessage"`
	Type    string `json:"errorType"`
}

func (f failure) Error() string { return f.Type + ": " + f.Message }

// invoke sends one event to the function's instance.
func (s *Stack) invoke(ctx context.Context, f *function, event any) ([]byte, error) {
	body, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	if f.running == nil {
		f.running = lambdatest.Emulate(instance{s.t, s}, s.artifacts.Bootstrap(f.id), f.environment...)
	}
	running := f.running
	f.mu.Unlock()
	out, err := running.Invoke(ctx, body)
	if err != nil {
		return nil, err
	}
	var failed failure
	if json.Unmarshal(out, &failed) == nil && failed.Type != "" {
		return nil, failed
	}
	return out, nil
}

// instance is a test whose functions end after those who call them.
type instance struct {
	testing.TB
	stack *Stack
}

func (i instance) Cleanup(f func()) {
	i.stack.mu.Lock()
	defer i.stack.mu.Unlock()
	i.stack.ending = append(i.stack.ending, f)
}

// Restart ends the instances of the functions, or of all, so that the next event
// of each starts a new one, as after a deployment.
func (s *Stack) Restart(ids ...string) {
	for id, f := range s.functions {
		if len(ids) > 0 && !slices.Contains(ids, id) {
			continue
		}
		f.mu.Lock()
		if f.running != nil {
			f.running.Stop()
			f.log.WriteString(f.running.Log())
			f.running = nil
		}
		f.mu.Unlock()
	}
}

// Logs is what all instances of the functions have written so far, by logical id.
func (s *Stack) Logs() map[string]string {
	out := map[string]string{}
	for id, f := range s.functions {
		f.mu.Lock()
		out[id] = f.log.String()
		if f.running != nil {
			out[id] += f.running.Log()
		}
		f.mu.Unlock()
	}
	return out
}

// FunctionEnvironment are the variables that the template gives the function.
func (s *Stack) FunctionEnvironment(id string) map[string]string {
	s.t.Helper()
	f := s.functions[id]
	if f == nil {
		s.t.Fatalf("the template has no function %s", id)
	}
	out := map[string]string{}
	for _, pair := range f.environment {
		if name, value, _ := strings.Cut(pair, "="); !strings.HasPrefix(name, "AWS_") {
			out[name] = value
		}
	}
	return out
}
