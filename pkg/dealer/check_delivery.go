package dealer

import (
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
)

var (
	targetName  = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)
	envForm     = regexp.MustCompile(`^env:[A-Za-z_][A-Za-z0-9_]*$`)
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	placeholder = regexp.MustCompile(`\{[^{}]*\}?|\}`)
	secretName  = regexp.MustCompile(`(?i)auth|token|secret|passw|cookie|credential|signature|api-?_?key|access-?_?key|^x-?key$`)

	ownHeaders = []string{"host", "content-type", "content-length", "transfer-encoding", "connection", "expect", "trailer", "te", "upgrade"}
)

// fieldsOf are the members that belong to one type of target only.
var fieldsOf = map[string][]string{
	TargetFile:  {"folder"},
	TargetHTTPS: {"url", "content_type", "headers"},
	TargetSMTP:  {"server", "starttls", "username", "password", "from", "to", "subject"},
}

func checkDelivery(p *Profile, r *reader) {
	if len(p.Delivery) == 0 {
		if p.Offers(aap.LeadSubmit) {
			r.fault("delivery", r.missing("delivery")+", so leads would reach nobody",
				"write at least one target, such as {name: outbox, type: file, folder: outbox}, or do not offer lead.submit")
		}
		return
	}
	var names []string
	everywhere, unsure, served := false, false, map[string]bool{}
	for i := range p.Delivery {
		t, at := &p.Delivery[i], fmt.Sprintf("delivery[%d]", i)
		names = append(names, t.Name)
		checkTarget(t, at, r)
		if r.has(at+".rooftops") && len(t.Rooftops) == 0 {
			r.fault(at+".rooftops", "is empty, so the target gets no lead", "list rooftops, or remove the line for all of them")
		}
		for j, name := range t.Rooftops {
			t.Rooftops[j] = r.rooftop(p, fmt.Sprintf("%s.rooftops[%d]", at, j), name)
			served[t.Rooftops[j]] = true
			unsure = unsure || p.Rooftop(name) == nil
		}
		r.unique(at+".rooftops", t.Rooftops)
		everywhere = everywhere || len(t.Rooftops) == 0
		unsure = unsure || r.broken[at] || r.brokenBelow(at+".rooftops")
	}
	r.unique("delivery", names)
	if everywhere || !p.Offers(aap.LeadSubmit) || unsure {
		return
	}
	for j := range p.Rooftops {
		if name := p.Rooftops[j].Name; name != "" && !served[name] {
			r.fault("delivery", "no target takes the leads of "+quote(name), "add the rooftop to a target, or a target without rooftops")
		}
	}
}

func (r *reader) brokenBelow(path string) bool {
	for at := range r.broken {
		if strings.HasPrefix(at, path) {
			return true
		}
	}
	return false
}

func checkTarget(t *Target, at string, r *reader) {
	switch {
	case t.Name == "":
		r.fault(at+".name", r.missing(at+".name"), "write a short name for logs, such as crm")
	case !targetName.MatchString(t.Name):
		r.fault(at+".name", quote(t.Name)+" is not a target name", "write 1 to 63 letters, digits, dots, hyphens or underscores, such as crm")
	}
	if d := t.Timeout.Std(); d < time.Second || d > 5*time.Minute {
		r.fault(at+".timeout", d.String()+" is out of range", "write 1s to 5m")
	}
	if !r.oneOf(at+".type", t.Type, TargetFile, TargetHTTPS, TargetSMTP) {
		return
	}
	for _, typ := range []string{TargetFile, TargetHTTPS, TargetSMTP} {
		for _, field := range fieldsOf[typ] {
			if typ != t.Type && r.has(at+"."+field) {
				r.fault(at+"."+field, "belongs to targets of type "+typ+", and this one is "+t.Type, "remove it, or change the type")
			}
		}
	}
	switch t.Type {
	case TargetFile:
		r.required(at+".folder", t.Folder, maxText, "write the folder that receives one XML file a lead, such as outbox")
	case TargetHTTPS:
		r.requiredURL(at+".url", t.URL, "write where the CRM takes ADF, such as https://crm.example.com/adf")
		if _, _, err := mime.ParseMediaType(t.ContentType); err != nil || !strings.Contains(t.ContentType, "/") {
			r.fault(at+".content_type", quote(t.ContentType)+" is not a media type", "write application/x-adf+xml, application/xml or text/xml")
		}
		checkHeaders(t.Headers, at+".headers", r)
	case TargetSMTP:
		checkMail(t, at, r)
	}
}

func checkHeaders(headers map[string]string, at string, r *reader) {
	first := map[string]string{}
	for _, name := range sortedKeys(headers) {
		path, value, key := at+"."+name, headers[name], strings.ToLower(name)
		switch other, twice := first[key]; {
		case !headerName.MatchString(name):
			r.fault(path, quote(name)+" is not a header name", "write letters, digits and hyphens only")
		case twice:
			r.fault(path, "is the same header as "+other, "remove one of them")
		case slices.Contains(ownHeaders, key):
			r.fault(path, "is set by the agent itself", "remove it; content_type sets the Content-Type")
		case strings.HasPrefix(value, "env:") && !envForm.MatchString(value):
			r.fault(path, "names no environment variable", "write env: and a name of letters, digits and underscores, such as env:CRM_TOKEN")
		case secretName.MatchString(name) && !envForm.MatchString(value):
			r.fault(path, "is a credential written in the profile", "write env:CRM_TOKEN and put the whole header value into that environment variable")
		}
		first[key] = name
	}
}

func checkMail(t *Target, at string, r *reader) {
	host := ""
	if t.Server == "" {
		r.fault(at+".server", r.missing(at+".server"), "write the mail relay as host:port, such as smtp.example.com:587")
	} else {
		host, _ = r.hostPort(at+".server", t.Server)
	}
	local := host == "" || loopback(host)
	switch r.oneOf(at+".starttls", t.StartTLS, "required", "opportunistic", "off"); {
	case t.StartTLS == "off" && !local:
		r.fault(at+".starttls", "sends personal data unencrypted over the network", "write required")
	case t.StartTLS == "opportunistic" && t.Password != "" && !local:
		r.fault(at+".starttls", "could send the password unencrypted", "write required")
	}
	if t.Password != "" && !envForm.MatchString(t.Password) {
		r.fault(at+".password", "is written in the profile", "write env:SMTP_PASSWORD and put the password into that environment variable")
	}
	if (t.Username == "") != (t.Password == "") {
		r.fault(at+".username", "and password come together", "write both, or neither for a relay without login")
	}
	r.length(at+".username", t.Username, maxGroup)
	if t.From == "" {
		r.fault(at+".from", r.missing(at+".from"), "write the sender's address, such as agent@example.com")
	} else {
		r.email(at+".from", t.From)
	}
	if len(t.To) == 0 {
		r.fault(at+".to", r.missing(at+".to"), "write the CRM's lead address in a list, such as [leads@crm.example.com]")
	}
	for i, to := range t.To {
		r.email(fmt.Sprintf("%s.to[%d]", at, i), to)
	}
	r.unique(at+".to", t.To)
	r.required(at+".subject", t.Subject, maxName, "write a line such as ADF lead for {rooftop}")
	for _, p := range placeholder.FindAllString(t.Subject, -1) {
		if p != "{rooftop}" && p != "{lead_id}" {
			r.fault(at+".subject", quote(p)+" is not known in a subject", "write {rooftop} or {lead_id}; personal data stays out of subjects")
		}
	}
}
