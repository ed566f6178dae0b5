package dealer

import "slices"

// Types of delivery targets.
const (
	TargetFile  = "file"
	TargetHTTPS = "https"
	TargetSMTP  = "smtp"
)

// Target is one place a lead is handed over to.
type Target struct {
	// Name is unique and appears in logs and delivery states. Required.
	Name string `yaml:"name"`
	// Type is file, https or smtp. Required.
	Type string `yaml:"type"`
	// Rooftops limits the target to leads of these rooftops, by name or alias;
	// they are names after Parse. Default: all.
	Rooftops []string `yaml:"rooftops"`

	// Folder receives one <lead_id>.xml a lead (file).
	Folder string `yaml:"folder"`

	// URL receives a POST with the XML as body (https). Plain http is
	// refused, except to a loopback address.
	URL string `yaml:"url"`
	// ContentType of the POST. Default application/x-adf+xml.
	ContentType string `yaml:"content_type"`
	// Headers are added to the POST; a value "env:NAME" is read from the
	// environment at delivery, and headers that carry credentials must be
	// written so.
	Headers map[string]string `yaml:"headers"`

	// Server is host:port of the mail relay (smtp).
	Server string `yaml:"server"`
	// StartTLS is required (default), opportunistic or off; off only for a
	// loopback server.
	StartTLS string `yaml:"starttls"`
	// Username logs in to the relay, together with Password (smtp).
	Username string `yaml:"username"`
	// Password is "env:NAME": the variable that holds it at delivery (smtp).
	Password string `yaml:"password"`
	// From is the sender's plain address. Required (smtp).
	From string `yaml:"from"`
	// To are the receivers' plain addresses, at least one (smtp).
	To []string `yaml:"to"`
	// Subject holds no personal data; it may hold {rooftop} and {lead_id}.
	// Default "ADF lead for {rooftop}" (smtp).
	Subject string `yaml:"subject"`

	// Timeout of one attempt, 1s to 5m. Default 20s.
	Timeout Duration `yaml:"timeout"`
	// ASCII writes numeric character references for everything beyond ASCII,
	// for receivers that want it.
	ASCII bool `yaml:"ascii"`
}

// Takes reports whether the target gets the leads of a rooftop, given by name.
func (t *Target) Takes(rooftop string) bool {
	return len(t.Rooftops) == 0 || slices.ContainsFunc(t.Rooftops, func(n string) bool { return fold(n) == fold(rooftop) })
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
