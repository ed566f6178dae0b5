package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/dealer-agent/dealer/infra/fleet"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/cloud/stacks"
)

// locker is a lock in a bucket that is empty so far.
func locker(t *testing.T) *stacks.Lock {
	t.Helper()
	server := httptest.NewServer(gofakes3.New(s3mem.New()).Server())
	t.Cleanup(server.Close)
	objects := s3.NewFromConfig(cloudtest.Config(server.URL), func(o *s3.Options) { o.UsePathStyle = true })
	if _, err := objects.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("code")}); err != nil {
		t.Fatal(err)
	}
	return stacks.NewAccounts(cloudtest.Config(server.URL)).At(stacks.Place{Region: "us-east-1"}).Lock("code", fleet.LockKey(&fleet.File{Name: "nw", CodePrefix: "dealer"}))
}

func alive(stacks.Claim) bool { return false }

func take(ctx context.Context, at fleet.Locker, who string, clock fleet.Clock) (*fleet.Lock, error) {
	return fleet.Acquire(ctx, at, stacks.Claim{Holder: who}, alive, clock, rand.Float64)
}

func TestOfManyAppliesOneGetsTheLock(t *testing.T) {
	at := locker(t)
	var got atomic.Int64
	var all sync.WaitGroup
	for n := range 12 {
		all.Go(func() {
			_, err := take(t.Context(), at, fmt.Sprint("run ", n), fleet.Wall{})
			switch {
			case err == nil:
				got.Add(1)
			case !errors.Is(err, fleet.ErrHeld):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got.Load() != 1 {
		t.Errorf("%d runs have the lock", got.Load())
	}
}

// tardy is a lock whose first write is carried out only with the second.
type tardy struct {
	fleet.Locker
	late func(context.Context) error
}

func (l *tardy) Write(ctx context.Context, c stacks.Claim, mark string) (string, error) {
	if l.late == nil {
		l.late = func(ctx context.Context) error {
			_, err := l.Locker.Write(ctx, c, mark)
			return err
		}
		return "", stacks.ErrUnsure
	}
	if err := l.late(ctx); err != nil && !errors.Is(err, stacks.ErrLost) {
		return "", err
	}
	return l.Locker.Write(ctx, c, mark)
}

func TestARunIsNotKeptOutByItsOwnClaimThatCameLate(t *testing.T) {
	at := locker(t)
	lock, err := take(t.Context(), &tardy{Locker: at}, "pat", newHurried())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := take(t.Context(), at, "kim", newHurried()); !errors.Is(err, fleet.ErrHeld) {
		t.Errorf("a second run: %v", err)
	}
	if err := lock.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestALockEndsWithItsHolder(t *testing.T) {
	at, clock := locker(t), newHurried()
	first, err := take(t.Context(), at, "kim", clock)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := take(t.Context(), at, "pat", clock); !errors.Is(err, fleet.ErrHeld) || !strings.Contains(err.Error(), "kim since 12:00:00 UTC; if that run was killed, the fleet is free at 12:03:00 UTC") {
		t.Errorf("%v", err)
	}
	// Known to be dead, it is not waited for.
	second, err := fleet.Acquire(t.Context(), at, stacks.Claim{Holder: "pat"}, func(c stacks.Claim) bool { return c.Holder == "kim" }, clock, rand.Float64)
	if err != nil {
		t.Fatal(err)
	}
	// The first one, which was not dead after all, learns that it has lost it.
	if err := first.Keep(t.Context()); !errors.Is(err, stacks.ErrLost) {
		t.Errorf("%v", err)
	}
	if err := second.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	third, err := take(t.Context(), at, "lee", clock)
	if err != nil {
		t.Fatal(err)
	}
	// Nobody hears of it any more.
	_ = clock.Sleep(t.Context(), 4*time.Minute)
	if _, err := take(t.Context(), at, "max", clock); err != nil {
		t.Errorf("%v", err)
	}
	if err := third.Release(t.Context()); !errors.Is(err, stacks.ErrLost) {
		t.Errorf("a lock that somebody else has is released: %v", err)
	}
}

func TestALockIsKeptAsLongAsItsRunTakes(t *testing.T) {
	at, clock := locker(t), newHurried()
	ctx, end := context.WithCancel(t.Context())
	beats := &counted{hurried: clock, end: end, left: 30}
	kept, err := fleet.Acquire(t.Context(), at, stacks.Claim{Holder: "pat"}, alive, beats, rand.Float64)
	if err != nil {
		t.Fatal(err)
	}
	if err := kept.Keep(ctx); err != nil {
		t.Errorf("%v", err)
	}
	if _, err := take(t.Context(), at, "lee", clock); !errors.Is(err, fleet.ErrHeld) || clock.Now().Sub(newHurried().Now()) < 25*time.Minute {
		t.Errorf("after %s: %v", clock.Now().Sub(newHurried().Now()), err)
	}
}

// counted ends a context after some sleeps.
type counted struct {
	*hurried
	end  func()
	left int
}

func (c *counted) Sleep(ctx context.Context, d time.Duration) error {
	if c.left--; c.left == 0 {
		c.end()
	}
	return c.hurried.Sleep(ctx, d)
}

func TestAJournalIsBelievedForAnHourAndOnlyForTheSameWish(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	j, err := fleet.OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Add("a", "one", now), j.Close()); err != nil {
		t.Fatal(err)
	}
	if j, err = fleet.OpenJournal(path); err != nil {
		t.Fatal(err)
	}
	if !j.Done("a", "one", now.Add(time.Minute)) || j.Done("a", "two", now) || j.Done("b", "one", now) || j.Done("a", "one", now.Add(2*time.Hour)) {
		t.Error("the journal tells something else")
	}
	if err := j.Finish(); err != nil {
		t.Fatal(err)
	}
	if j, err = fleet.OpenJournal(path); err != nil || j.Done("a", "one", now) {
		t.Errorf("a finished journal is remembered: %v", err)
	}
}

func TestTheFirstCauseIsThatOfTheLatestChange(t *testing.T) {
	const id = "arn:aws:cloudformation:us-east-1:123456789012:stack/nw-a/1"
	events := []stacks.Event{
		{Physical: id, Status: "UPDATE_ROLLBACK_COMPLETE"},
		{Logical: "B", Type: "AWS::SQS::Queue", Status: "UPDATE_FAILED", Reason: "Resource update cancelled"},
		{Logical: "C", Type: "AWS::Lambda::Function", Status: "UPDATE_FAILED", Reason: "second"},
		{Logical: "A", Type: "AWS::IAM::Role", Status: "UPDATE_FAILED", Reason: "no right to iam:PutRolePolicy"},
		{Physical: id, Status: "UPDATE_IN_PROGRESS", Reason: "User Initiated"},
		{Logical: "Z", Type: "AWS::SNS::Topic", Status: "CREATE_FAILED", Reason: "of long ago"},
	}
	if got := fleet.FirstCause(id, events); got != "A (AWS::IAM::Role): no right to iam:PutRolePolicy" {
		t.Error(got)
	}
	if got := fleet.FirstCause(id, events[4:]); got != "" {
		t.Error(got)
	}
}
