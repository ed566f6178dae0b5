package feed_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/dealer-agent/dealer/pkg/feed"
)

// wide is text in UTF-16, in that order of bytes, behind its mark.
func wide(text string, big bool) string {
	var b strings.Builder
	for _, u := range append([]uint16{0xFEFF}, utf16.Encode([]rune(text))...) {
		lo, hi := byte(u), byte(u>>8)
		if big {
			lo, hi = hi, lo
		}
		b.WriteByte(lo)
		b.WriteByte(hi)
	}
	return b.String()
}

// noise does not compress.
func noise(n int) string {
	r, b := rand.New(rand.NewPCG(1, 2)), make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

// storedAs is a zip whose directory says other sizes than its file has.
func storedAs(t *testing.T, body string, claims uint64) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "a.csv", Method: zip.Store, CompressedSize64: uint64(len(body)), UncompressedSize64: claims})
	if err == nil {
		_, err = io.WriteString(w, body)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	attackCSV = "stock,year,make,model,description\nA1,2020,Kia,Rio,fine\n"
	attackRSS = `<rss version="2.0"><channel><title>x</title>%s<item><title>2020 Kia Rio</title><stock>A1</stock><year>2020</year><make>Kia</make><model>Rio</model>%s</item></channel></rss>`
)

func attackFeed(before, inside string) string { return fmt.Sprintf(attackRSS, before, inside) }

