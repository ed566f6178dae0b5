package dealer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// least is the smallest good profile.
const least = `id: example-motors
name: Example Motors
rooftops:
  - name: Main Street
    timezone: America/Denver
    phones: [{value: "+14155550100"}]
delivery:
  - {name: outbox, type: file, folder: outbox}
`

// with puts lines after the smallest profile.
func with(lines string) string { return least + lines }

// instead replaces one text of the smallest profile.
func instead(old, text string) string {
	if !strings.Contains(least, old) {
		panic("no such text: " + old)
	}
	return strings.Replace(least, old, text, 1)
}

func mustParse(t *testing.T, document string) *dealer.Profile {
	t.Helper()
	p, err := dealer.Parse([]byte(document))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return p
}

func faultsOf(t *testing.T, document string) []dealer.Fault {
	t.Helper()
	p, err := dealer.Parse([]byte(document))
	if err == nil {
		t.Fatalf("accepted: %s", document)
	}
	faults, ok := errors.AsType[*dealer.Faults](err)
	if !ok || p != nil || len(faults.List) == 0 {
		t.Fatalf("got profile %v and error %T %v, want only *Faults", p, err, err)
	}
	return faults.List
}

func TestTheSmallestProfileGetsEveryDefault(t *testing.T) {
	p := mustParse(t, least)
	half := 0.5
	if p.Inventory.MaxDrop == nil || *p.Inventory.MaxDrop != half {
		t.Errorf("max_drop = %v", p.Inventory.MaxDrop)
	}
	got := fmt.Sprint(p.Skills, p.Versions, p.Prices.Currency, p.Inventory.MaxAge, p.Inventory.HardMaxAge, p.Inventory.RememberSold,
		p.Inventory.PageDefault, p.Inventory.PageMax, p.Feed.DateOrder, p.Feed.MileageUnit, p.Feed.Rooftop,
		p.Leads.DuplicateWindow, p.Leads.ConsentMaxAge, p.Leads.IdempotencyTTL, p.Leads.Retention, p.Delivery[0].Timeout,
		p.ADF, p.Access, p.Prices.Includes == "", p.Description != "")
	want := "[dealer.information inventory.facets inventory.search inventory.vehicle lead.submit] [" + aap.Primary().Label + "]USD48h0m0s 0s 720h0m0s " +
		"20 100mdymiMain Street24h0m0s 0s 168h0m0s 17520h0m0s 20s {all  placeholder false} {[] 600 120 false 429} true true"
	if got != want {
		t.Errorf("defaults\n got %s\nwant %s", got, want)
	}
	if zone := p.Rooftops[0].Location().String(); zone != "America/Denver" {
		t.Errorf("location = %s", zone)
	}
	if text := p.Leads.ConsentText; !strings.Contains(text, p.Name) || !strings.Contains(text, "channels I choose") {
		t.Errorf("consent text = %q", text)
	}
	if p.Rooftops[0].Fees != nil {
		t.Error("fees that are not in the document are disclosed")
	}
}

func TestTheSampleProfileIsReadWhole(t *testing.T) {
	p := mustParse(t, string(sample.Profile()))
	if len(p.Rooftops) != 2 || p.Rooftops[0].Location() == p.Rooftops[1].Location() {
		t.Errorf("want two rooftops in two zones, got %d", len(p.Rooftops))
	}
	if p.Leads.Retention.Std() != 730*24*time.Hour || p.Prices.Includes != dealer.PricesWithoutFees || p.Delivery[0].Folder != "outbox" {
		t.Errorf("settings were lost: %+v", p)
	}
	if p.Feed.Statuses["Dealer Hold"] != "hidden" || p.Rooftops[1].Address.Country != "US" {
		t.Errorf("words or defaults were lost: %+v", p.Feed)
	}
	if !p.Offers(aap.LeadSubmit) || p.Rooftop(" larkspur BEND ") != &p.Rooftops[1] {
		t.Error("rooftops are not found by alias")
	}
	if main := p.Rooftops[1].Phones[0].Value + " " + p.Rooftops[1].Emails[0].Value; main != "+15415550120 sales.bend@example.com" {
		t.Errorf("main contact = %s", main)
	}
}

