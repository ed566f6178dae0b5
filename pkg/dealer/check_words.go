package dealer

import (
	"cmp"
	"maps"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var (
	e164      = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	digits    = regexp.MustCompile(`[0-9]`)
	notInURL  = regexp.MustCompile("[^!-~]|[\"<>\\\\^`{|}]")
	portForm  = regexp.MustCompile(`^[1-9][0-9]{0,4}$`)
	emailForm = regexp.MustCompile(`^[!-~]{1,254}$`)
)

func (r *reader) phone(path, value string) {
	if e164.MatchString(value) {
		return
	}
	fix := "write the number with + and country code, digits only, such as +14155550100"
	switch d := strings.Join(digits.FindAllString(value, -1), ""); {
	case strings.HasPrefix(strings.TrimSpace(value), "+") && e164.MatchString("+"+d):
		fix = "write +" + d
	case len(d) == 10 && d[0] >= '2':
		fix = "write +1" + d
	case len(d) == 11 && d[0] == '1':
		fix = "write +" + d
	}
	r.fault(path, quote(value)+" is not an E.164 number", fix)
}

// email takes the plain form only: no display name, no comment, ASCII.
func (r *reader) email(path, value string) {
	a, err := mail.ParseAddress(value)
	if err == nil && a.Address == value && emailForm.MatchString(value) {
		return
	}
	fix := "write a plain address, such as leads@example.com"
	if err == nil && emailForm.MatchString(a.Address) && a.Address != value {
		fix = "write " + a.Address
	}
	r.fault(path, quote(value)+" is not an e-mail address", fix)
}

func (r *reader) requiredURL(path, value, fix string) {
	if value == "" {
		r.fault(path, r.missing(path), fix)
		return
	}
	r.url(path, value)
}

// url takes absolute https addresses, and http ones of this machine.
func (r *reader) url(path, value string) *url.URL {
	u, err := url.Parse(value)
	switch {
	case err != nil || notInURL.MatchString(value):
		r.fault(path, "is not a URL", "write it like https://www.example.com/path, with other characters percent-encoded")
	case u.User != nil:
		r.fault(path, "holds a user name or password", "remove what stands before the @")
	case u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http"):
		fix := "write the whole address, such as https://www.example.com"
		if u.Scheme == "" && u.Host == "" && strings.Contains(value, ".") && !strings.HasPrefix(value, "/") {
			fix = "write https://" + value
		}
		r.fault(path, quote(value)+" is not an https URL", fix)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		r.fault(path, quote(value)+" is not encrypted", "write https://"+strings.TrimPrefix(value, "http://"))
	case u.Port() != "" && !portForm.MatchString(u.Port()):
		r.fault(path, "has no proper port", "write the port as a number, or leave it out")
	default:
		return u
	}
	return nil
}

// baseURL takes a URL that paths can be added to.
func (r *reader) baseURL(path, value string) {
	u := r.url(path, value)
	switch {
	case u == nil:
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		r.fault(path, "holds a query or fragment", "write the address only up to the path")
	case strings.HasSuffix(value, "/"):
		r.fault(path, "ends with a slash", "write "+strings.TrimRight(value, "/"))
	}
}

// loopback reports whether the host can only be this machine.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// hostPort splits a relay's address.
func (r *reader) hostPort(path, value string) (host string, ok bool) {
	host, port, err := net.SplitHostPort(value)
	if err == nil && host != "" && portForm.MatchString(port) && len(port) <= 5 && !strings.ContainsAny(host, " /@") {
		return host, true
	}
	fix := "write host:port, such as smtp.example.com:587"
	if err != nil && !strings.ContainsAny(value, ":/@ ") && value != "" {
		fix = "write " + value + ":587"
	}
	r.fault(path, quote(value)+" is not host:port", fix)
	return "", false
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
