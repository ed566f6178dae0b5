package dealer_test

import (
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"pgregory.net/rapid"
)

func TestDurationsAreReadInDaysAndGoUnits(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"48h": 48 * time.Hour, "30d": 720 * time.Hour, "1d12h": 36 * time.Hour, "0s": 0, "0d": 0, "90m": 90 * time.Minute, "2d1m1s": 48*time.Hour + 61*time.Second,
	} {
		var d dealer.Duration
		if err := d.UnmarshalText([]byte(text)); err != nil || d.Std() != want {
			t.Errorf("%s = %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "d", "48", "1.5d", "-1h", "1d-1h", "1h1d", "36501d", "2562047h", "1 d", "forever"} {
		var d dealer.Duration
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was taken as %v", text, d)
		}
	}
}

func TestADurationWrittenIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := dealer.Duration(rapid.Int64Range(0, int64(36500*24*time.Hour)).Draw(t, "d"))
		text, _ := d.MarshalText()
		var back dealer.Duration
		if err := back.UnmarshalText(text); err != nil || back != d {
			t.Fatalf("%s became %v, %v", text, back, err)
		}
	})
}
