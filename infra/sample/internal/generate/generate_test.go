package main

import (
	"bytes"
	"testing"

	"github.com/dealer-agent/dealer/infra/sample"
)

func TestTheCommittedFeedIsWhatTheGeneratorWrites(t *testing.T) {
	want, err := inventory()
	if err != nil {
		t.Fatal(err)
	}
	if _, got := sample.Feed(); !bytes.Equal(got, want) {
		t.Error("inventory.csv differs from the generator: run go generate ./infra/sample")
	}
}

func TestCheckDigitsMatchPublishedExamples(t *testing.T) {
	for vin, want := range map[string]byte{"1M8GDM9AXKP042788": 'X', "11111111111111111": '1', "5GZCZ43D13S812715": '1'} {
		if got := checkDigit(vin); got != want {
			t.Errorf("%s: %c, want %c", vin, got, want)
		}
	}
}
