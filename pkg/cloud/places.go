package cloud

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// placeTime is how long a place is held when nobody leaves it: longer than the
// worker's own timeout.
const placeTime = 6 * time.Minute

// places are the hand-overs that one dealer may have under way, over all
// instances: items <dealer>#places, place<n>, each taken until its time is over.
type places struct {
	table
	most int
	now  func() time.Time
}

func newPlaces(t table, most int) places { return places{t, most, time.Now} }

func placesPK(dealerID string) string { return dealerID + "#places" }

// enter takes a place until leave is called, or errNoPlace.
func (p places) enter(ctx context.Context, dealerID string) (leave func(), err error) {
	if p.most == 0 {
		return func() {}, nil
	}
	first := rand.N(p.most)
	for n := range p.most {
		at := key(placesPK(dealerID), fmt.Sprintf("place%d", (first+n)%p.most))
		until := p.now().Add(placeTime)
		taken, err := p.take(ctx, at, until)
		if err != nil {
			return nil, fmt.Errorf("a place to hand over: %w", err)
		}
		if taken {
			return func() { p.leave(context.WithoutCancel(ctx), at, until) }, nil
		}
	}
	return nil, errNoPlace
}

func (p places) take(ctx context.Context, at item, until time.Time) (bool, error) {
	in := &dynamodb.UpdateItemInput{
		TableName: aws.String(p.name), Key: at,
		UpdateExpression:          aws.String("SET #until = :until, #expires = :expires"),
		ConditionExpression:       aws.String("attribute_not_exists(#until) OR #until <= :now"),
		ExpressionAttributeNames:  map[string]string{"#until": attrUntil, "#expires": attrExpires},
		ExpressionAttributeValues: item{":until": num(until.UnixNano()), ":expires": num(until.Unix() + 1), ":now": num(p.now().UnixNano())},
	}
	_, err := p.client.UpdateItem(ctx, in)
	if conditionFailed(err) {
		return false, nil
	}
	return err == nil, err
}

// leave frees the place if it still is the one taken. Failing to costs the
// dealer the place for some minutes.
func (p places) leave(ctx context.Context, at item, until time.Time) {
	limited, cancel := context.WithTimeout(ctx, noteTime)
	defer cancel()
	_, _ = p.client.UpdateItem(limited, &dynamodb.UpdateItemInput{
		TableName: aws.String(p.name), Key: at,
		UpdateExpression:          aws.String("SET #until = :over"),
		ConditionExpression:       aws.String("#until = :until"),
		ExpressionAttributeNames:  map[string]string{"#until": attrUntil},
		ExpressionAttributeValues: item{":over": num(0), ":until": num(until.UnixNano())},
	})
}
