package main

import (
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

// TestFeedPullSaysWhatHappened at a source with a certificate of nobody, at one
// where nobody answers, and at none.
func TestFeedPullSaysWhatHappened(t *testing.T) {
	site := httptest.NewTLSServer(http.NotFoundHandler())
	defer site.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nowhere := closed.Addr().String()
	_ = closed.Close()
	profile := filepath.Join(t.TempDir(), "dealer.yaml")
	const least = "id: demo\nname: Demo\nrooftops:\n  - {name: North, timezone: America/Denver, phones: [{value: \"+14155550100\"}]}\n" +
		"  - {name: South, timezone: America/Denver, phones: [{value: \"+14155550101\"}]}\ndelivery: [{name: outbox, type: file, folder: outbox}]\n"
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(profile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(t.TempDir(), "new")
	write(least)
	if r := dealerCommand(t, "", "feed", "pull", "--profile", profile, "--data", data); r.code != 1 || !strings.Contains(r.err, "has no feed.sources") {
		t.Errorf("%d %s", r.code, r.err)
	}
	write(least + "feed:\n  sources:\n    - {name: web, url: \"" + site.URL + "/lot.csv\", rooftops: [North]}\n    - {name: dms, url: \"sftp://shop@" + nowhere + "/out/*.csv\", password: \"env:FEED_PULL_TEST\", rooftops: [South]}\n")
	t.Setenv("FEED_PULL_TEST", "hunter2")
	r := dealerCommand(t, "", "feed", "pull", "--profile", profile, "--data", data)
	if r.code != 1 || !strings.Contains(r.out, "web: failed: the server's certificate cannot be verified") || !strings.Contains(r.out, "dms: failed: the server refuses the connection") ||
		!strings.Contains(r.err, "2 of the sources brought nothing") || strings.Contains(r.out+r.err, "hunter2") {
		t.Errorf("%d\n%s\n%s", r.code, r.out, r.err)
	}
	if r := dealerCommand(t, "", "feed", "pull", "webb", "--profile", profile, "--data", data); r.code != 2 || !strings.Contains(r.err, "it has web, dms") {
		t.Errorf("%d %s", r.code, r.err)
	}
	if r := dealerCommand(t, "", "feed", "pull", "dms", "--json", "--profile", profile, "--data", data); r.code != 1 || !strings.Contains(r.out, `"source":"dms"`) || strings.Contains(r.out, `"web"`) {
		t.Errorf("%d %s %s", r.code, r.out, r.err)
	}
	if r := dealerCommand(t, "", "feed", "pull"); r.code != 2 || !strings.Contains(r.err, "--stack STACK") {
		t.Errorf("%d %s", r.code, r.err)
	}
}

// TestFeedPullHasARunningAgentDoIt: it holds the data folder, the secrets and
// the profile.
func TestFeedPullHasARunningAgentDoIt(t *testing.T) {
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "hunter2" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		http.ServeContent(w, r, "lot.csv", time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC), strings.NewReader("stock,year,make,model,rooftop\nA1,2020,Honda,Civic,North\n"))
	}))
	defer site.Close()
	roots := x509.NewCertPool()
	roots.AddCert(site.Certificate())
	t.Setenv("FEED_PULL_TEST", "hunter2")
	document, err := os.ReadFile(fixtureProfile)
	if err != nil {
		t.Fatal(err)
	}
	profile, data := filepath.Join(t.TempDir(), "dealer.yaml"), t.TempDir()
	text := string(document) + "feed:\n  sources: [{name: web, url: \"" + site.URL + "/lot.csv\", auth: {type: basic, username: me, secret: \"env:FEED_PULL_TEST\"}}]\n"
	if err := os.WriteFile(profile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	machinetest.Serve(t, machine.Config{Addr: "127.0.0.1:0", Profile: profile, Data: data, RootCAs: roots, Log: slog.New(slog.DiscardHandler), Command: inFolder})
	for range 50 { // the agent itself may be at it
		r := dealerCommand(t, "", "feed", "pull", "web", "--data", data)
		if r.code == 0 && strings.HasPrefix(r.out, "web: unchanged since the file of 2026-05-01T06:00:00Z") {
			return
		}
		if r.code != 0 || !strings.HasPrefix(r.out, "web: imported, 1 rows, 1 vehicles for sale; 1 added") && !strings.HasPrefix(r.out, "web: busy") {
			t.Fatalf("%d %s %s", r.code, r.out, r.err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("the file is never unchanged")
}
