package adf_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
