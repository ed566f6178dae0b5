package dealer

import "slices"

// Types of delivery targets.
const (
	TargetFile  = "file"
	TargetHTTPS = "https"
	TargetSMTP  = "smtp"
	TargetSES   = "ses"
	TargetS3    = "s3"
)

// targetTypes are all of them, in the order they are told.
var targetTypes = []string{TargetFile, TargetHTTPS, TargetSMTP, TargetSES, TargetS3}

// Target is one place a lead is handed over to. Credentials are never written
// out but referred to, as Secret describes.
type Target struct {
	// Name is unique and appears in logs and delivery states. Required.
	Name string `yaml:"name"`
	// Type is file, https or smtp; on AWS also ses or s3. Required.
	Type string `yaml:"type"`
	// Profile names the CRM, such as vinsolutions: what public sources say
	// about how it takes ADF fills the settings that are not written here.
	// CRMs lists the names with the settings and their sources.
	Profile string `yaml:"profile"`
	// Rooftops limits the target to leads of these rooftops, by name or alias;
	// they are names after Parse. Default: all.
	Rooftops []string `yaml:"rooftops"`

	// Folder receives one <lead_id>.xml a lead (file).
	Folder string `yaml:"folder"`

	// Bucket receives one <prefix><lead_id>.xml a lead (s3).
	Bucket string `yaml:"bucket"`
	// Prefix begins the object's key. Default: none (s3).
	Prefix string `yaml:"prefix"`

	// URL receives a POST with the XML as body (https). Plain http is
	// refused, except to a loopback address.
	URL string `yaml:"url"`
	// ContentType of the POST. Default application/x-adf+xml.
	ContentType string `yaml:"content_type"`
	// Headers are added to the POST; a value that is a secret reference is
	// resolved at delivery, and headers that carry credentials must be
	// written so.
	Headers map[string]string `yaml:"headers"`
	// Auth proves to the receiver who sends (https).
	Auth *Auth `yaml:"auth"`
	// FailureWords mark an answer 2xx whose body has one of them, in any case,
	// as not taken; the lead is then tried again. For receivers that report
	// faults with status 200 (https).
	FailureWords []string `yaml:"failure_words"`

	// Server is host:port of the mail relay (smtp).
	Server string `yaml:"server"`
	// StartTLS is required (default), opportunistic or off; off only for a
	// loopback server.
	StartTLS string `yaml:"starttls"`
	// Username logs in to the relay, together with Password (smtp).
	Username string `yaml:"username"`
	// Password is a secret reference (smtp).
	Password string `yaml:"password"`
	// From is the sender's plain address. Required (smtp, ses).
	From string `yaml:"from"`
	// To are the receivers' plain addresses, at least one (smtp, ses).
	To []string `yaml:"to"`
	// Subject holds no personal data; it may hold {rooftop} and {lead_id}.
	// Default "ADF lead for {rooftop}" (smtp, ses).
	Subject string `yaml:"subject"`
	// Mode is body (default: the mail's text is the XML and nothing else) or
	// attachment (smtp, ses).
	Mode string `yaml:"mode"`
	// ConfigurationSet is the one of SES that the mail is sent with. Default:
	// none (ses).
	ConfigurationSet string `yaml:"configuration_set"`

	// Timeout of one attempt, 1s to 5m. Default 20s.
	Timeout Duration `yaml:"timeout"`
	// ASCII writes numeric character references for everything beyond ASCII,
	// for receivers that want it.
	ASCII bool `yaml:"ascii"`
	// ADF is the form of the XML for this target; what is not written is that
	// of the CRM's profile, else of the dealer's adf section. After Parse it is
	// whole, or nil when it is the dealer's.
	ADF *ADF `yaml:"adf"`
}

// Takes reports whether the target gets the leads of a rooftop, given by name.
func (t *Target) Takes(rooftop string) bool {
	return len(t.Rooftops) == 0 || slices.ContainsFunc(t.Rooftops, func(n string) bool { return fold(n) == fold(rooftop) })
}

// Secrets lists the secret references of the target.
func (t *Target) Secrets() []string {
	var refs []string
	if t.Auth != nil && t.Auth.Secret != "" {
		refs = append(refs, t.Auth.Secret)
	}
	if t.Password != "" {
		refs = append(refs, t.Password)
	}
	for _, name := range sortedKeys(t.Headers) {
		if IsSecret(t.Headers[name]) {
			refs = append(refs, t.Headers[name])
		}
	}
	return refs
}

// Kinds of Auth.
const (
	AuthBasic  = "basic"
	AuthBearer = "bearer"
	AuthHMAC   = "hmac"
)

// Auth proves to an HTTPS receiver who sends.
//
// basic and bearer are the Authorization headers of RFC 7617 and RFC 6750.
//
// hmac signs each request: a header, X-Signature unless another is named,
// holds "t=<seconds>,v1=<signature>". The seconds are the Unix time of the
// request in decimal; the signature is the lower-case hex HMAC-SHA256, under
// the secret's bytes, of those decimal digits, a full stop, and the body
// exactly as sent. A receiver recomputes it and refuses times more than a few
// minutes away from its own.
type Auth struct {
	// Type is basic, bearer or hmac. Required.
	Type string `yaml:"type"`
	// Username goes with the password (basic).
	Username string `yaml:"username"`
	// Secret refers to the password, the token or the key. Required.
	Secret string `yaml:"secret"`
	// Header that carries the signature. Default X-Signature (hmac).
	Header string `yaml:"header"`
}

// ADF sets the form of the XML (ADF 1.0).
type ADF struct {
	// Names is "all" (full, first and last), "full" or "split". Default all.
	Names string `yaml:"names"`
	// ProviderName is, when it is set, the provider, and the buyer's agent becomes
	// the service.
	ProviderName string `yaml:"provider_name"`
	// NoVehicle is what a lead without a vehicle carries: placeholder
	// (default), empty or omit.
	NoVehicle string `yaml:"no_vehicle"`
	// Consent adds the consent text to the comments. Default false.
	Consent bool `yaml:"consent"`
}
