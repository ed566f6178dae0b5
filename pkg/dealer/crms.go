package dealer

import (
	"slices"
	"strings"
)

// CRM is what public sources say about how one receiver takes ADF.
type CRM struct {
	// Name is what a target's profile says.
	Name string
	// Intake says in words how leads come in.
	Intake Sourced
	// Settings are the target's settings that a source documents; all others
	// keep their defaults.
	Settings []Sourced
}

// Sourced is one statement with where it is written.
type Sourced struct {
	// Setting is the target's member, such as ascii or adf.names; empty for
	// statements in words.
	Setting string
	Value   string
	// Title and URL of the public source.
	Title string
	URL   string
}

// The public sources of CRMs.
var (
	formester = Sourced{Title: "Formester: Automotive ADF/XML integration for dealerships and lead vendors", URL: "https://formester.com/integrations/automotive-crm/"}
	mudd      = Sourced{Title: "Mudd Advertising: How to Send Leads to eLeads CRM", URL: "https://mudd.com/how-to-send-leads-to-eleads-crm/"}
	vinSample = Sourced{Title: "manuganji/ADF-XML-format-example", URL: "https://github.com/manuganji/ADF-XML-format-example"}
	dealr     = Sourced{Title: "Dealr: Receiving Leads", URL: "https://help.dealr.cloud/docs/leads/receiving-leads"}
	everlogic = Sourced{Title: "EverLogic: ADF XML Lead Import Function", URL: "https://helpme.everlogic.com/help/adf-xml-lead-import-function"}
	dx1       = Sourced{Title: "DX1: Incoming ADF Lead Support", URL: "https://help.dx1app.com/support/solutions/articles/35000093324-incoming-adf-lead-support-"}
	callrail  = Sourced{Title: "CallRail: ADF integration", URL: "https://callrail.com/integrations/adf"}
	prospect  = Sourced{Title: "ActiveProspect: Auto-lead Data Format (ADF)", URL: "https://support.activeprospect.com/hc/en-us/articles/115005151226-Auto-lead-Data-Format-ADF-"}
	handwiki  = Sourced{Title: "HandWiki: Auto-lead Data Format", URL: "https://handwiki.org/wiki/index.php?title=Auto-lead_Data_Format&oldid=2342616"}
)

func (s Sourced) says(setting, value string) Sourced {
	s.Setting, s.Value = setting, value
	return s
}

const byMail = "ADF by e-mail to the lead address that the CRM gives the store"

// crms is the one table of named CRM profiles.
var crms = []CRM{
	{Name: "generic", Intake: prospect.says("", byMail), Settings: []Sourced{
		prospect.says("mode", "body"), handwiki.says("content_type", "application/x-adf+xml"),
	}},
	{Name: "vinsolutions", Intake: formester.says("", byMail), Settings: []Sourced{vinSample.says("adf.names", "split")}},
	{Name: "elead", Intake: mudd.says("", "ADF by e-mail, the only content of a plain ASCII mail whose subject holds the dealership's name"), Settings: []Sourced{
		mudd.says("mode", "body"), mudd.says("ascii", "true"), mudd.says("subject", "ADF lead for {rooftop}"), mudd.says("adf.names", "split"),
	}},
	{Name: "dealersocket", Intake: callrail.says("", byMail)},
	{Name: "reynolds", Intake: formester.says("", byMail)},
	{Name: "cdk", Intake: formester.says("", byMail)},
	{Name: "drivecentric", Intake: formester.says("", byMail)},
	{Name: "promax", Intake: formester.says("", byMail)},
	{Name: "keyloop", Intake: formester.says("", byMail)},
	{Name: "autoraptor", Intake: formester.says("", byMail)},
	{Name: "dealr", Intake: dealr.says("", "ADF by e-mail as text/plain with nothing but the XML"), Settings: []Sourced{dealr.says("mode", "body")}},
	{Name: "everlogic", Intake: everlogic.says("", "ADF by e-mail, set up by EverLogic's support"), Settings: []Sourced{
		everlogic.says("mode", "body"), everlogic.says("adf.names", "split"),
	}},
	{Name: "dx1", Intake: dx1.says("", "ADF by plain text e-mail to the address that DX1 gives each dealership"), Settings: []Sourced{dx1.says("mode", "body")}},
}

// CRMs are the named CRM profiles.
func CRMs() []CRM { return slices.Clone(crms) }

func crmNames() []string {
	names := make([]string, len(crms))
	for i, c := range crms {
		names[i] = c.Name
	}
	return names
}

// fillCRM sets what the target leaves to the CRM's profile. Settings of other
// types of target than this one are passed over.
func fillCRM(t *Target, form *ADF, has func(member string) bool) {
	i := slices.IndexFunc(crms, func(c CRM) bool { return c.Name == t.Profile })
	if i < 0 {
		return
	}
	for _, s := range crms[i].Settings {
		if has(s.Setting) || foreign(t.Type, s.Setting) {
			continue
		}
		switch s.Setting {
		case "mode":
			t.Mode = s.Value
		case "content_type":
			t.ContentType = s.Value
		case "subject":
			t.Subject = s.Value
		case "ascii":
			t.ASCII = s.Value == "true"
		case "adf.names":
			form.Names = s.Value
		}
	}
}

// foreign reports whether a setting belongs to other types of target only.
func foreign(typ, setting string) bool {
	owners := ownersOf(setting)
	return len(owners) > 0 && !slices.Contains(owners, typ)
}

// ownersOf lists the types of target that alone have the member; none for the
// members of all.
func ownersOf(member string) []string {
	member, _, _ = strings.Cut(member, ".")
	var owners []string
	for _, typ := range targetTypes {
		if slices.Contains(fieldsOf[typ], member) {
			owners = append(owners, typ)
		}
	}
	return owners
}
