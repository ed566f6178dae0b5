package cloudtest_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

func TestTheMeterCountsAsAWSDoes(t *testing.T) {
	m := &cloudtest.Meter{}
	client := m.DynamoDB(cloudtest.Dynalite(t))
	table := aws.String(cloudtest.Table(t, client))
	key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}, "sk": &types.AttributeValueMemberS{Value: "b"}}
	item := map[string]types.AttributeValue{"pk": key["pk"], "sk": key["sk"], "doc": &types.AttributeValueMemberS{Value: strings.Repeat("x", 9000)}}
	there, names := aws.String("attribute_exists(#pk)"), map[string]string{"#pk": "pk"}
	for _, c := range []struct {
		what string
		do   func() error
		want cloudtest.Units
	}{
		{"reading what is not there", func() error {
			_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: table, Key: key, ConsistentRead: aws.Bool(true)})
			return err
		}, cloudtest.Units{Reads: 1}},
		{"writing 9 KB", func() error {
			_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: table, Item: item})
			return err
		}, cloudtest.Units{Writes: 9}},
		{"the same in a transaction, which also checks it", func() error {
			_, err := client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				{Put: &types.Put{TableName: table, Item: item}},
				{ConditionCheck: &types.ConditionCheck{TableName: table, Key: key, ConditionExpression: there, ExpressionAttributeNames: names}},
			}})
			return err
		}, cloudtest.Units{Writes: 36}},
		{"reading it", func() error {
			_, err := client.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				*table: {Keys: []map[string]types.AttributeValue{key}, ConsistentRead: aws.Bool(true)},
			}})
			return err
		}, cloudtest.Units{Reads: 3}},
		{"deleting it", func() error {
			_, err := client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: table, Key: key})
			return err
		}, cloudtest.Units{Writes: 9}},
	} {
		m.Take()
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if got := m.Take(); got != c.want {
			t.Errorf("%s takes %+v, want %+v", c.what, got, c.want)
		}
	}
}
