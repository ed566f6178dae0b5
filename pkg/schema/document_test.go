package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
)

func nested(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

func TestAmbiguousAndHostileDocumentsAreRefused(t *testing.T) {
	set := newSet(t)
	for _, c := range []struct {
		name, file, payload string
		want                []string
	}{
		{"a member twice", searchFile, search(`"filters":{},"filters":{}`), []string{"/filters duplicateKey"}},
		{"a member three times is one violation", searchFile, search(`"sort":1,"sort":2,"sort":{"field":"price","order":"asc"}`), []string{"/sort duplicateKey"}},
		{"a member twice, once in escapes", searchFile, filters(`"make":[],"mak\u0065":[]`), []string{"/filters/make duplicateKey"}},
		{"a member twice deep inside an open object", leadFile, leadPlus(`"trade_in":{"own":[{"k":{"a/b":1,"a/b":2}}]}`),
			[]string{"/trade_in/own/0/k/a~1b duplicateKey"}},
		{"a member twice among many", leadFile, leadPlus(`"trade_in":{` + manyMembers(40) + `,"m7":0,"m39":0}`),
			[]string{"/trade_in/m39 duplicateKey", "/trade_in/m7 duplicateKey"}},
		{"the last of two members is checked", searchFile, filters(`"year_min":2020,"year_min":"x"`),
			[]string{"/filters/year_min duplicateKey", "/filters/year_min type"}},
		{"equal names in different objects are no matter", searchFile, search(`"sort":{"field":"price","order":"asc"},"privacy":{},"pagination":{}`), nil},

		{"a capital in a closed object", searchFile, search(`"Filters":{"make":["Kia"]}`), []string{"/Filters caseMismatch"}},
		{"a capital in an open object", leadFile, leadPlus(`"trade_in":{"VIN":"x","vin":"KNADE123456789012"}`), []string{"/trade_in/VIN caseMismatch"}},
		{"a letter that decoders fold to s", leadFile, leadPlus(`"trade_in":{"\u017ftock":"x"}`), []string{"/trade_in/\u017ftock caseMismatch"}},
		{"a letter that decoders fold to k", leadFile, leadPlus(`"trade_in":{"stoc\u212a":"x"}`), []string{"/trade_in/stoc\u212a caseMismatch"}},
		{"capitals in members of the sender's own", leadFile, leadPlus(`"trade_in":{"Own":1,"own":2,"other_attributes":{"A":1,"a":2}}`), nil},

		{"32 levels", leadFile, leadPlus(`"trade_in":{"own":` + nested(30) + `}`), nil},
		{"33 levels", leadFile, leadPlus(`"trade_in":{"own":` + nested(31) + `}`), []string{"/trade_in/own" + strings.Repeat("/0", 30) + " maxDepth"}},
		{"100,000 levels", leadFile, leadPlus(`"trade_in":{"own":` + nested(100_000) + `}`), []string{" maxDepth"}},
		{"5,000 levels in two places, with brackets in texts", leadFile,
			leadPlus(`"trade_in":{"a":` + nested(5000) + `,"b":["]}\"[{"],"c":` + strings.Repeat(`{"]":`, 5000) + `"}"` + strings.Repeat("}", 5000) + `}`),
			[]string{"/trade_in/a" + strings.Repeat("/0", 30) + " maxDepth", "/trade_in/c" + strings.Repeat("/]", 30) + " maxDepth"}},

		{"an exponent without end", searchFile, filters(`"price_max":1e1000000000`), []string{"/filters/price_max number"}},
		{"an exponent longer than an integer", searchFile, filters(`"price_max":1e99999999999999999999`), []string{"/filters/price_max number"}},
		{"an exponent far below one", searchFile, filters(`"price_max":1e-1000000000`), []string{"/filters/price_max number"}},
		{"a number beyond a float", leadFile, leadPlus(`"trade_in":{"own":1e309}`), []string{"/trade_in/own number"}},
		{"digits without end", searchFile, filters(`"price_max":` + strings.Repeat("9", 100_000)), []string{"/filters/price_max number"}},
		{"a large number that can be held", searchFile, filters(`"price_max":1e300`), nil},
		{"a large number is still compared", searchFile, filters(`"year_max":1e300`), []string{"/filters/year_max maximum"}},

		{"bytes that are not UTF-8 in a text", leadFile, leadPlus("\"message\":\"a\xffb\""), []string{"/message encoding"}},
		{"bytes that are not UTF-8 in a name", searchFile, filters("\"ma\xc3\":1"), []string{"/filters encoding", "/filters/ma\uFFFD additionalProperties"}},
		{"escapes are text", searchFile, filters(`"make":["\u004bia \"\\\/\b\f\n\r\t \ud83d\ude97"]`), nil},

		{"nothing", searchFile, ``, []string{" syntax"}},
		{"blanks", searchFile, " \n", []string{" syntax"}},
		{"a comma too many", searchFile, `{"type":"inventory.search.request",}`, []string{" syntax"}},
		{"two documents", searchFile, search("") + search(""), []string{" syntax"}},
		{"a byte order mark", searchFile, "\ufeff" + search(""), []string{" syntax"}},
		{"a comment", searchFile, "/**/" + search(""), []string{" syntax"}},
		{"a number with a leading zero", searchFile, filters(`"price_max":01`), []string{" syntax"}},
		{"not a number", searchFile, filters(`"price_max":NaN`), []string{" syntax"}},
		{"blanks around everything", searchFile, " { \"type\" :\t\"inventory.search.request\" ,\r\n\"filters\" : { \"make\" : [ \"Kia\" , \"Ford\" ] } } \n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := set.Check(c.file, []byte(c.payload))
			if err != nil {
				t.Fatal(err)
			}
			if c.want == nil {
				c.want = []string{}
			}
			got := places(found)
			for i, g := range got {
				got[i] = strings.ToValidUTF8(g, "\uFFFD")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, err := json.Marshal(found); err != nil {
				t.Error(err)
			}
		})
	}
}

func manyMembers(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(`"m%d":%d`, i, i)
	}
	return strings.Join(out, ",")
}

