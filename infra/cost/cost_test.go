package cost

import (
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var write = flag.Bool("write", false, "write the measured tables into infra/README.md")

const readme = "../README.md"

// TestTheReadmeTellsWhatRequestsAndImportsCost measures everything anew and
// compares it with the tables of infra/README.md.
func TestTheReadmeTellsWhatRequestsAndImportsCost(t *testing.T) {
	var all []consumption
	for _, n := range sizes {
		if n > 2_000 && testing.Short() {
			break
		}
		all = append(all, measure(t, n))
	}
	units := table("DynamoDB units, read / write", measured, all, func(c consumption, line string) string {
		return fmt.Sprintf("%s / %s", count(c.units[line].Reads), count(c.units[line].Writes))
	})
	dollars := table("US dollars a month", services, all, func(c consumption, line string) string {
		return fmt.Sprintf("%.2f", month(c)[line])
	})
	t.Logf("\n%s\n%s\nan answer to the search has %d bytes", units, dollars, all[0].searchBytes)
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	if *write {
		text = replace(t, replace(t, text, "units", units), "month", dollars)
		if err := os.WriteFile(readme, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compare(t, block(t, text, "units"), units)
	compare(t, block(t, text, "month"), dollars)
}

func TestTheMonthHasAsManyAlarmsAsTheTemplate(t *testing.T) {
	text, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	unasked := 0
	for _, m := range regexp.MustCompile(`(?m)^    Type: AWS::CloudWatch::Alarm\n    (\w+):`).FindAllStringSubmatch(string(text), -1) {
		if m[1] != "Condition" {
			unasked++
		}
	}
	if unasked != alarms {
		t.Errorf("the month has %d alarms, the template makes %d", alarms, unasked)
	}
}

// table is in Markdown: a line for each, a column for each size.
func table(title string, lines []string, all []consumption, cell func(consumption, string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |", title)
	for n := range all {
		digits := strconv.Itoa(sizes[n])
		if len(digits) > 3 {
			digits = digits[:len(digits)-3] + "," + digits[len(digits)-3:]
		}
		fmt.Fprintf(&b, " %s vehicles |", digits)
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(all)) + "\n")
	for _, line := range lines {
		fmt.Fprintf(&b, "| %s |", line)
		for _, c := range all {
			fmt.Fprintf(&b, " %s |", cell(c, line))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func count(units float64) string { return strconv.FormatFloat(math.Ceil(units), 'f', -1, 64) }

// compare allows a unit, a cent or a twentieth: what is written has random ids,
// whose length moves items across a kilobyte now and then.
func compare(t *testing.T, told, found string) {
	t.Helper()
	toldLines, foundLines := strings.Split(told, "\n"), strings.Split(found, "\n")
	if len(toldLines) != len(foundLines) {
		t.Fatalf("infra/README.md has %d lines, want %d:\n%s", len(toldLines), len(foundLines), found)
	}
	for n := 2; n < len(foundLines); n++ {
		a, b := strings.Split(toldLines[n], "|"), strings.Split(foundLines[n], "|")
		for i := 1; i < len(b)-1; i++ { // fewer sizes with -short
			if i >= len(a) || i == 1 && a[i] != b[i] || i > 1 && !near(a[i], b[i]) {
				t.Errorf("infra/README.md says\n%s\nand it is\n%s\ntake it over with: go test ./infra/cost -write", toldLines[n], foundLines[n])
				break
			}
		}
	}
}

var number = regexp.MustCompile(`[0-9.]+`)

func near(told, found string) bool {
	a, b := number.FindAllString(told, -1), number.FindAllString(found, -1)
	for i := range b {
		if len(a) != len(b) {
			return false
		}
		x, _ := strconv.ParseFloat(a[i], 64)
		y, _ := strconv.ParseFloat(b[i], 64)
		least := 1.01
		if strings.Contains(b[i], ".") {
			least = 0.0101
		}
		if math.Abs(x-y) > max(least, y/20) {
			return false
		}
	}
	return true
}

func marks(name string) (begin, end string) {
	return "<!-- measured: " + name + " -->\n", "<!-- end -->\n"
}

func block(t *testing.T, text []byte, name string) string {
	t.Helper()
	begin, end := marks(name)
	_, rest, found := strings.Cut(string(text), begin)
	inner, _, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("infra/README.md has no block %q", begin)
	}
	return inner
}

func replace(t *testing.T, text []byte, name, with string) []byte {
	t.Helper()
	begin, _ := marks(name)
	return []byte(strings.Replace(string(text), begin+block(t, text, name), begin+with, 1))
}
