package feed_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/inventory"
	"github.com/dealer-agent/dealer/pkg/inventory/inventorytest"
)

// exportOf makes a plausible export of n units with 31 columns and five photos each.
func exportOf(n int) []byte {
	makers := []struct{ make, model, trim, body string }{
		{"Honda", "Civic", "EX-L", "4d Sedan"}, {"Chevy", "Silverado 1500", "LT", "Crew Cab Pickup"},
		{"Toyota", "RAV4", "XLE", "4d SUV AWD"}, {"Tesla", "Model 3", "Long Range", "Sedan"}, {"Mercedes", "GLC 300", "4MATIC", "SUV"},
	}
	colors := []string{"White", "Crystal Black Pearl", "Blue", "Magnetic Gray Metallic", "Red"}
	var b bytes.Buffer
	b.WriteString("Type,Stock,VIN,Year,Make,Model,Body,Trim,Doors,ExteriorColor,InteriorColor,EngineCylinders,EngineDisplacement,Transmission,Miles,SellingPrice,MSRP,BookValue,Invoice,Certified,DateInStock,Description,Options,Dealer_Name,Drivetrain,Fuel_Type,CityMPG,HighwayMPG,VDP_URL,Status,ImageList\r\n")
	for i := range n {
		m := makers[i%len(makers)]
		fmt.Fprintf(&b, `"Used","K%05d","1HGCV1F3%09d","%d","%s","%s","%s","%s","4","%s","Black","4","2.0L","8 Speed Automatic","%d,%03d","$%d,%03d","0","12345","11111","False","%d/%d/2026","One owner, clean history. ""Like new"" & well kept; call us today for a test drive.","Heated Seats|Sunroof|Apple CarPlay|Blind Spot Monitor","Example Motors","AWD","Gasoline","28","36","https://www.example.com/inventory/%d","In Stock","`,
			i, i, 2014+i%12, m.make, m.model, m.body, m.trim, colors[i%5], 10+i%90, i%1000, 12+i%40, i%1000, 1+i%12, 1+i%28, i)
		for k := range 5 {
			if k > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "https://cdn.example.com/photos/%d/%d.jpg?w=640,h=480", i, k)
		}
		b.WriteString("\"\r\n")
	}
	return b.Bytes()
}

// asXML is an export in elements named like its columns.
func asXML(t testing.TB, export []byte) []byte {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(export)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<inventory>\n")
	for _, row := range rows[1:] {
		b.WriteString("  <vehicle>\n")
		for i, cell := range row {
			fmt.Fprintf(&b, "    <%s>", rows[0][i])
			if err := xml.EscapeText(&b, []byte(cell)); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "</%s>\n", rows[0][i])
		}
		b.WriteString("  </vehicle>\n")
	}
	b.WriteString("</inventory>\n")
	return b.Bytes()
}

func BenchmarkReadCSV(b *testing.B) { benchmarkRead(b, exportOf(benchRows)) }

func BenchmarkReadXML(b *testing.B) { benchmarkRead(b, asXML(b, exportOf(benchRows))) }

func BenchmarkReadGzip(b *testing.B) {
	benchmarkRead(b, []byte(gzipped(b, bytes.NewReader(exportOf(benchRows)))))
}

const benchRows = 20_000

func benchmarkRead(b *testing.B, file []byte) {
	b.Helper()
	p := oneRooftop()
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	used := cpuTime()
	for b.Loop() {
		batch, _, err := feed.Read(b.Context(), feed.Source{Name: "bench", Size: int64(len(file)), Modified: time.Unix(1_780_000_000, 0), Body: bytes.NewReader(file)}, p)
		if err != nil || len(batch.Vehicles) != benchRows {
			b.Fatalf("%d vehicles, %v", len(batch.Vehicles), err)
		}
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
	if used = cpuTime() - used; used > 0 {
		b.ReportMetric(float64(benchRows*b.N)/used.Seconds(), "rows/cpu-s")
	}
}

// BenchmarkImportUnchanged imports a file that is already in the inventory and
// reports how many vehicles an import wrote.
func BenchmarkImportUnchanged(b *testing.B) {
	const rows = 2_000
	file := exportOf(rows)
	written := 0
	store := countingStore{&inventorytest.Memory{}, &written}
	im := feed.Importer{Store: store, Profiles: dealer.Fixed(oneRooftop()), Now: func() time.Time { return time.Unix(1_780_000_100, 0) }}
	load := func() {
		src := feed.Source{Name: "bench.csv", Size: int64(len(file)), Modified: time.Unix(1_780_000_000, 0), Body: bytes.NewReader(file)}
		if _, err := im.Import(b.Context(), src, false); err != nil {
			b.Fatal(err)
		}
	}
	load()
	if written != rows {
		b.Fatalf("the first import wrote %d vehicles, want %d", written, rows)
	}
	written = 0
	for b.Loop() {
		load()
	}
	b.ReportMetric(float64(written)/float64(b.N), "vehicle-writes")
}

// countingStore counts the vehicles that Apply is told to write or forget.
type countingStore struct {
	inventory.Store
	written *int
}

func (s countingStore) Apply(ctx context.Context, dealerID string, base inventory.Head, c inventory.Change) (inventory.Head, error) {
	*s.written += len(c.Put) + len(c.Forget)
	return s.Store.Apply(ctx, dealerID, base, c)
}
