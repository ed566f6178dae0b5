package stored_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/stored"
)

// fill sets every member it can reach to a value that is not its zero.
func fill(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 11, 30, 12, 0, 0, 5, time.UTC)))
		return
	case map[string]any:
		v.Set(reflect.ValueOf(map[string]any{"tow": true, "seats": 7.0, "deep": []any{"a", nil}}))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage("{ \"x\" : \"<y>\u2028\",\n \"n\": 1.0 }")))
		return
	case map[string]json.RawMessage:
		v.Set(reflect.ValueOf(map[string]json.RawMessage{"x_note": json.RawMessage(`{ "a" : "<&>" }`), "x_n": json.RawMessage(`1.0`)}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("value of " + path)
	case reflect.Int, reflect.Int64:
		v.SetInt(-42)
	case reflect.Float64:
		v.SetFloat(77.25)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(t, v.Index(i), fmt.Sprint(path, i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), v.Type().Field(i).Name)
		}
	default:
		t.Fatalf("%s has kind %s, which this test cannot fill", path, v.Kind())
	}
}

func full(t *testing.T) inventory.Vehicle {
	var v inventory.Vehicle
	fill(t, reflect.ValueOf(&v).Elem(), "vehicle")
	return v
}

func TestEveryFieldOfAVehicleComesBack(t *testing.T) {
	noFees := full(t)
	noFees.Listing.Fees = []aap.Fee{}
	zero := aap.Int(0)
	for name, want := range map[string]inventory.Vehicle{
		"all set": full(t), "none set": {}, "no mandatory charges": noFees,
		"price nought is not absent": {Key: "k", Listing: aap.Vehicle{Price: &zero}},
	} {
		t.Run(name, func(t *testing.T) {
			bytes, err := stored.AppendVehicle(nil, want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := new(stored.Reader).Vehicle(string(bytes))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if (want.Listing.Fees == nil) != (got.Listing.Fees == nil) {
				t.Error("undisclosed fees and no fees are mixed up")
			}
		})
	}
}

func TestVehiclesReadTogetherDoNotShareWhatCanBeChanged(t *testing.T) {
	a, b := full(t), full(t)
	b.Key = "other"
	bytes, err := stored.AppendVehicles(nil, a, b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := new(stored.Reader).Vehicles(nil, string(bytes))
	if err != nil {
		t.Fatal(err)
	}
	*got[0].Listing.Price = 7
	got[0].Listing.Features = append(got[0].Listing.Features, "added")
	got[0].Listing.Photos[0] = "changed"
	if diff := cmp.Diff(b, got[1]); diff != "" {
		t.Error(diff)
	}
}

func TestARecordKeepsRequestAndAnswerByteForByte(t *testing.T) {
	var want lead.Record
	want.ID, want.DealerID, want.Version, want.Rooftop = "l", "d", "v1.3", "Main"
	want.ReceivedAt = time.Date(2026, 11, 30, 12, 0, 0, 1, time.UTC)
	want.ExpiresAt = want.ReceivedAt.Add(time.Hour)
	want.Request = json.RawMessage("{ \"a\" : \"<b> & \\u00e9\",\n\t\"n\": 1.0 }")
	want.Answer = lead.Answer{Data: json.RawMessage(`{"x" : "<y>"}`), Message: "ok"}
	listing := full(t).Listing
	listing.Extra = nil
	want.Listing = &listing
	bytes, err := stored.AppendRecord([]byte("before"), want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := stored.Record(bytes[len("before"):])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for cut := range bytes[len("before"):] {
		if _, err := stored.Record(bytes[len("before") : len("before")+cut]); err == nil {
			t.Fatalf("a record cut at %d is taken for whole", cut)
		}
	}
}

func TestAKeyKeepsItsAnswerByteForByte(t *testing.T) {
	var want lead.Key
	fill(t, reflect.ValueOf(&want).Elem(), "key")
	for _, answer := range []*lead.Answer{want.Answer, nil} {
		want.Answer = answer
		bytes, err := stored.AppendKey([]byte("before"), want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := stored.Key(bytes[len("before"):])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		for cut := range bytes[len("before"):] {
			if _, err := stored.Key(bytes[len("before") : len("before")+cut]); !errors.Is(err, stored.ErrFormat) {
				t.Fatalf("a key cut at %d: %v", cut, err)
			}
		}
	}
}

func FuzzAnyBytesDecodeOrAreRefused(f *testing.F) {
	v := inventory.Vehicle{Key: "k", State: inventory.Available, Listing: aap.Vehicle{VIN: "1", Fees: []aap.Fee{{Name: "doc", Amount: 5}}, Features: []string{"a"}}}
	bytes, _ := stored.AppendVehicles(nil, v, v)
	f.Add(string(bytes))
	f.Fuzz(func(t *testing.T, src string) {
		got, err := new(stored.Reader).Vehicles(nil, src)
		if err != nil {
			return
		}
		if _, err := stored.AppendVehicles(nil, got...); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkTenThousandVehicles(b *testing.B) {
	n := func(i int) *aap.Int { v := aap.Int(i); return &v }
	lot := make([]inventory.Vehicle, 10_000)
	for i := range lot {
		lot[i] = inventory.Vehicle{Key: fmt.Sprintf("1FTFW1E50NFA%05d", i), State: inventory.Available, Listing: aap.Vehicle{
			VIN: fmt.Sprintf("1FTFW1E50NFA%05d", i), Stock: fmt.Sprint("S", i), Year: n(2020 + i%6), Make: "Ford", Model: "F-150", Trim: "Lariat",
			Condition: "used", Rooftop: "Main Street", Price: n(20000 + i), Mileage: n(i), Body: "Truck", Fuel: "Gasoline", ExteriorColor: "Oxford White",
			Features: []string{"Tow package", "Heated seats", "Sunroof"}, Photos: []string{fmt.Sprintf("https://img.example.com/%d/1.jpg", i)},
			VDPURL: fmt.Sprintf("https://www.example.com/vehicle/%d", i), Description: "One owner, serviced here, new tyres.",
		}}
	}
	bytes, err := stored.AppendVehicles(nil, lot...)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(bytes)))
		for b.Loop() {
			if got, err := new(stored.Reader).Vehicles(make([]inventory.Vehicle, 0, len(lot)), string(bytes)); err != nil || len(got) != len(lot) {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			if _, err := stored.AppendVehicles(nil, lot...); err != nil {
				b.Fatal(err)
			}
		}
	})
}
