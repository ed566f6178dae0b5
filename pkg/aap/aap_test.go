package aap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/schemas"
)

func TestIntReadsEveryWholeNumber(t *testing.T) {
	for _, v := range []struct {
		text string
		want aap.Int
		ok   bool
	}{
		{"30000", 30000, true},
		{"30000.0", 30000, true},
		{"3e4", 30000, true},
		{"3.0E+4", 30000, true},
		{"-0", 0, true},
		{"0e99999", 0, true},
		{"9007199254740993", 9007199254740993, true},
		{"9007199254740993.0", 9007199254740993, true},
		{"1e30", 9223372036854775807, true},
		{"-1e30", -9223372036854775808, true},
		{"30000.5", 0, false},
		{"9007199254740993.5", 0, false},
		{"1e-5", 0, false},
		{`"30000"`, 0, false},
		{"true", 0, false},
	} {
		var got aap.Int
		err := json.Unmarshal([]byte(v.text), &got)
		if (err == nil) != v.ok || err == nil && got != v.want {
			t.Errorf("%s: got %d, %v; want %d, ok %t", v.text, got, err, v.want, v.ok)
		}
	}
}

func TestIntKeepsEveryInt64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := aap.Int(rapid.Int64().Draw(t, "n"))
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(b), string(b) + ".0"} {
			var got aap.Int
			if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
				t.Fatalf("%s: got %d, %v", text, got, err)
			}
		}
	})
}

func TestVehicleKeepsEveryMember(t *testing.T) {
	const text = `{"vin":"1HGCV1F30KA000001","year":2022,"make":"Honda & Sons","price":26780,"fees":[],"mileage":0,` +
		`"dc_fast_charge":false,"other_attributes":{"abs":true},"carfax_url":"https://example.com/?a=1&b=2","warranty":{"months":12}}`
	var v aap.Vehicle
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	for raw, into := range map[string]*map[string]any{string(b): &got, text: &want} {
		if err := json.Unmarshal([]byte(raw), into); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members differ (-sent +kept):\n%s", diff)
	}
}

func TestVehicleFindsEveryUndeclaredMember(t *testing.T) {
	for text, want := range map[string][]string{
		`{}`:                                 {},
		` { } `:                              {},
		`null`:                               {},
		`{"vin":"1","make":"x:y","trim":""}`: {},
		`{"x":1}`:                            {"x"},
		"{\n\t\"make\" : \"Honda\" ,\r\n \"x\" \t: 1 }":      {"x"},
		`{"make":"say \"x\": 1, \\","x":"\\"}`:               {"x"},
		`{"make":"\\","model":"\""}`:                         {},
		`{"other_attributes":{"x":{"y":[{"z":1}]}},"y":[]}`:  {"y"},
		`{"other_attributes":{"x":1},"features":["x","y:"]}`: {},
		`{"features":["[{"],"x":{}}`:                         {"x"},
		`{"m\u0061ke":"Honda"}`:                              {},
		`{"m\u0061ke":"Honda","\u0078":1}`:                   {"x"},
		`{"":1}`:                                             {""},
		`{"make\"":1}`:                                       {"make\""},
		`{"x":null,"x":2}`:                                   {"x"},
	} {
		var v aap.Vehicle
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got := slices.Sorted(maps.Keys(v.Extra))
		if !slices.Equal(got, want) {
			t.Errorf("%s: extra members %q, want %q", text, got, want)
		}
	}
}