// Uncommenting a line of the teaching document must give a good profile too.
func TestTheCommentedSettingsOfTheSampleAreGood(t *testing.T) {
	var out []string
	for line := range strings.Lines(string(sample.Profile())) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		rest, commented := strings.CutPrefix(strings.TrimLeft(line, " "), "# ")
		key, value, isSetting := strings.Cut(strings.TrimSpace(rest), ":")
		key = strings.TrimPrefix(key, "- ")
		if commented && isSetting && !strings.Contains(key, " ") && key == strings.ToLower(key) && !strings.HasSuffix(value, ".") && (value != "" || key == "sources") &&
			!slices.Contains([]string{"manual", "all_mandatory_charges", "none"}, key) && key != "https" && key != "429" {
			line = indent + rest
		}
		out = append(out, line)
	}
	p := mustParse(t, strings.Join(out, ""))
	if len(p.Delivery) != 5 || p.URL == "" || p.Inventory.HardMaxAge.Std() != 7*24*time.Hour {
		t.Errorf("the comments did not become settings: %d targets, url %q, hard_max_age %s", len(p.Delivery), p.URL, p.Inventory.HardMaxAge)
	}
	if s := p.Feed.Sources; len(s) != 2 || s[0].Scheme() != dealer.SchemeHTTPS || s[1].Every.Std() != time.Hour || !s[1].Covers("Larkspur Ridge Bend") || s[1].Covers(p.Rooftops[0].Name) ||
		!slices.Equal(s[0].Secrets(), []string{"env:EXPORT_PASSWORD", "env:EXPORT_KEY"}) {
		t.Errorf("the sources of the export are %+v", s)
	}
	if d := p.Delivery; !d[0].Takes("Larkspur Ridge Fort Collins") || d[2].Takes("Larkspur Ridge Fort Collins") {
		t.Errorf("a target with rooftops takes the leads of others: %+v", d)
	}
}

// A profile outlives the contract that was the main one when it was written.
func TestTheMainContractIsServedWhateverTheProfileLists(t *testing.T) {
	versions := aap.Versions()
	older := versions[len(versions)-1]
	p := mustParse(t, with("versions: ["+older.Label+"]\n"))
	for _, v := range versions {
		if want := v == aap.Primary() || v == older; p.Serves(v) != want {
			t.Errorf("serves %s: %t, want %t", v.Label, !want, want)
		}
	}
}

func TestAliasesBecomeNames(t *testing.T) {
	p := mustParse(t, `id: a
name: A
rooftops:
  - {name: North, aliases: [N1], timezone: America/Denver, emails: [{value: n@example.com}]}
  - {name: South, timezone: America/Boise, emails: [{value: s@example.com}]}
feed: {rooftop: n1}
delivery:
  - {name: one, type: file, folder: x, rooftops: [n1, south]}
  - {name: rest, type: file, folder: y}
access: {tokens: [{name: buyer, sha256: `+strings.Repeat("AB", 32)+`}]}
`)
	if p.Feed.Rooftop != "North" || !slices.Equal(p.Delivery[0].Rooftops, []string{"North", "South"}) {
		t.Errorf("feed.rooftop %q, delivery rooftops %q", p.Feed.Rooftop, p.Delivery[0].Rooftops)
	}
	if got := p.Access.Tokens[0].SHA256; got != strings.Repeat("ab", 32) {
		t.Errorf("token hash = %s", got)
	}
}

func TestUnquotedPhonesAndZipCodesKeepTheirDigits(t *testing.T) {
	p := mustParse(t, instead(`phones: [{value: "+14155550100"}]`, `phones: [{value: +14155550100}]
    address: {zip: 02134}`))
	if p.Rooftops[0].Phones[0].Value != "+14155550100" || p.Rooftops[0].Address.Zip != "02134" {
		t.Errorf("got %+v %+v", p.Rooftops[0].Phones, p.Rooftops[0].Address)
	}
}

