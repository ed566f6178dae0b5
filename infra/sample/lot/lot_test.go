package lot

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/dealer-agent/dealer/infra/sample"
)

func TestTheCommittedFeedIsWhatTheGeneratorWrites(t *testing.T) {
	want, err := CSV(Sample)
	if err != nil {
		t.Fatal(err)
	}
	if _, got := sample.Feed(); !bytes.Equal(got, want) {
		t.Error("inventory.csv differs from the generator: run go generate ./infra/sample")
	}
}

func TestALargeLotNamesNoCarTwice(t *testing.T) {
	const cars = 20_000
	text, err := CSV(cars)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) != cars+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		vin, stock := row[0], row[1]
		if len(vin) != 17 || checkDigit(vin) != vin[8] {
			t.Fatalf("%s is no VIN", vin)
		}
		if seen[vin] || seen[stock] {
			t.Fatalf("%s, %s: named twice", vin, stock)
		}
		seen[vin], seen[stock] = true, true
	}
}

func TestCheckDigitsMatchPublishedExamples(t *testing.T) {
	for vin, want := range map[string]byte{"1M8GDM9AXKP042788": 'X', "11111111111111111": '1', "5GZCZ43D13S812715": '1'} {
		if got := checkDigit(vin); got != want {
			t.Errorf("%s: %c, want %c", vin, got, want)
		}
	}
}
