package a2a_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/inventory"
)

// alike are units that a description by year, make and model fits all, some of
// them sold, with many trims of one word.
func alike(n int) []inventory.Vehicle {
	out := make([]inventory.Vehicle, n)
	for i := range out {
		year, stock := aap.Int(2022), fmt.Sprintf("C%05d", i)
		out[i] = inventory.Vehicle{Key: "Harbor Seattle/" + stock, State: inventory.Available, Listing: aap.Vehicle{
			Stock: stock, Year: &year, Make: "Chevrolet", Model: "Silverado 1500", Trim: fmt.Sprint("LT ", i%300), Condition: "used",
			Body: "Crew Cab Pickup", Fuel: "Gas/Electric Hybrid", ExteriorColor: "Summit White", Rooftop: "Harbor Seattle",
		}}
		if i%4 == 0 {
			out[i].State, out[i].GoneAt = inventory.Sold, agenttest.Clock.Add(-time.Hour)
		}
	}
	return out
}

// room is what a payload may have of the longest body that is read.
const room = a2a.MaxBody - 1200

// list is different texts in quotes, each of a number and a letter that is
// repeated to the given length.
func list(letter string, length int) string {
	var b strings.Builder
	text := strings.Repeat(letter, max(1, length/len(letter)))
	for i := 0; b.Len() < room-length-40; i++ {
		fmt.Fprintf(&b, `"%s%d",`, text, i)
	}
	return b.String() + `"x"`
}

// dear are payloads of texts that cost much to compare: U+FDFA stands for 18
// letters, a Hangul syllable for three.
func dear() map[string]string {
	out := map[string]string{}
	search := func(name, filter, values string) {
		out[filter+" of "+name] = `{"type":"inventory.search.request","filters":{"` + filter + `":[` + values + `]}}`
	}
	for name, letter := range map[string]string{"U+FDFA": "ﷺ", "Hangul": "각", "accents": "ǖ", "blanks": "a -"} {
		short, long := list(letter, 1), list(letter, 1000)
		for _, filter := range []string{"make", "model", "body", "exterior_color", "rooftops"} {
			search("short "+name, filter, short)
			search("long "+name, filter, long)
		}
		endless := strings.Repeat(letter, room/len(letter))
		out["endless stock of "+name] = `{"type":"inventory.vehicle.request","stock":"` + endless + `"}`
		lead := func(what, member string) {
			out["lead with "+what+" of "+name] = strings.TrimSuffix(leadPayload, "}") + "," + member + "}"
		}
		lead("endless make", `"vehicle_of_interest":{"year":2022,"make":"`+endless+`","model":"Silverado 1500"}`)
		lead("endless model", `"vehicle_of_interest":{"year":2022,"make":"Chevrolet","model":"`+endless+`"}`)
		lead("endless trim", `"vehicle_of_interest":{"year":2022,"make":"Chevrolet","model":"Silverado 1500","trim":"`+endless+`"}`)
		lead("endless rooftop", `"vehicle_of_interest":{"stock":"none","rooftop":"`+endless+`"}`)
		attributes := strings.ReplaceAll(strings.TrimSuffix(list(letter, 8), `,"x"`), `",`, `":"`+letter+`",`)
		attributes = attributes[:strings.LastIndex(attributes[:room*9/10], `,`)]
		lead("attributes", `"vehicle_of_interest":{"other_attributes":{`+attributes+`}}`)
		lead("attributes of a trade-in", `"trade_in":{"other_attributes":{`+attributes+`}}`)
	}
	out["a consent that nobody can read"] = strings.Replace(leadPayload, `"consent_text":"`, `"consent_text":"`+strings.Repeat("\u2060", room/3), 1)
	// One known word in endless disguise.
	var words strings.Builder
	for i := 0; words.Len() < room-40; i++ {
		words.WriteString(`"lt`)
		for n := i; n > 0; n /= 9 {
			words.WriteByte(".,;:!?/_~"[n%9])
		}
		words.WriteString(`",`)
	}
	search("one word", "trim", words.String()+`"lt"`)
	return out
}

func TestTextsThatAreDearToCompareAreAnsweredQuickly(t *testing.T) {
	if testing.Short() {
		t.Skip("counts CPU time")
	}
	h := handler(agenttest.With(t, agenttest.Profile+"access: {per_minute: 100000, leads_per_hour: 100000}\n", alike(2000)))
	post(t, h, message(`{"type":"inventory.search.request"}`)) // makes the index
	for name, payload := range dear() {
		quick(t, h, name, message(payload))
	}
}
