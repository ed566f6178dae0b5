package adf_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
	"github.com/dealer-agent/dealer/pkg/adf"
)

// whole has every element and attribute of ADF.
const whole = `<?xml version="1.0" encoding="UTF-8"?>
<?adf version="1.0"?>
<adf>
  <prospect status="resend">
    <id sequence="1" source="here">1</id>
    <requestdate>2026-04-30T10:15:10-07:00</requestdate>
    <vehicle interest="lease" status="used">
      <id sequence="1" source="there">2</id>
      <year>2022</year><make>Honda</make><model>Civic</model><vin>1HGBH41JXMN109186</vin><stock>T1</stock><trim>EX</trim><doors>4</doors>
      <bodystyle>sedan</bodystyle><transmission>M</transmission><odometer status="replaced" units="km">9</odometer><condition>fair</condition>
      <colorcombination><interiorcolor>Black</interiorcolor><exteriorcolor>Blue</exteriorcolor><preference>1</preference></colorcombination>
      <colorcombination><exteriorcolor>Red</exteriorcolor><preference>2</preference></colorcombination>
      <imagetag width="1" height="2" alttext="a">https://cdn.example/1.jpg</imagetag>
      <price type="offer" currency="USD" delta="relative" relativeto="msrp" source="s">-500</price>
      <pricecomments>firm</pricecomments>
      <option><optionname>Roof</optionname><manufacturercode>R1</manufacturercode><stock>S</stock><weighting>50</weighting><price type="msrp">900</price></option>
      <option><optionname>Hitch</optionname></option>
      <finance><method>lease</method><amount type="monthly" limit="exact" currency="USD">300</amount><amount>9</amount><balance type="residual" currency="USD">12</balance></finance>
      <comments>c &amp; d</comments>
    </vehicle>
    <customer>
      <contact primarycontact="1"><name part="first" type="individual">Pat</name><name part="last">Sample</name>
        <email preferredcontact="1">pat@example.com</email><phone type="cellphone" time="evening" preferredcontact="0">555-555-0114</phone><phone>555-555-0115</phone>
        <address type="home"><street line="1">1 Way</street><street>2</street><apartment>3</apartment><city>X</city><regioncode>CA</regioncode><postalcode>1</postalcode><country>US</country></address>
      </contact>
      <id>c-1</id>
      <timeframe><description>soon</description><earliestdate>2026-05-01</earliestdate><latestdate>2026-05-07</latestdate></timeframe>
      <comments><![CDATA[R&D <b>]]></comments>
    </customer>
    <vendor><id>v</id><vendorname>Demo</vendorname><url>https://dealer.example</url><contact><name type="business">Demo</name><phone>555-555-0110</phone></contact></vendor>
    <provider><id>p</id><name>Agent</name><service>S</service><url>https://agent.example</url><email>a@example.com</email><phone>555-555-0111</phone>
      <contact><name>Robin</name><email>r@example.com</email></contact></provider>
  </prospect>
</adf>
`

