package dealer

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"
)

const (
	maxSources = 100
	// leastEvery and mostEvery bound FeedSource.Every.
	leastEvery = 5 * time.Minute
	mostEvery  = 7 * 24 * time.Hour
)

var fingerprintForm = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}$`)

// sourceFields are the members that belong to one scheme only.
var sourceFields = map[string][]string{
	SchemeHTTPS: {"query", "headers", "auth"},
	SchemeSFTP:  {"password", "private_key", "host_key"},
}

func checkSources(p *Profile, r *reader) {
	if r.tooMany("feed.sources", len(p.Feed.Sources), maxSources) {
		return
	}
	var names []string
	brings := map[string]string{} // rooftop: the source that brings it
	for i := range p.Feed.Sources {
		s, at := &p.Feed.Sources[i], fmt.Sprintf("feed.sources[%d]", i)
		names = append(names, s.Name)
		switch {
		case s.Name == "":
			r.fault(at+".name", r.missing(at+".name"), "write a short name for logs and reports, such as export")
		case !targetName.MatchString(s.Name):
			r.fault(at+".name", quote(s.Name)+" is not a source's name", "write 1 to 63 letters, digits, dots, hyphens or underscores, such as export")
		}
		if d := s.Every.Std(); d < leastEvery || d > mostEvery {
			r.fault(at+".every", d.String()+" is out of range", "write 5m to 7d")
		}
		checkSource(s, at, r)
		if r.has(at+".rooftops") && len(s.Rooftops) == 0 {
			r.fault(at+".rooftops", "is empty, so the file is about no rooftop", "list rooftops, or remove the line for all of them")
		}
		for j, name := range s.Rooftops {
			s.Rooftops[j] = r.rooftop(p, fmt.Sprintf("%s.rooftops[%d]", at, j), name)
		}
		r.unique(at+".rooftops", s.Rooftops)
		checkShare(p, s, at, brings, r)
	}
	r.unique("feed.sources", names)
}

// checkShare refuses two sources for one rooftop: each file would say that the
// other one's cars are gone.
func checkShare(p *Profile, s *FeedSource, at string, brings map[string]string, r *reader) {
	for i := range p.Rooftops {
		name := p.Rooftops[i].Name
		if !s.Covers(name) {
			continue
		}
		if other, twice := brings[name]; twice {
			where := at + ".rooftops"
			if !r.has(where) {
				where = at
			}
			r.fault(where, "is about "+quote(name)+", as the source "+quote(other)+" is, and a car that one of their files lacks would be taken for sold",
				"give each source rooftops of its own, or have the dealer's system write one file")
			return
		}
		brings[name] = s.Name
	}
}

func checkSource(s *FeedSource, at string, r *reader) {
	u, err := url.Parse(s.URL)
	switch {
	case s.URL == "":
		r.fault(at+".url", r.missing(at+".url"), "write where the export lies, such as https://exports.example.com/inventory.csv or sftp://user@sftp.example.com/out/*.csv")
		return
	case err == nil && u.Scheme == SchemeSFTP:
		checkSFTP(s, u, at, r)
	case err == nil && u.Scheme == "http":
		r.fault(at+".url", quote(s.URL)+" is not encrypted", "write https://"+strings.TrimPrefix(s.URL, "http://"))
	case err == nil && u.Scheme == "ftp":
		r.fault(at+".url", quote(s.URL)+" is not encrypted, and sends the password in the clear", "ask for the same folder over SFTP and write sftp://")
	case err == nil && u.Scheme == "ftps":
		r.fault(at+".url", quote(s.URL)+" is FTP over TLS, which is not spoken", "ask for the same folder over SFTP and write sftp://, or for an https address")
	default:
		checkDownload(s, r.url(at+".url", s.URL), at, r)
	}
	for scheme, fields := range sourceFields {
		for _, field := range fields {
			if own := s.Scheme(); own != "" && own != scheme && r.has(at+"."+field) {
				r.fault(at+"."+field, "belongs to sources of "+scheme+", and this one is "+own, "remove it, or change the url")
			}
		}
	}
}

func checkDownload(s *FeedSource, u *url.URL, at string, r *reader) {
	if u == nil {
		return
	}
	if u.Fragment != "" {
		r.fault(at+".url", "holds a fragment, which no server is sent", "remove what stands from the # on")
	}
	for _, name := range sortedKeys(u.Query()) {
		if _, twice := s.Query[name]; twice {
			r.fault(at+".query."+name, "stands in the url too", "remove one of them")
		} else if secretName.MatchString(name) || strings.EqualFold(name, "key") {
			r.fault(at+".url", "holds the credential "+quote(name)+" written out", "remove it there and write query: {"+name+": env:FEED_KEY}, with the value in that variable or secret")
		}
	}
	for _, name := range sortedKeys(s.Query) {
		if value := s.Query[name]; IsSecret(value) || secretName.MatchString(name) || strings.EqualFold(name, "key") {
			r.secret(at+".query."+name, value, "is a credential written in the profile")
		}
	}
	checkHeaders(s.Headers, at+".headers", r)
	checkAuth(s.Auth, s.Headers, at+".auth", r, AuthBasic, AuthBearer)
}

func checkSFTP(s *FeedSource, u *url.URL, at string, r *reader) {
	_, withPassword := u.User.Password()
	pattern := path.Base(u.Path)
	_, malformed := path.Match(pattern, "")
	switch {
	case notInURL.MatchString(s.URL):
		r.fault(at+".url", "is not a URL", "write it like sftp://user@sftp.example.com/out/*.csv, with other characters percent-encoded")
	case withPassword:
		r.fault(at+".url", "holds a password", "remove it there and write password: env:SFTP_PASSWORD, with the value in that variable or secret")
	case u.Hostname() == "" || u.User.Username() == "":
		r.fault(at+".url", "names no user or no host", "write it like sftp://user@sftp.example.com/out/*.csv")
	case u.Port() != "" && !portForm.MatchString(u.Port()):
		r.fault(at+".url", "has no proper port", "write the port as a number, or leave it out for 22")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		r.fault(at+".url", "holds a ? or #", "write %3F or %23 for a character that is part of the name")
	case u.Path == "" || strings.HasSuffix(u.Path, "/"):
		r.fault(at+".url", "names no file", "write the folder and the pattern of the file's name, such as /out/*.csv")
	case malformed != nil:
		r.fault(at+".url", quote(pattern)+" is not a pattern", "write a name with *, or [a-z] closed by its bracket")
	case strings.ContainsAny(path.Dir(u.Path), "*["):
		r.fault(at+".url", "has a pattern in a folder's name", "write the folder out; only the last step may be a pattern")
	}
	if s.Password == "" && s.PrivateKey == "" {
		r.fault(at+".password", r.missing(at+".password")+", and there is no private_key either", secretFix)
	}
	if s.Password != "" {
		r.secret(at+".password", s.Password, "is written in the profile")
	}
	if s.PrivateKey != "" {
		r.secret(at+".private_key", s.PrivateKey, "is written in the profile")
	}
	if s.HostKey != "" && !fingerprintForm.MatchString(s.HostKey) {
		r.fault(at+".host_key", quote(s.HostKey)+" is not a fingerprint", "write what `ssh-keygen -lf` prints for the server's key, SHA256: and 43 characters; `dealer feed pull` tells it when the line is absent")
	}
}
