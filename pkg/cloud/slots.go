package cloud

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
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

// secondSK sorts by time.
func secondSK(t time.Time) string { return fmt.Sprintf("%020d", t.Unix()) }

func slotKey(dealerID string, v lead.Visit, s lead.Span) item {
	return key(slotsPK(dealerID, v.Rooftop, v.Type), secondSK(s.Start)+"#"+secondSK(s.End))
}

// takes adds the visit to a slot that has room for it, or holds it already.
func (s *Leads) takes(dealerID string, v lead.Visit, c lead.Claim) guard {
	until := c.End.Add(lead.SlotKept)
	return guard{reason: lead.ErrSlotTaken, write: types.TransactWriteItem{Update: &types.Update{
		TableName:           aws.String(s.name),
		Key:                 slotKey(dealerID, v, c.Span),
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

// frees takes the visit out of a slot. What it leaves ends as what takes made
// does, also when the table had forgotten the slot and this makes it anew.
func (s *Leads) frees(dealerID string, v lead.Visit, span lead.Span) guard {
	until := span.End.Add(lead.SlotKept)
	return guard{write: types.TransactWriteItem{Update: &types.Update{
		TableName:                aws.String(s.name),
		Key:                      slotKey(dealerID, v, span),
		UpdateExpression:         aws.String("DELETE #leads :me SET #until = :until, #expires = :expires"),
		ExpressionAttributeNames: map[string]string{"#leads": attrLeads, "#until": attrUntil, "#expires": attrExpires},
		ExpressionAttributeValues: item{
			":me": &types.AttributeValueMemberSS{Value: []string{v.LeadID}}, ":until": num(until.UnixNano()), ":expires": num(until.Unix() + 1),
		},
	}}}
}

// Slots reads the partition of the rooftop and type from the first slot that
// may reach into the time.
func (s *Leads) Slots(ctx context.Context, dealerID, rooftop, kind string, from, to, now time.Time) ([]lead.Slot, error) {
	var all []lead.Slot
	err := s.between(ctx, slotsPK(dealerID, rooftop, kind), secondSK(from.Add(-lead.MaxSlot)), secondSK(to.Add(time.Second-1)), func(i item) bool {
		first, _, _ := strings.Cut(getStr(i, attrSK), "#")
		start, _ := strconv.ParseInt(first, 10, 64)
		slot := lead.Slot{Leads: getSet(i, attrLeads)}
		slot.Start, slot.End = time.Unix(start, 0).UTC(), time.Unix(getNum(i, attrEnd), 0).UTC()
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
