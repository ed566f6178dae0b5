package adf

import (
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

func (d *document) customer() {
	c := &d.lead.Customer
	d.open("customer")
	d.open("contact")
	d.names(c.FirstName, c.LastName)
	prefersEmail, prefersPhone := "", ""
	switch c.PreferredContact {
	case "email":
		prefersEmail = "1"
	case "phone", "sms":
		prefersPhone = "1"
	}
	d.optional("email", c.Email, "preferredcontact", prefersEmail)
	d.optional("phone", c.Phone, "preferredcontact", prefersPhone)
	if a := c.Address; a != nil {
		d.address(a.AddressLine1, a.AddressLine2, a.City, a.State, a.Zip, a.Country)
	}
	d.close("contact")
	d.optional("comments", d.comments())
	d.close("customer")
}

// names writes the buyer's name in the forms the profile wants. The parts
// are never split again from the whole.
func (d *document) names(first, last string) {
	full := first + " " + last
	if first == "" || last == "" {
		full = first + last
	}
	form := d.form.Names
	if form != "split" || full == "" {
		d.leaf("name", full, "part", "full")
	}
	if form != "full" {
		d.optional("name", first, "part", "first")
		d.optional("name", last, "part", "last")
	}
}

// address is left out when it says nothing; a street is mandatory in one that
// says something (ADF 1.0 DTD).
func (d *document) address(line1, line2, city, state, zip, nation string) {
	if line1+line2+city+state+zip+nation == "" {
		return
	}
	d.open("address")
	d.leaf("street", line1, "line", "1")
	d.optional("street", line2, "line", "2")
	d.optional("city", city)
	d.optional("regioncode", state)
	d.optional("postalcode", zip)
	d.leaf("country", country(nation))
	d.close("address")
}

// vendor is the selling rooftop, never anything from the request.
func (d *document) vendor() {
	r := d.rooftop
	d.open("vendor")
	d.leaf("vendorname", r.Name)
	d.optional("url", r.Website)
	d.open("contact")
	d.leaf("name", r.Name, "part", "full", "type", "business")
	if len(r.Emails) > 0 {
		d.leaf("email", r.Emails[0].Value)
	}
	if len(r.Phones) > 0 {
		d.leaf("phone", r.Phones[0].Value)
	}
	if a := r.Address; a != nil {
		d.address(a.Line1, a.Line2, a.City, a.State, a.Zip, a.Country)
	}
	d.close("contact")
	d.close("vendor")
}

// provider is the buyer's agent, or the profile's brand with the agent as its
// service (AAP v1.3 adf-mapping).
func (d *document) provider() {
	agent := d.lead.SourceAgent
	name, service := agent.Name, ""
	if brand := d.form.ProviderName; brand != "" {
		name, service = brand, agent.Name
	}
	d.open("provider")
	d.leaf("name", name, "part", "full")
	d.optional("service", service)
	url, _ := agentURLs(agent)
	d.optional("url", url)
	d.close("provider")
}

// agentURLs splits the agent's addresses: one for the provider's url, the
// other for the comments.
func agentURLs(a aap.SourceAgent) (url, comment string) {
	if a.URL == "" {
		return a.AgentCardURL, ""
	}
	return a.URL, a.AgentCardURL
}

// countries are the names and three-letter codes buyers' agents write for
// ISO 3166 alpha-2, letters only.
var countries = map[string]string{
	"": "US", "usa": "US", "unitedstates": "US", "unitedstatesofamerica": "US", "america": "US",
	"can": "CA", "canada": "CA", "mex": "MX", "mexico": "MX", "méxico": "MX",
	"pri": "PR", "puertorico": "PR", "gbr": "GB", "uk": "GB", "unitedkingdom": "GB", "greatbritain": "GB",
	"deu": "DE", "germany": "DE", "fra": "FR", "france": "FR", "esp": "ES", "spain": "ES",
	"aus": "AU", "australia": "AU", "jpn": "JP", "japan": "JP", "chn": "CN", "china": "CN",
	"ind": "IN", "india": "IN", "bra": "BR", "brazil": "BR",
}

// country is ISO 3166 alpha-2 where the text can be understood, else the text
// itself: a wrong code would be worse.
func country(text string) string {
	letters := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" .-\t\n", r) {
			return -1
		}
		return r
	}, strings.ToLower(text))
	if code, ok := countries[strings.TrimPrefix(letters, "the")]; ok {
		return code
	}
	if len(letters) == 2 && letters[0] >= 'a' && letters[0] <= 'z' && letters[1] >= 'a' && letters[1] <= 'z' {
		return strings.ToUpper(letters)
	}
	return text
}
