package cloud

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// Deliveries reads the lead's partition.
func (s *Leads) Deliveries(ctx context.Context, dealerID, leadID string) ([]lead.Delivery, error) {
	var all []lead.Delivery
	var fault error
	err := s.query(ctx, leadPK(dealerID, leadID), skRecord, false, func(i item) bool {
		if !strings.HasPrefix(getStr(i, attrSK), skDelivery) {
			return true
		}
		var d lead.Delivery
		if fault = json.Unmarshal([]byte(getStr(i, attrDoc)), &d); fault != nil {
			return false
		}
		all = append(all, d)
		return true
	})
	if err == nil {
		err = fault
	}
	if err != nil {
		return nil, fmt.Errorf("deliveries of lead %s: %w", leadID, err)
	}
	return all, nil
}

// UpdateDelivery writes one item on condition of its version. The first write
// takes the lead's own end, so that both are forgotten together.
func (s *Leads) UpdateDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery) (lead.Delivery, error) {
	next := d
	next.Version++
	doc, err := json.Marshal(next)
	if err != nil {
		return lead.Delivery{}, err
	}
	in := &dynamodb.UpdateItemInput{
		TableName:                aws.String(s.name),
		Key:                      key(leadPK(dealerID, leadID), skDelivery+d.Target),
		ExpressionAttributeNames: map[string]string{"#doc": attrDoc, "#version": attrVersion},
		ExpressionAttributeValues: item{
			":doc": str(string(doc)), ":next": num(next.Version),
		},
		UpdateExpression: aws.String("SET #doc = :doc, #version = :next"),
	}
	if d.Version != 0 {
		in.ConditionExpression = aws.String("#version = :current")
		in.ExpressionAttributeValues[":current"] = num(d.Version)
	} else {
		in.ConditionExpression = aws.String("attribute_not_exists(#version)")
		record, err := s.get(ctx, leadPK(dealerID, leadID), skRecord)
		if err != nil {
			return lead.Delivery{}, fmt.Errorf("lead %s: %w", leadID, err)
		}
		if until := record[attrUntil]; until != nil {
			in.UpdateExpression = aws.String("SET #doc = :doc, #version = :next, #until = :until, #expires = :expires")
			in.ExpressionAttributeNames["#until"], in.ExpressionAttributeNames["#expires"] = attrUntil, attrExpires
			in.ExpressionAttributeValues[":until"], in.ExpressionAttributeValues[":expires"] = until, record[attrExpires]
		}
	}
	_, err = s.client.UpdateItem(ctx, in)
	if conditionFailed(err) {
		return lead.Delivery{}, lead.ErrConflict
	}
	if err != nil {
		return lead.Delivery{}, fmt.Errorf("delivery of lead %s: %w", leadID, err)
	}
	return next, nil
}
