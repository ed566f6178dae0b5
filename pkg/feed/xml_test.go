package feed_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/dealer-agent/dealer/pkg/feed"
)

func TestEachKindOfXMLGivesTheCarInIt(t *testing.T) {
	for name, file := range map[string]string{
		"a list of vehicles": `<?xml version="1.0"?><inventory><exported>2026-03-08T20:00:00Z</exported><vehicle><stock>K417</stock><vin>` + vinA + `</vin><year>2020</year><make>Honda</make><model>Civic</model>
			<price currency="USD">20500</price><mileage unit="km">50000</mileage><photos><photo>https://a.example.com/1.jpg</photo><photo>https://a.example.com/2.jpg</photo></photos>
			<url>https://a.example.com/k417</url><description><![CDATA[<p>One owner &amp; clean</p>]]></description></vehicle></inventory>`,
		"attributes only": `<cars><car stock="K417" vin="` + vinA + `" year="2020" make="Honda" model="Civic" price="20500" odometer="50000" odometer_unit="KM" url="https://a.example.com/k417"
			images="https://a.example.com/1.jpg,https://a.example.com/2.jpg" comments="One owner &amp;amp; clean"/><car stock="K418" vin="` + vinB + `" year="2021" make="Ford" model="F-150" price="1"/></cars>`,
		"RSS with Google's names": `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Cars</title><link>https://a.example.com</link><description>All</description>
			<lastBuildDate>Sun, 08 Mar 2026 20:00:00 +0000</lastBuildDate>
			<item><title>2020 Honda Civic</title><link>https://a.example.com/k417</link><description>&lt;p&gt;One owner &amp;amp; clean&lt;/p&gt;</description><g:id>K417</g:id><g:vin>` + vinA + `</g:vin>
			<g:year>2020</g:year><g:make>Honda</g:make><g:model>Civic</g:model><g:price>20500 USD</g:price><g:mileage><g:value>50000</g:value><g:unit>KM</g:unit></g:mileage>
			<g:image_link>https://a.example.com/1.jpg</g:image_link><g:additional_image_link>https://a.example.com/2.jpg</g:additional_image_link></item></channel></rss>`,
		"Atom": `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>Cars</title><updated>2026-03-08T20:00:00Z</updated><id>tag:a.example.com,2026:all</id>
			<entry><id>tag:a.example.com,2026:1</id><title>Civic</title><link rel="alternate" href="https://a.example.com/k417"/><link rel="enclosure" type="image/jpeg" href="https://a.example.com/1.jpg"/>
			<link rel="self" href="https://a.example.com/self"/><link rel="enclosure" type="video/mp4" href="https://a.example.com/film.mp4"/><link rel="enclosure" href="https://a.example.com/2.jpg"/>
			<g:id>K417</g:id><g:vin>` + vinA + `</g:vin><g:year>2020</g:year><g:brand>Honda</g:brand><g:model>Civic</g:model><g:price>20500</g:price><g:mileage>50,000 km</g:mileage>
			<description><div xmlns="http://www.w3.org/1999/xhtml"><p>One owner &amp; clean</p></div></description></entry></feed>`,
		"names and values": `<export><dealer><name>Example Motors</name></dealer><units><unit><attribute name="Stock Number">K417</attribute><attribute name="VIN" value="` + vinA + `"/><attribute name="Year">2020</attribute>
			<attribute name="Make">Honda</attribute><attribute name="Model">Civic</attribute><attribute name="Selling Price">$20,500</attribute><attribute name="Odometer">50000 km</attribute>
			<attribute name="Photo URLs">https://a.example.com/1.jpg|https://a.example.com/2.jpg</attribute><attribute name="VDP URL">https://a.example.com/k417</attribute><attribute name="Comments">One owner &amp;amp; clean</attribute></unit></units></export>`,
	} {
		t.Run(name, func(t *testing.T) {
			units, rep := read(t, oneRooftop(), file)
			v := units[0].Listing
			if v.Stock != "K417" || v.VIN != vinA || num(v.Year) != int64(2020) || v.Make != "Honda" || v.Model != "Civic" || num(v.Price) != int64(20500) || num(v.Mileage) != int64(31069) {
				t.Errorf("%+v %+v", v, rep)
			}
			if strings.Join(v.Photos, " ") != "https://a.example.com/1.jpg https://a.example.com/2.jpg" || v.Description != "One owner & clean" || v.VDPURL != "https://a.example.com/k417" {
				t.Errorf("%q %q %q", v.Photos, v.Description, v.VDPURL)
			}
			if strings.Contains(file, "2026-03-08") && rep.FeedTime.Day() != 8 || strings.Contains(file, "08 Mar") && rep.FeedTime.Day() != 8 {
				t.Errorf("the document's own time was not taken: %v", rep.FeedTime)
			}
			if rep.Format != "XML" {
				t.Errorf("format %q", rep.Format)
			}
		})
	}
}

