// Command bench runs every benchmark that has a budget and prints one table:
// what was measured, the budget, and whether it holds. It exits with 1 when a
// budget is missed or a benchmark is missing.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchfmt"
)

func main() {
	benchtime := flag.String("benchtime", "1s", "time for each benchmark, as go test takes it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	held, err := report(ctx, os.Stdout, *benchtime)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	if err != nil || !held {
		os.Exit(1)
	}
}

// report measures package by package, so that two benchmarks never share the
// machine, and writes the table.
func report(ctx context.Context, out io.Writer, benchtime string) (held bool, err error) {
	measured := map[string]map[string]float64{}
	names := map[string][]string{}
	for _, b := range budgets {
		names[b.pkg] = append(names[b.pkg], b.bench)
	}
	for _, pkg := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintln(os.Stderr, "measuring", pkg)
		if err := measure(ctx, pkg, names[pkg], benchtime, measured); err != nil {
			return false, err
		}
	}
	fmt.Fprintf(out, "%s/%s, %d cores, %s\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\tmeasured\tbudget\t")
	held = true
	for _, b := range budgets {
		value, ok := measured[b.pkg+" "+b.bench][b.unit]
		verdict := "ok"
		switch {
		case !ok:
			verdict, held = "NOT MEASURED", false
		case b.atLeast && value < b.limit, !b.atLeast && value > b.limit:
			verdict, held = "MISSED", false
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", b.what, show(value, b), bound(b), verdict)
	}
	return held, table.Flush()
}

// measure adds the results of one package's named benchmarks, by benchmark and unit.
func measure(ctx context.Context, pkg string, names []string, benchtime string, into map[string]map[string]float64) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^Benchmark("+strings.Join(names, "|")+")$", "-benchmem", "-benchtime", benchtime, pkg)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", pkg, err, text)
	}
	results := benchfmt.NewReader(bytes.NewReader(text), pkg)
	for results.Scan() {
		r, ok := results.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		name, _, _ := bytes.Cut(r.Name, []byte("-"))
		units := map[string]float64{}
		for _, v := range r.Values {
			unit := v.Unit
			value := v.Value
			if v.OrigUnit != "" {
				unit, value = v.OrigUnit, v.OrigValue
			}
			units[unit] = value
		}
		into[pkg+" "+string(name)] = units
	}
	return results.Err()
}