// FuzzVehicle holds the decoder to what a decoding of all members finds.
func FuzzVehicle(f *testing.F) {
	f.Add(`{"vin":"1","x":{"make":[]},"m\u0061ke":"\\\"","y":"\ud83d"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var v aap.Vehicle
		if err := json.Unmarshal([]byte(text), &v); err != nil || !utf8.ValidString(text) {
			return
		}
		var all map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			t.Fatalf("no object was taken: %v", err)
		}
		for name := range all {
			if field, declared := reflect.TypeFor[aap.Vehicle]().FieldByNameFunc(func(n string) bool {
				field, _ := reflect.TypeFor[aap.Vehicle]().FieldByName(n)
				tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				return tag == name && tag != "-"
			}); declared {
				if _, extra := v.Extra[name]; extra {
					t.Errorf("%s is declared as %s and extra", name, field.Name)
				}
				delete(all, name)
			}
		}
		if len(all) != len(v.Extra) {
			t.Fatalf("extra members %q, want %q", v.Extra, all)
		}
		for name, value := range all {
			if !bytes.Equal(v.Extra[name], value) {
				t.Errorf("%s is %s, want %s", name, v.Extra[name], value)
			}
		}
	})
}

// BenchmarkVehicle decodes a vehicle of interest.
func BenchmarkVehicle(b *testing.B) {
	text := []byte(`{"vin":"1HGCV1F30KA000001","stock":"T100","year":2022,"make":"Honda","model":"Civic","trim":"EX","condition":"cpo","price":26780,"mileage":12000}`)
	b.ReportAllocs()
	for b.Loop() {
		var v aap.Vehicle
		if err := json.Unmarshal(text, &v); err != nil {
			b.Fatal(err)
		}
	}
}

func TestVehicleExtraNeverReplacesADeclaredMember(t *testing.T) {
	v := aap.Vehicle{Make: "Honda", Extra: map[string]json.RawMessage{"make": json.RawMessage(`"Ford"`), "x": json.RawMessage(`1`)}}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(b), `{"make":"Honda","x":1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestVehicleReadsNullsAsAbsent(t *testing.T) {
	var v aap.Vehicle
	if err := json.Unmarshal([]byte(`{"rooftop":null,"charge_port":null}`), &v); err != nil {
		t.Fatal(err)
	}
	if b, _ := json.Marshal(v); string(b) != "{}" {
		t.Errorf("got %s, want {}", b)
	}
}

func TestCodesAreThoseOfTheErrorSchema(t *testing.T) {
	files, err := schemas.Version(aap.V1_3.Label)
	if err != nil {
		t.Fatal(err)
	}
	f, err := files.Open("error.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var s struct {
		Properties struct{ Code struct{ Enum []aap.Code } }
	}
	if err := json.NewDecoder(f).Decode(&s); err != nil {
		t.Fatal(err)
	}
	got, want := aap.Codes(), s.Properties.Code.Enum
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("codes differ (-schema +table):\n%s", diff)
	}
}

func TestPublicHidesWhatIsNotAnAAPError(t *testing.T) {
	secret := errors.New("table leads-prod: access denied for anna@example.com")
	e := aap.Public(secret)
	p := e.Payload("id-1", time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"aap.error","error_id":"id-1","code":"INTERNAL_ERROR","message":"The dealer agent could not complete the request. Please try again.","retryable":true,"created_at":"2026-05-01T12:00:00Z"}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
	if !errors.Is(e, secret) {
		t.Error("the cause is lost to the log")
	}
	known := aap.Errorf(aap.VehicleNotFound, "no such car").Because(io.EOF)
	if got := aap.Public(errors.Join(known)); got != known {
		t.Errorf("a wrapped AAP error came back as %v", got)
	}
	if !errors.Is(known, &aap.Error{Code: aap.VehicleNotFound}) || errors.Is(known, &aap.Error{Code: aap.VehicleUnavailable}) {
		t.Error("errors.Is does not compare codes")
	}
}

func TestRetryableCanBeOverridden(t *testing.T) {
	no := false
	e := aap.Errorf(aap.InternalError, "broken for good")
	e.Retryable = &no
	if e.Payload("x", time.Now()).Retryable {
		t.Error("retryable, want the override")
	}
}

func TestReplyIsTheTypedEnvelope(t *testing.T) {
	got, err := aap.Reply{Data: map[string]any{"a": "<&>"}, Message: "hello"}.Append([]byte("x"), aap.InventoryVehicle)
	if err != nil {
		t.Fatal(err)
	}
	if want := `x{"type":"inventory.vehicle.response","data":{"a":"<&>"},"message":"hello"}`; string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := (aap.Reply{Data: make(chan int)}).Append(nil, aap.InventoryVehicle); err == nil {
		t.Error("no error for data that is not JSON")
	}
}

func TestSkillWords(t *testing.T) {
	for _, s := range aap.Skills() {
		if found, ok := aap.SkillByRequestType(s.RequestType()); !ok || found != s {
			t.Errorf("%s is not found by its request type", s.ID)
		}
		if found, ok := aap.SkillByID(s.ID); !ok || found != s {
			t.Errorf("%s is not found by its id", s.ID)
		}
	}
	if got, want := aap.InventoryVehicle.ResponseMediaType(), "application/vnd.autoagent.vehicle-detail-response+json"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, ok := aap.SkillByRequestType("inventory.search.response"); ok {
		t.Error("a response type names a request")
	}
}
