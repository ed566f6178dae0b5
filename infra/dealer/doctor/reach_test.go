package doctor_test

import (
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/doctor"
)

func TestCertificatesAreLookedAt(t *testing.T) {
	m := machineOf(t, "")
	server := httptest.NewUnstartedServer(front{}.handler(t, m))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that must fail
	server.StartTLS()
	defer server.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	elsewhere := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	soon := server.Certificate().NotAfter.Add(-10 * 24 * time.Hour)
	for _, c := range []struct {
		name   string
		config doctor.Config
		want   []string
		seen   string
	}{
		{"a good one", doctor.Config{URL: server.URL, Roots: trusted}, nil, "TLS 1.3"},
		{"one that ends soon", doctor.Config{URL: server.URL, Roots: trusted, Now: func() time.Time { return soon }}, []string{"reach.tls-expiry warn"}, "10 days"},
		{"one that nobody vouches for", doctor.Config{URL: server.URL}, []string{"reach.tls fail"}, "authority"},
		{"one of another name", doctor.Config{URL: elsewhere, Roots: trusted}, []string{"reach.tls fail"}, `not for "localhost"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := examine(t, c.config)
			// Consent of another day is another matter than the certificate.
			var got []string
			for _, n := range notices(r) {
				if strings.HasPrefix(n, "reach.") {
					got = append(got, n)
				}
			}
			if strings.Join(got, ",") != strings.Join(c.want, ",") || !r.Reachable {
				t.Errorf("%v, want %v", got, c.want)
			}
			if text := textOf(t, r); !strings.Contains(text, c.seen) {
				t.Errorf("no word of %s:\n%s", c.seen, text)
			}
		})
	}
}

func TestNobodyAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ url, want string }{
		{closed, "reach.answer fail"},
		{strings.Replace(closed, "http:", "https:", 1), "reach.answer fail"},
		{"https://nobody.invalid", "reach.dns fail"},
	} {
		r := examine(t, doctor.Config{URL: c.url})
		holds(t, r, c.want)
		if r.Reachable || r.Verdict != doctor.Fail {
			t.Errorf("%s: reachable %v, %s", c.url, r.Reachable, r.Verdict)
		}
	}
}

func TestWhatIsNoAddress(t *testing.T) {
	for _, url := range []string{"", "agent.example.com", "ftp://agent.example.com", "https://user:secret@agent.example.com", "http://[::1"} {
		if _, err := doctor.Examine(t.Context(), doctor.Config{URL: url}); !errors.Is(err, doctor.ErrURL) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func textOf(t *testing.T, r *doctor.Report) string {
	t.Helper()
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
