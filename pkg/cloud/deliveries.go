package cloud

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// Deliveries reads the lead's partition.
func (s *Leads) Deliveries(ctx context.Context, dealerID, leadID string) ([]lead.Delivery, error) {
	all, err := readDocuments[lead.Delivery](ctx, s, leadPK(dealerID, leadID), skDelivery)
	if err != nil {
		return nil, fmt.Errorf("deliveries of lead %s: %w", leadID, err)
	}
	return all, nil
}

// UpdateDelivery writes one item on condition of its version. The first write
// takes the lead's own end, so that both are forgotten together, and needs the
// record; what the first write made is removed with it.
func (s *Leads) UpdateDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery) (lead.Delivery, error) {
	next := d
	next.Version++
	var err error
	if d.Version == 0 {
		err = s.firstDelivery(ctx, dealerID, leadID, next)
	} else {
		err = s.nextDelivery(ctx, dealerID, leadID, next, d.Version)
	}
	if err != nil {
		return lead.Delivery{}, err
	}
	return next, nil
}

func (s *Leads) firstDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery) error {
	record, err := s.get(ctx, leadPK(dealerID, leadID), skRecord)
	if err != nil {
		return fmt.Errorf("delivery of lead %s: %w", leadID, err)
	}
	if record == nil {
		return lead.ErrNotFound
	}
	i, err := document(leadPK(dealerID, leadID), skDelivery+d.Target, d)
	if err != nil {
		return err
	}
	i[attrVersion] = num(d.Version)
	keepAsLongAs(i, record)
	return s.beside(ctx, dealerID, leadID, &types.Put{
		TableName: aws.String(s.name), Item: i,
		ConditionExpression: aws.String("attribute_not_exists(#pk)"), ExpressionAttributeNames: map[string]string{"#pk": attrPK},
	}, lead.ErrConflict)
}

func (s *Leads) nextDelivery(ctx context.Context, dealerID, leadID string, d lead.Delivery, current int64) error {
	doc, err := json.Marshal(d)
	if err != nil {
		return err
	}
	in := &dynamodb.UpdateItemInput{
		TableName:                 aws.String(s.name),
		Key:                       key(leadPK(dealerID, leadID), skDelivery+d.Target),
		ConditionExpression:       aws.String("#version = :current"),
		UpdateExpression:          aws.String("SET #doc = :doc, #version = :next"),
		ExpressionAttributeNames:  map[string]string{"#doc": attrDoc, "#version": attrVersion},
		ExpressionAttributeValues: item{":doc": str(string(doc)), ":next": num(d.Version), ":current": num(current)},
	}
	err = again(ctx, func() error {
		_, err := s.client.UpdateItem(ctx, in)
		return err
	})
	if conditionFailed(err) {
		return lead.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("delivery of lead %s: %w", leadID, err)
	}
	return nil
}
