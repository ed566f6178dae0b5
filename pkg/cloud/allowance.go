package cloud

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// attrTaken counts what was taken of an allowance.
const attrTaken = "taken"

// shares is into how many parts a window's allowance is cut: an instance takes
// one part at a time from the table, so a dealer's window costs that many
// writes and not one a call. What an instance did not use of a part when the
// window ends is lost, which is less than it seems: the busier the dealer, the
// fewer parts lie about.
const shares = 25

// Allowance is what one dealer of many may have in each window of time, counted
// over all instances: items <dealer>#allowance, <kind>#<window>.
type Allowance struct {
	table
	kind, dealerID string
	most           int
	window         time.Duration
	now            func() time.Time
	log            *slog.Logger

	mu     sync.Mutex
	start  time.Time // of the window below
	left   int       // of the part taken last
	spent  bool      // the window has no part left
	asking chan struct{}
}

// NewAllowance counts in the leads table, with the rights of the context's
// dealer. A most of 0 is no limit.
func (s *Stack) NewAllowance(dealerID, kind string, most int, window time.Duration, log *slog.Logger) *Allowance {
	return &Allowance{
		table: newTable(s.dynamo(), s.Settings.LeadsTable), kind: kind, dealerID: dealerID,
		most: most, window: window, now: time.Now, log: log,
	}
}

// Take takes one and returns 0, or takes none and returns how long it is until
// the next window. A dealer beyond its allowance costs no request. While the
// count cannot be had, everything is allowed.
func (a *Allowance) Take(ctx context.Context) time.Duration {
	if a.most <= 0 {
		return 0
	}
	for {
		now := a.now()
		start := now.Truncate(a.window)
		a.mu.Lock()
		if !a.start.Equal(start) {
			a.start, a.left, a.spent = start, 0, false
		}
		switch {
		case a.left > 0:
			a.left--
			a.mu.Unlock()
			return 0
		case a.spent:
			a.mu.Unlock()
			return start.Add(a.window).Sub(now)
		case a.asking != nil:
			asking := a.asking
			a.mu.Unlock()
			select {
			case <-asking:
			case <-ctx.Done():
				return 0 // nobody waits for the answer
			}
			continue
		}
		a.asking = make(chan struct{})
		a.mu.Unlock()
		part := max(1, a.most/shares)
		ok, err := a.part(context.WithoutCancel(ctx), start, part)
		a.mu.Lock()
		if a.start.Equal(start) {
			a.spent = err == nil && !ok
			if ok || err != nil {
				a.left = part
			}
		}
		close(a.asking)
		a.asking = nil
		a.mu.Unlock()
		if err != nil {
			a.log.WarnContext(ctx, "the dealer's allowance cannot be counted", "allowance", a.kind, "error", err)
		}
	}
}

// part takes a part of the window's allowance; false when none is left.
func (a *Allowance) part(ctx context.Context, start time.Time, part int) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, noteTime)
	defer cancel()
	ends := start.Add(a.window)
	_, err := a.client.UpdateItem(limited, &dynamodb.UpdateItemInput{
		TableName:                aws.String(a.name),
		Key:                      key(a.dealerID+"#allowance", fmt.Sprintf("%s#%020d", a.kind, start.Unix())),
		UpdateExpression:         aws.String("ADD #taken :part SET #expires = :expires"),
		ConditionExpression:      aws.String("attribute_not_exists(#taken) OR #taken <= :room"),
		ExpressionAttributeNames: map[string]string{"#taken": attrTaken, "#expires": attrExpires},
		ExpressionAttributeValues: item{
			":part": num(int64(part)), ":room": num(int64(a.most - part)), ":expires": num(ends.Unix() + 3600),
		},
	})
	if conditionFailed(err) {
		return false, nil
	}
	return err == nil, err
}
