package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

func TestAnImportLogsWhatItPublishesAnew(t *testing.T) {
	p := oneRooftop()
	p.Prices = dealer.Prices{Includes: dealer.PricesWithoutFees, AddFees: []dealer.Fee{{Name: "Documentation fee", Amount: 300}}}
	l := newLot(p)
	start := l.now
	take := func(name, rows string) {
		t.Helper()
		l.now = l.now.Add(24 * time.Hour)
		if _, err := l.take(t, name, []byte(lotHeader+rows)); err != nil {
			t.Fatal(err)
		}
	}
	told := func() (lines []string) {
		err := l.store.Published(t.Context(), p.ID, l.now, func(e inventory.Publication) error {
			price := "none"
			if e.Price != nil {
				price = fmt.Sprint(*e.Price)
			}
			lines = append(lines, fmt.Sprint(e.Source, " ", e.Stock, " ", e.Status, " ", price, " ", len(e.Fees), " ", int(e.At.Sub(start).Hours())/24))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	want := func(lines ...string) {
		t.Helper()
		if got := strings.Join(told(), "\n"); got != strings.Join(lines, "\n") {
			t.Errorf("log:\n%s\nwant:\n%s", got, strings.Join(lines, "\n"))
		}
	}
	take("day1", cars("", 0, 3))
	want() // no log is asked for
	p.Records.Prices = dealer.Duration(17520 * time.Hour)
	take("day2", cars("", 0, 3))
	baseline := []string{"day2 S000 available 15300 1 2", "day2 S001 available 15301 1 2", "day2 S002 available 15302 1 2"}
	want(baseline...)
	take("day3", cars("", 0, 3))
	want(baseline...) // unchanged
	take("day4", strings.Replace(cars("", 0, 3), "Civic,15001", "Accord,15001", 1))
	want(baseline...) // a change of what the log is not about
	take("day5", strings.Replace(cars("", 1, 4), "15001", "14001", 1))
	want(append(baseline, "day5 S000 sold 15300 1 5", "day5 S001 available 14301 1 5", "day5 S003 available 15303 1 5")...)
}
