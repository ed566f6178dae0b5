package cloud

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
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
	// noteTime bounds telling SQS about one message.
	noteTime = 3 * time.Second

	firstPause = time.Second
	// longestPause ends the growth of pauses after failures that name none.
	longestPause = 30 * time.Minute
	// longestAsked is the longest pause that a failure may name.
	longestAsked = time.Hour
)

// Holder keeps a received message from other workers; Queue is one.
type Holder interface {
	Hold(ctx context.Context, receipt string, d time.Duration) error
}

// Deliverer hands each message of a batch, a lead id, to Handle.
//
// While Handle works the message is held in short steps, so a slow receiver
// costs no second delivery, and a worker that is killed costs the lead little
// time. A message that failed comes back after the pause that its error asks
// for by RetryAfter() time.Duration, else after one that doubles with each
// receive; a message that is no lead id comes back at once, so that it reaches
// the dead-letter queue soon. A message whose handling cannot be finished
// before the function's deadline is left for the next call.
type Deliverer struct {
	Queue  Holder
	Handle func(ctx context.Context, leadID string) error
	Log    *slog.Logger
	// Step is how long a message is held at a time; half of that later it is
	// held again. Default 90s.
	Step time.Duration
	// Admit, when set, makes the context that of the message's dealer and holds
	// one of the dealer's places until leave; its error sends the message back.
	Admit func(ctx context.Context, m events.SQSMessage) (admitted context.Context, leave func(), err error)
}

var (
	errNoTime   = errors.New("no time left in this call")
	errNoLeadID = errors.New("the message is not a lead id")
)

// Deliver reports the messages that failed, so that SQS brings only these back
// and in the end moves them to the dead-letter queue.
func (d *Deliverer) Deliver(ctx context.Context, batch events.SQSEvent) (events.SQSEventResponse, error) {
	failed := make([]bool, len(batch.Records))
	last := lastStart(ctx)
	var work errgroup.Group
	work.SetLimit(atOnce)
	for n, message := range batch.Records {
		work.Go(func() error {
			failed[n] = d.message(ctx, message, last) != nil
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

// message handles one message and says when it may come back.
func (d *Deliverer) message(ctx context.Context, m events.SQSMessage, last time.Time) error {
	receives, _ := strconv.Atoi(m.Attributes["ApproximateReceiveCount"])
	err := check(m.Body, last)
	if err == nil {
		ctx, err = d.handle(ctx, m)
	}
	if err == nil {
		return nil
	}
	pause := pauseAfter(receives, err)
	d.Log.WarnContext(ctx, "lead was not handed over and comes back",
		"lead_id", m.Body, "receives", receives, "pause", pause, "error", err)
	d.tell(ctx, m, pause)
	return err
}

// handle hands one message over, and returns the context of its dealer.
func (d *Deliverer) handle(ctx context.Context, m events.SQSMessage) (context.Context, error) {
	if d.Admit != nil {
		admitted, leave, err := d.Admit(ctx, m)
		if err != nil {
			return ctx, err
		}
		defer leave()
		ctx = admitted
	}
	release := d.hold(ctx, m)
	defer release()
	return ctx, d.guarded(ctx, m.Body)
}

// lastStart is until when a further lead may be begun.
func lastStart(ctx context.Context) time.Time {
	deadline, ok := ctx.Deadline()
	if !ok {
		return time.Time{}
	}
	return deadline.Add(-min(enough, time.Until(deadline)/2))
}

func check(leadID string, last time.Time) error {
	if leadID == "" || len(leadID) > 128 || slices.ContainsFunc([]byte(leadID), func(b byte) bool { return b < '!' || b > '~' }) {
		return errNoLeadID
	}
	if !last.IsZero() && !time.Now().Before(last) {
		return errNoTime
	}
	return nil
}

// guarded turns a panic into a failure of one lead. Its value may quote the
// lead, so only its type is told.
func (d *Deliverer) guarded(ctx context.Context, leadID string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the delivery panicked with a %T", p)
		}
	}()
	return d.Handle(ctx, leadID)
}

// hold holds the message until release, which returns when no step is under
// way any more.
func (d *Deliverer) hold(ctx context.Context, m events.SQSMessage) (release func()) {
	step := d.Step
	if step <= 0 {
		step = 90 * time.Second
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		beat := time.NewTicker(step / 2)
		defer beat.Stop()
		for {
			d.tell(ctx, m, step)
			select {
			case <-stop:
				return
			case <-ctx.Done():
				return
			case <-beat.C:
			}
		}
	}()
	return func() {
		close(stop)
		<-done
	}
}

// tell asks SQS to keep the message that long. Failing to costs nothing but
// time: the message then follows the queue's own visibility timeout.
func (d *Deliverer) tell(ctx context.Context, m events.SQSMessage, pause time.Duration) {
	if m.ReceiptHandle == "" {
		return
	}
	// Not cut short: a call that SQS heeds late would undo the next one.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	if err := d.Queue.Hold(limited, m.ReceiptHandle, pause); err != nil {
		d.Log.WarnContext(ctx, "message not held", "lead_id", m.Body, "error", err)
	}
}

// pauseAfter is how long a message that failed stays away.
func pauseAfter(receives int, err error) time.Duration {
	var later interface{ RetryAfter() time.Duration }
	switch {
	case errors.Is(err, errNoLeadID), errors.Is(err, errNoTime):
		return 0
	case errors.As(err, &later) && later.RetryAfter() > 0:
		return min(later.RetryAfter(), longestAsked)
	}
	whole := longestPause
	if shift := max(receives-1, 0); shift < 30 && firstPause<<shift < longestPause {
		whole = firstPause << shift
	}
	return whole/2 + rand.N(whole/2+1)
}
