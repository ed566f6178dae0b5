package adf_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/adf"
)

// sent wraps a customer's contact and comments in an otherwise good document.
func sent(contact, comments string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<?adf version="1.0"?>
<adf><prospect><requestdate>2026-04-30T10:15:10-07:00</requestdate>
<vehicle><year>2022</year><make>Honda</make><model>Civic</model></vehicle>
<customer><contact>` + contact + `</contact><comments>` + comments + `</comments></customer>
<vendor><vendorname>Lakeside</vendorname><contact><name>Lakeside</name><phone>555-555-0110</phone></contact></vendor>
</prospect></adf>`
}

const good = `<name part="full">Kim Nguyen</name><email>kim@example.com</email>`

func TestReadTakesWhatSendersWrite(t *testing.T) {
	tests := []struct {
		name  string
		doc   string
		check func(adf.Prospect) string // what was read
		want  string
		fault string
	}{
		{"a full name written last, first", sent(`<name part="full">Nguyen, Kim</name><email>kim@example.com</email>`, "x"),
			func(p adf.Prospect) string { return p.Customer.First + "|" + p.Customer.Last }, "Kim|Nguyen", ""},
		{"a full name is never split without a comma", sent(good, "x"),
			func(p adf.Prospect) string { return p.Customer.First + "|" + p.Customer.Last + "|" + p.Customer.Full }, "||Kim Nguyen", ""},
		{"parts win over the whole", sent(`<name part="full">N. K.</name><name part="first">Mary Ann</name><name part="last">de la Cruz</name><email>m@example.com</email>`, "x"),
			func(p adf.Prospect) string { return p.Customer.First + "|" + p.Customer.Last }, "Mary Ann|de la Cruz", ""},
		{"a mailto link", sent(`<name>K N</name><email>mailto:x@example.com</email>`, "x"),
			func(p adf.Prospect) string { return p.Customer.Email }, "x@example.com", "mailto"},
		{"a bare ampersand", sent(good, "Smith & Sons"),
			func(p adf.Prospect) string { return p.Comments }, "Smith & Sons", "line 5: unescaped & in comments"},
		{"an undefined entity stays text", sent(good, "a&nbsp;b"),
			func(p adf.Prospect) string { return p.Comments }, "a&nbsp;b", "undefined entity nbsp"},
		{"numeric references", sent(good, "N&#250;&#xF1;ez"),
			func(p adf.Prospect) string { return p.Comments }, "Núñez", ""},
		{"a CDATA section keeps ampersands and tags", sent(good, "<![CDATA[R&D <b>now</b> &x;]]>"),
			func(p adf.Prospect) string { return p.Comments }, "R&D <b>now</b> &x;", ""},
		{"white space before the declaration", "\n   " + sent(good, "x"),
			func(p adf.Prospect) string { return p.Customer.Full }, "Kim Nguyen", "white space before the XML declaration"},
		{"the adf instruction before the declaration",
			strings.Replace(sent(good, "x"), `<?xml version="1.0" encoding="UTF-8"?>`, "<?adf version=\"1.0\"?>\n<?xml version=\"1.0\"?>", 1),
			func(p adf.Prospect) string { return p.Customer.Full }, "Kim Nguyen", "declaration is not at the start"},
		{"Windows-1252 text that claims UTF-8", strings.Replace(sent(good, "x"), "Kim", "Zo\xeb", 1),
			func(p adf.Prospect) string { return p.Customer.Full }, "Zoë Nguyen", "read as Windows-1252"},
		{"declared Latin-1", strings.Replace(strings.Replace(sent(good, "x"), "Kim", "Zo\xeb", 1), "UTF-8", "ISO-8859-1", 1),
			func(p adf.Prospect) string { return p.Customer.Full }, "Zoë Nguyen", ""},
		{"a byte order mark", "\xef\xbb\xbf" + sent(good, "x"),
			func(p adf.Prospect) string { return p.Customer.Full }, "Kim Nguyen", ""},
		{"control characters are dropped", sent(good, "a\x00\x08b"),
			func(p adf.Prospect) string { return p.Comments }, "ab", "line 5: characters that XML forbids"},
		{"element names in capitals", strings.NewReplacer("<adf>", "<ADF>", "</adf>", "</ADF>").Replace(sent(good, "x")),
			func(p adf.Prospect) string { return p.Customer.Full }, "Kim Nguyen", "written ADF"},
		{"a declaration without its end", strings.Replace(sent(good, "x"), `"UTF-8"?>`, `"UTF-8">`, 1),
			func(p adf.Prospect) string { return p.Customer.Full }, "Kim Nguyen", "line 1: the XML declaration is malformed"},
		{"a declaration and an instruction without their ends", strings.ReplaceAll(sent(good, "x"), `?>`, `>`),
			func(p adf.Prospect) string { return p.Customer.Full }, "Kim Nguyen", "line 2: the adf instruction has no end"},
		{"a declaration in typographer's quotes", strings.Replace(sent(good, "x"), `version="1.0" e`, "version=\u201d1.0\u2033 e", 1),
			func(p adf.Prospect) string { return p.Customer.Full }, "Kim Nguyen", "line 1: the XML declaration is malformed"},
		{"a declaration of XML 1.1", strings.Replace(sent(good, "x"), `version="1.0" e`, `version="1.1" e`, 1),
			func(p adf.Prospect) string { return p.Customer.Full }, "Kim Nguyen", ""},
		{"a declaration of another encoding", strings.Replace(sent(good, "é"), `UTF-8`, `utf-16`, 1),
			func(p adf.Prospect) string { return p.Comments }, "é", "line 1: encoding utf-16 is declared"},
		{"the end of a section that has not begun", sent(good, "a ]]> b <![CDATA[ c ]]>"),
			func(p adf.Prospect) string { return p.Comments }, "a ]]> b  c ", "line 5: ]]> outside"},
		{"markup in a text", sent(good, "Is it <b>still <i>there</i></b>?"),
			func(p adf.Prospect) string { return p.Comments }, "Is it still there?", "comments holds text only"},
		{"comments in an element of a misread DTD", sent(good, "<PCDATA>Hi</PCDATA>"),
			func(p adf.Prospect) string { return p.Comments }, "Hi", "comments holds text only"},
		{"the primary contact as an element", sent(`<name>K N</name><email>k@example.com</email><primarycontact>1</primarycontact>`, "x"),
			func(p adf.Prospect) string { return strconv.FormatBool(p.Customer.Primary) }, "true", "element is not part of contact"},
		{"two values of one", strings.Replace(sent(good, "x"), "<year>", "<year>2021</year><year>", 1),
			func(p adf.Prospect) string { return p.Vehicles[0].Year }, "2021", "more than one year"},
		{"a suffix of a name", sent(`<name part="first">Kim</name><name part="last">Ng</name><name part="suffix">Jr</name><email>k@example.com</email>`, "x"),
			func(p adf.Prospect) string { return p.Customer.Full }, "Kim Ng Jr", "name part is not one of"},
		{"a date of mail", strings.Replace(sent(good, "x"), "2026-04-30T10:15:10-07:00", "Thu, 30 Apr 2026 10:15:10 -0700", 1),
			func(p adf.Prospect) string { return p.RequestedAt.UTC().Format(time.RFC3339) }, "2026-04-30T17:15:10Z", "not ISO 8601"},
		{"an American date", strings.Replace(sent(good, "x"), "2026-04-30T10:15:10-07:00", "4/30/2026 1:15 PM", 1),
			func(p adf.Prospect) string {
				return p.RequestedAt.Format("2006-01-02 15:04 ") + strconv.FormatBool(p.HasZone)
			}, "2026-04-30 13:15 false", "not ISO 8601"},
		{"an unknown status", strings.Replace(sent(good, "x"), "<prospect>", `<prospect status="hot">`, 1),
			func(p adf.Prospect) string { return p.Status }, "new", "status is not one of new, resend"},
		{"brackets inside a sentence are no placeholder", sent(good, "[see] my note"),
			func(p adf.Prospect) string { return p.Comments }, "[see] my note", ""},
		{"a date with a space and UTC", strings.Replace(sent(good, "x"), "2026-04-30T10:15:10-07:00", "2026-04-30 10:15:10 UTC", 1),
			func(p adf.Prospect) string { return p.RequestedAt.Format("15:04:05Z07:00") }, "10:15:10Z", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			prospects, faults, err := adf.Read(strings.NewReader(tt.doc))
			if err != nil || len(prospects) != 1 {
				t.Fatalf("got %d prospects, %v, %v", len(prospects), faults, err)
			}
			equal(t, "read", tt.check(prospects[0]), tt.want)
			if tt.fault == "" && len(faults) > 0 {
				t.Errorf("faults %v", faults)
			}
			if !hasFault(faults, tt.fault) && tt.fault != "" {
				t.Errorf("no fault says %q in %v", tt.fault, faults)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct {
		name string
		doc  string
		want error
		text string
	}{
		{"nothing", "", adf.ErrNoLead, ""},
		{"another document", "<html><body/></html>", adf.ErrNoLead, ""},
		{"plain text", "Hello, is it still there?", adf.ErrNoLead, ""},
		{"an external entity", `<!DOCTYPE adf SYSTEM "file:///etc/passwd"><adf/>`, adf.ErrDoctype, ""},
		{"a document type after the instruction", "<?adf version=\"1.0\"?>\n<!DOCTYPE adf>\n<adf/>", adf.ErrDoctype, "line 2"},
		{"too deep", strings.Repeat("<a>", 100), adf.ErrTooLarge, ""},
		{"too many elements", "<adf>" + strings.Repeat("<a/>", 30000) + "</adf>", adf.ErrTooLarge, ""},
		{"too long", sent(good, strings.Repeat("x", 2<<20)), adf.ErrTooLarge, ""},
		{"cut off", sent(good, "x")[:300], adf.ErrMalformed, "line "},
		{"crossed tags", "<adf><prospect></adf></prospect>", adf.ErrMalformed, "line 1: </adf> closes nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			prospects, _, err := adf.Read(strings.NewReader(tt.doc))
			if !errors.Is(err, tt.want) || len(prospects) != 0 || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v, %v; want %v with %q", prospects, err, tt.want, tt.text)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(sent(good, "x")))
	f.Add([]byte(`<!DOCTYPE adf [<!ENTITY x "y">]><adf>&x;</adf>`))
	f.Add([]byte("\xff\xfe<\x00a\x00/\x00>\x00"))
	f.Add([]byte("<adf><prospect><customer><comments><![CDATA[x]]>&#0;&#xD800;</comments></customer></prospect></adf>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		prospects, faults, err := adf.Read(strings.NewReader(string(data)))
		if (err == nil) != (len(prospects) > 0) {
			t.Errorf("%d prospects beside error %v", len(prospects), err)
		}
		for _, fault := range faults {
			if fault.Line < 1 || fault.Problem == "" {
				t.Errorf("fault without line or problem: %+v", fault)
			}
		}
		checked, err := adf.Check(strings.NewReader(string(data)))
		if err != nil || len(checked) < len(faults) {
			t.Errorf("Check finds %v, %v; Read %v", checked, err, faults)
		}
		for _, fault := range checked {
			if fault.Line < 1 || fault.Problem == "" || fault.Mend == "" {
				t.Errorf("fault without line, problem or mend: %+v", fault)
			}
		}
	})
}
