package cloudtest

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	ssmtypes "github.com/aws/aws-sdk-go-v2/service/ssm/types"
)

// names makes resource names unique within a process.
var names atomic.Int64

func fresh(kind string) string { return fmt.Sprintf("%s-%d", kind, names.Add(1)) }

// DynamoDB is a client of the emulator at endpoint. It takes answers without
// the checksum header that only AWS sends.
func DynamoDB(endpoint string) *dynamodb.Client {
	return dynamodb.NewFromConfig(Config(endpoint), func(o *dynamodb.Options) { o.DisableValidateResponseChecksum = true })
}

// Table makes an empty table as the template defines both tables, and returns its name.
func Table(t testing.TB, client *dynamodb.Client) string {
	t.Helper()
	name := fresh("table")
	_, err := client.CreateTable(context.Background(), &dynamodb.CreateTableInput{
		TableName:   aws.String(name),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	waiter := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 5*time.Millisecond, 50*time.Millisecond
	})
	if err := waiter.Wait(context.Background(), &dynamodb.DescribeTableInput{TableName: aws.String(name)}, time.Minute); err != nil {
		t.Fatal(err)
	}
	return name
}

// Queue makes a queue whose messages go to a dead-letter queue after forty
// receives, and returns both URLs.
func Queue(t testing.TB, endpoint string) (url, dead string) {
	t.Helper()
	client := sqs.NewFromConfig(Config(endpoint))
	name := fresh("leads")
	made, err := client.CreateQueue(context.Background(), &sqs.CreateQueueInput{QueueName: aws.String(name + "-dead")})
	if err != nil {
		t.Fatal(err)
	}
	dead = aws.ToString(made.QueueUrl)
	about, err := client.GetQueueAttributes(context.Background(), &sqs.GetQueueAttributesInput{
		QueueUrl: made.QueueUrl, AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameQueueArn},
	})
	if err != nil {
		t.Fatal(err)
	}
	made, err = client.CreateQueue(context.Background(), &sqs.CreateQueueInput{
		QueueName: aws.String(name),
		Attributes: map[string]string{
			"VisibilityTimeout": "1980",
			"RedrivePolicy":     fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":"40"}`, about.Attributes["QueueArn"]),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(made.QueueUrl), dead
}

// Objects is an S3 client of the emulator at endpoint.
func Objects(endpoint string) *s3.Client {
	return s3.NewFromConfig(Config(endpoint), func(o *s3.Options) { o.UsePathStyle = true })
}

// Bucket makes an empty bucket and returns its name.
func Bucket(t testing.TB, client *s3.Client) string {
	t.Helper()
	name := fresh("bucket")
	if _, err := client.CreateBucket(context.Background(), &s3.CreateBucketInput{Bucket: aws.String(name)}); err != nil {
		t.Fatal(err)
	}
	return name
}

// Put writes one object.
func Put(t testing.TB, client *s3.Client, bucket, key string, body []byte) {
	t.Helper()
	_, err := client.PutObject(context.Background(), &s3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(key), Body: bytes.NewReader(body),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Parameter writes one encrypted parameter of Systems Manager.
func Parameter(t testing.TB, endpoint, name, value string) {
	t.Helper()
	_, err := ssm.NewFromConfig(Config(endpoint)).PutParameter(context.Background(), &ssm.PutParameterInput{
		Name: aws.String(name), Value: aws.String(value), Type: ssmtypes.ParameterTypeSecureString,
	})
	if err != nil {
		t.Fatal(err)
	}
}
