package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dealer-agent/dealer/pkg/pickup/ledger"
)

// Pickups is ledger.Store in the table of vehicles: one item a source, under
// <dealer>#sources and the source's name.
type Pickups struct{ table }

var _ ledger.Store = (*Pickups)(nil)

// NewPickups keeps the states of feed sources in the named table.
func NewPickups(client *dynamodb.Client, name string) *Pickups {
	return &Pickups{newTable(client, name)}
}

func sourcesPK(dealerID string) string { return dealerID + "#sources" }

// States reads all items of the dealer.
func (s *Pickups) States(ctx context.Context, dealerID string) (states []ledger.State, err error) {
	var faults error
	err = s.query(ctx, sourcesPK(dealerID), "", false, func(i item) bool {
		st := ledger.State{Source: getStr(i, attrSK)}
		if doc := getStr(i, attrDoc); doc != "" {
			faults = errors.Join(faults, json.Unmarshal([]byte(doc), &st))
			states = append(states, st)
		}
		return true
	})
	return states, errors.Join(err, faults)
}

// Claim puts the item with a token of its own, if nobody has since it was read.
func (s *Pickups) Claim(ctx context.Context, dealerID, source string, now, until time.Time) (ledger.State, error) {
	st := ledger.State{Source: source}
	i, err := s.get(ctx, sourcesPK(dealerID), source)
	if err != nil {
		return st, err
	}
	held := getStr(i, attrToken)
	if held != "" && now.UnixNano() < getNum(i, attrUntil) {
		return st, ledger.ErrBusy
	}
	if doc := getStr(i, attrDoc); doc != "" {
		if err := json.Unmarshal([]byte(doc), &st); err != nil {
			return st, fmt.Errorf("state of the source: %w", err)
		}
	}
	st.Claim = strconv.FormatUint(rand.Uint64(), 36)
	claimed := key(sourcesPK(dealerID), source)
	claimed[attrDoc], claimed[attrToken], claimed[attrUntil] = str(getStr(i, attrDoc)), str(st.Claim), num(until.UnixNano())
	in := &dynamodb.PutItemInput{
		TableName: aws.String(s.name), Item: claimed,
		ConditionExpression:      aws.String("attribute_not_exists(#pk)"),
		ExpressionAttributeNames: map[string]string{"#pk": attrPK},
	}
	if i != nil {
		in.ConditionExpression = aws.String("#token = :held")
		in.ExpressionAttributeNames = map[string]string{"#token": attrToken}
		in.ExpressionAttributeValues = item{":held": str(held)}
	}
	return st, s.putOurs(ctx, in, st.Claim)
}

// Settle puts the state with an empty token.
func (s *Pickups) Settle(ctx context.Context, dealerID string, st ledger.State) error {
	doc, err := json.Marshal(st)
	if err != nil {
		return err
	}
	i := key(sourcesPK(dealerID), st.Source)
	// The number tells one settling from the next, for a put whose answer was lost.
	i[attrDoc], i[attrToken], i[attrUntil], i[attrLast] = str(string(doc)), str(""), num(0), str(st.Claim)
	return s.putOurs(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(s.name), Item: i,
		ConditionExpression:       aws.String("#token = :claim"),
		ExpressionAttributeNames:  map[string]string{"#token": attrToken},
		ExpressionAttributeValues: item{":claim": str(st.Claim)},
	}, st.Claim)
}

// attrLast is the token of the visitor that wrote the state.
const attrLast = "last"

// putOurs puts the item of a visitor. The client repeats a put whose answer was
// lost; the repetition then fails on what the first one wrote.
func (s *Pickups) putOurs(ctx context.Context, in *dynamodb.PutItemInput, token string) error {
	_, err := s.client.PutItem(ctx, in)
	if !conditionFailed(err) {
		return err
	}
	i, err := s.get(ctx, getStr(in.Item, attrPK), getStr(in.Item, attrSK))
	if err != nil {
		return err
	}
	if getStr(i, attrToken) == getStr(in.Item, attrToken) && (getStr(i, attrToken) == token || getStr(i, attrLast) == token) {
		return nil
	}
	return ledger.ErrBusy
}
