package feed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
)

var vinShape = regexp.MustCompile(`^[A-HJ-NPR-Z0-9]{17}$`)

// FuzzRead: any bytes end in a refusal or in a report whose numbers add up and
// in units that fit AAP.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"vin,year,make,model\n" + vinA + ",2020,Honda,Civic\n", "\xEF\xBB\xBFstock;year;make;model\n1;2020;Kia;Rio\n",
		"stock\tyear\tmake\tmodel\tphotos\n\"1\t2020\t\"Kia\"\"\tRio\thttp://a/1|http://a/2\n", `[{"stock":1,"year":2020,"make":"Kia","model":"Rio","images":["http://a.example.com/1"]}]`,
		`{"generated_at":"2026-01-01T00:00:00Z","v":[{"id":"x1","year":2020,"make":"Kia","model":"Rio","fees":[{"name":"Doc","amount":5}]}]}`,
		"\xff\xfes\x00t\x00o\x00c\x00k\x00", "sep=;\nstock;make\n\"a\nb;c\"\"", "id,year,make,model,price,mileage,description\na1,2020,Kia,Rio,\"$1,000\",12 km,<b>x&amp;\n",
		"{\"a\":{\"b\":[[[[", "stock,year,make,model\r\"A\r\"\"B,2020,Kia,Rio", "<xml/>", "PK\x03\x04", "",
	} {
		f.Add([]byte(seed))
	}
	p := oneRooftop()
	p.Rooftops = append(p.Rooftops, dealer.Rooftop{Name: "South"})
	p.Feed.Columns = map[string]string{"other_attributes.x": "x", "notes": "remarks"}
	f.Fuzz(func(t *testing.T, file []byte) {
		batch, rep, err := feed.Read(t.Context(), feed.Source{Name: "fuzz", Modified: exported, Body: bytes.NewReader(file)}, p)
		if err != nil {
			if !errors.Is(err, feed.ErrRefused) {
				t.Fatalf("neither a report nor a refusal: %v", err)
			}
			return
		}
		if rep.Rows != rep.Accepted+rep.Merged+rep.Rejected || rep.Accepted != len(batch.Vehicles) || rep.Accepted != rep.Visible+sum(rep.Hidden) {
			t.Fatalf("numbers do not add up: %+v", rep)
		}
		var text bytes.Buffer
		if err := rep.WriteText(&text); err != nil || !utf8.Valid(text.Bytes()) || bytes.ContainsAny(text.Bytes(), "\x00\x1b\x07") {
			t.Fatalf("text report: %v %q", err, text.String())
		}
		seen := map[string]bool{}
		for _, u := range batch.Vehicles {
			l := u.Listing
			b, err := json.Marshal(u)
			switch {
			case err != nil || bytes.Contains(b, []byte("\uFFFD")) || bytes.Contains(b, []byte(`\ufffd`)):
				t.Fatalf("unit %s %v", b, err)
			case u.Key == "" || seen[u.Key]:
				t.Fatalf("key %q twice or empty", u.Key)
			case l.VIN != "" && !vinShape.MatchString(l.VIN):
				t.Fatalf("VIN %q", l.VIN)
			case l.Year != nil && (*l.Year < 1900 || *l.Year > 2100), l.Price != nil && *l.Price <= 0, l.Mileage != nil && *l.Mileage < 0:
				t.Fatalf("number out of range: %s", b)
			case l.Make == "" || l.Model == "":
				t.Fatalf("no name: %s", b)
			}
			seen[u.Key] = true
		}
	})
}
