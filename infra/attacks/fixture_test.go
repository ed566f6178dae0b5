package attacks

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/infra/dealer/machine/machinetest"
)

func TestMain(m *testing.M) { os.Exit(machinetest.Main(m)) }

// unpublished is a word of the profile that no published file holds.
const unpublished = "folder-nobody-may-know"

// profile is a dealer whose leads go to a folder.
const profile = `id: harbor
name: Harbor Motors
rooftops:
  - {name: Harbor Motors, timezone: America/Denver, phones: [{name: Sales, value: "+13035550100"}]}
prices: {includes: all_mandatory_charges}
versions: [v1.3, v1.2, v1.1, v1.0, v0.2, v0.1]
delivery:
  - {name: outbox, type: file, folder: ` + unpublished + `}
`

const stock = "stock,vin,condition,year,make,model,price,mileage\nA1,1HGCV1F30KA000001,used,2020,Kia,Rio,9000,1000\nA2,,used,2021,Kia,Soul,12000,2000\n"

// victim is a running dealer process.
type victim struct {
	url, addr string
	dir       string
	out       *output
}

// outbox is where its leads go.
func (v *victim) outbox() string { return filepath.Join(v.dir, "outbox") }

// output is what a process has written so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

var agentLine = regexp.MustCompile(`^Agent:\s+(http://(\S+))/a2a$`)

// attack starts `dealer run` with more lines in its profile and more flags. It
// ends with the test, and must not have ended before.
func attack(t *testing.T, lines string, flags ...string) *victim {
	t.Helper()
	return attackLot(t, stock, lines, flags...)
}

// attackLot is attack with another feed.
func attackLot(t *testing.T, feed, lines string, flags ...string) *victim {
	t.Helper()
	v := &victim{dir: t.TempDir(), out: &output{}}
	keep := func(name, body string) string {
		at := filepath.Join(v.dir, name)
		if err := os.WriteFile(at, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return at
	}
	cmd := exec.Command(machinetest.Command(t), append([]string{
		"run", "--addr", "127.0.0.1:0", "--profile", keep("dealer.yaml", profile+lines), "--feed", keep("inventory.csv", feed),
		"--data", filepath.Join(v.dir, "data"), "--outbox", v.outbox(),
	}, flags...)...)
	cmd.Stderr = v.out
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	t.Cleanup(func() {
		select {
		case <-ended:
			t.Errorf("the agent did not outlive the attack:\n%s", v.out)
		default:
			_ = cmd.Process.Kill()
		}
		_ = cmd.Wait()
	})
	read := bufio.NewReader(stdout)
	for v.url == "" {
		line, err := read.ReadString('\n')
		if err != nil {
			t.Fatalf("dealer run ended before it said where it is: %s", v.out)
		}
		if m := agentLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			v.url, v.addr = m[1], m[2]
		}
	}
	go func() {
		_, _ = io.Copy(v.out, read)
		close(ended)
	}()
	eventually(t, "the feed is imported", func() bool { return strings.Contains(v.out.String(), "imported") })
	return v
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("waited in vain until %s", what)
}

// reply is an answer as it came.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends one request, follows no redirect, and reads all of the answer.
func do(t *testing.T, method, url, body string, headers ...string) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for n := 0; n+1 < len(headers); n += 2 {
		if headers[n] == "Host" {
			r.Host = headers[n+1]
			continue
		}
		r.Header.Add(headers[n], headers[n+1])
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer got.Body.Close()
	raw, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return reply{got.StatusCode, got.Header, string(raw)}
}

// raw sends bytes as they stand and returns what comes back until the other
// side closes or the time is up; closed tells which.
func raw(t *testing.T, addr string, within time.Duration, bytes string) (answer string, closed bool) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(within)); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(c, bytes) // refused halfway, the answer tells why
	read, err := io.ReadAll(c)
	return string(read), err == nil || errors.Is(err, syscall.ECONNRESET)
}

// message is a SendMessage request around a payload.
func message(payload string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"data":` + payload + `}]}}}`
}

const (
	information = `{"type":"dealer.information.request"}`
	search      = `{"type":"inventory.search.request"}`
)

// tool is a call of an MCP tool.
func tool(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// door is one way in: where a request goes and one that is served there.
type door struct{ name, path, body string }

// doors are all that take calls.
func doors() []door {
	all := []door{{"A2A", "/a2a", message(information)}, {"MCP", "/mcp", tool("aap_dealer_information", "{}")}}
	for _, v := range []string{"v1.2", "v1.1", "v1.0", "v0.2", "v0.1"} {
		all = append(all, door{"A2A of " + v, "/a2a/" + v, message(information)})
	}
	return append(all, door{"HTTP+JSON", "/a2a/v1.0/message:send", `{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"data":` + information + `}]}}`})
}

// files are the published ones.
var files = []string{
	"agent-card.json", "agent-card-v1.2.json", "agent-card-v1.1.json", "agent-card-v1.0.json", "agent-card-v0.2.json", "agent-card-v0.1.json",
	"auto-agent-contract.json", "auto-agent-llm-guide.md", "mcp.json", "server.json",
}

// stillServes asserts that a buyer is answered, and soon.
func (v *victim) stillServes(t *testing.T, headers ...string) {
	t.Helper()
	began := time.Now()
	if got := do(t, "POST", v.url+"/a2a", message(search), headers...); got.status != 200 || !strings.Contains(got.body, `"total":2`) {
		t.Errorf("after the attack a buyer gets %d %.300s", got.status, got.body)
	}
	if spent := time.Since(began); spent > 5*time.Second {
		t.Errorf("after the attack a buyer waits %v", spent)
	}
}

// grown is the most calls that a caller with so many a minute may have made
// since then: those at once, and what grew back meanwhile.
func grown(perMinute int, since time.Time) int {
	return perMinute + 1 + int(time.Since(since).Minutes()*float64(perMinute))
}

// run runs one command line to its end.
func run(t *testing.T, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, machinetest.Command(t), args...)
	var o, e bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &o, &e
	if err := cmd.Run(); err != nil {
		if _, ended := err.(*exec.ExitError); !ended {
			t.Fatal(fmt.Errorf("dealer %v: %w", args, err))
		}
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}
