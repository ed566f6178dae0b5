package dealer_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// how tells the settings that a CRM's profile may change.
func how(t dealer.Target) string {
	names := "dealer's"
	if t.ADF != nil {
		names = t.ADF.Names
	}
	return fmt.Sprintf("%s|%s|%v|%s|%s", t.Mode, t.Subject, t.ASCII, t.ContentType, names)
}

func TestACRMProfileSetsOnlyWhatItsSourcesDocument(t *testing.T) {
	const plain, post = "body|ADF lead for {rooftop}|false||dealer's", "||false|application/x-adf+xml|dealer's"
	want := map[string]string{
		"generic": plain, "vinsolutions": "body|ADF lead for {rooftop}|false||split", "elead": "body|ADF lead for {rooftop}|true||split",
		"dealersocket": plain, "reynolds": plain, "cdk": plain, "drivecentric": plain, "promax": plain, "keyloop": plain, "autoraptor": plain,
		"dealr": plain, "everlogic": "body|ADF lead for {rooftop}|false||split", "dx1": plain,
	}
	for _, c := range dealer.CRMs() {
		p := mustParse(t, target(mailTarget+", profile: "+c.Name))
		if got := how(p.Delivery[0]); got != want[c.Name] {
			t.Errorf("%s by mail: %s, want %s", c.Name, got, want[c.Name])
		}
		delete(want, c.Name)
		p = mustParse(t, target(`name: a, type: https, url: "https://crm.example.com", profile: `+c.Name))
		if got := how(p.Delivery[0]); c.Name == "generic" && got != post {
			t.Errorf("%s by post: %s, want %s", c.Name, got, post)
		}
		for _, s := range append(c.Settings, c.Intake) {
			if u, err := url.Parse(s.URL); err != nil || u.Scheme != "https" || u.Host == "" || s.Title == "" || s.Value == "" {
				t.Errorf("%s: %s cites no source: %+v", c.Name, s.Setting, s)
			}
		}
		if c.Intake.Setting != "" || strings.Contains(c.Intake.Value, "http") {
			t.Errorf("%s: intake %+v", c.Name, c.Intake)
		}
	}
	if len(want) > 0 {
		t.Errorf("no profile for %v", want)
	}
}

func TestEverySettingOfACRMProfileTakesEffect(t *testing.T) {
	for _, c := range dealer.CRMs() {
		for _, s := range c.Settings {
			kind := mailTarget
			if s.Setting == "content_type" {
				kind = `name: a, type: https, url: "https://crm.example.com"`
			}
			d := mustParse(t, target(kind+", profile: "+c.Name)).Delivery[0]
			got := map[string]string{"mode": d.Mode, "content_type": d.ContentType, "subject": d.Subject, "ascii": fmt.Sprint(d.ASCII)}
			if d.ADF != nil {
				got["adf.names"] = d.ADF.Names
			}
			if got[s.Setting] != s.Value {
				t.Errorf("%s: %s is %q, the table says %q", c.Name, s.Setting, got[s.Setting], s.Value)
			}
		}
	}
}

func TestWhatATargetSaysItselfWins(t *testing.T) {
	p := mustParse(t, target(mailTarget+`, profile: elead, ascii: false, subject: "Lead {lead_id}", mode: attachment, adf: {names: full}`)+"adf: {provider_name: Main Street Online, no_vehicle: omit}\n")
	d := p.Delivery[0]
	if got := how(d); got != "attachment|Lead {lead_id}|false||full" {
		t.Errorf("got %s", got)
	}
	if d.ADF.ProviderName != "Main Street Online" || d.ADF.NoVehicle != "omit" {
		t.Errorf("the dealer's own form is lost: %+v", d.ADF)
	}
	if p.ADF.Names != "all" {
		t.Errorf("a target changed the dealer's form: %+v", p.ADF)
	}
}
