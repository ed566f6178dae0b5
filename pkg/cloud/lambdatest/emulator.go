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
	events, runtime := freeAddress(t), freeAddress(t)
	e := &Emulator{url: "http://" + events + "/2015-03-31/functions/function/invocations"}
	cmd := exec.Command(path, "--log-level", "error", "--runtime-interface-emulator-address", events, "--runtime-api-address", runtime, bootstrap)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "AWS_LAMBDA_FUNCTION_NAME=test", "AWS_LAMBDA_FUNCTION_TIMEOUT=30"}, env...)
	cmd.Stdout, cmd.Stderr = e, e
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(os.Interrupt) // so that it ends the function too
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the emulator said:\n%s", e.Log())
		}
	})
	t.Cleanup(e.stop)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", events)
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the emulator does not listen: %v", err)
		}
	}
	return e
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