func TestScanSeesWhatNeedsNoSchema(t *testing.T) {
	doc := `{"jsonrpc":"2.0","id":1e999999999,"params":{"a":[[[]]],"a":1},"ID":1}`
	if diff := cmp.Diff([]string{"/id number", "/params/a duplicateKey", "/params/a/0 maxDepth"}, places(schema.Scan([]byte(doc), 3))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := schema.Scan([]byte(`{"a":[{"a":{}}]}`), 4); len(found) > 0 {
		t.Errorf("a sound document is refused: %v", found)
	}
	if diff := cmp.Diff([]string{" syntax"}, places(schema.Scan([]byte(`{"a"`), 32))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSyntaxFaultsTellTheirPlaceAndNotTheirText(t *testing.T) {
	found := schema.Scan([]byte(`{"name":"Ina" Zebrafinch}`), 32)
	want := []aap.Violation{{Keyword: "syntax", Error: "This is not well-formed JSON; the fault is at byte 15."}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFloodsOfFaultsAreCutAndSaidToBe(t *testing.T) {
	set := newSet(t)
	for name, payload := range floods() {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			found, err := set.Check(leadFile, []byte(payload))
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %s", took)
			}
			if len(found) == 0 || len(found) > 1001 {
				t.Fatalf("%d violations", len(found))
			}
			text, err := json.Marshal(found)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > 1<<20 {
				t.Errorf("the answer to %d bytes has %d", len(payload), len(text))
			}
		})
	}
	found, err := set.Check(searchFile, []byte(filters(`"make":[`+strings.Repeat("0,", 100_000)+`0]`)))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1001 || found[0].Keyword != "tooMany" || found[0].InstanceLocation != "" {
		t.Errorf("%d violations, the first is %v", len(found), found[0])
	}
}

// floods are leads of about 256 KiB that are made to cost time or space.
func floods() map[string]string {
	const size = 256 << 10
	fill := func(head, unit, tail string) string {
		return leadPlus(head + strings.Repeat(unit, (size-len(head)-len(tail)-len(lead))/len(unit)) + tail)
	}
	unknown, objects := strings.Builder{}, strings.Builder{}
	for i := range 22_000 {
		fmt.Fprintf(&unknown, `"u%x":0,`, i)
		fmt.Fprintf(&objects, `{"%x":0},`, i)
	}
	return map[string]string{
		"unknown members":         leadPlus(unknown.String() + `"u":0`),
		"wrong items":             fill(`"trade_in":{"features":[`, "0,", "0]}"),
		"wrong photos":            fill(`"trade_in":{"photos":[`, `"",`, `""]}`),
		"fees that are nothing":   fill(`"trade_in":{"fees":[`, "{},", "{}]}"),
		"fees that differ":        leadPlus(`"trade_in":{"fees":[` + objects.String() + `{}]}`),
		"mixed attributes":        fill(`"trade_in":{"other_attributes":{"a":[`, `"",0,`, `0]}}`),
		"duplicates":              fill(`"trade_in":{`, `"a":0,`, `"a":0}`),
		"deep places":             fill(`"trade_in":{"a":[`, nested(40)+",", `0]}`),
		"a long name above":       leadPlus(`"trade_in":{"` + strings.Repeat("n", size/2) + `":{` + strings.Repeat(`"a":0,`, size/12) + `"a":0}}`),
		"escapes":                 fill(`"message":"`, `\n`, `"`),
		"escaped items":           fill(`"trade_in":{"features":[`, `"\n",`, "0]}"),
		"bytes that are not text": fill("\"trade_in\":{\"features\":[", "\"\xff\",", "0]}"),
		"capitals":                fill(`"trade_in":{`, `"VIN":0,`, `"vin":0}`),
		"long numbers":            fill(`"trade_in":{"features":[`, strings.Repeat("1", 60)+".5,", "0]}"),
		"exponents":               fill(`"trade_in":{"year":1e300,"other_attributes":{"a":[`, "1e300,", "0]}}"),
	}
}
