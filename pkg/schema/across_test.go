package schema_test

import (
	"testing"

	"github.com/dealer-agent/dealer/schemas"
)

// TestExamplesOfEveryVersionGetTheReleasedVerdictInEveryOther holds what one
// version sends to what another takes.
func TestExamplesOfEveryVersionGetTheReleasedVerdictInEveryOther(t *testing.T) {
	refused := map[[2]string]int{} // payloads of the first that the second refuses
	leads := map[[2]string]int{}   // those of them that are leads
	sent := map[string]int{}       // the leads of a version
	total := 0
	for _, by := range schemas.Labels() {
		o, set := newOracle(t, by), setOf(t, by)
		for _, of := range schemas.Labels() {
			for _, ex := range examples(t, of) {
				if by == of && ex.file == leadFile {
					sent[of]++
				}
				if _, ok := o.files[ex.file]; !ok {
					continue
				}
				want := o.schema(t, ex.file).Validate(ex.payload)
				found, err := set.Check(ex.file, encode(t, ex.payload))
				if err != nil {
					t.Fatal(err)
				}
				if (want == nil) != (len(found) == 0) {
					t.Errorf("%s of %s by %s\nreleased: %v\nown: %v", ex.name, of, by, want, found)
				}
				total++
				if want != nil && ex.file != "agent-card.schema.json" {
					refused[[2]string{of, by}]++
					if ex.file == leadFile {
						leads[[2]string{of, by}]++
					}
				}
			}
		}
	}
	if total < 800 {
		t.Errorf("only %d verdicts", total)
	}
	for _, label := range schemas.Labels() {
		if n := refused[[2]string{label, label}]; n > 0 {
			t.Errorf("%s refuses %d payloads of its own", label, n)
		}
	}
	for _, c := range []struct {
		of, by         string
		refused, leads int
	}{
		{"v0.2", "v1.0", 0, 0}, // the card changed, payloads did not
		{"v1.0", "v0.2", 0, 0},
		{"v1.1", "v1.3", 0, 0}, // only additions since
		{"v1.1", "v1.2", 0, 0},
		{"v1.2", "v1.3", 0, 0},
		{"v1.3", "v1.1", 5, 0}, // fees of a rooftop, new filters, new facets
	} {
		at := [2]string{c.of, c.by}
		if refused[at] != c.refused || leads[at] != c.leads {
			t.Errorf("%s refuses %d payloads and %d leads of %s, want %d and %d", c.by, refused[at], leads[at], c.of, c.refused, c.leads)
		}
	}
	for _, at := range [][2]string{{"v1.0", "v1.1"}, {"v1.1", "v1.0"}, {"v0.1", "v1.3"}, {"v1.3", "v0.1"}} {
		if n := sent[at[0]]; n < 4 || leads[at] != n {
			t.Errorf("%s refuses %d leads of %s, want all %d", at[1], leads[at], at[0], n)
		}
	}
}
