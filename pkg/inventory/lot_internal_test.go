package inventory

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// oneCar is a store in which every dealer has one car.
type oneCar struct{ Store }

func (oneCar) Head(context.Context, string) (Head, error) { return Head{Revision: 1, Snapshot: 1}, nil }

func (oneCar) Snapshot(context.Context, string, Head) ([]Vehicle, error) {
	return []Vehicle{{Key: "K", State: Available, Listing: aap.Vehicle{Stock: "K"}}}, nil
}

func TestIndexesLongestNotAskedForAreDroppedBeyondTheBudget(t *testing.T) {
	l := NewLot(oneCar{}, time.Now)
	ask := func(dealer int) {
		t.Helper()
		if _, err := l.index(t.Context(), fmt.Sprint("dealer-", dealer)); err != nil {
			t.Fatal(err)
		}
	}
	ask(0)
	l.budget = 3 * len(l.warm["dealer-0"].index.encoded)
	for i := 1; i < 10; i++ {
		ask(0) // stays, as it is asked for all the time
		ask(i)
	}
	if len(l.warm) != 3 || l.warm["dealer-0"] == nil || l.warm["dealer-9"] == nil {
		t.Errorf("%d indexes are warm: %v", len(l.warm), l.warm)
	}
}