func TestEveryFaultIsReportedAtOnceInTheOrderOfLines(t *testing.T) {
	_, err := dealer.Parse([]byte(`id: Example Motors
name: Example
rooftops:
  - name: Main
    timezone: Denver
    phones: [{value: (415) 555-0100}]
  - name: main
    tmezone: America/Denver
delivery: []
access: {per_minute: 0}
`))
	want := strings.Join([]string{
		`dealer.yaml:1: id: "Example Motors" is not an id; write 1 to 63 lower-case letters, digits and inner hyphens, such as example-motors`,
		`dealer.yaml:5: rooftops[0].timezone: "Denver" is not an IANA time zone; write America/Denver`,
		`dealer.yaml:6: rooftops[0].phones[0].value: "(415) 555-0100" is not an E.164 number; write +14155550100`,
		`dealer.yaml:7: rooftops[1].name: "main" is already rooftops[0].name; give every rooftop and alias a name of its own`,
		`dealer.yaml:7: rooftops[1]: has neither phone nor e-mail, and every ADF lead names one of its vendor's; add phones: [{value: "+14155550100"}] or emails: [{value: sales@example.com}]`,
		`dealer.yaml:8: rooftops[1].tmezone: is not known; write timezone`,
		`dealer.yaml:9: delivery: is empty, so leads would reach nobody; write at least one target, such as {name: outbox, type: file, folder: outbox}, or do not offer lead.submit`,
		`dealer.yaml:10: access.per_minute: 0 is out of range; write 1 to 1000000`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestSecretsAreNeverRepeatedInFaults(t *testing.T) {
	const secret = "hunter2-swordfish"
	for _, document := range []string{
		instead("{name: outbox, type: file, folder: outbox}",
			"{name: m, type: smtp, server: \"smtp.example.com:587\", username: u, password: "+secret+", from: a@example.com, to: [b@example.com]}"),
		instead("{name: outbox, type: file, folder: outbox}",
			"{name: m, type: smtp, server: \"smtp.example.com:587\", username: u, password: \" "+secret+"\\n\", from: a@example.com, to: [b@example.com]}"),
		instead("{name: outbox, type: file, folder: outbox}",
			"{name: m, type: https, url: \"https://crm.example.com\", headers: {Authorization: Bearer "+secret+"}}"),
		instead("{name: outbox, type: file, folder: outbox}",
			"{name: m, type: https, url: \"https://user:"+secret+"@crm.example.com\"}"),
		with("access: {tokens: [{name: buyer, sha256: " + secret + "}]}"),
		with("access: {tokens: [{name: " + secret + "-, sha256: x}]}"),
		with("access: {tokens: [" + secret + "]}"),
	} {
		if _, err := dealer.Parse([]byte(document)); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("secret accepted or repeated: %v", err)
		}
	}
}

func TestADocumentOfAnyShapeEndsInFaults(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a: &a [x,x,x,x,x,x,x,x,x,x]\n")
	for c := 'b'; c <= 'k'; c++ {
		fmt.Fprintf(&bomb, "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	for name, document := range map[string]string{
		"empty":            "",
		"only a comment":   "# nothing\n",
		"a list":           "- id: a\n",
		"a word":           "dealer",
		"broken YAML":      "id: [a\nname: b\n",
		"two documents":    least + "---\n" + least,
		"too large":        least + strings.Repeat("# padding\n", 110_000),
		"deep flow":        "rooftops: " + strings.Repeat("[", 5000),
		"alias bomb":       strings.Replace(bomb.String(), "k: &k", "skills: &k", 1),
		"alias of itself":  "rooftops: &r [*r]\n",
		"alias in itself":  "delivery: &d [{name: *d}]\n",
		"merge key":        "x: &x {id: a}\n<<: *x\n",
		"unknown anchor":   "id: *nobody\n",
		"duplicate key":    with("name: again\n"),
		"a key that is []": "[a]: b\n",
		"not UTF-8":        "id: \xff\xfe\n",
		"a long list":      with("skills: [" + strings.Repeat("x,", 120_000) + "]\n"),
		"many rooftops":    "rooftops:\n" + strings.Repeat("- {}\n", 20_000),
		"many odd keys":    strings.Repeat("a: b\n", 60_000),
	} {
		t.Run(name, func(t *testing.T) {
			faults := faultsOf(t, document)
			if len(faults) > 1001 {
				t.Errorf("%d faults", len(faults))
			}
			for _, f := range faults {
				if f.Line < 1 || f.Problem == "" {
					t.Errorf("fault without line or problem: %+v", f)
				}
			}
		})
	}
}

// TestAFewAliasesOfLongTextsCostLittle: what an alias stands for is looked at
// each time it is used, its text too.
func TestAFaultNamesALongMemberInShort(t *testing.T) {
	long := strings.Repeat("n", 100_000)
	for _, document := range []string{long + ": 1", "prices: {" + long + ": 1}", "prices: {fees: {" + long + ": {" + long + ": 1}}}", "id: " + long} {
		_, err := dealer.Parse([]byte(document))
		if err == nil || len(err.Error()) > 4_000 {
			t.Errorf("%.20s…: a fault of %d bytes", document, len(fmt.Sprint(err)))
		}
	}
}

func TestAFewAliasesOfLongTextsCostLittle(t *testing.T) {
	long := strings.Repeat("a", 400_000)
	for name, document := range map[string]string{
		"texts": "x: &x " + long + "\nrooftops:\n" + strings.Repeat("- {name: *x}\n", 20_000),
		"keys":  "x: &x\n  ? " + long + "\n  : 1\nrooftops:\n" + strings.Repeat("- *x\n", 20_000),
		"lists": "x: &x [" + long + "]\nrooftops:\n" + strings.Repeat("- {aliases: *x}\n", 20_000),
	} {
		began := time.Now()
		_, err := dealer.Parse([]byte(document))
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "bytes of text") || took > 10*time.Second || len(err.Error()) > 8<<20 {
			t.Errorf("%s: %s, and %d bytes of faults", name, took, len(err.Error()))
		}
	}
}

func TestAliasesOfYAMLAreReadWithinReason(t *testing.T) {
	p := mustParse(t, `id: a
name: A
rooftops:
  - {name: N, timezone: America/Denver, phones: &phones [{value: "+14155550100"}]}
  - {name: S, timezone: America/Denver, phones: *phones}
delivery: [{name: o, type: file, folder: o}]
`)
	if phones := p.Rooftops[1].Phones; len(phones) != 1 || phones[0].Value != "+14155550100" {
		t.Errorf("phones = %v", p.Rooftops[1].Phones)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(least))
	f.Add([]byte(with("leads: {appointments: {sales: {mode: manual}}, retention: 30d}\nfeed: {columns: {price: P}, statuses: {x: sold}}\n")))
	f.Add([]byte(target(mailTarget + ", username: u, password: env:P, subject: \"{rooftop}\"")))
	f.Add([]byte("a: &a [*a]\n<<: {*a : 1}\n"))
	f.Fuzz(func(t *testing.T, document []byte) {
		p, err := dealer.Parse(document)
		if err == nil {
			for _, r := range p.Information().Rooftops {
				if r.Name == "" || (len(r.Phones) == 0 && len(r.Emails) == 0) {
					t.Fatalf("accepted a rooftop that cannot be a vendor: %+v", r)
				}
			}
			return
		}
		faults, ok := errors.AsType[*dealer.Faults](err)
		if !ok || p != nil || len(faults.List) == 0 {
			t.Fatalf("got %v, %v", p, err)
		}
		lines := strings.Count(string(document), "\n") + strings.Count(string(document), "\r") + 2
		for _, fault := range faults.List {
			if fault.Line < 1 || (fault.Line > lines && !strings.ContainsAny(string(document), "\u0085\u2028\u2029")) || fault.Problem == "" {
				t.Fatalf("fault %+v in a document of %d lines", fault, lines)
			}
		}
	})
}
