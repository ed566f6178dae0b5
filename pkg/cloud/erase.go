package cloud

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/stored"
)

func erasePK(dealerID string) string { return dealerID + "#erase" }

// Erase notes which leads are to go, removes their records, then looks through
// the whole table for what belongs to them, and takes the notes away at the
// end. A note that is found was left by an Erase that was cut short. Once the
// record is gone no other item of the lead can be written.
func (s *Leads) Erase(ctx context.Context, dealerID string, leadIDs []string, a lead.Audit) error {
	if err := s.erase(ctx, dealerID, leadIDs, a); err != nil {
		return fmt.Errorf("erasing leads: %w", err)
	}
	return nil
}

func (s *Leads) erase(ctx context.Context, dealerID string, leadIDs []string, a lead.Audit) error {
	for _, id := range leadIDs {
		i, err := document(erasePK(dealerID), id, a)
		if err != nil {
			return err
		}
		if _, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(s.name), Item: i}); err != nil {
			return err
		}
	}
	going := map[string]bool{}
	audits := map[string]lead.Audit{a.ID: a}
	var fault error
	err := s.query(ctx, erasePK(dealerID), "", false, func(i item) bool {
		var left lead.Audit
		if fault = json.Unmarshal([]byte(getStr(i, attrDoc)), &left); fault != nil {
			return false
		}
		going[getStr(i, attrSK)], audits[left.ID] = true, left
		return true
	})
	if err != nil || fault != nil {
		return cmp.Or(err, fault)
	}
	for id := range going {
		if err := s.removePartition(ctx, leadPK(dealerID, id)); err != nil {
			return err
		}
	}
	if len(going) > 0 {
		if err := s.sweepItems(ctx, dealerID, going); err != nil {
			return err
		}
	}
	for _, one := range audits {
		if err := s.Audit(ctx, dealerID, one); err != nil {
			return err
		}
	}
	for id := range going {
		if err := s.remove(ctx, key(erasePK(dealerID), id), nil); err != nil {
			return err
		}
	}
	return nil
}

// removePartition removes the record first, then what lies beside it.
func (s *Leads) removePartition(ctx context.Context, pk string) error {
	if err := s.remove(ctx, key(pk, skRecord), nil); err != nil {
		return err
	}
	var rest []item
	err := s.query(ctx, pk, "", false, func(i item) bool {
		rest = append(rest, key(pk, getStr(i, attrSK)))
		return true
	})
	for n := 0; n < len(rest) && err == nil; n++ {
		err = s.remove(ctx, rest[n], nil)
	}
	return err
}

// sweepItems goes through the dealer's other items and removes those of the leads.
func (s *Leads) sweepItems(ctx context.Context, dealerID string, going map[string]bool) error {
	in := &dynamodb.ScanInput{
		TableName: aws.String(s.name), ConsistentRead: aws.Bool(true),
		FilterExpression:          aws.String("begins_with(#pk, :dealer) AND NOT begins_with(#pk, :lead)"),
		ExpressionAttributeNames:  map[string]string{"#pk": attrPK},
		ExpressionAttributeValues: item{":dealer": str(dealerID + "#"), ":lead": str(leadPK(dealerID, ""))},
	}
	for {
		out, err := s.client.Scan(ctx, in)
		if err != nil {
			return err
		}
		for _, i := range out.Items {
			if err := s.leaveSlot(ctx, i, going); err != nil {
				return err
			}
			if pk := getStr(i, attrPK); pk == erasePK(dealerID) || !going[leadOf(dealerID, i)] {
				continue
			}
			if err := s.remove(ctx, key(getStr(i, attrPK), getStr(i, attrSK)), i); err != nil {
				return err
			}
		}
		if len(out.LastEvaluatedKey) == 0 {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// leaveSlot takes the leads out of the item when it is a slot that they take.
func (s *Leads) leaveSlot(ctx context.Context, i item, going map[string]bool) error {
	var out []string
	for _, id := range getSet(i, attrLeads) {
		if going[id] {
			out = append(out, id)
		}
	}
	if len(out) == 0 {
		return nil
	}
	in := &dynamodb.UpdateItemInput{
		TableName: aws.String(s.name), Key: key(getStr(i, attrPK), getStr(i, attrSK)),
		UpdateExpression:          aws.String("DELETE #leads :out"),
		ConditionExpression:       aws.String("attribute_exists(#leads)"), // it may have ended since it was read
		ExpressionAttributeNames:  map[string]string{"#leads": attrLeads},
		ExpressionAttributeValues: item{":out": &types.AttributeValueMemberSS{Value: out}},
	}
	return again(ctx, func() error {
		_, err := s.client.UpdateItem(ctx, in)
		if conditionFailed(err) {
			return nil
		}
		return err
	})
}

// leadOf says whose an item is; bound keys tell it in their content alone.
func leadOf(dealerID string, i item) string {
	if id := getStr(i, attrLead); id != "" {
		return id
	}
	if strings.HasPrefix(getStr(i, attrPK), dealerID+"#key#") {
		if k, err := stored.Key([]byte(getStr(i, attrDoc))); err == nil {
			return k.LeadID
		}
	}
	return ""
}

// remove deletes the item; given how it was read, only if it still is that:
// another lead may have taken its place.
func (s *Leads) remove(ctx context.Context, at, was item) error {
	in := &dynamodb.DeleteItemInput{TableName: aws.String(s.name), Key: at}
	for _, name := range []string{attrLead, attrDoc} {
		value := was[name]
		if value == nil {
			continue
		}
		in.ConditionExpression = aws.String("#is = :was")
		in.ExpressionAttributeNames = map[string]string{"#is": name}
		in.ExpressionAttributeValues = item{":was": value}
		break
	}
	return again(ctx, func() error {
		_, err := s.client.DeleteItem(ctx, in)
		if conditionFailed(err) {
			return nil
		}
		return err
	})
}
