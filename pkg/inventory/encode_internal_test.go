package inventory

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// The encoder of the index must not drift from the wire type's own.
func TestListingsAreEncodedAsTheWireTypeEncodesThem(t *testing.T) {
	same := func(t interface{ Errorf(string, ...any) }, v aap.Vehicle) {
		want, err := v.MarshalJSON()
		if err != nil {
			t.Errorf("MarshalJSON: %v", err)
		}
		got, err := appendListing([]byte("["), &v)
		if err != nil {
			t.Errorf("appendListing: %v", err)
		}
		if string(got) != "["+string(want) {
			t.Errorf("encoded\n%s\nwant\n[%s", got, want)
		}
	}
	same(t, aap.Vehicle{})
	same(t, aap.Vehicle{Fees: []aap.Fee{}, Extra: map[string]json.RawMessage{"x": json.RawMessage("1")}})
	// Every member alone, so that a new one cannot be forgotten.
	kind := reflect.TypeFor[aap.Vehicle]()
	for i := range kind.NumField() {
		var v aap.Vehicle
		value := reflect.ValueOf(&v).Elem().Field(i)
		var sample string
		switch value.Interface().(type) {
		case string:
			sample = `"a \"quoted\" <b> ünï \u2028 text"`
		case *aap.Int:
			sample = "0"
		case *float64:
			sample = "1e-9"
		case *bool:
			sample = "false"
		case []aap.Fee:
			sample = `[{"name":"Doc","amount":1}]`
		case []string:
			sample = `["","a\nb"]`
		case map[string]any:
			sample = `{"b":[1,2.5],"a":"x"}`
		case map[string]json.RawMessage:
			sample = `{"z":{"deep":[null]}}`
		default:
			t.Fatalf("aap.Vehicle.%s has a type this test does not know", kind.Field(i).Name)
		}
		if err := json.Unmarshal([]byte(sample), value.Addr().Interface()); err != nil {
			t.Fatal(err)
		}
		t.Run(kind.Field(i).Name, func(t *testing.T) { same(t, v) })
	}
	rapid.Check(t, func(t *rapid.T) {
		n := aap.Int(rapid.Int64().Draw(t, "n"))
		f := rapid.Float64().Draw(t, "f")
		same(t, aap.Vehicle{
			VIN: rapid.String().Draw(t, "vin"), Description: rapid.String().Draw(t, "description"), Year: &n, BatteryKWh: &f,
			Features: rapid.SliceOf(rapid.String()).Draw(t, "features"),
		})
	})
}

func TestOneSlipIsOneTypingError(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"toyota", "toyta", true}, {"toyta", "toyota", true}, {"toyota", "toytoa", true}, {"toyota", "toyoka", true},
		{"toyota", "toyotas", true}, {"toyota", "oyota", true}, {"toyota", "tyoota", true},
		{"toyota", "toyota", false}, {"toyota", "toyaat", false}, {"toyota", "tyt", false}, {"toyota", "yttoao", false},
		{"mégane", "megane", true}, {"größe", "grösse", false}, {"größe", "gröse", true}, {"日本車", "日車本", true}, {"", "a", true}, {"", "ab", false},
	} {
		if got := oneSlip(c.a, c.b); got != c.want {
			t.Errorf("oneSlip(%q, %q) = %v", c.a, c.b, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-dé]{0,6}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := oneSlip(a, b), slips(a, b, 6) == 1; got != want {
			t.Errorf("oneSlip(%q, %q) = %v, counting slips says %v", a, b, got, want)
		}
	})
}

func TestFoldingForgetsCaseAccentsBlanksAndHyphens(t *testing.T) {
	for in, want := range map[string]string{
		"F-150": "f150", "f 150": "f150", "Mégane": "megane", "CR–V": "crv", "Škoda": "skoda", " RAV 4 ": "rav4", "ID.4": "id.4",
	} {
		if got := fold(in); got != want {
			t.Errorf("fold(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"T-10 0": "t100", "Ü 7": "ü7", "--": "", "ab": "ab"} {
		if got := FoldID(in); got != want {
			t.Errorf("FoldID(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTheDataFilesContradictNothing(t *testing.T) {
	k := known()
	owners := map[string]string{}
	claim := func(what, spelling, owner string) {
		if have, ok := owners[what+spelling]; ok && have != owner {
			t.Errorf("%s %q belongs to %q and to %q", what, spelling, have, owner)
		}
		owners[what+spelling] = owner
	}
	for name, spellings := range k.makeNames {
		for _, s := range spellings {
			claim("make ", s, name)
		}
	}
	for key, spellings := range k.modelNames {
		for _, s := range spellings {
			claim("model of "+key[0]+" ", s, key[1])
		}
	}
	for section, groups := range k.names {
		for name, spellings := range groups {
			for _, s := range spellings {
				claim(fmt.Sprintf("[%s] ", section), s, name)
			}
		}
	}
}
