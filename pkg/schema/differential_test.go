package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
)

// beyond are the faults no JSON Schema knows of; they do not count when
// verdicts are compared.
var beyond = []string{"syntax", "encoding", "duplicateKey", "caseMismatch", "maxDepth", "number", "tooMany"}

func schemaFaults(list []aap.Violation) int {
	n := 0
	for _, v := range list {
		if !slices.Contains(beyond, v.Keyword) {
			n++
		}
	}
	return n
}

func TestReleasedExamplesAreValid(t *testing.T) {
	eachVersion(t, func(t *testing.T, label string) {
		set := setOf(t, label)
		for _, ex := range append(examples(t, label), extraSeeds(t, label)...) {
			found, err := set.Check(ex.file, encode(t, ex.payload))
			if err != nil {
				t.Fatal(err)
			}
			if len(found) > 0 {
				t.Errorf("%s by %s: %v", ex.name, ex.file, found)
			}
		}
	})
}

func TestMutatedPayloadsGetTheVerdictOfTheReleasedSchemas(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // nearly all it makes is garbage
	total := 100_000
	if testing.Short() {
		total = 600 // too few to break every keyword
	}
	eachVersion(t, func(t *testing.T, label string) {
		o := newOracle(t, label)
		d := differential{set: setOf(t, label), released: map[string]*jsonschema.Schema{}, keywords: map[string]int{}}
		d.seeds = append(examples(t, label), extraSeeds(t, label)...)
		for _, ex := range d.seeds {
			d.released[ex.file] = o.schema(t, ex.file)
		}
		d.run(t, total)
		t.Logf("%d valid, %d invalid; faults by keyword: %v", d.valid, d.invalid, d.keywords)
		if d.valid+d.invalid != total || d.valid < total/20 || d.invalid < total/4 {
			t.Errorf("mutations are lopsided: %d valid, %d invalid of %d", d.valid, d.invalid, total)
		}
		used := keywords(o.files)
		for _, word := range []string{
			"type", "const", "enum", "format", "pattern", "required", "additionalProperties", "anyOf", "oneOf",
			"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "contains",
		} {
			if used[word] && d.keywords[word] == 0 && !testing.Short() {
				t.Errorf("no mutation broke %q", word)
			}
		}
	})
}

// keywords are the words the schemas of a version use.
func keywords(files map[string]any) map[string]bool {
	out := map[string]bool{}
	var visit func(v any, names bool)
	visit = func(v any, names bool) {
		switch v := v.(type) {
		case map[string]any:
			for key, kid := range v {
				out[key] = out[key] || !names
				visit(kid, !names && (key == "properties" || key == "$defs"))
			}
		case []any:
			for _, kid := range v {
				visit(kid, false)
			}
		}
	}
	for _, doc := range files {
		visit(doc, false)
	}
	return out
}

// differential compares our verdict on mutated payloads with that of the
// released schemas.
type differential struct {
	set      *schema.Set
	released map[string]*jsonschema.Schema
	seeds    []example

	mu             sync.Mutex
	valid, invalid int
	keywords       map[string]int
}

// run tries that many mutations on all processors.
func (d *differential) run(t *testing.T, total int) {
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < total && !t.Failed(); i += workers {
				d.try(t, i)
			}
		})
	}
	wg.Wait()
}

// try makes mutation number i, the same one every time.
func (d *differential) try(t *testing.T, i int) {
	rnd := rand.New(rand.NewPCG(2026, uint64(i)))
	ex := d.seeds[i%len(d.seeds)]
	payload := clone(ex.payload)
	for range 1 + rnd.IntN(3) {
		payload = mutate(rnd, payload)
	}
	want := d.released[ex.file].Validate(payload)
	text, err := json.Marshal(payload)
	if err != nil {
		t.Error(err)
		return
	}
	found, err := d.set.Check(ex.file, text)
	if err != nil {
		t.Error(err)
		return
	}
	// A member in the wrong case is told as such in place of the schema's word.
	if want == nil && schemaFaults(found) > 0 || want != nil && len(found) == 0 {
		t.Errorf("mutation %d of %s by %s:\n%s\nreleased: %v\nown: %v", i, ex.name, ex.file, text, want, found)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if want == nil {
		d.valid++
	} else {
		d.invalid++
	}
	for _, v := range found {
		d.keywords[v.Keyword]++
	}
}
