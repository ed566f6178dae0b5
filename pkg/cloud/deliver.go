package cloud

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"golang.org/x/sync/errgroup"
)

const (
	// atOnce is how many leads of one batch are handed over side by side.
	atOnce = 4
	// enough is time for one attempt with the usual timeout of a target. Without
	// it no further lead is begun, unless the function never has that much.
	enough = 25 * time.Second
)

// Deliver hands each message of a batch, a lead id, to handle and reports the
// ones that failed, so that SQS brings only these back and in the end moves
// them to the dead-letter queue. A message whose handling cannot be finished
// before the function's deadline is left for the next call.
func Deliver(handle func(ctx context.Context, leadID string) error, log *slog.Logger) func(context.Context, events.SQSEvent) (events.SQSEventResponse, error) {
	return func(ctx context.Context, batch events.SQSEvent) (events.SQSEventResponse, error) {
		failed := make([]bool, len(batch.Records))
		last := lastStart(ctx)
		var work errgroup.Group
		work.SetLimit(atOnce)
		for n, message := range batch.Records {
			work.Go(func() error {
				err := deliver(ctx, handle, message.Body, last)
				if failed[n] = err != nil; failed[n] {
					log.WarnContext(ctx, "lead was not handed over and comes back",
						"lead_id", message.Body, "receives", message.Attributes["ApproximateReceiveCount"], "error", err)
				}
				return nil
			})
		}
		_ = work.Wait() // its functions return nil
		// An absent list would mean that everything failed to be read.
		out := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
		for n := range batch.Records {
			if failed[n] {
				out.BatchItemFailures = append(out.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: batch.Records[n].MessageId})
			}
		}
		return out, nil
	}
}

var errNoTime = errors.New("no time left in this call")

// lastStart is until when a further lead may be begun.
func lastStart(ctx context.Context) time.Time {
	deadline, ok := ctx.Deadline()
	if !ok {
		return time.Time{}
	}
	return deadline.Add(-min(enough, time.Until(deadline)/2))
}

func deliver(ctx context.Context, handle func(context.Context, string) error, leadID string, last time.Time) (err error) {
	if !last.IsZero() && !time.Now().Before(last) {
		return errNoTime
	}
	if leadID == "" || len(leadID) > 128 || slices.ContainsFunc([]byte(leadID), func(b byte) bool { return b < '!' || b > '~' }) {
		return errors.New("the message is not a lead id")
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the delivery panicked with a %T", p)
		}
	}()
	return handle(ctx, leadID)
}
