// Package lambdatest runs compiled Lambda functions without AWS: a Runtime API
// on loopback, and the real bootstrap as a child process.
package lambdatest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Function is one running function. It takes one event at a time, as a real
// instance does.
type Function struct {
	// Init is the time from process start to the first request for an event.
	Init time.Duration

	calls chan call
	first chan struct{}
	fault chan string
	begun time.Time
	once  sync.Once
	stop  func()

	mu      sync.Mutex
	waiting map[string]call
	next    int
	log     bytes.Buffer
	turn    sync.Mutex
}

type call struct {
	event  []byte
	answer chan answer
}

type answer struct {
	body   []byte
	failed bool
}

// Build compiles the package as the template builds functions, for this
// machine, and returns the bootstrap's path.
func Build(t testing.TB, pkg string) string {
	t.Helper()
	return build(t, pkg)
}

// BuildFor is Build for another architecture, such as arm64 as on AWS.
func BuildFor(t testing.TB, pkg, arch string) string {
	t.Helper()
	return build(t, pkg, "GOOS=linux", "GOARCH="+arch)
}

func build(t testing.TB, pkg string, env ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "bootstrap")
	cmd := exec.Command("go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid=", "-o", out, pkg)
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", pkg, err, text)
	}
	return out
}

// Start runs the bootstrap with the given environment and nothing else, and
// waits until it asks for its first event. It is stopped with the test.
func Start(t testing.TB, bootstrap string, env ...string) *Function {
	t.Helper()
	f := &Function{
		calls: make(chan call), first: make(chan struct{}), fault: make(chan string, 1), waiting: map[string]call{},
		begun: time.Now(), // before the server, which reads it
	}
	server := httptest.NewServer(f.api())
	cmd := exec.Command(bootstrap)
	cmd.Env = append([]string{
		"AWS_LAMBDA_RUNTIME_API=" + server.Listener.Addr().String(), "_HANDLER=bootstrap", "PATH=" + os.Getenv("PATH"),
		"AWS_LAMBDA_FUNCTION_NAME=test", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=512", "AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
	}, env...)
	cmd.Stdout, cmd.Stderr = f, f
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := cmd.Wait()
		select {
		case f.fault <- fmt.Sprintf("the function ended: %v\n%s", err, f.Log()):
		default:
		}
	}()
	f.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		<-ended
		server.CloseClientConnections()
		server.Close()
	})
	t.Cleanup(f.stop)
	select {
	case <-f.first:
	case text := <-f.fault:
		t.Fatal(text)
	case <-time.After(30 * time.Second):
		t.Fatalf("the function does not start:\n%s", f.Log())
	}
	return f
}

// Stop ends the process; the end of the test does so too.
func (f *Function) Stop() { f.stop() }

// Invoke sends one event and returns the answer, or the function's error.
func (f *Function) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	f.turn.Lock()
	defer f.turn.Unlock()
	c := call{event, make(chan answer, 1)}
	select {
	case f.calls <- c:
	case text := <-f.fault:
		return nil, fmt.Errorf("%s", text)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case a := <-c.answer:
		if a.failed {
			return nil, fmt.Errorf("function error: %s", a.body)
		}
		return a.body, nil
	case text := <-f.fault:
		return nil, fmt.Errorf("%s", text)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Log is what the function has written so far.
func (f *Function) Log() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.String()
}

// Write takes the function's output.
func (f *Function) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.Write(p)
}

// api is the Lambda Runtime API, version 2018-06-01.
func (f *Function) api() http.Handler {
	const root = "/2018-06-01/runtime/"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+root+"invocation/next", func(w http.ResponseWriter, r *http.Request) {
		f.once.Do(func() {
			f.Init = time.Since(f.begun)
			close(f.first)
		})
		select {
		case <-r.Context().Done():
		case c := <-f.calls:
			f.mu.Lock()
			f.next++
			id := fmt.Sprintf("00000000-0000-4000-8000-%012d", f.next)
			f.waiting[id] = c
			f.mu.Unlock()
			h := w.Header()
			h.Set("Lambda-Runtime-Aws-Request-Id", id)
			h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10))
			h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:123456789012:function:test")
			h.Set("Lambda-Runtime-Trace-Id", "Root=1-00000000-000000000000000000000000")
			h.Set("Content-Type", "application/json")
			_, _ = w.Write(c.event)
		}
	})
	mux.HandleFunc("POST "+root+"invocation/{id}/response", func(w http.ResponseWriter, r *http.Request) { f.answer(w, r, false) })
	mux.HandleFunc("POST "+root+"invocation/{id}/error", func(w http.ResponseWriter, r *http.Request) { f.answer(w, r, true) })
	mux.HandleFunc("POST "+root+"init/error", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		select {
		case f.fault <- "init error: " + string(body):
		default:
		}
		w.WriteHeader(http.StatusAccepted)
	})
	return mux
}

func (f *Function) answer(w http.ResponseWriter, r *http.Request, failed bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil || (!failed && !json.Valid(body)) {
		body, failed = fmt.Appendf(nil, "unreadable answer %q (%v)", body, err), true
	}
	f.mu.Lock()
	c, ok := f.waiting[r.PathValue("id")]
	delete(f.waiting, r.PathValue("id"))
	f.mu.Unlock()
	if !ok {
		http.Error(w, "no such invocation", http.StatusBadRequest)
		return
	}
	c.answer <- answer{body, failed}
	w.WriteHeader(http.StatusAccepted)
}
