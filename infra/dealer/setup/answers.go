package setup

import (
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Where leads go, beside the names of CRMs.
const (
	ToFolder = "folder"
	ToBucket = "bucket"
	ToMail   = "mail"
	ToHTTPS  = "https"
)

// Undeclared is the answer that says nothing about the export's prices.
const Undeclared = "undeclared"

// None is the answer for no AWS region and for no charges.
const None = "none"

// bearer is the login that is a token.
const bearer = "token"

// Answers are what is asked about a dealer, each in the form that its question
// takes. Accept fills them; an empty one is not answered.
type Answers struct {
	Name, ID                           string
	Street, City, State, Zip, Country  string
	Phone, Email, Timezone, Website    string
	Hours                              map[string]string
	Leads, LeadTo, LeadFrom            string
	LeadServer, LeadLogin, SESIdentity string
	Prices                             string
	Fees                               []dealer.Fee
	Region, Stack, AlarmEmail          string

	// Feed are the lines about the export, as feed.Proposal writes them.
	Feed string

	// feesGiven: Fees was answered, perhaps with none.
	feesGiven bool
}

// OnAWS reports whether the dealer is to be deployed.
func (a Answers) OnAWS() bool { return a.Region != "" && a.Region != None }

// target is the type of the one delivery target.
func (a Answers) target() string {
	switch {
	case a.Leads == "" || a.Leads == ToFolder:
		return dealer.TargetFile
	case a.Leads == ToBucket:
		return dealer.TargetS3
	case a.Leads == ToHTTPS || strings.Contains(a.LeadTo, "://"):
		return dealer.TargetHTTPS
	case a.LeadServer != "":
		return dealer.TargetSMTP
	}
	return dealer.TargetSES
}

// byMail reports whether leads go out as mail.
func (a Answers) byMail() bool {
	return slices.Contains([]string{dealer.TargetSMTP, dealer.TargetSES}, a.target())
}

// crm is the named CRM, or empty.
func (a Answers) crm() string {
	if slices.Contains([]string{"", ToFolder, ToBucket, ToMail, ToHTTPS}, a.Leads) {
		return ""
	}
	return a.Leads
}

// Secret is a credential that the profile names and does not hold.
type Secret struct {
	// What it is, for people.
	What string
	// Ref is as the profile refers to it; Name is without the scheme.
	Ref, Name string
}

// Secret is the only credential, if there is one.
func (a Answers) Secret() (Secret, bool) {
	if a = a.whole(); a.LeadLogin == "" {
		return Secret{}, false
	}
	name, variable, what := "crm-password", "CRM_PASSWORD", "the password of the CRM"
	switch typ := a.target(); {
	case typ == dealer.TargetSMTP:
		name, variable, what = "smtp-password", "SMTP_PASSWORD", "the password of the mail server"
	case typ != dealer.TargetHTTPS:
		return Secret{}, false
	case a.LeadLogin == bearer:
		name, variable, what = "crm-token", "CRM_TOKEN", "the token of the CRM"
	}
	if !a.OnAWS() {
		return Secret{What: what, Ref: "env:" + variable, Name: variable}, true
	}
	name = "/" + a.secretPrefix() + "/" + name
	return Secret{What: what, Ref: "ssm:" + name, Name: name}, true
}

// secretPrefix keeps the secrets of several stacks in one account apart.
func (a Answers) secretPrefix() string { return "dealer/" + a.Stack }

// freeMail are domains that nobody but their owners can verify.
var freeMail = []string{"gmail.com", "googlemail.com", "yahoo.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "aol.com", "icloud.com", "me.com", "comcast.net", "att.net", "verizon.net", "proton.me"}

// sesIdentity is the domain that mail is sent from, or the address where the
// domain is not the dealer's own.
func sesIdentity(from string) string {
	_, domain, ok := strings.Cut(from, "@")
	if !ok || slices.Contains(freeMail, strings.ToLower(domain)) {
		return from
	}
	return domain
}

// whole fills in what follows from other answers, and stand-ins for those that
// are still to come.
func (a Answers) whole() Answers {
	fill := func(at *string, value string) {
		if *at == "" {
			*at = value
		}
	}
	fill(&a.Name, "Dealer")
	fill(&a.ID, dealer.IDOf(a.Name))
	fill(&a.Timezone, "America/New_York")
	if a.Email == "" {
		fill(&a.Phone, "+15555550100")
	}
	fill(&a.Leads, ToFolder)
	fill(&a.Prices, Undeclared)
	fill(&a.Region, None)
	fill(&a.Stack, stackOf(a.ID))
	switch a.target() {
	case dealer.TargetFile:
		fill(&a.LeadTo, "outbox")
	case dealer.TargetS3:
		fill(&a.LeadTo, "example-crm-leads")
	case dealer.TargetHTTPS:
		fill(&a.LeadTo, "https://crm.example.com/adf")
	default:
		fill(&a.LeadTo, "leads@example.com")
		fill(&a.LeadFrom, "agent@example.com")
		fill(&a.SESIdentity, sesIdentity(a.LeadFrom))
	}
	return a
}

// stackOf makes a stack's name, which begins with a letter, of a dealer id.
func stackOf(id string) string {
	if id == "" || id[0] >= '0' && id[0] <= '9' {
		return "dealer-" + id
	}
	return id
}
