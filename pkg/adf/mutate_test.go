package adf_test

import (
	"encoding/xml"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
)

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
			strings.Replace(doc, "?>", ` standalone="maybe"?>`, 1), strings.Replace(doc, "?>", ">", 1+r.IntN(2)), strings.Replace(doc, "UTF-8", "utf-16", 1),
			strings.Replace(doc, `"1.0"`, "\u201d1.0\u201d", 1), strings.Replace(doc, `"1.0"`, `"1.1"`, 1), strings.Replace(doc, `"1.0"`, "", 1), doc[:len(doc)/2], "<!-- first -->"+doc, strings.Replace(doc, "<?adf", "<?ADF", 1),
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
