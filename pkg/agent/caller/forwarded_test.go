package caller

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestOnlyAProxyIsBelievedWhoAskedItAndOnlyForWhatItAdded(t *testing.T) {
	var proxies []netip.Prefix
	for _, text := range []string{"127.0.0.1", "10.0.0.0/8", "2001:db8::7"} {
		p, err := ParseProxy(text)
		if err != nil {
			t.Fatal(err)
		}
		proxies = append(proxies, p)
	}
	for name, c := range map[string]struct {
		peer      string
		forwarded []string
		want      string
	}{
		"a buyer at the proxy":             {"127.0.0.1:9", []string{"203.0.113.9"}, "203.0.113.9"},
		"a buyer who adds another address": {"127.0.0.1:9", []string{"198.51.100.1, 203.0.113.9"}, "203.0.113.9"},
		"a buyer who adds a line":          {"127.0.0.1:9", []string{"198.51.100.1", "203.0.113.9"}, "203.0.113.9"},
		"two proxies in a row":             {"127.0.0.1:9", []string{"198.51.100.1, 203.0.113.9, 10.1.2.3"}, "203.0.113.9"},
		"a buyer who is called a proxy":    {"127.0.0.1:9", []string{"127.0.0.1, 203.0.113.9"}, "203.0.113.9"},
		"a proxy by IPv6":                  {"[2001:db8::7]:9", []string{"2001:db8:1::5"}, "2001:db8:1::/64"},
		"a proxy in the mapped form":       {"[::ffff:127.0.0.1]:9", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		"a buyer past the proxy":           {"198.51.100.7:9", []string{"203.0.113.9"}, "198.51.100.7"},
		"a proxy that names nobody":        {"127.0.0.1:9", nil, "127.0.0.1"},
		"a proxy that names proxies":       {"127.0.0.1:9", []string{"10.0.0.1, 10.0.0.2"}, "127.0.0.1"},
		"an address that is none":          {"127.0.0.1:9", []string{"203.0.113.9, unknown"}, "127.0.0.1"},
		"an empty hop":                     {"127.0.0.1:9", []string{"203.0.113.9,"}, "127.0.0.1"},
	} {
		var got string
		h := Behind(proxies, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = Address(r.RemoteAddr) }))
		r := httptest.NewRequest(http.MethodPost, "/a2a", nil)
		r.RemoteAddr, r.Header = c.peer, http.Header{"X-Forwarded-For": c.forwarded}
		if h.ServeHTTP(httptest.NewRecorder(), r); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	for _, text := range []string{"", "localhost", "10.0.0.0/99", "127.0.0.1:80"} {
		if _, err := ParseProxy(text); err == nil {
			t.Errorf("%q is taken for a proxy", text)
		}
	}
}
