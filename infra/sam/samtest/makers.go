package samtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamotypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/dealer-agent/dealer/infra/sam/built"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// makers makes one resource of its properties. What has no part in a request or
// an event, such as an alarm, gets a name and is not made.
func (s *Stack) makers(id, kind string, p tree) (built.Resource, error) {
	name := StackName + "-" + id
	switch kind {
	case "AWS::DynamoDB::Table":
		return s.makeTable(name, p)
	case "AWS::SQS::Queue":
		return s.makeQueue(name, p)
	case "AWS::S3::Bucket":
		return s.makeBucket(strings.ToLower(name), p)
	case "AWS::SecretsManager::Secret":
		return s.makeSecret(name, p)
	case "AWS::Lambda::Function":
		return s.makeFunction(id, name, p)
	case "AWS::Lambda::Permission":
		s.permissions = append(s.permissions, p)
	case "AWS::Lambda::EventSourceMapping":
		s.sources = append(s.sources, p)
	case "AWS::Events::Rule":
		arn := arnOf("events", "rule/"+name)
		s.rules = append(s.rules, rule{arn, p})
		return known(name, map[string]string{"Arn": arn}), nil
	case "AWS::IAM::Role":
		arn := "arn:aws:iam::" + account + ":role/" + name
		s.aws.addRole(arn, p)
		return known(name, map[string]string{"Arn": arn, "RoleId": "AROA" + id}), nil
	case "AWS::ApiGateway::RestApi":
		ref := "a1b2c3d4e5"
		s.api = newGateway(s, ref, treeAt(p, "Body"))
		return known(ref, map[string]string{"RestApiId": ref, "RootResourceId": "root"}), nil
	case "AWS::ApiGateway::Stage":
		s.api.setStage(p)
		return known(textAt(p, "StageName"), nil), nil
	case "AWS::CloudFront::Distribution":
		var err error
		if s.front, err = newDistribution(s, treeAt(p, "DistributionConfig")); err != nil {
			return built.Resource{}, err
		}
		return known("E"+strings.ToUpper(id), map[string]string{"DomainName": s.door.Listener.Addr().String(), "Id": "E" + strings.ToUpper(id)}), nil
	case "AWS::CloudFront::Function":
		arn := "arn:aws:cloudfront::" + account + ":function/" + textAt(p, "Name")
		return known(arn, map[string]string{"FunctionARN": arn}), s.addViewerFunction(arn, textAt(p, "FunctionCode"))
	}
	if strings.HasPrefix(kind, "Custom::") {
		return s.makeCustom(id, kind, p)
	}
	service := strings.ToLower(strings.Split(kind, "::")[1])
	return known(name, map[string]string{"Arn": arnOf(service, name), "Id": name, "QueueName": name}), nil
}

// shaped decodes properties into an input of the SDK, whose members have the
// same names.
func shaped[T any](p tree, out *T) error {
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, out)
}

func (s *Stack) makeTable(name string, p tree) (built.Resource, error) {
	var in dynamodb.CreateTableInput
	if err := shaped(p, &in); err != nil {
		return built.Resource{}, err
	}
	if in.TableName == nil {
		in.TableName = aws.String(name)
	}
	client := cloudtest.DynamoDB(s.aws.URL)
	if _, err := client.CreateTable(s.t.Context(), &in); err != nil {
		return built.Resource{}, err
	}
	if attribute := textAt(p, "TimeToLiveSpecification", "AttributeName"); attribute != "" {
		_, err := client.UpdateTimeToLive(s.t.Context(), &dynamodb.UpdateTimeToLiveInput{
			TableName: in.TableName, TimeToLiveSpecification: &dynamotypes.TimeToLiveSpecification{AttributeName: aws.String(attribute), Enabled: aws.Bool(true)},
		})
		if err != nil {
			return built.Resource{}, err
		}
	}
	return known(*in.TableName, map[string]string{"Arn": arnOf("dynamodb", "table/"+*in.TableName)}), nil
}

