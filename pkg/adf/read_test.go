package adf_test

import (
	"errors"
	"strings"
	"testing"

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
