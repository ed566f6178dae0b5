package setup

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Profile is the dealer profile as a person would write it. With answers that
// Accept took it loads without a fault.
func (a Answers) Profile() []byte {
	a = a.whole()
	w := &writer{}
	w.say("", `
Everything the agent knows about the dealership, but for the inventory and for
secrets, which are only named. Change what you like: a fault is told with its
line and what to write instead. The sample profile, infra/sample/dealer.yaml,
shows and explains every setting.`)
	w.say("\n", "Names the dealer in storage. Never change it once leads exist.")
	w.put("", "id", a.ID)
	w.say("\n", "As buyers read it.")
	w.put("", "name", a.Name)
	w.say("\n", `
The public https address of the agent. While the line is out, the stack on AWS
names its own, and so does `+"`dealer run`"+`.
url: https://agent.example.com`)
	w.line("\nrooftops:")
	a.rooftop(w)
	a.prices(w)
	if a.Feed == "" {
		w.say("\n", `
How to read the export. Common column names are known without it; what stands
here wins: AAP member on the left, column on the right. `+"`dealer feed map FILE`"+`
proposes the lines.
feed:
  columns:
    price: Selling Price`)
	} else {
		w.say("\n", "How to read the export: AAP member on the left, column on the right.")
		w.line(strings.TrimSuffix(a.Feed, "\n"))
	}
	a.delivery(w)
	return []byte(w.String())
}

func (a Answers) rooftop(w *writer) {
	w.put("  - ", "name", a.Name)
	w.say("    ", "Other spellings of this location in the export.\naliases: [Main Street]")
	w.given("    ", "website", a.Website)
	contact := func(list, value string) {
		if value == "" {
			return
		}
		w.line("    " + list + ":")
		w.line("      - name: Sales")
		w.put("        ", "value", value)
	}
	contact("phones", a.Phone)
	contact("emails", a.Email)
	if a.Street+a.City+a.State+a.Zip+a.Country != "" {
		w.line("    address:")
		for _, member := range [][2]string{{"line1", a.Street}, {"city", a.City}, {"state", a.State}, {"zip", a.Zip}, {"country", a.Country}} {
			w.given("      ", member[0], member[1])
		}
	}
	w.say("    ", "Area/City. Opening hours and appointments are meant in it.")
	w.put("    ", "timezone", a.Timezone)
	w.say("    ", "On a 24 hour clock, or closed. A day that is missing is unknown.")
	if len(a.Hours) == 0 {
		w.say("    ", "hours:\n  - name: Sales\n    days:\n      monday: \"09:00-19:00\"")
	} else {
		w.line("    hours:\n      - name: Sales\n        days:")
		for _, day := range weekdays {
			w.given("          ", day, a.Hours[day])
		}
	}
	if a.Prices == dealer.PricesWithoutFees {
		w.say("    ", "Every charge that all buyers pay and that no government asks for.")
		w.fees("    ", "fees", a.Fees)
	}
}

func (a Answers) prices(w *writer) {
	w.say("\n", `
What the export's price column contains: all_mandatory_charges, or none when
charges come on top. Without this no price is published.`)
	if a.Prices == Undeclared {
		w.say("", "prices:\n  includes: all_mandatory_charges")
		return
	}
	w.line("prices:")
	w.put("  ", "includes", a.Prices)
	if a.Prices == dealer.PricesWithoutFees {
		w.fees("  ", "add_fees", a.Fees)
	}
}

func (a Answers) delivery(w *writer) {
	w.say("\n", "Where accepted leads go, as ADF/XML. Every target gets every lead.")
	w.line("delivery:")
	name, typ := "crm", a.target()
	if typ == dealer.TargetFile {
		name = "outbox"
		w.say("  ", `
One file a lead, below the data folder of `+"`dealer run`"+`. On AWS there is no
folder: name the CRM before you deploy.`)
	}
	w.line("  - name: " + name)
	w.line("    type: " + typ)
	w.given("    ", "profile", a.crm())
	secret, has := a.Secret()
	switch typ {
	case dealer.TargetFile:
		w.put("    ", "folder", a.LeadTo)
	case dealer.TargetS3:
		w.put("    ", "bucket", a.LeadTo)
	case dealer.TargetHTTPS:
		w.put("    ", "url", a.LeadTo)
		if has {
			w.line("    auth:")
			if a.LeadLogin == bearer {
				w.line("      type: " + dealer.AuthBearer)
			} else {
				w.line("      type: " + dealer.AuthBasic)
				w.put("      ", "username", a.LeadLogin)
			}
			w.put("      ", "secret", secret.Ref)
		}
	case dealer.TargetSMTP:
		w.put("    ", "server", a.LeadServer)
		if has {
			w.put("    ", "username", a.LeadLogin)
			w.put("    ", "password", secret.Ref)
		}
	}
	if a.byMail() {
		w.put("    ", "from", a.LeadFrom)
		w.line("    to:")
		for to := range strings.SplitSeq(a.LeadTo, ",") {
			w.line("      - " + scalar(strings.TrimSpace(to)))
		}
	}
}

// writer writes YAML with comments.
type writer struct{ strings.Builder }

func (w *writer) line(text string) { w.WriteString(text + "\n") }

// put writes a member with a text.
func (w *writer) put(indent, member, value string) { w.line(indent + member + ": " + scalar(value)) }

// given is put unless there is nothing to write.
func (w *writer) given(indent, member, value string) {
	if value != "" {
		w.put(indent, member, value)
	}
}

func (w *writer) fees(indent, member string, fees []dealer.Fee) {
	if len(fees) == 0 {
		w.line(indent + member + ": []")
		return
	}
	w.line(indent + member + ":")
	for _, f := range fees {
		w.put(indent+"  - ", "name", f.Name)
		w.line(fmt.Sprintf("%s    amount: %d", indent, f.Amount))
	}
}

// say writes a comment. It must not hold an answer.
func (w *writer) say(indent, text string) {
	if strings.HasPrefix(indent, "\n") {
		w.line("")
		indent = indent[1:]
	}
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\n"), "\n") {
		w.line(strings.TrimRight(indent+"# "+line, " "))
	}
}

// scalar writes a text so that YAML reads it back, plainly where that is safe.
// What is no single line of text stays one value, for the loader to refuse.
func scalar(s string) string {
	out, err := yaml.Marshal(map[string]string{"k": s})
	if rest, ok := strings.CutPrefix(string(out), "k: "); ok && err == nil && strings.Count(rest, "\n") == 1 && !strings.HasPrefix(rest, "!") {
		return strings.TrimSuffix(rest, "\n")
	}
	return strconv.QuoteToASCII(strings.ToValidUTF8(s, "\ufffd")) // Go's escapes are among YAML's
}
