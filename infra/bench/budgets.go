package main

import "fmt"

// budget is one promise about speed or size.
type budget struct {
	what, pkg, bench, unit string
	limit                  float64
	// atLeast marks a rate, which must not fall below its limit.
	atLeast bool
	// show scales the unit for people: divided by scale, followed by suffix.
	scale  float64
	suffix string
}

func micros(what, pkg, bench string, limit float64) budget {
	return budget{what: what, pkg: pkg, bench: bench, unit: "ns/op", limit: limit * 1e3, scale: 1e3, suffix: "µs"}
}

func millis(what, pkg, bench string, limit float64) budget {
	return budget{what: what, pkg: pkg, bench: bench, unit: "ns/op", limit: limit * 1e6, scale: 1e6, suffix: "ms"}
}

var budgets = []budget{
	micros("agent.Call search, 10,000 vehicles, schema check included", "./pkg/agent", "CallSearch10k", 120),
	{what: "  its allocations", pkg: "./pkg/agent", bench: "CallSearch10k", unit: "allocs/op", limit: 400, scale: 1},
	micros("  of that, search itself", "./pkg/inventory", "Search10k", 30),
	micros("search with a query of three words, one misspelt, 1,000 vehicles", "./pkg/inventory", "Query1k", 50),
	micros("search with a query of three words, one misspelt, 10,000 vehicles", "./pkg/inventory", "Query10k", 100),
	micros("search, 1,000 vehicles", "./pkg/inventory", "Search1k", 15),
	micros("search with facets, 1,000 vehicles", "./pkg/inventory", "SearchFacets1k", 150),
	micros("search with facets, 10,000 vehicles", "./pkg/inventory", "SearchFacets10k", 400),
	micros("search, 100,000 vehicles", "./pkg/inventory", "Search100k", 300),
	millis("search with a query of three words, one misspelt, 100,000 vehicles", "./pkg/inventory", "Query100k", 1),
	millis("search with facets, 100,000 vehicles", "./pkg/inventory", "SearchFacets100k", 3),
	{what: "index of 1,000 vehicles", pkg: "./pkg/inventory", bench: "IndexBuild1k", unit: "index-MB", limit: 5, scale: 1, suffix: "MB"},
	{what: "index of 10,000 vehicles", pkg: "./pkg/inventory", bench: "IndexBuild10k", unit: "index-MB", limit: 30, scale: 1, suffix: "MB"},
	{what: "index of 100,000 vehicles", pkg: "./pkg/inventory", bench: "IndexBuild100k", unit: "index-MB", limit: 250, scale: 1, suffix: "MB"},
	millis("index build from the snapshot, 10,000 vehicles", "./pkg/embedded", "IndexFromSnapshot", 60),
	{what: "start of the agent function over a bare one", pkg: "./functions", bench: "AgentStart", unit: "more-ms", limit: 22, scale: 1, suffix: "ms"},
	{what: "agent binary, arm64, stripped", pkg: "./functions", bench: "AgentBinary", unit: "MB", limit: 16, scale: 1, suffix: "MB"},
	{what: "feed import, parse and normalise, CSV", pkg: "./pkg/feed", bench: "ReadCSV", unit: "rows/s", limit: 50e3, atLeast: true, scale: 1, suffix: " rows/s"},
	{what: "feed import, parse and normalise, XML", pkg: "./pkg/feed", bench: "ReadXML", unit: "rows/s", limit: 8e3, atLeast: true, scale: 1, suffix: " rows/s"},
	{what: "feed import, parse and normalise, CSV in gzip", pkg: "./pkg/feed", bench: "ReadGzip", unit: "rows/s", limit: 35e3, atLeast: true, scale: 1, suffix: " rows/s"},
	{what: "vehicle writes of an unchanged feed", pkg: "./pkg/feed", bench: "ImportUnchanged", unit: "vehicle-writes", limit: 0, scale: 1},
	micros("lead.submit, warm, without network", "./pkg/agent", "CallLeadSubmit", 400),
	micros("lead.submit with an appointment, half of them taken", "./pkg/agent", "CallLeadSubmitBooked", 400),
	micros("ADF render", "./pkg/adf", "Render", 20),
}

func show(value float64, b budget) string {
	return fmt.Sprintf("%.4g%s", value/b.scale, b.suffix)
}

func bound(b budget) string {
	sign := "≤"
	if b.atLeast {
		sign = "≥"
	}
	return fmt.Sprintf("%s %g%s", sign, b.limit/b.scale, b.suffix)
}
