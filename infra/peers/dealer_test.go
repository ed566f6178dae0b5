package peers

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/schema/schematest"
)

func TestMain(m *testing.M) { os.Exit(machinetest.Main(m)) }

// premises are the files of one dealer that the compiled command works on.
type premises struct{ profile, data, outbox string }

func newPremises(t *testing.T, lines string) premises {
	t.Helper()
	dir := t.TempDir()
	p := premises{filepath.Join(dir, "dealer.yaml"), filepath.Join(dir, "data"), filepath.Join(dir, "outbox")}
	profile, err := os.ReadFile("../dealer/machine/testdata/dealer.yaml")
	if err == nil {
		err = os.WriteFile(p.profile, append(profile, lines...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// args are the flags of every command that runs an agent there.
func (p premises) args() []string {
	return []string{"--profile", p.profile, "--feed", "../dealer/machine/testdata/feed.json", "--data", p.data, "--outbox", p.outbox}
}

var mcpLine = regexp.MustCompile(`^MCP:\s+(\S+)/mcp$`)

// run starts `dealer run` and returns its address and how to stop it.
func (p premises) run(t *testing.T) (base string, stop func()) {
	t.Helper()
	cmd := exec.Command(machinetest.Command(t), append([]string{"run", "--addr", "127.0.0.1:0"}, p.args()...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, errs.String())
		}
	})
	t.Cleanup(stop)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := mcpLine.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			stocked(t, m[1])
			return m[1], stop
		}
	}
	t.Fatalf("no address: %s", errs.String())
	return "", nil
}

// stocked waits until the inventory is imported.
func stocked(t *testing.T, base string) {
	t.Helper()
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aap_inventory_vehicle","arguments":{"stock":"T100"}}}`
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		answer, err := http.Post(base+"/mcp", "application/json", strings.NewReader(call))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err == nil && strings.Contains(string(body), "inventory.vehicle.response") {
			return
		}
	}
	t.Fatal("the inventory is not imported")
}

// leads are those in the store, once no process holds it; each fits its schema.
func (p premises) leads(t *testing.T) []aap.LeadRequest {
	t.Helper()
	db, err := embedded.Open(p.data)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	records, err := db.Leads().List(t.Context(), "demo-group", time.Now().Add(time.Hour), 1000, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	set := schematest.Own(t, aap.V1_3)
	var all []aap.LeadRequest
	for _, r := range records {
		if faults, err := set.Check(aap.LeadSubmit.RequestSchema(), r.Request); err != nil || len(faults) > 0 {
			t.Errorf("a lead in the store breaks the schema: %v %v", faults, err)
		}
		req, err := r.Lead()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, req)
	}
	return all
}

// wire stands before a dealer and keeps all that is sent there.
type wire struct {
	*httptest.Server
	mu     sync.Mutex
	seen   strings.Builder
	target *url.URL
}

func newWire(t *testing.T) *wire {
	t.Helper()
	w := &wire{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(w.target); r.Out.Host = r.In.Host }}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.mu.Lock()
		_, _ = fmt.Fprintln(&w.seen, r.Method, r.URL, r.Header, string(body))
		w.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *wire) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.String()
}