func (s *Stack) makeQueue(name string, p tree) (built.Resource, error) {
	attributes := map[string]string{}
	for property, value := range p {
		if property != "QueueName" && property != "Tags" {
			attributes[property] = text(value)
		}
	}
	if own := textAt(p, "QueueName"); own != "" {
		name = own
	}
	made, err := sqs.NewFromConfig(s.Config()).CreateQueue(s.t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(name), Attributes: attributes})
	if err != nil {
		return built.Resource{}, err
	}
	url := aws.ToString(made.QueueUrl)
	return known(url, map[string]string{"Arn": arnOf("sqs", name), "QueueName": name, "QueueUrl": url}), nil
}

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

func (s *Stack) makeBucket(name string, p tree) (built.Resource, error) {
	if own := textAt(p, "BucketName"); own != "" {
		name = own
	}
	if !bucketName.MatchString(name) {
		return built.Resource{}, fmt.Errorf("S3 takes no bucket called %q", name)
	}
	client := cloudtest.Objects(s.aws.URL)
	if _, err := client.CreateBucket(s.t.Context(), &s3.CreateBucketInput{Bucket: aws.String(name)}); err != nil {
		return built.Resource{}, err
	}
	if status := textAt(p, "VersioningConfiguration", "Status"); status != "" {
		_, err := client.PutBucketVersioning(s.t.Context(), &s3.PutBucketVersioningInput{
			Bucket: aws.String(name), VersioningConfiguration: &s3types.VersioningConfiguration{Status: s3types.BucketVersioningStatus(status)},
		})
		if err != nil {
			return built.Resource{}, err
		}
	}
	s.notify(name, treeAt(p, "NotificationConfiguration"))
	return known(name, map[string]string{
		"Arn": "arn:aws:s3:::" + name, "DomainName": name + ".s3.amazonaws.com", "RegionalDomainName": name + ".s3." + region + ".amazonaws.com",
	}), nil
}

func (s *Stack) makeSecret(name string, p tree) (built.Resource, error) {
	value := textAt(p, "SecretString")
	if generate := treeAt(p, "GenerateSecretString"); generate != nil {
		length, _ := generate["PasswordLength"].(float64)
		value = password(int(length))
	}
	if own := textAt(p, "Name"); own != "" {
		name = own
	}
	made, err := secretsmanager.NewFromConfig(s.Config()).CreateSecret(s.t.Context(), &secretsmanager.CreateSecretInput{
		Name: aws.String(name), SecretString: aws.String(value),
	})
	if err != nil {
		return built.Resource{}, err
	}
	return known(aws.ToString(made.ARN), map[string]string{"Id": aws.ToString(made.ARN)}), nil
}

func password(length int) string {
	if length <= 0 {
		length = 32
	}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	out := make([]byte, length)
	for i := range out {
		out[i] = letters[rand.IntN(len(letters))]
	}
	return string(out)
}

var dynamicReference = regexp.MustCompile(`\{\{resolve:(\w+):([^{}]+)\}\}`)

// reveal fills in the secrets that CloudFormation looks up last.
func (s *Stack) reveal(value string) (string, error) {
	var failed error
	out := dynamicReference.ReplaceAllStringFunc(value, func(found string) string {
		match := dynamicReference.FindStringSubmatch(found)
		if match[1] != "secretsmanager" {
			failed = fmt.Errorf("%s is not known here", found)
			return ""
		}
		got, err := secretsmanager.NewFromConfig(s.Config()).GetSecretValue(s.t.Context(), &secretsmanager.GetSecretValueInput{SecretId: aws.String(match[2])})
		if err != nil {
			failed = fmt.Errorf("%s: %w", found, err)
			return ""
		}
		return aws.ToString(got.SecretString)
	})
	return out, failed
}

// today is the time as AWS's events write it.
func today() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// known is what CloudFormation knows of a resource.
func known(ref string, attributes map[string]string) built.Resource {
	return built.Resource{Ref: ref, Attributes: attributes}
}
