package lead_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/lead"
)

// secrets are the buyer's words in fullLead. None may be printed or logged.
var secrets = []string{
	"Maya", "Ortiz", "maya.ortiz", "3035550142", "Birchwood", "ZIP 80203", "Please call after six",
	"I agree to be called", "Bring my partner", "contact me about",
}

func fullLead() document {
	return baseLead().
		with("/customer/address", map[string]any{"address_line_1": "12 Birchwood Ln", "city": "Denver", "zip": "ZIP 80203"}).
		with("/consent/consent_text", "I agree to be called.").
		with("/message", "Please call after six").
		with("/appointment", map[string]any{"appointment_type": "sales", "notes": "Bring my partner"})
}

func wantQuiet(t *testing.T, text string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%q shows in: %.400s", secret, text)
		}
	}
}

// personal is everything of a lead that somebody might print, one value each.
func personal(t *testing.T) map[string]any {
	t.Helper()
	payload := fullLead().bytes()
	var req aap.LeadRequest
	if err := json.Unmarshal(payload, &req); err != nil {
		t.Fatal(err)
	}
	s := open()
	got := s.accept(t, payload)
	record, err := s.store.Load(context.Background(), s.profile.ID, got.LeadID, noon)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(record.Request, []byte("Birchwood")) {
		t.Fatal("the record does not hold the lead")
	}
	entry := lead.Entry{Record: record}
	return map[string]any{
		"request": req, "request pointer": &req, "customer": req.Customer, "customer pointer": &req.Customer,
		"consent": req.Consent, "consent pointer": &req.Consent, "address": req.Customer.Address, "address value": *req.Customer.Address,
		"appointment": req.Appointment, "appointment value": *req.Appointment,
		"record": record, "record pointer": &record, "entry": entry, "entry pointer": &entry,
		"customers":    []aap.Customer{req.Customer},
		"map":          map[string]aap.LeadRequest{"lead": req},
		"struct":       struct{ Lead *aap.LeadRequest }{&req},
		"struct value": struct{ Customer aap.Customer }{req.Customer},
	}
}

func TestPrintingALeadShowsNothingOfTheBuyer(t *testing.T) {
	for name, value := range personal(t) {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			if name == "struct" && verb != "%+v" {
				continue // a pointer inside a struct prints as an address
			}
			t.Run(name+" "+verb, func(t *testing.T) {
				wantQuiet(t, fmt.Sprintf(verb, value))
				wantQuiet(t, fmt.Errorf("wrapped: "+verb, value).Error())
			})
		}
	}
}

func TestLoggingALeadShowsNothingOfTheBuyer(t *testing.T) {
	options := &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true}
	for form, handler := range map[string]func(io.Writer) slog.Handler{
		"json": func(w io.Writer) slog.Handler { return lead.Discreet(slog.NewJSONHandler(w, options)) },
		"text": func(w io.Writer) slog.Handler { return lead.Discreet(slog.NewTextHandler(w, options)) },
	} {
		for name, value := range personal(t) {
			t.Run(form+" "+name, func(t *testing.T) {
				var out bytes.Buffer
				log := slog.New(handler(&out))
				for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
					ctx := context.Background()
					log.Log(ctx, level, "lead", "value", value)
					log.Log(ctx, level, "lead", slog.Group("outer", slog.Group("inner", slog.Any("value", value))))
					log.With("value", value).Log(ctx, level, "lead")
					log.WithGroup("group").With(slog.Any("value", value)).Log(ctx, level, "lead", slog.Any("again", value))
					log.Log(ctx, level, fmt.Sprintf("lead %+v", value))
					log.Log(ctx, level, "lead", "error", fmt.Errorf("cannot render %+v", value))
				}
				if n := strings.Count(out.String(), "\n"); n != 24 {
					t.Fatalf("%d lines, want 24", n)
				}
				wantQuiet(t, out.String())
			})
		}
	}
}

func TestAPlainLoggerIsQuietAboutTheTypesThemselves(t *testing.T) {
	for name, value := range personal(t) {
		if strings.HasPrefix(name, "struct") || name == "map" || name == "customers" {
			continue // what holds a lead needs Discreet
		}
		var out bytes.Buffer
		slog.New(slog.NewJSONHandler(&out, nil)).Info("lead", "value", value)
		slog.New(slog.NewTextHandler(&out, nil)).Info("lead", "value", value)
		wantQuiet(t, out.String())
	}
}

func TestDiscreetLetsThroughWhatALogIsFor(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(lead.Discreet(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo})))
	log.Debug("unseen")
	log.With("lead_id", "id-1").WithGroup("g").Info("stored",
		"count", 3, "ok", true, "took", noon.Sub(noon), "at", noon, "error", errors.New("disk full"), "none", nil,
		"raw", json.RawMessage(`{"a":1}`), "record", lead.Record{ID: "id-2", Rooftop: "Harbor"})
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	g, _ := line["g"].(map[string]any)
	record, _ := g["record"].(map[string]any)
	if line["lead_id"] != "id-1" || g["count"] != 3.0 || g["ok"] != true || g["error"] != "disk full" || g["none"] != nil ||
		g["raw"] != "[json.RawMessage]" || g["at"] != "2026-06-10T12:00:00Z" || record["id"] != "id-2" || record["rooftop"] != "Harbor" {
		t.Fatalf("line is %s", out.String())
	}
}

func TestEncodingALeadKeepsEverything(t *testing.T) {
	var req aap.LeadRequest
	if err := json.Unmarshal(fullLead().bytes(), &req); err != nil {
		t.Fatal(err)
	}
	wire, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := lead.Digest(fullLead().bytes())
	if got, _ := lead.Digest(wire); got != want {
		t.Fatalf("the wire lost something: %s", wire)
	}
}
