package doctor_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestFaultsAreManyAndOfEveryKind counts what the tables above seed.
func TestFaultsAreManyAndOfEveryKind(t *testing.T) {
	kinds := map[string]int{}
	for _, table := range [][]fault{cardFaults, callFaults, deepFaults} {
		for _, f := range table {
			for _, want := range f.want {
				area, _, _ := strings.Cut(want, ".")
				kinds[area]++
			}
		}
	}
	for _, area := range []string{"card", "contract", "auth", "skill", "errors", "headers", "http", "consent", "lead", "inventory", "schemas", "mcp", "limits", "speed"} {
		if kinds[area] == 0 {
			t.Errorf("no fault of %s among %v", area, slices.Sorted(maps.Keys(kinds)))
		}
	}
}
