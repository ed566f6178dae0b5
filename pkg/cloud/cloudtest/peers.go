// Package cloudtest starts the emulators that stand in for AWS in tests, each
// on a free loopback port and stopped with the test, and makes tables, queues
// and buckets in them as the template does. A peer that the machine lacks is
// skipped by name; with CI=true it fails.
package cloudtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/dealer-agent/dealer/pkg/aap/aaptest"
)

// Moto starts moto's server, which speaks DynamoDB with transactions, SQS and
// S3, and returns its address. moto checks a condition and writes in two steps,
// so its DynamoDB gets one request at a time; callers still race each other
// between requests, as they do on AWS.
func Moto(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("moto_server")
	if err != nil {
		aaptest.Missing(t, "moto_server (pip install 'moto[server]')")
	}
	port := freePort(t)
	return oneAtATime(t, start(t, port, exec.Command(path, "-H", "127.0.0.1", "-p", port)))
}

const dynaliteVersion = "dynalite@4.0.0"

// Dynalite starts dynalite, which speaks DynamoDB without transactions and
// keeps its limits strictly, and returns its address.
func Dynalite(t testing.TB) string {
	t.Helper()
	cli, err := installDynalite()
	if err != nil {
		aaptest.Missing(t, dynaliteVersion+" (needs node and npm: "+err.Error()+")")
	}
	port := freePort(t)
	return start(t, port, exec.Command("node", cli, "--host", "127.0.0.1", "--port", port,
		"--createTableMs", "0", "--deleteTableMs", "0", "--updateTableMs", "0"))
}

var installDynalite = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "dealer-test-peers", dynaliteVersion)
	cli := filepath.Join(dir, "node_modules", "dynalite", "cli.js")
	if _, err := os.Stat(cli); err == nil {
		return cli, nil
	}
	// Test processes may install at once: each into a folder of its own, and
	// the first to finish gives its folder the name.
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	own, err := os.MkdirTemp(filepath.Dir(dir), "installing-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(own)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", own, dynaliteVersion).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	renamed := os.Rename(own, dir)
	if _, err := os.Stat(cli); err != nil {
		return "", errors.Join(err, renamed)
	}
	return cli, nil
})

// Config is an AWS configuration that reaches the emulator at endpoint.
func Config(endpoint string) aws.Config {
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(endpoint),
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	}
}

// Environment is the same for a child process, as NAME=value pairs.
func Environment(endpoint string) []string {
	return []string{
		"AWS_ENDPOINT_URL=" + endpoint, "AWS_REGION=us-east-1",
		"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_EC2_METADATA_DISABLED=true",
	}
}

// oneAtATime is a proxy before endpoint that lines up DynamoDB requests.
func oneAtATime(t testing.TB, endpoint string) string {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	var turn sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_") {
			turn.Lock()
			defer turn.Unlock()
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// start runs the peer until the test ends and waits until it takes calls.
func start(t testing.TB, port string, cmd *exec.Cmd) string {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended early: %v\n%s", cmd.Path, err, out.Bytes())
		default:
		}
		if c, err := net.DialTimeout("tcp", "127.0.0.1:"+port, time.Second); err == nil {
			c.Close()
			return "http://127.0.0.1:" + port
		}
	}
	t.Fatalf("%s does not answer", cmd.Path)
	return ""
}
