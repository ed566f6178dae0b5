package setup

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Question is one thing that is asked, or given by a flag.
type Question struct {
	// Flag names it on the command line, and Value its value there.
	Flag, Value string
	// Ask is what a person reads; empty for what is never asked, only given.
	Ask string
	// Help explains the flag.
	Help string
	// paths are where in the profile the answer goes.
	paths []string
	// applies: nil for always.
	applies func(Answers) bool
	// required: nil for never.
	required func(Answers) bool
	// proposes an answer; nil for none.
	proposes func(Answers) string
	// take puts the answer in, or says what is wrong with its form.
	take func(*Answers, string) error
}

// Applies reports whether the question is one of this dealer's.
func (q Question) Applies(a Answers) bool { return q.applies == nil || q.applies(a) }

// Required reports whether there must be an answer.
func (q Question) Required(a Answers) bool { return q.required != nil && q.required(a) }

// Proposal is an answer to start with, or empty.
func (q Question) Proposal(a Answers) string {
	if q.proposes == nil {
		return ""
	}
	return q.proposes(a)
}

var (
	always     = func(Answers) bool { return true }
	onAWS      = Answers.OnAWS
	regionForm = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]+$`)
	stackForm  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,127}$`)
	alarmForm  = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
	sesForm    = regexp.MustCompile(`^[A-Za-z0-9._+-]+(@[A-Za-z0-9.-]+)?$`)
)

