package outbound_test

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/outbound"
)

func TestNoAddressThatIsNotPublicIsGoneTo(t *testing.T) {
	for _, host := range []string{
		"127.0.0.1", "127.9.9.9", "[::1]", "0.0.0.0", "0.1.2.3", "[::]", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "[fd00:ec2::254]",
		"[fe80::1]", "[fc00::1]", "[fec0::1]", "100.64.0.1", "192.0.0.1", "198.18.0.1", "198.19.255.255", "240.0.0.1", "255.255.255.255", "224.0.0.1", "[ff02::1]",
		"[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[::10.0.0.1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::10.0.0.1]", "[2002:a00:1::]", "[2001::1]",
	} {
		for _, route := range []outbound.Route{{}, {Named: "example.com"}, {Named: "10.9.9.9"}} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+"/", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := route.Transport().RoundTrip(req); !errors.Is(err, outbound.ErrPrivate) {
				t.Errorf("%s with %+v: %v", host, route, err)
			}
		}
	}
}

func TestANameIsJudgedByTheAddressItTurnsOutToBe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{"", "example.com", "10.0.0.1"} {
		if _, err := (outbound.Route{Named: named}).DialContext(t.Context(), "tcp", net.JoinHostPort("localhost", port)); !errors.Is(err, outbound.ErrPrivate) {
			t.Errorf("localhost, with %q named: %v", named, err)
		}
	}
	for _, named := range []string{"localhost", "LOCALHOST", "127.0.0.1"} {
		c, err := (outbound.Route{Named: named}).DialContext(t.Context(), "tcp", net.JoinHostPort(strings.ToLower(named), port))
		if err != nil {
			t.Errorf("%s, which the user named: %v", named, err)
			continue
		}
		c.Close()
	}
}
