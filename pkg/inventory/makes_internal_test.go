package inventory

import (
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// homonyms are other spellings that are also what another make calls a model:
// both are found, a filter for the make tells them apart.
var homonyms = []string{"1500", "2500", "3500", "bolt", "continentalgt", "sprintervan"}

func TestTheFileOfMakesCoversTheMarket(t *testing.T) {
	k := known()
	if len(k.titles) < 60 || len(k.modelTitles) < 400 {
		t.Errorf("%d makes and %d model families are known", len(k.titles), len(k.modelTitles))
	}
	spelt := 0
	for _, names := range k.modelNames {
		spelt += len(names)
	}
	t.Logf("%d makes, %d families, %d versions, %d spellings of them", len(k.titles), len(k.modelTitles), len(k.families), spelt)
	for line := range strings.Lines(makesFile) {
		if trimmed := strings.TrimLeft(line, " "); trimmed != "\n" && !slices.Contains([]int{0, 2, 4}, len(line)-len(trimmed)) {
			t.Errorf("indented by neither two nor four blanks: %q", line)
		}
	}
	families := map[[2]string]bool{}
	for key, name := range k.families {
		families[[2]string{key[0], name}] = true
	}
	for key := range families {
		if k.models[key] != key[1] || k.families[key] != "" {
			t.Errorf("%v has versions and is no family", key)
		}
	}
	names := map[string][]string{} // makes by names that head an entry
	for key := range k.modelNames {
		names[key[1]] = append(names[key[1]], key[0])
	}
	for key, spellings := range k.modelNames {
		for _, s := range spellings[1:] {
			if len(names[s]) > 0 && !slices.Contains(homonyms, s) {
				t.Errorf("%v has the spelling %q, which is a model of %v", key, s, names[s])
			}
		}
	}
	for maker := range k.makeNames {
		if owner, ok := k.makes[maker]; !ok || owner != maker {
			t.Errorf("make %q is a spelling of %q", maker, owner)
		}
	}
}

func TestNoModelIsFoundUnderAnotherFamilysName(t *testing.T) {
	k := known()
	var rows []Vehicle
	var keys [][2]string
	for key := range k.modelNames {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return strings.Compare(a[0]+pairSeparator+a[1], b[0]+pairSeparator+b[1]) })
	titles := titlesOf(t)
	for _, key := range keys {
		title := titles[key]
		rows = append(rows, Vehicle{Key: key[0] + "/" + key[1], State: Available, Listing: aap.Vehicle{Make: title[0], Model: title[1]}})
	}
	x, err := NewIndex(t.Context(), rows, Head{})
	if err != nil {
		t.Fatal(err)
	}
	most := aap.Int(1000)
	ask := func(maker, model string) []string {
		req := &aap.SearchRequest{Filters: aap.Filters{Make: []string{maker}, Model: []string{model}}, Pagination: &aap.Pagination{Limit: &most}}
		page := x.Search(&dealer.Profile{Inventory: dealer.Inventory{PageMax: 1000}}, req, x.head.ImportedAt)
		keys := page.Keys()
		slices.Sort(keys)
		return keys
	}
	for _, key := range keys {
		want := []string{key[0] + "/" + key[1]}
		for _, other := range keys {
			if k.families[other] == key[1] && other[0] == key[0] {
				want = append(want, other[0]+"/"+other[1])
			}
		}
		slices.Sort(want)
		for n, spelling := range k.modelNames[key] {
			if n == 0 {
				spelling = titles[key][1]
			}
			for _, name := range []string{spelling, titles[key][0] + " " + spelling, strings.ToUpper(spelling)} {
				if got := ask(titles[key][0], name); !slices.Equal(got, want) {
					t.Errorf("%s %q finds %q, want %q", titles[key][0], name, got, want)
				}
			}
		}
	}
}

// titlesOf are make and model of every entry as the file writes them.
func titlesOf(t *testing.T) map[[2]string][2]string {
	t.Helper()
	out := map[[2]string][2]string{}
	var maker string
	for line := range strings.Lines(makesFile) {
		title, _, ok := entry(line)
		if ok && line[0] != ' ' {
			maker = title
			continue
		}
		for name := range strings.SplitSeq(title, ",") {
			if ok {
				out[[2]string{fold(maker), fold(name)}] = [2]string{maker, strings.TrimSpace(name)}
			}
		}
	}
	return out
}