func item(stock, more string) string {
	return "<car><stock>" + stock + "</stock><year>2020</year><make>Kia</make><model>Rio</model>" + more + "</car>\n"
}

func TestABrokenElementCostsOnlyItself(t *testing.T) {
	for name, c := range map[string]struct{ broken, problem string }{
		"tags that cross":       {item("A2", "<trim><b>EX</trim></b>"), "not well-formed"},
		"a tag without end":     {"<car><stock>A2</stock><year>2020<make>Kia</make></car>\n", "not well-formed"},
		"no end tag of its own": {"<car><stock>A2</stock><year>2020</year>\n", "not closed before the next"},
		"cut inside a tag":      {"<car><stock>A2</stock><year\n", "not closed before the next"},
		"a quote never closed":  {item("A2", `<photo url="https://a.example.com/1.jpg></photo>`), "not well-formed"},
		"longer than 1 MiB":     {item("A2", "<notes>"+strings.Repeat("x", 2<<20)+"</notes>"), "1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			units, rep := read(t, oneRooftop(), "<cars>\n"+item("A1", "")+c.broken+item("A3", "")+item("A4", "")+"</cars>\n")
			if len(units) != 3 || rep.Rejected != 1 || !strings.Contains(rep.RejectedRows[0].Reason, c.problem) || rep.RejectedRows[0].Line != 3 {
				t.Errorf("%d units, %+v", len(units), rep.RejectedRows)
			}
		})
	}
	units, rep := read(t, oneRooftop(), "<cars>"+item("A1", "")+"<car><stock>A2</stock><year>2020</year></cars>")
	if len(units) != 1 || rep.Rejected != 1 || rep.RejectedRows[0].Reason != "the element is not closed" {
		t.Errorf("the last one: %d units, %+v", len(units), rep.RejectedRows)
	}
}

func TestWhatIsTextByMistakeIsReadAndReported(t *testing.T) {
	v, rep := one(t, oneRooftop(), "<cars>"+item("A1", "<url>https://a.example.com/?a=1&b=2</url><description>AT&T, 5 < 6, fish &amp; chips&nbsp;&copy; \x0bx &unknown; &#169;</description>")+"</cars>")
	if v.VDPURL != "https://a.example.com/?a=1&b=2" || v.Description != "AT&T, 5 < 6, fish & chips © x &unknown; ©" || !warned(rep, "not well-formed") {
		t.Errorf("%q %q %+v", v.VDPURL, v.Description, rep.Warnings)
	}
}

