package main

import (
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
)

func TestASearchOverAllMergesSortsAndPages(t *testing.T) {
	north, south := two(t, "", "")
	h := connect(t, "", nil, "--agent", "north="+north.URL, "--agent", "south="+south.URL)
	for _, c := range []struct{ name, arguments, stocks string }{
		{"newest first", `{}`, "south:S1 north:N2 south:S2 north:N3"},
		{"by price, without price last", `{"sort":{"field":"price","order":"asc"}}`, "north:N3 south:S2 south:S1 north:N2"},
		{"by price downwards, without price last", `{"sort":{"field":"price","order":"desc"}}`, "south:S1 south:S2 north:N3 north:N2"},
		{"by stock", `{"sort":{"field":"stock","order":"asc"}}`, "north:N2 north:N3 south:S1 south:S2"},
		{"the second page", `{"pagination":{"skip":1,"limit":2}}`, "north:N2 south:S2"},
		{"past the end", `{"pagination":{"skip":10,"limit":2}}`, ""},
		{"filtered", `{"filters":{"price_max":19500}}`, "south:S2 north:N3"},
	} {
		f, isError := h.search(t, c.arguments)
		if isError || f.stocks() != c.stocks {
			t.Errorf("%s: %q, want %q", c.name, f.stocks(), c.stocks)
		}
	}
	f, _ := h.search(t, `{}`)
	if f.Type != "network.search.result" || f.Data.Total != 5 || f.Data.Limit != 20 || f.statuses() != "north=answered south=answered" || len(f.Notes) != 0 {
		t.Errorf("%+v", f)
	}
	same := f.Data.Vehicles[0]
	if len(same.AlsoAt) != 1 || same.AlsoAt[0].Dealer != "north" || same.AlsoAt[0].Stock != "N1" || *same.AlsoAt[0].Price != 21000 {
		t.Errorf("the car that both have: %+v", same)
	}
	sent := north.messages.Load() + south.messages.Load()
	if answer, isError := h.call(t, "aap_network_search", `{"filters":{"yearmin":2020}}`); !isError || answer["code"] != "SCHEMA_VALIDATION_FAILED" {
		t.Errorf("a faulty filter: %v", answer)
	}
	if north.messages.Load()+south.messages.Load() != sent {
		t.Error("dealers were asked what no dealer can answer")
	}
}

func TestPricesOfDifferentMeaningAreKeptApart(t *testing.T) {
	north, south := two(t, "", "  out_the_door: true\nversions: [v1.3, v1.2, v0.1]\n")
	older, _ := aap.VersionByLabel("v1.2")
	oldest, _ := aap.VersionByLabel("v0.1")
	h := connect(t, "", nil, "--agent", "north="+north.URL, "--agent", "south="+south.URL+a2a.VersionCardPath(older), "--agent", "third="+south.URL+a2a.VersionCardPath(oldest))
	f, isError := h.search(t, `{"sort":{"field":"price","order":"asc"}}`)
	if isError || f.statuses() != "north=answered south=answered third=failed" || f.Data.Dealers[2].Reason != "other_contract" {
		t.Fatalf("%+v", f)
	}
	for _, v := range f.Data.Vehicles {
		want := map[string]string{"north": "advertised_before_tax_title_registration", "south": "out_the_door"}[v.Dealer]
		if v.PriceIncludes != want {
			t.Errorf("%+v", v)
		}
	}
	if len(f.Notes) == 0 || !strings.Contains(f.Notes[0], "do not compare") {
		t.Errorf("notes %v", f.Notes)
	}
	// The car that both have is south's, which vouched for it last; N2 has no price.
	if f.stocks() != "north:N3 south:S2 south:S1 north:N2" {
		t.Errorf("%s", f.stocks())
	}
	if also := f.Data.Vehicles[2].AlsoAt; len(also) != 1 || *also[0].Price != 21000 || also[0].PriceIncludes == f.Data.Vehicles[2].PriceIncludes {
		t.Errorf("%+v", f.Data.Vehicles[2])
	}
}