func TestAProspectWithEveryElementIsReadAndWrittenWhole(t *testing.T) {
	prospects, faults, err := adf.Read(strings.NewReader(whole))
	if err != nil || len(faults) > 0 {
		t.Fatalf("%v %v", faults, err)
	}
	tokens := func(doc string) (out []string) {
		dec := xml.NewDecoder(strings.NewReader(doc))
		for {
			token, err := dec.Token()
			if err != nil {
				return out
			}
			switch token := token.(type) {
			case xml.StartElement:
				out = append(out, token.Name.Local)
				for _, a := range token.Attr {
					// Defaults are filled in, lines are counted.
					if !slices.Contains([]string{"new", "0", "full", "individual", "business", "total", "maximum", "quote", "voice", "2"}, a.Value) {
						out = append(out, a.Name.Local+"="+a.Value)
					}
				}
			case xml.CharData:
				if text := strings.TrimSpace(string(token)); text != "" {
					out = append(out, text)
				}
			}
		}
	}
	if want, got := tokens(whole), tokens(string(prospects[0].XML())); !slices.Equal(want, got) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestFaultsSayHowToMendThem(t *testing.T) {
	for _, c := range []struct{ name, from, to, line, problem, mend string }{
		{"a missing element", "<vendorname>Demo</vendorname>", "", "line 30: /adf/prospect/vendor", "vendorname is missing in vendor", "Add <vendorname> to vendor, after id."},
		{"the first one is missing", "<method>lease</method>", "", "line 18", "method is missing", "Add <method> as the first element of finance."},
		{"an element too early", "<year>2022</year><make>Honda</make>", "<make>Honda</make><year>2022</year>", "line 9: /adf/prospect/vehicle/year", "year stands after make", "Move year before make."},
		{"an element of another place", "<service>S</service>", "<vin>1</vin>", "line 31", "not part of provider", "Move it into vehicle, or take it out."},
		{"an element of no place", "<service>S</service>", "<leadtype>1</leadtype>", "line 31", "not part of provider", "put its text into comments"},
		{"two of one", "<condition>fair</condition>", "<condition>fair</condition><condition>good</condition>", "line 10", "more than one condition", "Keep one."},
		{"capitals", "<year>2022</year>", "<Year>2022</Year>", "line 9", "written Year", "Write <year>"},
		{"a word in capitals", `status="used"`, `status="USED"`, "line 7: /adf/prospect/vehicle", "vehicle status is not one of new, used", "Write used in small letters"},
		{"another word for a phone", `type="cellphone"`, `type="mobile"`, "line 23", "phone type mobile", "Write cellphone."},
		{"a word of no vocabulary", `interest="lease"`, `interest="Jane"`, "line 7", "vehicle interest is not one of buy", "Write one of these words"},
		{"an attribute of another element", `currency="USD">300`, `line="1">300`, "line 18", "attribute line is not part of amount", "Take it out."},
		{"no way to reach the person", "<email>r@example.com</email>", "", "line 32", "neither email nor phone", "Add <email> or <phone>"},
		{"a color combination without color", "<exteriorcolor>Red</exteriorcolor>", "", "line 12", "has no color", "Add <interiorcolor> or <exteriorcolor>"},
		{"text between elements", "<prospect status", "hello <prospect status", "line 3: /adf", "text between the elements", "take it out"},
		{"a tag in a text", "<make>Honda", "<make>Honda<br/>", "line 9", "make holds text only", "escape <"},
		{"a bare ampersand", "c &amp; d", "c & d", "line 19", "unescaped &", "Write &amp;."},
		{"a bare bracket", "<url>https", "<url><https:", "line 30", "unescaped < in url", "Write &lt;."},
		{"an end that was cut off", "  </prospect>\n</adf>\n", "", "line 33", "ends inside prospect", "Add </prospect>"},
		{"a document type", "<adf>", "<!DOCTYPE adf><adf>", "line 3", "document type declaration refused", "Take <!DOCTYPE out"},
		{"a date nobody can read", "2026-04-30T10:15:10-07:00", "April 30", "line 6", "not ISO 8601", "Write it as 2026-04-30T10:15:10-07:00."},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := strings.Replace(whole, c.from, c.to, 1)
			faults, err := adf.Check(strings.NewReader(doc))
			if err != nil || doc == whole {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(faults, func(f adf.Fault) bool {
				return strings.HasPrefix(f.String(), c.line) && strings.Contains(f.Problem, c.problem) && strings.Contains(f.Mend, c.mend)
			}) {
				t.Errorf("%+v", faults)
			}
			for _, f := range faults {
				if strings.Contains(f.Problem+f.Mend, "Jane") || strings.Contains(f.Problem+f.Mend, "hello") {
					t.Errorf("the sender is quoted: %+v", f)
				}
			}
		})
	}
}

// span is an element in a text: its start tag, and its end tag.
type span struct {
	start, inside, end, after int
	name                      string
	parent                    int
}

