package feed_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/feed"
)

// packed is a file of a zip archive.
type packed struct{ name, body string }

func zipped(t testing.TB, files ...packed) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipped(t testing.TB, body io.Reader) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.Copy(z, body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPackedFilesOfEveryFormatGiveWhatTheFilesGive(t *testing.T) {
	for format, file := range map[string]string{
		"comma-separated text": "stock,year,make,model\nA1,2020,Kia,Rio\n",
		"tab-separated text":   "stock\tyear\tmake\tmodel\nA1\t2020\tKia\tRio\n",
		"JSON":                 `[{"stock":"A1","year":2020,"make":"Kia","model":"Rio"}]`,
		"XML":                  "<cars>" + item("A1", "") + "</cars>",
	} {
		for packing, body := range map[string]string{
			"gzip, ":       gzipped(t, strings.NewReader(file)),
			"gzip, gzip, ": gzipped(t, strings.NewReader(gzipped(t, strings.NewReader(file)))),
			"zip, ":        zipped(t, packed{"../../etc/Export.CSV", file}, packed{"README.txt", "see the other file"}, packed{"__MACOSX/._Export.csv", "x"}, packed{"photos/", ""}, packed{"logo.png", "\x89PNG"}),
			"zip, gzip, ":  zipped(t, packed{"export.json.gz", gzipped(t, strings.NewReader(file))}),
		} {
			if v, rep := one(t, oneRooftop(), body); v.Stock != "A1" || rep.Format != packing+format {
				t.Errorf("%s%s: %+v, format %q", packing, format, v, rep.Format)
			}
		}
	}
	if v, _ := one(t, oneRooftop(), zipped(t, packed{"EXPORT.TXT", "stock|year|make|model\nA1|2020|Kia|Rio\n"})); v.Stock != "A1" {
		t.Errorf("a lone text file: %+v", v)
	}
}

func TestArchivesThatAreNoExportAreRefused(t *testing.T) {
	const csv = "stock,year,make,model\nA1,2020,Kia,Rio\n"
	locked := []byte(zipped(t, packed{"a.csv", csv}))
	for at := range locked { // the flag of a password, in both headers
		if bytes.HasPrefix(locked[at:], []byte("PK\x03\x04")) {
			locked[at+6] |= 1
		}
		if bytes.HasPrefix(locked[at:], []byte("PK\x01\x02")) {
			locked[at+8] |= 1
		}
	}
	whole := zipped(t, packed{"a.csv", csv})
	inGzip := gzipped(t, strings.NewReader(csv))
	bomb := int64(96 << 20)
	if testing.Short() {
		bomb = 65 << 20
	}
	flipped := []byte(zipped(t, packed{"a.csv", strings.Repeat(csv, 100)}))
	flipped[60] ^= 0xff
	for name, c := range map[string]struct{ file, says string }{
		"two exports":         {zipped(t, packed{"new.csv", csv}, packed{"used.csv", csv}), "2 data files"},
		"two notes":           {zipped(t, packed{"a.txt", csv}, packed{"b.txt", csv}), "2 data files"},
		"nothing but photos":  {zipped(t, packed{"a.jpg", "x"}), "no data file"},
		"an archive in one":   {zipped(t, packed{"a.zip", whole}), "no data file"},
		"a workbook":          {zipped(t, packed{"[Content_Types].xml", "x"}, packed{"xl/workbook.xml", "x"}), "spreadsheet"},
		"a password":          {string(locked), "password"},
		"cut zip":             {whole[:len(whole)-10], "damaged"},
		"changed zip":         {string(flipped), "damaged"},
		"cut gzip":            {inGzip[:len(inGzip)-6], "damaged"},
		"gzip with a tail":    {inGzip + "trailing", "damaged"},
		"packed three times":  {gzipped(t, strings.NewReader(gzipped(t, strings.NewReader(inGzip)))), "more than 2 times"},
		"a bomb in gzip":      {gzipped(t, io.LimitReader(zeros{}, bomb)), "unpacks to more"},
		"an empty file in it": {zipped(t, packed{"a.csv", ""}), "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			_, rep, err := feed.Read(t.Context(), feed.Source{Name: "x", Body: strings.NewReader(c.file)}, oneRooftop())
			if !errors.Is(err, feed.ErrRefused) || !strings.Contains(err.Error(), c.says) || rep.Refused != err.Error() {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// heapGrowth is how much more memory the process holds after work.
func heapGrowth(t testing.TB, work func()) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return max(after.HeapSys, before.HeapSys) - before.HeapSys
}

func TestAZipBombIsRefusedInLittleMemoryAndLeavesNoFile(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks 128 MB")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("a.csv")
	if err == nil {
		_, err = io.Copy(w, io.LimitReader(zeros{}, 128<<20))
	}
	if err == nil { // so large that it is kept in a file
		w, err = z.CreateHeader(&zip.FileHeader{Name: "big.jpg", Method: zip.Store})
	}
	if err == nil {
		_, err = io.Copy(w, io.LimitReader(zeros{}, 9<<20))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	grown := heapGrowth(t, func() {
		if _, _, err := feed.Read(t.Context(), feed.Source{Name: "x", Body: &b}, oneRooftop()); !errors.Is(err, feed.ErrRefused) || !strings.Contains(err.Error(), "unpacks to more") {
			t.Errorf("%v", err)
		}
	})
	if grown > 48<<20 {
		t.Errorf("%d MiB of memory", grown>>20)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
}

func TestAPackedFileThatDoesNotArriveWholeIsTriedAgain(t *testing.T) {
	broken := errors.New("connection reset")
	for name, body := range map[string]string{"gzip": gzipped(t, strings.NewReader("stock,year\n"+strings.Repeat("A1,2020\n", 9))), "zip": zipped(t, packed{"a.csv", "stock,year\nA1,2020\n"})} {
		_, _, err := feed.Read(t.Context(), feed.Source{Name: "x", Body: io.MultiReader(strings.NewReader(body[:len(body)/2]), failing{broken})}, oneRooftop())
		if !errors.Is(err, broken) || errors.Is(err, feed.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAFileWithoutHeaderIsReadByTheColumnsOfTheProfile(t *testing.T) {
	p := oneRooftop()
	p.Feed.Header = []string{"dealer id", "Stock", "VIN", "-", "Year", "Make", "Model", "Wert", "Invoice"}
	p.Feed.Columns = map[string]string{"price": "Wert"}
	const row = "D1|A1|" + vinA + "|x|2020|Kia|Rio|12,500|9999"
	for name, file := range map[string]string{"no header": row + "\n", "a header after all": "DEALER_ID|stock|vin|-|year|make|model|wert|invoice\n" + row + "\n", "commas": strings.ReplaceAll(strings.Replace(row, "12,500", "12500", 1), "|", ",") + "\n"} {
		t.Run(name, func(t *testing.T) {
			v, rep := one(t, p, file)
			if v.Stock != "A1" || v.VIN != vinA || num(v.Price) != int64(12500) || rep.Rows != 1 {
				t.Errorf("%+v %+v", v, rep)
			}
		})
	}
	_, rep, err := feed.Read(t.Context(), feed.Source{Name: "x", Body: strings.NewReader("just one line\n")}, p)
	if !errors.Is(err, feed.ErrRefused) || rep.Rejected != 1 {
		t.Errorf("%v %+v", err, rep)
	}
}

// FuzzUnpack: any bytes that pretend to be packed end in a refusal or a report.
func FuzzUnpack(f *testing.F) {
	const csv = "stock,year,make,model\nA1,2020,Kia,Rio\n"
	for _, seed := range []string{gzipped(f, strings.NewReader(csv)), zipped(f, packed{"a.csv", csv}), zipped(f, packed{"a.csv.gz", gzipped(f, strings.NewReader(csv))}, packed{"b.txt", ""}), "PK\x03\x04", "\x1f\x8b"} {
		f.Add([]byte(seed))
	}
	p := oneRooftop()
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, magic := range []string{"", "PK\x03\x04", "\x1f\x8b\x08"} {
			body := append([]byte(magic), file[min(len(magic), len(file)):]...)
			_, rep, err := feed.Read(t.Context(), feed.Source{Name: "fuzz", Modified: exported, Body: bytes.NewReader(body)}, p)
			if err != nil && !errors.Is(err, feed.ErrRefused) {
				t.Fatalf("neither a report nor a refusal: %v", err)
			}
			if rep.Rows != rep.Accepted+rep.Merged+rep.Rejected {
				t.Fatalf("%+v", rep)
			}
		}
	})
}