// TestHostileDocumentsEndInARefusalOrTheRightCars gives each file that someone
// could send in place of an export, and looks at what is read of it, what the
// refusal says and what it cost.
func TestHostileDocumentsEndInARefusalOrTheRightCars(t *testing.T) {
	size := 10 << 20
	if testing.Short() {
		size = 2 << 20
	}
	long := noise(size)
	atom := `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>2020 Kia Rio</title><stock>A1</stock><year>2020</year><make>Kia</make><model>Rio</model></entry></feed>`
	xml := "<cars>" + item("A1", "") + "</cars>"
	for name, c := range map[string]struct{ file, refused string }{
		"entities that multiply":            {`<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>` + xml, "ask for the export without one"},
		"an entity that is a file":          {`<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><cars><car><stock>&a;</stock></car></cars>`, "ask for the export without one"},
		"entities in UTF-16":                {wide(`<!DOCTYPE l [<!ENTITY a "x">]>`+xml, false), "ask for the export without one"},
		"an undeclared entity":              {attackFeed("", "<description>&boom;</description>"), ""},
		"a number that is no letter":        {attackFeed("", "<description>&#0;&#xFFFFFFFF;&#xD800;</description>"), ""},
		"deep nesting beside the cars":      {attackFeed(strings.Repeat("<a>", 20_000)+strings.Repeat("</a>", 20_000), ""), "?"},
		"deep nesting in a car":             {attackFeed("", strings.Repeat("<a>", 20_000)+strings.Repeat("</a>", 20_000)), "?"},
		"nesting that never ends":           {"<cars>" + strings.Repeat("<a>", size/3), "?"},
		"a long attribute":                  {`<cars><car x="` + long + `">` + item("A1", "")[len("<car>"):] + item("A1", "") + "</cars>", "?"},
		"a long attribute at the root":      {`<cars x="` + long + `">` + item("A1", "") + "</cars>", "?"},
		"a long name":                       {"<cars><" + long + "/>" + item("A1", "") + "</cars>", "?"},
		"a long comment":                    {"<cars><!--" + long + "-->" + item("A1", "") + "</cars>", "?"},
		"a comment longer than a row":       {"<cars>" + item("A1", "") + "<!--" + long + "--></cars>", ""},
		"characters that are none":          {attackFeed("", "<description>a\uFFFE\uFFFF\x00\x0bb &#x1F; c &#12z;</description>"), ""},
		"a character in capital letters":    {attackFeed("", "<description>&#X41; &#x41;</description>"), ""},
		"many attributes":                   {"<cars><car " + manyAttributes(50_000) + "/>" + item("A1", "") + "</cars>", "?"},
		"Atom":                              {atom, ""},
		"Atom in UTF-16 of the other order": {wide(atom, true), ""},
		"XML that says UTF-16 and is not":   {`<?xml version="1.0" encoding="UTF-16"?>` + xml, ""},
		"XML that says UTF-8 in UTF-16":     {wide(`<?xml version="1.0" encoding="UTF-8"?>`+xml, false), ""},
		"XML of an unknown encoding":        {`<?xml version="1.0" encoding="klingon"?>` + xml, "?"},
		"UTF-16 with an odd byte":           {wide(attackCSV, false) + "x", ""},
		"UTF-16 without its other half":     {wide(attackCSV, false)[:2+2*34] + "\x00\xd8" + wide("\nA1,2020,Kia,Rio,fine\n", false)[2:], ""},
		"the mark of UTF-8 before UTF-16":   {"\xEF\xBB\xBF" + wide(attackCSV, false), "?"},
		"the mark of UTF-16 before UTF-8":   {"\xFF\xFE" + attackCSV, "?"},
		"two marks":                         {"\xEF\xBB\xBF\xEF\xBB\xBF" + attackCSV, ""},
		"UTF-32":                            {"\xFF\xFE\x00\x00s\x00\x00\x00t\x00\x00\x00", "?"},
		"NULs between":                      {strings.ReplaceAll(attackCSV, "fine", "fi\x00ne"), ""},
		"nothing but NULs":                  {strings.Repeat("\x00", 5000), "?"},
		"a zip with a way out":              {zipped(t, packed{"../../../../etc/cron.d/a.csv", attackCSV}), ""},
		"a zip with an absolute way":        {zipped(t, packed{`C:\Windows\a.csv`, attackCSV}), ""},
		"a zip that claims less":            {storedAs(t, attackCSV, 5), "?"},
		"a zip that claims more":            {storedAs(t, attackCSV, 1<<40), "?"},
		"a zip of many names":               {manyNames(t, 20_000), "20000 data files"},
		"a page in gzip":                    {gzipped(t, strings.NewReader("<!doctype html><html><body>Sign in</body></html>")), "an address that wants a login"},
		"a page that says it is XML":        {`<?xml version="1.0"?><!DOCTYPE html><html><body>Sign in</body></html>`, "?"},
		"gzip in the middle of a row":       {attackCSV + gzipped(t, strings.NewReader(attackCSV)), ""},
		"JSON with a long key":              {`[{"` + long + `":1},{"stock":"A1","year":2020,"make":"Kia","model":"Rio"}]`, ""},
		"JSON with NULs":                    {`[{"stock":"A1","year":2020,"make":"Kia","model":"Rio","description":"a` + "\x00" + `b"},{"stock":"A1","year":2020,"make":"Kia","model":"Rio"}]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			batch, rep, err := feed.Read(t.Context(), feed.Source{Name: "x", Modified: exported, Body: strings.NewReader(c.file)}, oneRooftop())
			runtime.ReadMemStats(&after)
			t.Logf("%v; %d units, %d rejected %v, %s %s", err, len(batch.Vehicles), rep.Rejected, rep.RejectedBy, rep.Format, rep.Encoding)
			if grown := max(after.HeapSys, before.HeapSys) - before.HeapSys; grown > 48<<20 {
				t.Errorf("%d MiB of memory", grown>>20)
			}
			switch {
			case err != nil && (!errors.Is(err, feed.ErrRefused) || c.refused == "" || c.refused != "?" && !strings.Contains(err.Error(), c.refused)):
				t.Errorf("%v, want %q", err, c.refused)
			case err == nil && (c.refused != "" && c.refused != "?" || len(batch.Vehicles) != 1):
				t.Errorf("%d units, want a refusal %q or one", len(batch.Vehicles), c.refused)
			case err == nil:
				if v := batch.Vehicles[0].Listing; v.Stock != "A1" || v.Make != "Kia" || strings.ContainsAny(v.Description, "\x00") {
					t.Errorf("%+v", v)
				}
			}
		})
	}
}

func manyAttributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `a%d="1" `, i)
	}
	return b.String()
}

func manyNames(t *testing.T, n int) string {
	files := make([]packed, n)
	for i := range files {
		files[i].name = fmt.Sprintf("%d.csv", i)
	}
	return zipped(t, files...)
}
