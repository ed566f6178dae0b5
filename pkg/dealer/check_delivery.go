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
	bucketForm  = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixForm  = regexp.MustCompile(`^[A-Za-z0-9!_.*'()/-]{0,200}$`)
	setForm     = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	placeholder = regexp.MustCompile(`\{[^{}]*\}?|\}`)
	secretName  = regexp.MustCompile(`(?i)auth|token|secret|passw|cookie|credential|signature|api-?_?key|access-?_?key|^x-?key$`)

	ownHeaders = []string{"host", "content-type", "content-length", "transfer-encoding", "connection", "expect", "trailer", "te", "upgrade"}
)

// fieldsOf are the members that belong to certain types of target only.
var fieldsOf = map[string][]string{
	TargetFile:  {"folder"},
	TargetHTTPS: {"url", "content_type", "headers", "auth", "failure_words"},
	TargetSMTP:  {"server", "starttls", "username", "password", "from", "to", "subject", "mode"},
	TargetSES:   {"from", "to", "subject", "mode", "configuration_set"},
	TargetS3:    {"bucket", "prefix"},
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
	if r.has(at + ".profile") {
		r.oneOf(at+".profile", t.Profile, crmNames()...)
	}
	if t.ADF != nil {
		checkADF(t.ADF, at+".adf", r)
	}
	if !r.oneOf(at+".type", t.Type, targetTypes...) {
		return
	}
	checkForeign(t, at, r)
	switch t.Type {
	case TargetFile:
		r.required(at+".folder", t.Folder, maxText, "write the folder that receives one XML file a lead, such as outbox")
	case TargetHTTPS:
		r.requiredURL(at+".url", t.URL, "write where the CRM takes ADF, such as https://crm.example.com/adf")
		if _, _, err := mime.ParseMediaType(t.ContentType); err != nil || !strings.Contains(t.ContentType, "/") {
			r.fault(at+".content_type", quote(t.ContentType)+" is not a media type", "write application/x-adf+xml, application/xml or text/xml")
		}
		checkHeaders(t.Headers, at+".headers", r)
		checkAuth(t.Auth, t.Headers, at+".auth", r, AuthBasic, AuthBearer, AuthHMAC)
		checkTexts(at+".failure_words", t.FailureWords, maxRules, maxName, "write a word that only a refusal holds, such as error, or remove the item", r)
	case TargetSMTP:
		checkRelay(t, at, r)
		checkMail(t, at, r)
	case TargetSES:
		checkMail(t, at, r)
		if r.has(at+".configuration_set") && !setForm.MatchString(t.ConfigurationSet) {
			r.fault(at+".configuration_set", quote(t.ConfigurationSet)+" is no name of a configuration set", "write 1 to 64 letters, digits, hyphens or underscores, or remove the line")
		}
	case TargetS3:
		if !bucketForm.MatchString(t.Bucket) {
			problem := quote(t.Bucket) + " is not a bucket name"
			if t.Bucket == "" {
				problem = r.missing(at + ".bucket")
			}
			r.fault(at+".bucket", problem, "write the bucket that receives one XML object a lead, such as example-crm-leads")
		}
		if !prefixForm.MatchString(t.Prefix) {
			r.fault(at+".prefix", quote(t.Prefix)+" is not the beginning of a key", "write letters, digits and slashes, such as leads/")
		}
	}
}

// checkForeign refuses members of other types of target.
func checkForeign(t *Target, at string, r *reader) {
	said := map[string]bool{}
	for _, typ := range targetTypes {
		for _, field := range fieldsOf[typ] {
			if r.has(at+"."+field) && !said[field] && foreign(t.Type, field) {
				said[field] = true
				r.fault(at+"."+field, "belongs to targets of type "+strings.Join(ownersOf(field), " or ")+", and this one is "+t.Type, "remove it, or change the type")
			}
		}
	}
}

func checkADF(a *ADF, at string, r *reader) {
	r.oneOf(at+".names", a.Names, "all", "full", "split")
	r.oneOf(at+".no_vehicle", a.NoVehicle, "placeholder", "empty", "omit")
	r.length(at+".provider_name", a.ProviderName, maxName)
}

// secret refuses a credential that is not a reference in good form.
func (r *reader) secret(at, value, written string) {
	switch scheme, _, ok := SplitSecret(value); {
	case goodSecret(value):
	case ok && scheme == "env":
		r.fault(at, "names no environment variable", "write env: and a name of letters, digits and underscores, such as env:CRM_TOKEN")
	case ok:
		r.fault(at, "names no secret of "+scheme, "write it like ssm:/dealer/crm-token or secretsmanager:dealer/crm#token")
	default:
		r.fault(at, written, secretFix)
	}
}

func checkAuth(a *Auth, headers map[string]string, at string, r *reader, kinds ...string) {
	if a == nil || !r.oneOf(at+".type", a.Type, kinds...) {
		return
	}
	if a.Secret == "" {
		r.fault(at+".secret", r.missing(at+".secret"), secretFix)
	} else {
		r.secret(at+".secret", a.Secret, "is written in the profile")
	}
	switch {
	case a.Type == AuthBasic && (a.Username == "" || strings.Contains(a.Username, ":")):
		r.fault(at+".username", "is missing or has a colon", "write the name that goes with the password")
	case a.Type != AuthBasic && a.Username != "":
		r.fault(at+".username", "belongs to basic, and this is "+a.Type, "remove it, or change the type")
	}
	r.length(at+".username", a.Username, maxGroup)
	sets := "authorization"
	switch {
	case a.Type == AuthHMAC && (!headerName.MatchString(a.Header) || slices.Contains(ownHeaders, strings.ToLower(a.Header))):
		r.fault(at+".header", quote(a.Header)+" cannot carry the signature", "write a header name such as X-Signature")
	case a.Type == AuthHMAC:
		sets = strings.ToLower(a.Header)
	case r.has(at + ".header"):
		r.fault(at+".header", "belongs to hmac, and this is "+a.Type, "remove it, or change the type")
	}
	for name := range headers {
		if strings.ToLower(name) == sets {
			r.fault(at, "sets the header "+name+", which headers sets too", "remove one of them")
		}
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
		case IsSecret(value), secretName.MatchString(name):
			r.secret(path, value, "is a credential written in the profile")
		}
		first[key] = name
	}
}

func checkRelay(t *Target, at string, r *reader) {
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
	if t.Password != "" {
		r.secret(at+".password", t.Password, "is written in the profile")
	}
	if (t.Username == "") != (t.Password == "") {
		r.fault(at+".username", "and password come together", "write both, or neither for a relay without login")
	}
	r.length(at+".username", t.Username, maxGroup)
}

func checkMail(t *Target, at string, r *reader) {
	r.oneOf(at+".mode", t.Mode, "body", "attachment")
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