func spans(doc string) []span {
	var out []span
	open := []int{-1}
	dec := xml.NewDecoder(strings.NewReader(doc))
	dec.Strict = false
	for {
		at := int(dec.InputOffset())
		token, err := dec.RawToken()
		if err != nil {
			for i := range out {
				if out[i].after == 0 { // never closed
					out[i].end, out[i].after = len(doc), len(doc)
				}
			}
			return out
		}
		next := int(dec.InputOffset())
		switch token := token.(type) {
		case xml.StartElement:
			out = append(out, span{start: at, inside: next, name: token.Name.Local, parent: open[len(open)-1]})
			open = append(open, len(out)-1)
		case xml.EndElement:
			if top := open[len(open)-1]; top >= 0 {
				out[top].end, out[top].after = at, next
				open = open[:len(open)-1]
			}
		}
	}
}

var attribute = regexp.MustCompile(`([A-Za-z:]+)="([^"]*)"`)

// mutate changes one thing in a document.
func mutate(r *rand.Rand, doc string) string {
	all := spans(doc)
	n := all[r.IntN(len(all))]
	before, tag, inside, closing, rest := doc[:n.start], doc[n.start:n.inside], doc[n.inside:n.end], doc[n.end:n.after], doc[n.after:]
	if closing == "" {
		tag, closing = "<"+n.name+">", "</"+n.name+">"
	}
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	swap := func(place *string, from, to string) { *place = strings.Replace(*place, from, to, 1) }
	switch r.IntN(14) {
	case 0:
		return before + rest
	case 1:
		return before + tag + inside + closing + tag + inside + closing + rest
	case 2: // before the sibling that follows
		for _, o := range all {
			if o.parent == n.parent && o.start >= n.after {
				return before + doc[n.after:o.after] + doc[n.start:n.after] + doc[o.after:]
			}
		}
	case 3:
		to := pick("stock", "comments", "email", "phone", "contact", "url", "lead", "price", "id", "timeframe")
		swap(&tag, n.name, to)
		swap(&closing, n.name, to)
	case 4:
		to := pick(strings.ToUpper(n.name), "x:"+n.name)
		swap(&tag, n.name, to)
		if r.IntN(3) > 0 {
			swap(&closing, n.name, to)
		}
	case 5:
		inside = pick("stray", " ", "\n\t", "&", "&nbsp;", "&#0;", "&#65;", "&amp;", "<", "]]>", "\x01", "<!-- fine -->", "<!-- a -- b -->",
			"<?x y?>", `<?xml version="1.0"?>`, "<![CDATA[x]]>", "<![CDATA[ ]]>", "<b/>", "<comments>c</comments>", "é", "\xff", "&lt", "&#x110000;", "a>b") + inside
	case 6:
		inside += pick("stray", "<id>1</id>", "<comments/>", "<price>1</price>", "<phone>5</phone>", "<email>a@b.c</email>", "<description/>", "<optionname/>")
	case 7:
		inside = ""
	case 8:
		tag = tag[:len(tag)-1] + pick(` foo="1"`, ` status="new"`, ` type="voice"`, ` xmlns="urn:x"`, ` xml:lang="en"`, ` part=full`, ` source='a'`,
			` source="a<b"`, ` source="a&b"`, ` source="a"b="c"`, ` preferredcontact="1"`, ` line="9"`) + ">"
	case 9, 10, 11:
		found := attribute.FindAllStringIndex(tag, -1)
		if len(found) == 0 {
			return mutate(r, doc)
		}
		at := found[r.IntN(len(found))]
		a := tag[at[0]:at[1]]
		name, value, _ := strings.Cut(a, "=")
		value = strings.Trim(value, `"`)
		tag = tag[:at[0]] + pick("", a+" "+a, name+`="zzz"`, name+`=""`, name+`="`+strings.ToUpper(value)+`"`, strings.ToUpper(name)+`="`+value+`"`,
			name+`='`+value+`'`, name+"="+value, name+`="`+value+` "`) + tag[at[1]:]
	case 12:
		closing = pick("", closing+closing, "</"+n.name+" >", "</"+n.name+" a>", "</nothing>")
	case 13:
		return pick(" "+doc, doc+" tail", doc+doc, doc+"<!-- end -->", "\xef\xbb\xbf"+doc, strings.Replace(doc, `version="1.0" e`, `version="2.0" e`, 1),
			strings.Replace(doc, `encoding="UTF-8"`, `encoding="ISO-8859-1"`, 1), strings.Replace(doc, `<?adf version="1.0"?>`, "", 1),
			strings.Replace(doc, "?>", ` standalone="maybe"?>`, 1), doc[:len(doc)/2], "<!-- first -->"+doc, strings.Replace(doc, "<?adf", "<?ADF", 1),
			regexp.MustCompile(`^<\?xml[^>]*>\s*`).ReplaceAllString(doc, ""))
	}
	return before + tag + inside + closing + rest
}

