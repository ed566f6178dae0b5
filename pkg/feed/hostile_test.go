package feed_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/feed"
)

// hostile are files that would cost a careless reader the square of their size.
func hostile(n int) map[string]string {
	var keys strings.Builder
	keys.WriteString(`[{"stock":"1"`)
	for i := range n / 16 {
		fmt.Fprintf(&keys, `,"k%09d":1`, i)
	}
	keys.WriteString("}]")
	const head = "stock,year,make,model,description\n"
	return map[string]string{
		"quotes never closed":      head + strings.Repeat("\"A,1\n", n/5),
		"quotes closed far away":   head + strings.Repeat(strings.Repeat("\"A\n", 1500)+"\",\n", n/4500),
		"one line of quotes":       head + strings.Repeat("\"", n),
		"tags never closed":        head + "1,2020,Kia,Rio," + strings.Repeat("<b", min(n, 900_000)/2) + "\n",
		"tags closed at the end":   head + "1,2020,Kia,Rio," + strings.Repeat("<b", min(n, 900_000)/2) + ">\n",
		"comments never closed":    head + "1,2020,Kia,Rio," + strings.Repeat("<!--", min(n, 900_000)/4) + "\n",
		"scripts":                  head + "1,2020,Kia,Rio," + strings.Repeat("<script></s", min(n, 900_000)/11) + "\n",
		"addresses":                "stock,year,make,model,photos\n1,2020,Kia,Rio,\"" + strings.Repeat("|http", min(n, 900_000)/5) + "\"\n",
		"features":                 "stock,year,make,model,options\n1,2020,Kia,Rio,\"" + strings.Repeat("a|", min(n, 900_000)/2) + "\"\n",
		"brackets":                 strings.Repeat("[", n),
		"objects":                  strings.Repeat(`{"a":`, n/5),
		"members":                  keys.String(),
		"no line end":              head + strings.Repeat("x", n),
		"delimiters in the header": strings.Repeat(",", n),
		"blank rows":               head + strings.Repeat("\n", n),
		"digits":                   "stock,year,make,model,price,mileage\n1,2020,Kia,Rio," + strings.Repeat("1 ", min(n, 400_000)/2) + "," + strings.Repeat("1,", 10) + "\n",
		"entities":                 head + "1,2020,Kia,Rio," + strings.Repeat("&amp", min(n, 900_000)/4) + "\n",
	}
}

func TestHostileFilesEndInAReportOrARefusal(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size = 1 << 16
	}
	for name, file := range hostile(size) {
		t.Run(name, func(t *testing.T) {
			_, rep, err := feed.Read(t.Context(), feed.Source{Name: "x", Body: strings.NewReader(file)}, oneRooftop())
			if err != nil && !errors.Is(err, feed.ErrRefused) {
				t.Errorf("%v", err)
			}
			if rep.Rows != rep.Accepted+rep.Merged+rep.Rejected {
				t.Errorf("%+v", rep)
			}
		})
	}
}

// BenchmarkReadHostile shows that the time grows with the size, not its square.
func BenchmarkReadHostile(b *testing.B) {
	for _, n := range []int{1 << 20, 4 << 20} {
		for name, file := range hostile(n) {
			b.Run(fmt.Sprintf("%s/%dMiB", strings.ReplaceAll(name, " ", "_"), n>>20), func(b *testing.B) {
				b.SetBytes(int64(len(file)))
				for b.Loop() {
					_, _, _ = feed.Read(b.Context(), feed.Source{Name: "x", Body: strings.NewReader(file)}, oneRooftop())
				}
			})
		}
	}
}

// endless gives a header and then the same row until left is used up.
type endless struct {
	row  string
	left int
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(b) && e.left > 0 {
		c := copy(b[n:], e.row[e.at:])
		e.at = (e.at + c) % len(e.row)
		n += c
		e.left -= c
	}
	return n, nil
}

func TestAFileOfAnySizeIsReadInTheMemoryOfItsVehicles(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 40 MB")
	}
	row := ",2020,,Rio,\"" + strings.Repeat("long ", 400) + "\"\n"
	file := io.MultiReader(strings.NewReader("stock,year,make,model,description\nA1,2020,Kia,Rio,x\n"), &endless{row: row, left: 20_000 * len(row)})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, rep, err := feed.Read(t.Context(), feed.Source{Name: "x", Body: file}, oneRooftop())
	if err != nil || rep.Rejected != 20_000 {
		t.Fatalf("%v %d", err, rep.Rejected)
	}
	runtime.ReadMemStats(&after)
	if grown := after.HeapSys - before.HeapSys; after.HeapSys > before.HeapSys && grown > 32<<20 {
		t.Errorf("%d MiB of memory for a file of 40 MB with one vehicle", grown>>20)
	}
	if total := after.TotalAlloc - before.TotalAlloc; total > 64<<20 {
		t.Errorf("%d MiB allocated along the way", total>>20)
	}
}
