package cloud

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// CountSince counts the leads received at or after a time, without reading any:
// it takes one read unit for some thirty of them, erased ones included until
// DynamoDB removes them.
func (s *Leads) CountSince(ctx context.Context, dealerID string, from time.Time) (int, error) {
	count := 0
	in := &dynamodb.QueryInput{
		TableName: aws.String(s.name), Select: types.SelectCount, KeyConditionExpression: aws.String("#pk = :pk AND #sk >= :from"),
		ExpressionAttributeNames:  map[string]string{"#pk": attrPK, "#sk": attrSK},
		ExpressionAttributeValues: item{":pk": str(receivedPK(dealerID)), ":from": str(timeSK(from, ""))},
	}
	for {
		out, err := s.client.Query(ctx, in)
		if err != nil {
			return 0, fmt.Errorf("leads by time: %w", err)
		}
		count += int(out.Count)
		if len(out.LastEvaluatedKey) == 0 {
			return count, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// CountLeads is CountSince on the stack's leads.
func (s *Stack) CountLeads(ctx context.Context, dealerID string, from time.Time) (int, error) {
	return NewLeads(s.dynamo(), s.Settings.LeadsTable).CountSince(ctx, dealerID, from)
}