// corpus are good and bad documents, and mutants of all of them.
func corpus(t *testing.T, n int) []string {
	t.Helper()
	docs := []string{whole}
	golden, _ := filepath.Glob("testdata/*.xml")
	collected, _ := filepath.Glob(filepath.Join(aaptest.Reference(t, "cases", "adf"), "*.xml"))
	for _, file := range append(golden, collected...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, string(text))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		doc := docs[i%2*r.IntN(len(golden)+len(collected))] // each other one is of the whole
		if strings.Contains(doc, "ENTITY") || len(spans(doc)) == 0 {
			continue
		}
		doc = mutate(r, doc)
		if r.IntN(4) == 0 && len(spans(doc)) > 0 {
			doc = mutate(r, doc)
		}
		docs = append(docs, doc)
	}
	return docs
}

// refusals runs xmllint with the DTD over documents, and returns what it says
// of those it refuses.
func refusals(t *testing.T, docs []string) map[int]string {
	t.Helper()
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		aaptest.Missing(t, "xmllint")
	}
	dir := t.TempDir()
	args := []string{"--noout", "--nonet", "--dtdvalid", aaptest.Reference(t, "cases", "adf", "adf-1.0-mended.dtd")}
	for i, doc := range docs {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("doc-%d", i)), []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, fmt.Sprintf("doc-%d", i))
	}
	cmd := exec.Command(lint, args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	_ = cmd.Run() // its exit code is that of any of them
	out := map[int]string{}
	for line := range strings.Lines(said.String()) {
		var i, at int
		if n, _ := fmt.Sscanf(line, "doc-%d:%d:", &i, &at); n == 2 && !strings.Contains(line, " warning ") {
			out[i] += line
		}
	}
	return out
}

// TestCheckAgreesWithXmllint on which documents the DTD allows.
func TestCheckAgreesWithXmllint(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 300
	}
	docs := corpus(t, n)
	refused := refusals(t, docs)
	disagree := 0
	for i, doc := range docs {
		faults, err := adf.Check(strings.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		invalid := slices.ContainsFunc(faults, func(f adf.Fault) bool { return f.Invalid })
		for _, f := range faults {
			if f.Line < 1 || f.Line > strings.Count(doc, "\n")+1 || f.Problem == "" || !strings.HasSuffix(f.Mend, ".") {
				t.Errorf("%+v", f)
			}
		}
		// Declarations of its own are refused, and another root element: xmllint
		// is not told which one it must be.
		root := spans(doc)
		if strings.Contains(doc, "<!DOCTYPE") || len(root) > 0 && root[0].name != "adf" {
			if !invalid {
				t.Errorf("accepted: %s", doc)
			}
			continue
		}
		if said := refused[i]; invalid != (said != "") {
			if disagree++; disagree < 12 {
				t.Errorf("xmllint says %q, Check %v of\n%s", said, faults, doc)
			}
		}
	}
	t.Logf("%d documents, %d refused by xmllint, %d disagreements", len(docs), len(refused), disagree)
	if len(refused) < len(docs)/3 || len(refused) > len(docs)*9/10 {
		t.Errorf("a one-sided corpus: %d of %d documents are refused", len(refused), len(docs))
	}
}
