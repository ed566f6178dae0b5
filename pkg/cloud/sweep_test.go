package cloud_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/lead/leadtest"
)

type ids struct {
	down bool
	got  []string
}

func (q *ids) Enqueue(_ context.Context, id string) error {
	if q.down {
		return errors.New("queue is down")
	}
	q.got = append(q.got, id)
	return nil
}

func TestASweepThatCannotQueueFailsAloudAndTheNextOneQueues(t *testing.T) {
	store, queue := leadtest.NewMemory(), &ids{down: true}
	e := entry(1)
	if err := store.Create(t.Context(), e, epoch); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	logger := cloud.NewLogger(&log, nil)
	var numbers bytes.Buffer
	sweep := cloud.Sweep(dealer.Fixed(&dealer.Profile{ID: "seabright"}), &lead.Desk{Store: store, Queue: queue, Now: time.Now, Log: logger}, logger, cloud.NewMetrics(&numbers, "sweeper", time.Now))
	if err := sweep(t.Context()); err == nil || !strings.Contains(err.Error(), "queue is down") {
		t.Errorf("got %v", err)
	}
	queue.down = false
	for range 2 {
		if err := sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(queue.got, []string{e.Record.ID}) || strings.Count(log.String(), `"msg":"leads queued late","leads":1`) != 1 {
		t.Errorf("queued %v\n%s", queue.got, &log)
	}
	// The first sweep leaves the lead, the second queues it, the third finds none.
	var waits []bool
	late := 0.0
	points, _ := cloudtest.Points(t, numbers.String())
	for _, p := range points {
		switch p.Name + " " + p.Dimensions {
		case "UndeliveredLeadAge Function=sweeper":
			waits = append(waits, p.Value > 0)
		case "Leads Function=sweeper State=queued_late":
			late += p.Value
		}
	}
	if !slices.Equal(waits, []bool{true, false, false}) || late != 1 {
		t.Errorf("waits %v, %v queued late\n%s", waits, late, &numbers)
	}
}
