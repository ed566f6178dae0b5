package cloud

import (
	"slices"
	"testing"
)

func TestShownPartsAreThoseWhoseFlipCameToPass(t *testing.T) {
	for name, c := range map[string]struct {
		head  int64
		parts []logged
		want  []int64
	}{
		"a chain":                               {3, []logged{{"1", 1, 0}, {"2", 2, 1}, {"3", 3, 2}}, []int64{1, 2, 3}},
		"the last one died":                     {2, []logged{{"1", 1, 0}, {"2", 2, 1}, {"3", 3, 2}}, []int64{1, 2}},
		"one died and another took its place":   {4, []logged{{"1", 1, 0}, {"2", 2, 1}, {"4", 4, 1}}, []int64{1, 4}},
		"one died after the other had won":      {2, []logged{{"1", 1, 0}, {"2", 2, 1}, {"4", 4, 1}}, []int64{1, 2}},
		"the winner has successors":             {5, []logged{{"1", 1, 0}, {"2", 2, 1}, {"4", 4, 1}, {"5", 5, 2}}, []int64{1, 2, 5}},
		"the first import died":                 {2, []logged{{"1", 1, 0}, {"2", 2, 0}}, []int64{2}},
		"parts of one import":                   {1, []logged{{"1a", 1, 0}, {"1b", 1, 0}}, []int64{1, 1}},
		"no log was kept for a while":           {9, []logged{{"1", 1, 0}, {"2", 2, 1}, {"8", 8, 8}, {"9", 9, 8}}, []int64{1, 2, 8, 9}},
		"kept, changed once, not kept any more": {9, []logged{{"8", 8, 8}, {"7", 7, 8}}, []int64{8, 7}},
	} {
		var got []int64
		for _, p := range shownParts(c.parts, c.head) {
			got = append(got, p.number)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
