package dealer

import (
	"net/url"
	"slices"
)

// FeedSource is one place that the export is fetched from on a schedule. Its
// file is the whole stock of its rooftops. Credentials are never written out
// but referred to, as Secret describes.
type FeedSource struct {
	// Name is unique and appears in logs, reports and file names. Required.
	Name string `yaml:"name"`
	// URL is an https address, or sftp://user@host:22/folder/pattern, where the
	// newest file whose name matches the pattern (*, ? and [a-z] as in a shell,
	// in the last step only) is taken. Required.
	URL string `yaml:"url"`
	// Every is how often the source is asked, 5m to 7d. Default 1h.
	Every Duration `yaml:"every"`
	// Rooftops are those whose whole stock the file is, by name or alias; they
	// are names after Parse. Rows of other rooftops are not taken, and cars of
	// other rooftops stay as they are. Default: all.
	Rooftops []string `yaml:"rooftops"`

	// Query adds parameters to the URL; a value that is a secret reference is
	// resolved, and parameters that carry credentials must be written so (https).
	Query map[string]string `yaml:"query"`
	// Headers are added to the request; secrets are as in Query (https).
	Headers map[string]string `yaml:"headers"`
	// Auth is basic or bearer (https).
	Auth *Auth `yaml:"auth"`

	// Password is a secret reference; it or PrivateKey is required (sftp).
	Password string `yaml:"password"`
	// PrivateKey is a secret reference to the text of an OpenSSH or PEM file
	// without a passphrase (sftp).
	PrivateKey string `yaml:"private_key"`
	// HostKey is the fingerprint of the server's key, as `ssh-keygen -lf` prints
	// it. Without one nothing is fetched, and the fault tells the server's (sftp).
	HostKey string `yaml:"host_key"`
}

// Schemes of a FeedSource.URL.
const (
	SchemeHTTPS = "https"
	SchemeSFTP  = "sftp"
)

// Scheme is SchemeHTTPS or SchemeSFTP; empty for a URL that is neither.
func (s *FeedSource) Scheme() string {
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != SchemeHTTPS && u.Scheme != SchemeSFTP {
		return ""
	}
	return u.Scheme
}

// Covers reports whether the file is about a rooftop, given by its name.
func (s *FeedSource) Covers(rooftop string) bool {
	return len(s.Rooftops) == 0 || slices.Contains(s.Rooftops, rooftop)
}

// Secrets lists the secret references of the source.
func (s *FeedSource) Secrets() []string {
	var refs []string
	if s.Auth != nil && s.Auth.Secret != "" {
		refs = append(refs, s.Auth.Secret)
	}
	for _, ref := range []string{s.Password, s.PrivateKey} {
		if ref != "" {
			refs = append(refs, ref)
		}
	}
	for _, values := range []map[string]string{s.Query, s.Headers} {
		for _, name := range sortedKeys(values) {
			if IsSecret(values[name]) {
				refs = append(refs, values[name])
			}
		}
	}
	return refs
}
