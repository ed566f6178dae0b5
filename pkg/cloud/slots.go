package cloud

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/lead"
)

const (
	attrLeads = "leads" // who takes a slot
	attrEnd   = "end"
)

// slotsPK hashes the rooftop's name, which may hold anything.
func slotsPK(dealerID, rooftop, kind string) string {
	sum := sha256.Sum256([]byte(rooftop))
	return dealerID + "#slots#" + hex.EncodeToString(sum[:16]) + "#" + kind
}

// slotSK sorts by time; whole seconds.
func slotSK(start time.Time) string { return fmt.Sprintf("%020d", start.Unix()) }

func slotKey(dealerID string, v lead.Visit, start time.Time) item {
	return key(slotsPK(dealerID, v.Rooftop, v.Type), slotSK(start))
}

// takes adds the visit to a slot that has room for it, or holds it already.
func (s *Leads) takes(dealerID string, v lead.Visit, c lead.Claim) guard {
	until := c.End.Add(lead.SlotKept)
	return guard{reason: lead.ErrSlotTaken, write: types.TransactWriteItem{Update: &types.Update{
		TableName:           aws.String(s.name),
		Key:                 slotKey(dealerID, v, c.Start),
		UpdateExpression:    aws.String("ADD #leads :me SET #end = :end, #until = :until, #expires = :expires"),
		ConditionExpression: aws.String("attribute_not_exists(#leads) OR contains(#leads, :id) OR size(#leads) < :room"),
		ExpressionAttributeNames: map[string]string{
			"#leads": attrLeads, "#end": attrEnd, "#until": attrUntil, "#expires": attrExpires,
		},
		ExpressionAttributeValues: item{
			":me": &types.AttributeValueMemberSS{Value: []string{v.LeadID}}, ":id": str(v.LeadID), ":room": num(int64(c.Room)),
			":end": num(c.End.Unix()), ":until": num(until.UnixNano()), ":expires": num(until.Unix() + 1),
		},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}}
}

// frees takes the visit out of a slot.
func (s *Leads) frees(dealerID string, v lead.Visit, start time.Time) guard {
	return guard{write: types.TransactWriteItem{Update: &types.Update{
		TableName:                 aws.String(s.name),
		Key:                       slotKey(dealerID, v, start),
		UpdateExpression:          aws.String("DELETE #leads :me"),
		ExpressionAttributeNames:  map[string]string{"#leads": attrLeads},
		ExpressionAttributeValues: item{":me": &types.AttributeValueMemberSS{Value: []string{v.LeadID}}},
	}}}
}

// Slots reads the partition of the rooftop and type from the first slot that
// may reach into the time.
func (s *Leads) Slots(ctx context.Context, dealerID, rooftop, kind string, from, to, now time.Time) ([]lead.Slot, error) {
	var all []lead.Slot
	err := s.between(ctx, slotsPK(dealerID, rooftop, kind), slotSK(from.Add(-lead.MaxSlot)), slotSK(to.Add(time.Second-1)), func(i item) bool {
		start, _ := strconv.ParseInt(getStr(i, attrSK), 10, 64)
		slot := lead.Slot{Start: time.Unix(start, 0).UTC(), End: time.Unix(getNum(i, attrEnd), 0).UTC(), Leads: getSet(i, attrLeads)}
		if len(slot.Leads) > 0 && slot.Start.Before(to) && slot.End.After(from) && !gone(i, now) {
			all = append(all, slot)
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("slots: %w", err)
	}
	return all, nil
}
