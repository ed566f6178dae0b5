package cloud_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

func TestAMessageIsTheLeadIDAndNothingElse(t *testing.T) {
	endpoint := cloudtest.Moto(t)
	url, _ := cloudtest.Queue(t, endpoint)
	client := sqs.NewFromConfig(cloudtest.Config(endpoint))
	if err := cloud.NewQueue(client, url).Enqueue(t.Context(), "0196a3f0-0000-7000-8000-000000000001"); err != nil {
		t.Fatal(err)
	}
	got, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: aws.String(url), MessageAttributeNames: []string{"All"}})
	if err != nil || len(got.Messages) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	if m := got.Messages[0]; aws.ToString(m.Body) != "0196a3f0-0000-7000-8000-000000000001" || len(m.MessageAttributes) != 0 {
		t.Errorf("message %q with %v", aws.ToString(m.Body), m.MessageAttributes)
	}
	if err := cloud.NewQueue(client, url+"-missing").Enqueue(t.Context(), "a"); err == nil {
		t.Error("a missing queue takes leads")
	}
}