func TestXMLThatIsCutOffOrHostileIsRefused(t *testing.T) {
	whole := "<cars>" + item("A1", "") + item("A2", "") + "</cars>"
	for name, c := range map[string]struct{ file, says string }{
		"cut inside an item":    {whole[:len(whole)-30], "breaks off"},
		"cut between items":     {"<cars>" + item("A1", "") + item("A2", ""), "breaks off"},
		"two documents":         {whole + whole, "a second document"},
		"outer tags that cross": {"<a><cars>" + item("A1", "") + "</a></cars>", "closes nothing"},
		"entities that grow":    {`<?xml version="1.0"?><!DOCTYPE cars [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><cars>` + item("&b;", "") + "</cars>", "DOCTYPE"},
		"an outside entity":     {`<!DOCTYPE cars [<!ENTITY x SYSTEM "file:///etc/passwd">]><cars>` + item("&x;", "") + "</cars>", "DOCTYPE"},
		"a DTD inside":          {"<cars>" + item("A1", "") + `<!ENTITY x SYSTEM "http://a.example.com/x">` + "</cars>", "DOCTYPE"},
		"a DTD in an item":      {"<cars>" + item("A1", "") + item("A2", "<!ENTITY x SYSTEM 'x'>") + "</cars>", "DOCTYPE"},
		"no vehicle":            {"<cars><note>closed today</note></cars>", "columns found: note"},
		"a web page":            {"<!doctype html><html><body>Log in</body></html>", "login"},
		"an unknown charset":    {`<?xml version="1.0" encoding="klingon-1"?>` + whole, "feed.encoding"},
	} {
		t.Run(name, func(t *testing.T) {
			batch, rep, err := feed.Read(t.Context(), feed.Source{Name: "x", Body: strings.NewReader(c.file)}, oneRooftop())
			if !errors.Is(err, feed.ErrRefused) || !strings.Contains(err.Error(), c.says) || rep.Refused != err.Error() || len(batch.Vehicles) > 0 {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
}

func TestVehiclesAreFoundWhereverTheyStand(t *testing.T) {
	file := "<group><updated>x</updated><new><car id='n1'><year>2026</year><make>Kia</make><model>Rio</model><options><option><id>7</id><price>100</price></option><option><id>8</id><price>200</price></option></options></car></new>" +
		"<used>" + item("U1", "") + item("U2", "<similar><car><stock>X</stock></car></similar>") + "</used><trucks><truck><stock>T1</stock><year>2020</year><make>Ford</make><model>F-150</model></truck></trucks></group>"
	units, rep := read(t, oneRooftop(), file)
	if len(units) != 3 || rep.Rows != 3 || units[2].Listing.Stock != "U2" {
		t.Errorf("%d units: %+v %+v", len(units), units, rep.RejectedRows)
	}
	if !warned(rep, "1 elements <truck> were not read") {
		t.Errorf("what was left out is not told: %+v", rep.Warnings)
	}
	// One dealer's lot inside another's list, one car each.
	units, _ = read(t, oneRooftop(), "<dealers><dealer><name>N</name><lot>"+item("A1", "")+item("A2", "")+"</lot></dealer><dealer><name>S</name><lot>"+item("A3", "")+"</lot></dealer></dealers>")
	if len(units) != 3 {
		t.Errorf("%d units", len(units))
	}
	p := oneRooftop()
	p.Feed.Columns = map[string]string{"stock": "nummer", "make": "fabrikat", "model": "modell.namn", "year": "modell.ar"}
	if v, _ := one(t, p, "<bilar><bil><nummer>7</nummer><fabrikat>Volvo</fabrikat><modell><namn>V60</namn><ar>2021</ar></modell></bil></bilar>"); v.Model != "V60" || num(v.Year) != int64(2021) {
		t.Errorf("%+v", v)
	}
}

func TestCharsetsThatTheFileOrTheProfileNames(t *testing.T) {
	const word = "Citroën Œuvre €500 Škoda"
	body := func(declared string) string {
		return `<?xml version="1.0" encoding="` + declared + `"?><cars>` + item("A1", "<description>"+word+"</description>") + "</cars>"
	}
	encode := func(e encoding.Encoding, s string) string {
		out, err := e.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	wide := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	for name, c := range map[string]struct{ file, profile, said string }{
		"ISO-8859-15 declared":     {encode(charmap.ISO8859_15, body("ISO-8859-15")), "", "ISO-8859-15"},
		"Windows-1252 declared":    {encode(charmap.Windows1252, body("windows-1252")), "", "Windows-1252"},
		"UTF-8 declared":           {body("UTF-8"), "", "UTF-8"},
		"UTF-16 with a mark":       {encode(wide, body("UTF-16")), "", "UTF-16LE"},
		"a declaration that lies":  {encode(charmap.ISO8859_15, body("UTF-8")), "iso-8859-15", "ISO-8859-15"},
		"a mark against a profile": {"\xEF\xBB\xBF" + body("ISO-8859-15"), "iso-8859-15", "UTF-8 with mark"},
		"CSV by the profile":       {encode(charmap.ISO8859_15, "stock;year;make;model;description\nA1;2020;Kia;Rio;"+word+"\n"), "iso-8859-15", "ISO-8859-15"},
	} {
		t.Run(name, func(t *testing.T) {
			p := oneRooftop()
			p.Feed.Encoding = c.profile
			if v, rep := one(t, p, c.file); v.Description != word || rep.Encoding != c.said {
				t.Errorf("%q in %q", v.Description, rep.Encoding)
			}
		})
	}
	if v, rep := one(t, oneRooftop(), encode(charmap.Windows1252, body("UTF-8"))); v.Description != word || !warned(rep, "Windows-1252") {
		t.Errorf("bytes that are not UTF-8: %q %+v", v.Description, rep.Warnings)
	}
}

// FuzzXML: any XML ends in a refusal or in a report whose numbers add up.
func FuzzXML(f *testing.F) {
	for _, seed := range []string{
		"<cars>" + item("A1", "") + item("A2", "<p a='1'/>&amp;<![CDATA[x]]><!-- c -->") + "</cars>",
		"<r xmlns:g='x'><c><item><g:id>1</g:id><g:make>Kia</g:make></item></c></r>", "<cars><car><stock>1</stock><year>2020</car></cars>", "<!DOCTYPE x><x/>", "<car><car/></car>",
	} {
		f.Add([]byte(seed), []byte("<x/>"))
	}
	p := oneRooftop()
	f.Fuzz(func(t *testing.T, file, inside []byte) {
		for _, body := range [][]byte{file, fmt.Appendf(nil, "<cars>%s%s%s</cars>", item("A1", ""), inside, item("A2", ""))} {
			_, rep, err := feed.Read(t.Context(), feed.Source{Name: "fuzz", Modified: exported, Body: bytes.NewReader(body)}, p)
			if err != nil && !errors.Is(err, feed.ErrRefused) {
				t.Fatalf("neither a report nor a refusal: %v", err)
			}
			if rep.Rows != rep.Accepted+rep.Merged+rep.Rejected || rep.Accepted != rep.Visible+sum(rep.Hidden) {
				t.Fatalf("numbers do not add up: %+v", rep)
			}
		}
	})
}
