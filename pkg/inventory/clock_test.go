package inventory_test

import (
	"errors"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/inventory"
)

func TestAClockThatWasWrongOnceDoesNotKeepFeedsOutForYears(t *testing.T) {
	y := newYard(t)
	y.now = noon.AddDate(4, 0, 0)
	y.take(units(t, `[{"stock":"A","rooftop":"North"},{"stock":"B","rooftop":"North"},{"stock":"C","rooftop":"North"}]`)...)
	y.now = noon
	_, out := y.take(units(t, `[{"stock":"A","rooftop":"North"},{"stock":"B","rooftop":"North"}]`)...)
	if out.Gone != 1 || len(out.Kept) != 0 {
		t.Errorf("after the clock was set right: %+v", out)
	}
	for rooftop, at := range y.head().Vouched {
		if at.After(noon) {
			t.Errorf("%s is still vouched for at %v", rooftop, at)
		}
	}
}

func TestTwoClocksThatDifferByAMinuteStillTellOlderFeedsFromNewer(t *testing.T) {
	y := newYard(t)
	y.take(units(t, `[{"stock":"A","rooftop":"North"},{"stock":"B","rooftop":"North"}]`)...)
	y.now = noon.Add(-time.Hour).Add(-time.Minute) // the feed so far is dated a minute ahead of this clock
	_, _, _, err := y.plan(noon.Add(-2*time.Hour), units(t, `[{"stock":"A","rooftop":"North"},{"stock":"B","rooftop":"North"}]`))
	if _, refused := errors.AsType[*inventory.Refused](err); !refused {
		t.Errorf("an older feed is taken: %v", err)
	}
}
