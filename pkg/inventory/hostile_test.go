package inventory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A name may be as long as a whole request; looking for the closest known
// one must not grow with it.
func TestAnEndlessNameIsAnsweredAtOnce(t *testing.T) {
	l, p := lotOf(t, units(t, spellings)), twoRooftops()
	for _, letter := range []string{"a", "a ", "각", "ﷺ", "a\u0301"} {
		value := strings.Repeat(letter, 250_000/len(letter))
		for _, filter := range []string{"make", "model", "trim", "body", "fuel", "exterior_color", "rooftops"} {
			began := time.Now()
			got := search(t, l, p, `{"filters":{"`+filter+`":["`+value+`"]}}`)
			if spent := time.Since(began); spent > 500*time.Millisecond {
				t.Errorf("%s of %d times %q answered after %v", filter, len(value)/len(letter), letter, spent)
			}
			if got.Data.Total != 0 || strings.Contains(got.Message, "closest") {
				t.Errorf("%s of %d times %q: %d found, %q", filter, len(value)/len(letter), letter, got.Data.Total, got.Message)
			}
		}
	}
}

func TestOfManyUnknownNamesOnlyAFewAreLookedAtAgain(t *testing.T) {
	l, p := lotOf(t, units(t, spellings)), twoRooftops()
	var values strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&values, `"각낙닥%d",`, i)
	}
	began := time.Now()
	got := search(t, l, p, `{"filters":{"make":[`+values.String()+`"x"]}}`)
	if spent := time.Since(began); spent > 500*time.Millisecond {
		t.Errorf("answered after %v", spent)
	}
	if n := strings.Count(got.Message, "No listing has the make"); n != 3 {
		t.Errorf("%d names explained: %q", n, got.Message)
	}
}
