// Package sam holds the tests of the whole stack as it is built and deployed:
// what `sam build` and `sam deploy` make of the template, run on this machine
// by package samtest, and met through its front door.
package sam

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
	"github.com/dealer-agent/dealer/infra/sam/built"
	"github.com/dealer-agent/dealer/infra/sam/samtest"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

func TestMain(m *testing.M) { os.Exit(inFolder(m)) }

// folder is for what is built once; TestMain takes it away.
var folder string

func inFolder(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "dealer-sam-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	return machinetest.Main(m)
}

var buildOnce = sync.OnceValues(func() (built.Artifacts, error) { return built.Build(folder) })

func artifacts(t *testing.T) built.Artifacts {
	t.Helper()
	if testing.Short() {
		t.Skip("builds every function and starts an emulator of each")
	}
	b, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// dealerOnly are the parameters of a dealer who gives the least.
var dealerOnly = map[string]string{"DealerName": "Seabright Motors", "DealerPhone": "+18315550100"}

func deploy(t *testing.T, parameters map[string]string) *samtest.Stack {
	t.Helper()
	return samtest.Deploy(t, artifacts(t), parameters)
}

// upload puts an object as `aws s3 cp` does, and waits for what follows of it.
func upload(t *testing.T, s *samtest.Stack, bucket, key string, body []byte) {
	t.Helper()
	cloudtest.Put(t, cloudtest.Objects(endpoint(s)), bucket, key, body)
	s.Settle()
}

func endpoint(s *samtest.Stack) string { return *s.Config().BaseEndpoint }

// answer is one of the front door.
type answer struct {
	status int
	header http.Header
	body   string
}

func ask(t *testing.T, client *http.Client, method, url, body string, header ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n+1 < len(header); n += 2 {
		r.Header.Set(header[n], header[n+1])
	}
	got, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	content, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{got.StatusCode, got.Header, string(content)}
}

// message wraps a payload in a SendMessage.
func message(payload string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"data":` + payload + `}]}}}`
}

// call sends one skill's payload to /a2a and returns the data of the answer.
func call(t *testing.T, s *samtest.Stack, payload string) map[string]any {
	t.Helper()
	got := ask(t, s.Client(), http.MethodPost, s.Address+"/a2a", message(payload), "Content-Type", "application/json",
		"A2A-Version", "1.0", "A2A-Extensions", "https://autoagentprotocol.org/extensions/aap/v1.3")
	var rpc struct {
		Result struct {
			Message struct {
				Parts []struct {
					Data struct{ Data map[string]any }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(got.body), &rpc); err != nil || got.status != http.StatusOK || len(rpc.Result.Message.Parts) != 1 {
		t.Fatalf("%s: %d %s\n%s", payload, got.status, got.body, s.Logs()["AgentFunction"])
	}
	return rpc.Result.Message.Parts[0].Data.Data
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("waited in vain until %s", what)
}

// receiver is a CRM that takes leads over HTTP.
type receiver struct {
	mu  sync.Mutex
	got []string
}

func (c *receiver) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	_, _ = body.ReadFrom(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, body.String())
}

func (c *receiver) documents() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.got...)
}
