package wire_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/aap/wire"
)

// FuzzBothWays takes any JSON up and down every contract: what comes out is
// JSON too, and the same for the same.
func FuzzBothWays(f *testing.F) {
	f.Add([]byte(`{"type":"x","data":` + listing + `}`))
	f.Add([]byte(`{"data":` + facets + `}`))
	f.Add([]byte(`{"data":{"vehicles":[{"price":null},{"status":7}],"facets":{"statuses":[1]},"rooftops":[{"phones":[{"value":1}]}],"appointment":{"proposed_times":"x"}}}`))
	f.Add([]byte(`{"source_agent":"s","consent":{"source_agent":1},"trade_in":{"price":{"amount":1e400},"mpg":{"city":-1}},"sort":{"field":"offered_price"},` +
		`"appointment":{"appointment_type":"handover","requested_windows":[{"start":"x","end":"y"},{}],"timezone":"../x","notes":"n"},"filters":{"price_min":0.5}}`))
	f.Add([]byte(`{"appointment":{"requested_windows":[{"end":"y"}]}}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		if !json.Valid(doc) {
			return
		}
		kept := bytes.Clone(doc)
		for _, v := range aap.Versions() {
			for _, s := range aap.Skills() {
				up, err := wire.Up(v, s, doc)
				if err == nil && !json.Valid(up) {
					t.Errorf("%s %s up: %s", v.Label, s.ID, up)
				}
				down, err := wire.Down(v, s, doc, wire.Context{})
				if err == nil && !json.Valid(down) {
					t.Errorf("%s %s down: %s", v.Label, s.ID, down)
				}
			}
		}
		if !bytes.Equal(kept, doc) {
			t.Error("the payload was changed in place")
		}
	})
}
