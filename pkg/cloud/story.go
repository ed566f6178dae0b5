package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/lead"
)

const skEvent = "event#"

func auditPK(dealerID string) string { return dealerID + "#audit" }

// Note puts the event beside the record, on condition that there is one, with
// the record's end.
func (s *Leads) Note(ctx context.Context, dealerID, leadID string, e lead.Event) error {
	record, err := s.get(ctx, leadPK(dealerID, leadID), skRecord)
	if err != nil {
		return fmt.Errorf("lead %s: %w", leadID, err)
	}
	if record == nil {
		return lead.ErrNotFound
	}
	i, err := document(leadPK(dealerID, leadID), skEvent+timeSK(e.At, e.ID), e)
	if err != nil {
		return err
	}
	keepAsLongAs(i, record)
	return s.beside(ctx, dealerID, leadID, &types.Put{TableName: aws.String(s.name), Item: i}, nil)
}

// Story reads the lead's partition.
func (s *Leads) Story(ctx context.Context, dealerID, leadID string) ([]lead.Event, error) {
	all, err := readDocuments[lead.Event](ctx, s, leadPK(dealerID, leadID), skEvent)
	if err != nil {
		return nil, fmt.Errorf("story of lead %s: %w", leadID, err)
	}
	return all, nil
}

// Audit puts one item.
func (s *Leads) Audit(ctx context.Context, dealerID string, a lead.Audit) error {
	i, err := document(auditPK(dealerID), timeSK(a.At, a.ID), a)
	if err != nil {
		return err
	}
	_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(s.name), Item: i})
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// Audits reads the partition of the account.
func (s *Leads) Audits(ctx context.Context, dealerID string) ([]lead.Audit, error) {
	all, err := readDocuments[lead.Audit](ctx, s, auditPK(dealerID), "")
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return all, nil
}

// beside writes the put on condition that the lead's record is there. taken is
// what the failure of the put's own condition means.
func (s *Leads) beside(ctx context.Context, dealerID, leadID string, put *types.Put, taken error) error {
	stored := &types.ConditionCheck{
		TableName: aws.String(s.name), Key: key(leadPK(dealerID, leadID), skRecord),
		ConditionExpression: aws.String("attribute_exists(#pk)"), ExpressionAttributeNames: map[string]string{"#pk": attrPK},
	}
	guards := []guard{
		{types.TransactWriteItem{Put: put}, taken},
		{types.TransactWriteItem{ConditionCheck: stored}, lead.ErrNotFound},
	}
	return s.transact(ctx, guards, "lead "+leadID, func(item) bool { return false })
}

// keepAsLongAs gives the item the end of the record.
func keepAsLongAs(i, record item) {
	for _, name := range []string{attrUntil, attrExpires} {
		if end := record[name]; end != nil {
			i[name] = end
		}
	}
}

func document(pk, sk string, value any) (item, error) {
	doc, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	i := key(pk, sk)
	i[attrDoc] = str(string(doc))
	return i, nil
}

// readDocuments decodes the items of a partition whose sort key begins with
// the prefix, in key order.
func readDocuments[T any](ctx context.Context, s *Leads, pk, prefix string) (all []T, err error) {
	var fault error
	err = s.query(ctx, pk, "", false, func(i item) bool {
		if !strings.HasPrefix(getStr(i, attrSK), prefix) {
			return true
		}
		var one T
		if fault = json.Unmarshal([]byte(getStr(i, attrDoc)), &one); fault != nil {
			return false
		}
		all = append(all, one)
		return true
	})
	return all, errors.Join(err, fault)
}
