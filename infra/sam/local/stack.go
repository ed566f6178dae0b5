package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/infra/sam/built"
)

const account = "123456789012"

// stack is what of the template the functions need, made in the emulator.
type stack struct {
	template map[string]any
	resolver built.Resolver
	emulator *emulator
	made     map[string]built.Resource
	secrets  map[string]string

	// environment is each function's, by logical id.
	environment map[string]map[string]string
	skipped     []route
	// importer is the function that is called when a file is put into feeds.
	importer, feeds string
}

// route is one that `sam local` does not serve.
type route struct{ methods, path, kind string }

// ownName takes CloudFront away, whose secret nobody shows here.
var ownName = map[string]string{
	"CertificateArn": "arn:aws:acm:" + region + ":" + account + ":certificate/local", "DomainName": "agent.localhost.example",
}

func readStack(ctx context.Context, source []byte, e *emulator) (*stack, error) {
	translated, err := built.Translate(ctx, source)
	if err != nil {
		return nil, err
	}
	s := &stack{emulator: e, made: map[string]built.Resource{}, secrets: map[string]string{}, environment: map[string]map[string]string{}}
	if err := json.Unmarshal(translated, &s.template); err != nil {
		return nil, err
	}
	given := map[string]string{}
	for name, value := range ownName {
		if built.At(s.template, "Parameters", name) != nil {
			given[name] = value
		}
	}
	parameters, err := built.ParametersOf(s.template, given)
	if err != nil {
		return nil, err
	}
	s.resolver = built.Resolver{Template: s.template, Parameters: parameters, Pseudo: map[string]any{
		"AWS::AccountId": account, "AWS::Region": region, "AWS::Partition": "aws", "AWS::URLSuffix": "amazonaws.com", "AWS::StackName": "local",
		"AWS::StackId": "arn:aws:cloudformation:" + region + ":" + account + ":stack/local/00000000-0000-4000-8000-000000000000",
	}, Made: func(id string) (built.Resource, error) { return s.make(ctx, id) }}
	for _, id := range s.of("AWS::Lambda::Function") {
		if err := s.readEnvironment(id); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	s.readRoutes()
	return s, s.readFeeds()
}

// of are the ids of a type's resources whose condition holds.
func (s *stack) of(kind string) (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(built.TreeAt(s.template, "Resources"))) {
		if built.TextAt(s.template, "Resources", id, "Type") != kind {
			continue
		}
		if wanted, err := s.resolver.Holds(built.TextAt(s.template, "Resources", id, "Condition")); err == nil && wanted {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *stack) properties(id string) (map[string]any, error) {
	resolved, err := s.resolver.Resolve(built.At(s.template, "Resources", id, "Properties"))
	properties, _ := resolved.(map[string]any)
	return properties, err
}

var secretReference = regexp.MustCompile(`\{\{resolve:secretsmanager:([^{}]+)\}\}`)

func (s *stack) readEnvironment(id string) error {
	resolved, err := s.resolver.Resolve(built.At(s.template, "Resources", id, "Properties", "Environment", "Variables"))
	if err != nil {
		return err
	}
	s.environment[id] = map[string]string{"AWS_ENDPOINT_URL": s.emulator.inside}
	variables, _ := resolved.(map[string]any)
	for name, value := range variables {
		s.environment[id][name] = secretReference.ReplaceAllStringFunc(built.Text(value), func(reference string) string {
			if s.secrets[reference] == "" {
				s.secrets[reference] = rand.Text() + rand.Text()
			}
			return s.secrets[reference]
		})
	}
	return nil
}

// make makes what functions read and write; all else has a name only.
func (s *stack) make(ctx context.Context, id string) (built.Resource, error) {
	if made, ok := s.made[id]; ok {
		return made, nil
	}
	kind := built.TextAt(s.template, "Resources", id, "Type")
	if kind == "" {
		return built.Resource{}, fmt.Errorf("the template has no %s", id)
	}
	name := "local-" + strings.ToLower(id)
	service := strings.ToLower(strings.Split(kind, "::")[1])
	arn := "arn:aws:" + service + ":" + region + ":" + account + ":" + name
	made := built.Resource{Ref: name, Attributes: map[string]string{"Arn": arn, "QueueName": name, "DomainName": name + ".example", "FunctionARN": arn}}
	var err error
	switch kind {
	case "AWS::DynamoDB::Table":
		var properties map[string]any
		if properties, err = s.properties(id); err == nil {
			err = s.emulator.makeTable(ctx, name, properties)
		}
	case "AWS::SQS::Queue":
		made.Ref, err = s.emulator.makeQueue(ctx, name)
		made.Attributes["QueueUrl"] = made.Ref
	case "AWS::S3::Bucket":
		err = s.emulator.put(ctx, "/"+name, nil)
	}
	if err != nil {
		return built.Resource{}, fmt.Errorf("make %s: %w", id, err)
	}
	s.made[id] = made
	return made, nil
}

const integration = "x-amazon-apigateway-integration"

// readRoutes finds the routes that call no function.
func (s *stack) readRoutes() {
	for _, id := range s.of("AWS::ApiGateway::RestApi") {
		paths := built.TreeAt(s.template, "Resources", id, "Properties", "Body", "paths")
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			methods := map[string][]string{}
			for _, method := range slices.Sorted(maps.Keys(built.TreeAt(paths, path))) {
				kind := built.TextAt(paths, path, method, integration, "type")
				methods[kind] = append(methods[kind], strings.ToUpper(strings.TrimPrefix(method, "x-amazon-apigateway-")))
			}
			for _, kind := range slices.Sorted(maps.Keys(methods)) {
				if kind != "aws_proxy" {
					s.skipped = append(s.skipped, route{strings.Join(methods[kind], ", "), path, kind})
				}
			}
		}
	}
}

// readFeeds finds the bucket whose files a function imports.
func (s *stack) readFeeds() error {
	for _, id := range s.of("AWS::S3::Bucket") {
		function := built.ListAt(s.template, "Resources", id, "Properties", "NotificationConfiguration", "LambdaConfigurations", 0, "Function", "Fn::GetAtt")
		if len(function) == 0 {
			continue
		}
		bucket, err := s.resolver.Resolve(map[string]any{"Ref": id})
		if err != nil {
			return err
		}
		s.importer, s.feeds = built.Text(function[0]), built.Text(bucket)
	}
	return nil
}

// stock puts the dealer's files where the functions look for them, and writes
// the event that tells of the inventory.
func (s *stack) stock(ctx context.Context, d dealer, event string) error {
	for _, variables := range s.environment {
		if bucket, key := variables["DEALER_PROFILE_BUCKET"], variables["DEALER_PROFILE_KEY"]; bucket != "" && key != "" {
			if err := s.emulator.put(ctx, "/"+bucket+"/"+key, d.profile); err != nil {
				return err
			}
			break
		}
	}
	if s.importer == "" {
		return nil
	}
	key := "feeds/" + d.feedName
	if err := s.emulator.put(ctx, "/"+s.feeds+"/"+key, d.feed); err != nil {
		return err
	}
	return writeEvent(event, s.feeds, key, len(d.feed))
}