// Questions are all, in the order they are asked.
func Questions() []Question {
	return []Question{
		{Flag: "name", Value: "NAME", Ask: "Name of the dealership, as buyers know it", Help: "`NAME` of the dealership, as buyers know it",
			paths: []string{"name", "rooftops[0].name"}, required: always, take: text(func(a *Answers) *string { return &a.Name })},
		{Flag: "id", Value: "ID", Help: "short `ID` that names the dealer in storage (default: made of the name)",
			paths: []string{"id"}, proposes: func(a Answers) string { return dealer.IDOf(a.Name) }, take: text(func(a *Answers) *string { return &a.ID })},
		{Flag: "street", Value: "LINE", Ask: "Street and number", Help: "street and number, a `LINE`",
			paths: []string{"rooftops[0].address.line1"}, take: text(func(a *Answers) *string { return &a.Street })},
		{Flag: "city", Value: "CITY", Ask: "City", Help: "`CITY`", paths: []string{"rooftops[0].address.city"}, take: text(func(a *Answers) *string { return &a.City })},
		{Flag: "state", Value: "STATE", Ask: "State, two letters", Help: "`STATE`, two letters; the time zone is guessed from it",
			paths: []string{"rooftops[0].address.state"}, take: takeState},
		{Flag: "zip", Value: "ZIP", Ask: "ZIP code", Help: "`ZIP` code; the time zone is guessed from it",
			paths: []string{"rooftops[0].address.zip"}, take: text(func(a *Answers) *string { return &a.Zip })},
		{Flag: "country", Value: "CODE", Help: "two-letter `CODE` of the country (default: US)",
			paths: []string{"rooftops[0].address.country"}, take: text(func(a *Answers) *string { return &a.Country })},
		{Flag: "phone", Value: "NUMBER", Ask: "Telephone of the sales department", Help: "telephone `NUMBER` of the sales department, such as +19705550110",
			paths: []string{"rooftops[0].phones[0].value"}, required: func(a Answers) bool { return a.Email == "" }, take: text(func(a *Answers) *string { return &a.Phone })},
		{Flag: "email", Value: "ADDRESS", Ask: "E-mail of the sales department", Help: "e-mail `ADDRESS` of the sales department",
			paths: []string{"rooftops[0].emails[0].value"}, required: func(a Answers) bool { return a.Phone == "" }, take: text(func(a *Answers) *string { return &a.Email })},
		{Flag: "timezone", Value: "ZONE", Ask: "Time zone", Help: "time `ZONE`, such as America/Denver (default: guessed from ZIP code or state)",
			paths: []string{"rooftops[0].timezone"}, required: always, take: text(func(a *Answers) *string { return &a.Timezone }),
			proposes: func(a Answers) string {
				zip := a.Zip
				if a.Country != "" && a.Country != "US" {
					zip = ""
				}
				return Zone(zip, a.State)
			}},
		{Flag: "hours", Value: "HOURS", Ask: "Opening hours, such as mon-fri 09:00-19:00, sat 09:00-17:00, sun closed", Help: "opening `HOURS` of the sales department, such as \"mon-fri 09:00-19:00, sun closed\"",
			paths: []string{"rooftops[0].hours"}, take: func(a *Answers, s string) (err error) {
				a.Hours, err = week(s)
				return err
			}},
		{Flag: "website", Value: "URL", Ask: "Website", Help: "`URL` of the dealership's website",
			paths: []string{"rooftops[0].website"}, take: text(func(a *Answers) *string { return &a.Website })},
		{Flag: "leads", Value: "WHERE", Ask: "Where leads go: folder (for now), bucket (of S3), mail, https, or the CRM: " + strings.Join(crmNames(), ", "),
			Help: "`WHERE` leads go: folder, bucket, mail, https, or a CRM: " + strings.Join(crmNames(), ", "), required: always,
			take: func(a *Answers, s string) error {
				s = strings.ToLower(s)
				if known := append([]string{ToFolder, ToBucket, ToMail, ToHTTPS}, crmNames()...); !slices.Contains(known, s) {
					return fmt.Errorf("%q is not known; write one of %s; mail suits every other CRM that reads ADF", s, strings.Join(known, ", "))
				}
				a.Leads = s
				return nil
			}},
		{Flag: "lead-to", Value: "TO", Ask: "The address that the CRM gave you for leads (ADF), or its https URL; for a bucket its name",
			Help: "the CRM's e-mail address or https URL for leads, several addresses with commas; the bucket's name; the folder: `TO`", paths: []string{"delivery[0].to", "delivery[0].url", "delivery[0].bucket", "delivery[0].folder"},
			applies: func(a Answers) bool { return a.Leads != "" && a.Leads != ToFolder }, required: always, take: takeLeadTo},
		{Flag: "lead-from", Value: "ADDRESS", Ask: "The address that leads are mailed from", Help: "e-mail `ADDRESS` that leads are mailed from",
			paths: []string{"delivery[0].from"}, applies: Answers.byMail, required: always, proposes: func(a Answers) string { return a.Email }, take: text(func(a *Answers) *string { return &a.LeadFrom })},
		{Flag: "prices", Value: "WHAT", Ask: "What the export's price column contains: all_mandatory_charges (all that every buyer pays, such as a documentation fee), none (they come on top), or undeclared (no price is published)",
			Help: "`WHAT` the export's price column contains: all_mandatory_charges, none or undeclared", paths: []string{"prices.includes"}, required: always,
			take: func(a *Answers, s string) error {
				if a.Prices = strings.ToLower(s); a.Prices == "" {
					a.Prices = Undeclared
				}
				if known := []string{dealer.PricesComplete, dealer.PricesWithoutFees, Undeclared}; !slices.Contains(known, a.Prices) {
					return fmt.Errorf("%q is not known; write one of %s", s, strings.Join(known, ", "))
				}
				return nil
			}},
		{Flag: "fee", Value: "NAME=DOLLARS", Ask: "The charges that come on top, such as Documentation fee=399, or none", Help: "a mandatory charge that comes on top, `NAME=DOLLARS`; may be repeated; none when there are none",
			paths: []string{"prices.add_fees", "rooftops[0].fees"}, applies: func(a Answers) bool { return a.Prices == dealer.PricesWithoutFees },
			required: always, take: takeFee},
		{Flag: "region", Value: "REGION", Ask: "AWS region, or none to run on one machine only", Help: "AWS `REGION` to deploy to; none for one machine only",
			proposes: func(Answers) string { return "us-east-1" }, take: func(a *Answers, s string) error {
				if s != None && !regionForm.MatchString(s) {
					return fmt.Errorf("%q is not an AWS region; write one such as us-east-1, or none", s)
				}
				a.Region = s
				return nil
			}},
		{Flag: "lead-server", Value: "HOST:PORT", Ask: "Mail server as host:port; - sends through AWS (SES)", Help: "mail server that sends leads, `HOST:PORT` (default: Amazon SES)",
			paths: []string{"delivery[0].server"}, applies: Answers.byMail, required: func(a Answers) bool { return !a.OnAWS() }, take: text(func(a *Answers) *string { return &a.LeadServer })},
		{Flag: "lead-login", Value: "USER", Ask: "User name there, or token for a bearer token; leave empty if nobody logs in", Help: "`USER` name at the mail server or CRM; token for a bearer token over https (default: nobody logs in)",
			paths:   []string{"delivery[0].username", "delivery[0].auth"},
			applies: func(a Answers) bool { return a.target() == dealer.TargetHTTPS || a.target() == dealer.TargetSMTP },
			take:    text(func(a *Answers) *string { return &a.LeadLogin })},
		{Flag: "ses-identity", Value: "IDENTITY", Help: "domain or address that SES verifies (default: the domain of --lead-from)",
			applies:  func(a Answers) bool { return a.target() == dealer.TargetSES },
			proposes: func(a Answers) string { return sesIdentity(a.LeadFrom) }, take: func(a *Answers, s string) error {
				if !sesForm.MatchString(s) {
					return fmt.Errorf("%q is not what SES can verify; write your domain such as example.com, or an address", s)
				}
				a.SESIdentity = s
				return nil
			}},
		{Flag: "stack", Value: "STACK", Ask: "Name of the stack", Help: "name of the `STACK` on AWS (default: the id)",
			applies: onAWS, proposes: func(a Answers) string { return stackOf(a.whole().ID) }, take: func(a *Answers, s string) error {
				if !stackForm.MatchString(s) {
					return fmt.Errorf("%q is not the name of a stack; write letters, digits and hyphens, beginning with a letter", s)
				}
				a.Stack = s
				return nil
			}},
		{Flag: "alarm-email", Value: "ADDRESS", Ask: "E-mail that gets the alarms", Help: "e-mail `ADDRESS` that gets the alarms",
			applies: onAWS, proposes: func(a Answers) string { return a.Email }, take: func(a *Answers, s string) error {
				if !alarmForm.MatchString(s) {
					return fmt.Errorf("%q is not an e-mail address; write one such as you@example.com", s)
				}
				a.AlarmEmail = s
				return nil
			}},
	}
}

