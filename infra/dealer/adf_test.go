package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
)

func TestADFRendersAndReadsBack(t *testing.T) {
	r := dealerCommand(t, "", "adf", "render", "../sample/lead.json")
	if r.code != 0 || !strings.Contains(r.out, `<name part="first">Pat</name>`) {
		t.Fatalf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	file := filepath.Join(t.TempDir(), "lead.xml")
	if err := os.WriteFile(file, []byte(r.out), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := dealerCommand(t, "", "adf", "read", file); r.code != 0 || !strings.Contains(r.out, "pat@example.com") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	if err := os.WriteFile(file, []byte(`{"type":"lead.submit.request","customer":{"first_name":"Pat"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := dealerCommand(t, "", "adf", "render", file); r.code != 1 || !strings.Contains(r.err, "/consent") || !strings.Contains(r.err, "/customer/last_name") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
}

// TestADFRendersLeadsOfEveryContract in the form of each, and refuses the form
// of another.
func TestADFRendersLeadsOfEveryContract(t *testing.T) {
	const customer = `{"type":"lead.submit.request","customer":{"first_name":"Kim","last_name":"Nguyen","email":"kim@example.com"},`
	const newer = customer + `"consent":{"granted_at":"2026-05-01T11:59:00Z","allowed_channels":["email"],"consent_text":"Yes.","scope":["lead_submission"]},` +
		`"source_agent":{"name":"shopper"},"message":"Is it there?"}`
	const older = customer + `"consent":{"granted_at":"2026-05-01T11:59:00Z","allowed_channels":["email"],"consent_text":"Yes.","scope":["lead_submission"],` +
		`"source_agent":"shopper"},"source_agent":"shopper","message":"Is it there?",` +
		`"vehicle_of_interest":{"year":2022,"make":"Honda","model":"Civic","price":26780}}`
	for _, v := range aap.Versions() {
		request, other := newer, older
		if v.Label < "v1.1" {
			request, other = older, newer
		}
		if v.Label == "v0.1" {
			request = strings.Replace(request, "26780", `{"amount":26780.0,"currency":"USD"}`, 1)
		}
		r := dealerCommand(t, request, "adf", "render", "--version", v.Label, "-")
		if r.code != 0 || !strings.Contains(r.out, "<name part=\"full\">shopper</name>") || !strings.Contains(r.out, "Is it there?") {
			t.Errorf("%s: exit code %d\n%s%s", v.Label, r.code, r.out, r.err)
		}
		if v.Label < "v1.1" && !strings.Contains(r.out, `<price type="quote" currency="USD">26780</price>`) {
			t.Errorf("%s: no price in\n%s", v.Label, r.out)
		}
		if r := dealerCommand(t, other, "adf", "render", "--version", v.Label, "-"); r.code != 1 || !strings.Contains(r.err, v.Label) {
			t.Errorf("%s takes another form: exit code %d\n%s%s", v.Label, r.code, r.out, r.err)
		}
		if r := dealerCommand(t, r.out, "adf", "check", "-"); r.code != 0 || r.out != "-: valid ADF 1.0.\n" {
			t.Errorf("%s: exit code %d\n%s%s", v.Label, r.code, r.out, r.err)
		}
	}
}

func TestADFCheckSaysWhatIsWrongAndHowToMendIt(t *testing.T) {
	good := dealerCommand(t, "", "adf", "render", "../sample/lead.json").out
	mistaken := strings.NewReplacer(`<?adf version="1.0"?>`, ``, `<customer>`, `<client>`, `</customer>`, `</client>`).Replace(good)
	file := filepath.Join(t.TempDir(), "lead.xml")
	if err := os.WriteFile(file, []byte(mistaken), 0o600); err != nil {
		t.Fatal(err)
	}
	r := dealerCommand(t, "", "adf", "check", file)
	line := strings.Count(mistaken[:strings.Index(mistaken, "<client>")], "\n") + 1
	for _, want := range []string{
		file + ":" + strconv.Itoa(line) + ": /adf/prospect/client: element is not part of prospect in ADF; kept as unknown\n    Take it out, or put its text into comments.\n",
		"customer is missing in prospect\n    Add <customer> to prospect, after id, requestdate, vehicle.\n",
		":1: advice: the adf instruction is missing\n",
		"so this is no valid ADF 1.0.\n",
	} {
		if r.code != 1 || !strings.Contains(r.out, want) || r.err != "" {
			t.Errorf("exit code %d; %q is not in\n%s%s", r.code, want, r.out, r.err)
		}
	}
	var result struct {
		Valid  bool
		Faults []struct {
			Line                int
			Path, Problem, Mend string
			Invalid, Fatal      bool
		}
	}
	r = dealerCommand(t, mistaken, "adf", "check", "--json", "-")
	if err := json.Unmarshal([]byte(r.out), &result); err != nil || r.code != 1 || result.Valid || len(result.Faults) < 3 {
		t.Errorf("exit code %d, %v\n%s%s", r.code, err, r.out, r.err)
	}
	r = dealerCommand(t, good, "adf", "check", "--json", "-")
	if err := json.Unmarshal([]byte(r.out), &result); err != nil || r.code != 0 || !result.Valid || result.Faults == nil || len(result.Faults) > 0 {
		t.Errorf("exit code %d, %v\n%s%s", r.code, err, r.out, r.err)
	}
	for _, c := range []struct {
		name, doc, want string
		code            int
	}{
		{"advice alone is no fault", strings.Replace(good, "<?adf", "<?ADF", 1), "valid ADF 1.0, with 1 piece of advice", 0},
		{"an unfilled template is one", strings.Replace(good, ">Pat<", ">[name]<", 1), "unfilled placeholders", 1},
		{"control characters are not printed", "<adf>\x1b[31m</adf>", "XML forbids", 1},
		{"a document of over 1 MiB", "<adf>" + strings.Repeat(" ", 2<<20) + "</adf>", "document too large", 1},
		{"no XML", "Hello!", "text outside the adf element", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := dealerCommand(t, c.doc, "adf", "check", "-")
			if r.code != c.code || !strings.Contains(r.out, c.want) || strings.ContainsRune(r.out, 0x1b) {
				t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
			}
		})
	}
	if r := dealerCommand(t, "", "adf", "check", file+".none"); r.code != 1 || !strings.Contains(r.err, "no such file") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
}
