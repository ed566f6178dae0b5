package schema_test

import (
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/schema"
	"github.com/dealer-agent/dealer/schemas"
)

const typicalSearch = `{"type":"inventory.search.request","filters":{"make":["Toyota","Honda"],"condition":["new"],"body":["suv"],
	"price_max":42000,"year_min":2023,"exterior_color":["white","grey"]},"pagination":{"skip":0,"limit":20},
	"sort":{"field":"price","order":"asc"},"privacy":{"anonymous":true}}`

var fullLead = leadPlus(`"vehicle_of_interest":{"vin":"KNADE123456789012","year":2024,"make":"Kia","model":"Rio","condition":"new","stock":"K1"},
	"trade_in":{"year":2014,"make":"Toyota","model":"Corolla","mileage":96000,"condition":"good"},"message":"May I come by on Saturday?",
	"appointment":{"appointment_type":"test_drive","appointment_at":"2026-05-03T11:00:00-07:00","duration_minutes":45},
	"submitted_at":"2026-05-01T12:00:00Z","idempotency_key":"0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071"`)

func benchmarkCheck(b *testing.B, file, payload string, valid bool) {
	set := newSet(b)
	b.ReportAllocs()
	b.SetBytes(int64(len(payload)))
	for b.Loop() {
		found, err := set.Check(file, []byte(payload))
		if err != nil || (len(found) == 0) != valid {
			b.Fatal(found, err)
		}
	}
}

func BenchmarkCheckSearch(b *testing.B) { benchmarkCheck(b, searchFile, typicalSearch, true) }

func BenchmarkCheckLead(b *testing.B) { benchmarkCheck(b, leadFile, fullLead, true) }

func BenchmarkCheckFaultyLead(b *testing.B) {
	benchmarkCheck(b, leadFile, leadPlus(`"message":1,"trade_in":{"condition":"new","VIN":1},"x":[]`), false)
}

// BenchmarkCheckFlood is the cost of 256 KiB made to be expensive.
func BenchmarkCheckFlood(b *testing.B) {
	for name, payload := range floods() {
		b.Run(name, func(b *testing.B) {
			set := newSet(b)
			for b.Loop() {
				if _, err := set.Check(leadFile, []byte(payload)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkScanLead(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if found := schema.Scan([]byte(fullLead), schema.MaxDepth); len(found) > 0 {
			b.Fatal(found)
		}
	}
}

// BenchmarkCompileFirstUse is what the first call of each skill pays.
func BenchmarkCompileFirstUse(b *testing.B) {
	for _, label := range schemas.Labels() {
		for _, s := range aap.Skills() {
			b.Run(label+"/"+s.ID, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := setOf(b, label).Compile(s.RequestSchema()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