func text(at func(*Answers) *string) func(*Answers, string) error {
	return func(a *Answers, s string) error {
		*at(a) = s
		return nil
	}
}

func crmNames() []string {
	var names []string
	for _, c := range dealer.CRMs() {
		names = append(names, c.Name)
	}
	return names
}

func takeLeadTo(a *Answers, s string) error {
	if a.crm() == "" && a.Leads == ToMail && strings.Contains(s, "://") {
		return fmt.Errorf("%q is no e-mail address; write one, or choose https", s)
	}
	a.LeadTo = s
	return nil
}

// takeFee takes one charge after another, several with commas.
func takeFee(a *Answers, s string) error {
	if s == None {
		a.Fees, a.feesGiven = nil, true
		return nil
	}
	var fees []dealer.Fee
	for part := range strings.SplitSeq(s, ",") {
		name, amount, ok := cutLast(part, "=")
		dollars, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(amount), "$"), 10, 64)
		if !ok || err != nil {
			return fmt.Errorf("%q is not a charge; write its name and whole US dollars, such as Documentation fee=399", strings.TrimSpace(part))
		}
		fees = append(fees, dealer.Fee{Name: strings.TrimSpace(name), Amount: dollars})
	}
	a.Fees, a.feesGiven = append(slices.Clone(a.Fees), fees...), true
	return nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
