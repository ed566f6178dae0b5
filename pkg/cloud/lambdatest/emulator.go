package lambdatest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
)

// Emulator is one running function under AWS's own runtime interface emulator.
// It takes one event at a time.
type Emulator struct {
	url  string
	turn sync.Mutex
	stop func()

	writing sync.Mutex
	log     bytes.Buffer
}

// Emulate runs the bootstrap with the given environment and nothing else under
// aws-lambda-rie, which starts it with the first event and is stopped with the
// test.
func Emulate(t testing.TB, bootstrap string, env ...string) *Emulator {
	t.Helper()
	path, err := exec.LookPath("aws-lambda-rie")
	if err != nil {
		aaptest.Missing(t, "aws-lambda-rie (go install github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie)")
	}
	e := &Emulator{}
	// A port that was free may be taken before the emulator takes it.
	for range 3 {
		if e.start(t, path, bootstrap, env) {
			return e
		}
	}
	t.Fatalf("the emulator does not listen:\n%s", e.Log())
	return nil
}

// start reports whether the emulator listens.
func (e *Emulator) start(t testing.TB, path, bootstrap string, env []string) bool {
	t.Helper()
	events, runtime := freeAddress(t), freeAddress(t)
	cmd := exec.Command(path, "--log-level", "error", "--runtime-interface-emulator-address", events, "--runtime-api-address", runtime, bootstrap)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "AWS_LAMBDA_FUNCTION_NAME=test", "AWS_LAMBDA_FUNCTION_TIMEOUT=30"}, env...)
	cmd.Stdout, cmd.Stderr = e, e
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	stop := sync.OnceFunc(func() {
		_ = cmd.Process.Signal(os.Interrupt) // so that it ends the function too
		<-ended
		if t.Failed() {
			t.Logf("the emulator said:\n%s", e.Log())
		}
	})
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", events); err == nil {
			_ = conn.Close()
			e.url, e.stop = "http://"+events+"/2015-03-31/functions/function/invocations", stop
			t.Cleanup(stop)
			return true
		}
		select {
		case <-ended:
			return false
		default:
		}
	}
	stop()
	return false
}

// Stop ends emulator and function; the end of the test does so too.
func (e *Emulator) Stop() { e.stop() }

// Log is what the function and the emulator have written so far.
func (e *Emulator) Log() string {
	e.writing.Lock()
	defer e.writing.Unlock()
	return e.log.String()
}

// Write takes the function's output.
func (e *Emulator) Write(p []byte) (int, error) {
	e.writing.Lock()
	defer e.writing.Unlock()
	return e.log.Write(p)
}

// Invoke sends one event and returns the answer, which of a function that
// failed is its error.
func (e *Emulator) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	e.turn.Lock()
	defer e.turn.Unlock()
	// An event that is given up would leave the emulator busy.
	r, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, e.url, bytes.NewReader(event))
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("the emulator answers %s: %s", answer.Status, body)
	}
	return body, err
}

// freeAddress is a loopback address that nothing listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
