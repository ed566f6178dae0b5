package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

const (
	region     = "us-east-1"
	credential = "test"
)

// emulator is moto, for the functions in their containers.
type emulator struct {
	// outside is its address on this machine, inside that for containers.
	outside, inside string
	stop            func()
}

// startEmulator runs moto at a free port until it is stopped. It listens where
// containers reach it and others do not: at Docker's own network on Linux, else
// on loopback, to which Docker Desktop leads.
func startEmulator(ctx context.Context, log io.Writer) (*emulator, error) {
	host, inside := "127.0.0.1", "host.docker.internal"
	if runtime.GOOS == "linux" {
		if host = bridge(); host == "" {
			fmt.Fprintln(log, "Docker's network docker0 is not there; containers may not reach the emulator on loopback.")
			host = "127.0.0.1"
		}
		inside = host
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if err := l.Close(); err != nil {
		return nil, err
	}
	cmd := exec.Command("moto_server", "-H", host, "-p", port)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	e := &emulator{outside: "http://" + net.JoinHostPort(host, port), inside: "http://" + net.JoinHostPort(inside, port), stop: func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}}
	for range 600 {
		if c, err := net.DialTimeout("tcp", net.JoinHostPort(host, port), time.Second); err == nil {
			return e, c.Close()
		}
		select {
		case <-ctx.Done():
			e.stop()
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	e.stop()
	return nil, fmt.Errorf("moto does not listen at %s", e.outside)
}

// bridge is this machine's address in Docker's own network.
func bridge() string {
	docker, err := net.InterfaceByName("docker0")
	if err != nil {
		return ""
	}
	addresses, err := docker.Addrs()
	if err != nil {
		return ""
	}
	for _, a := range addresses {
		if network, ok := a.(*net.IPNet); ok && network.IP.To4() != nil {
			return network.IP.String()
		}
	}
	return ""
}

// send makes one request; the emulator looks only at the form of a signature.
func (e *emulator) send(ctx context.Context, service, method, path, target string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, e.outside+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+credential+"/20260101/"+region+"/"+service+"/aws4_request, SignedHeaders=host, Signature=0")
	if target != "" {
		r.Header.Set("X-Amz-Target", target)
		r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	out, err := io.ReadAll(got.Body)
	if err == nil && got.StatusCode != http.StatusOK {
		err = fmt.Errorf("moto answers %s: %s", got.Status, out)
	}
	return out, err
}

func (e *emulator) put(ctx context.Context, path string, body []byte) error {
	_, err := e.send(ctx, "s3", http.MethodPut, path, "", body)
	return err
}

// tableMembers are those of a table that DynamoDB takes under the same names.
var tableMembers = [...]string{"AttributeDefinitions", "KeySchema", "BillingMode", "GlobalSecondaryIndexes", "LocalSecondaryIndexes"}

func (e *emulator) makeTable(ctx context.Context, name string, properties map[string]any) error {
	ask := map[string]any{"TableName": name}
	for _, member := range tableMembers {
		if value, ok := properties[member]; ok {
			ask[member] = value
		}
	}
	body, err := json.Marshal(ask)
	if err == nil {
		_, err = e.send(ctx, "dynamodb", http.MethodPost, "/", "DynamoDB_20120810.CreateTable", body)
	}
	return err
}

func (e *emulator) makeQueue(ctx context.Context, name string) (url string, err error) {
	body, err := json.Marshal(map[string]any{"QueueName": name})
	if err != nil {
		return "", err
	}
	out, err := e.send(ctx, "sqs", http.MethodPost, "/", "AmazonSQS.CreateQueue", body)
	if err != nil {
		return "", err
	}
	var made struct{ QueueUrl string }
	if err := json.Unmarshal(out, &made); err != nil {
		return "", err
	}
	return strings.Replace(made.QueueUrl, e.outside, e.inside, 1), nil
}
