package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dealer-agent/dealer/pkg/lead"
)

const skVisit = "visit"

func agendaPK(dealerID string) string { return dealerID + "#agenda" }
func agendaSK(v lead.Visit) string    { return secondSK(v.Start) + "#" + v.LeadID }

// visitGuards write the visit, its place in the agenda and the slots it gains;
// old is the visit before, or none.
func (s *Leads) visitGuards(dealerID string, old, v lead.Visit, gained []lead.Claim) ([]guard, error) {
	doc, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	visit := expire(key(leadPK(dealerID, v.LeadID), skVisit), v.ExpiresAt)
	visit[attrDoc], visit[attrVersion], visit[attrLead] = str(string(doc)), num(v.Version), str(v.LeadID)
	put := &types.Put{TableName: aws.String(s.name), Item: visit}
	if old.LeadID != "" {
		put.ConditionExpression = aws.String("#version = :current")
		put.ExpressionAttributeNames = map[string]string{"#version": attrVersion}
		put.ExpressionAttributeValues = item{":current": num(old.Version)}
		put.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	guards := []guard{{types.TransactWriteItem{Put: put}, lead.ErrConflict}}
	for _, c := range gained {
		guards = append(guards, s.takes(dealerID, v, c))
	}
	for _, span := range v.Freed(old) {
		guards = append(guards, s.frees(dealerID, old, span))
	}
	if old.LeadID != "" && agendaSK(old) != agendaSK(v) {
		guards = append(guards, guard{write: types.TransactWriteItem{Delete: &types.Delete{
			TableName: aws.String(s.name), Key: key(agendaPK(dealerID), agendaSK(old)),
		}}})
	}
	place := expire(key(agendaPK(dealerID), agendaSK(v)), v.ExpiresAt)
	place[attrLead] = str(v.LeadID)
	return append(guards, guard{write: types.TransactWriteItem{Put: &types.Put{TableName: aws.String(s.name), Item: place}}}), nil
}

// Visit reads one item.
func (s *Leads) Visit(ctx context.Context, dealerID, leadID string, now time.Time) (lead.Visit, error) {
	i, err := s.get(ctx, leadPK(dealerID, leadID), skVisit)
	if err != nil {
		return lead.Visit{}, fmt.Errorf("visit of lead %s: %w", leadID, err)
	}
	return readVisit(i, now)
}

func readVisit(i item, now time.Time) (v lead.Visit, err error) {
	if gone(i, now) {
		return v, lead.ErrNotFound
	}
	if err = json.Unmarshal([]byte(getStr(i, attrDoc)), &v); err != nil {
		return v, fmt.Errorf("visit: %w", err)
	}
	return v, nil
}

// Visits reads the agenda, then the visits in it.
func (s *Leads) Visits(ctx context.Context, dealerID string, from, to time.Time, limit int, now time.Time) ([]lead.Visit, error) {
	var keys []item
	err := s.between(ctx, agendaPK(dealerID), secondSK(from.Add(time.Second-1)), secondSK(to.Add(time.Second-1)), func(i item) bool {
		if _, id, ok := strings.Cut(getStr(i, attrSK), "#"); ok && !gone(i, now) {
			keys = append(keys, key(leadPK(dealerID, id), skVisit))
		}
		return len(keys) < limit
	})
	if err != nil {
		return nil, fmt.Errorf("agenda: %w", err)
	}
	found, err := s.getAll(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("agenda: %w", err)
	}
	var all []lead.Visit
	for _, k := range keys {
		v, err := readVisit(found[[2]string{getStr(k, attrPK), skVisit}], now)
		if errors.Is(err, lead.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// UpdateVisit writes visit, agenda and slots in one transaction.
func (s *Leads) UpdateVisit(ctx context.Context, dealerID string, v lead.Visit, claims []lead.Claim, now time.Time) (lead.Visit, error) {
	old, err := s.Visit(ctx, dealerID, v.LeadID, now)
	if err != nil {
		return lead.Visit{}, err
	}
	if old.Version != v.Version {
		return lead.Visit{}, lead.ErrConflict
	}
	next := v.Clone()
	next.Version++
	guards, err := s.visitGuards(dealerID, old, next, v.Gained(old, claims))
	if err != nil {
		return lead.Visit{}, err
	}
	doc, err := json.Marshal(next)
	if err != nil {
		return lead.Visit{}, err
	}
	err = s.transact(ctx, guards, "visit of lead "+v.LeadID, func(i item) bool {
		return getStr(i, attrDoc) == string(doc) || contains(i, attrLeads, v.LeadID)
	})
	if err != nil {
		return lead.Visit{}, err
	}
	return next, nil
}
