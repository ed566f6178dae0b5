package lead_test

import (
	"fmt"
	"testing"

	"github.com/dealer-agent/dealer/pkg/lead"
)

// BenchmarkSubmit takes new leads with a key, a car and a test drive.
func BenchmarkSubmit(b *testing.B) {
	s := open()
	payloads := make([][]byte, b.N)
	for n := range payloads {
		payloads[n] = keyed(fmt.Sprintf("k-%d", n)).
			with("/customer/email", fmt.Sprintf("buyer-%d@example.com", n)).with("/customer/phone", fmt.Sprintf("+1303%07d", n)).
			with("/vehicle_of_interest/vin", vinSummit).with("/trade_in/mileage", 96000).
			with("/appointment/appointment_type", "test_drive").with("/message", "Is it still there?").bytes()
	}
	b.ReportAllocs()
	b.ResetTimer()
	for _, payload := range payloads {
		if got := s.accept(b, payload); got.Status != "received" {
			b.Fatal(got.raw)
		}
	}
}

// BenchmarkReplay answers one lead again and again.
func BenchmarkReplay(b *testing.B) {
	s := open()
	payload := keyed("k").with("/vehicle_of_interest/vin", vinSummit).bytes()
	first := s.accept(b, payload)
	b.ReportAllocs()
	for b.Loop() {
		if got := s.accept(b, payload); got.raw != first.raw {
			b.Fatal(got.raw)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	payload := fullLead().bytes()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := lead.Digest(payload); err != nil {
			b.Fatal(err)
		}
	}
}
