package machine_test

import (
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
)

// TestARunningMachineFetchesItsExports: while the site is at fault, and after a
// restart, the last good inventory stands.
func TestARunningMachineFetchesItsExports(t *testing.T) {
	var cars, asked atomic.Int64
	cars.Store(2)
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		n := int(cars.Load())
		if n == 0 {
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		body := "stock,year,make,model,rooftop\n"
		for i := range n {
			body += fmt.Sprintf("A%d,2020,Honda,Civic,North\n", i)
		}
		http.ServeContent(w, r, "", noon.Add(time.Duration(n)*time.Minute), strings.NewReader(body))
	}))
	defer site.Close()
	roots := x509.NewCertPool()
	roots.AddCert(site.Certificate())
	var passed atomic.Int64 // of the clock
	clock := func() time.Time { return noon.Add(time.Hour + time.Duration(passed.Load())) }
	dir := t.TempDir()
	text := readFile(t, "testdata/dealer.yaml") + "feed:\n  sources: [{name: web, url: \"" + site.URL + "/lot.csv\", every: 30m}]\n"
	writeFile(t, filepath.Join(dir, "dealer.yaml"), text)
	var log record
	config := machine.Config{
		Addr: "127.0.0.1:0", Profile: filepath.Join(dir, "dealer.yaml"), Data: filepath.Join(dir, "data"), Now: clock, RootCAs: roots,
		Log: slog.New(slog.NewJSONHandler(&log, nil)),
	}
	d, stop := serve(t, config)
	listed := func(want int) func() bool {
		return func() bool { return d.skill(t, `{"type":"inventory.search.request"}`).number("total") == want }
	}
	eventually(t, "two cars are listed", listed(2))
	if info, err := os.Stat(filepath.Join(dir, "data", "pickups", "web.csv")); err != nil || !info.ModTime().Equal(noon.Add(2*time.Minute)) {
		t.Errorf("the fetched file is not kept as of its own time: %v, %v", info, err)
	}
	cars.Store(0)
	passed.Store(int64(30 * time.Minute))
	eventually(t, "the fault is told", func() bool { return strings.Contains(log.String(), "has a fault of its own (500)") })
	if !listed(2)() || strings.Contains(log.String(), site.URL) {
		t.Errorf("after a fault: %s", log.String())
	}
	stop()
	cars.Store(3)
	before := asked.Load()
	if left, err := filepath.Glob(filepath.Join(dir, "data", "pickups", "pickup-*")); err != nil || len(left) > 0 {
		t.Errorf("a stopped machine leaves %v", left)
	}
	d, stop = serve(t, config)
	defer stop()
	if !listed(2)() {
		t.Error("a restart loses the inventory")
	}
	time.Sleep(1500 * time.Millisecond)
	if asked.Load() != before {
		t.Error("a restart asks a source that is not due")
	}
	passed.Store(int64(36 * time.Minute))
	eventually(t, "three cars are listed", listed(3))
}
