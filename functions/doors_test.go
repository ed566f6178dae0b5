package functions_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"golang.org/x/tools/txtar"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/agent"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// request is one recorded request: method and path, headers, body.
type request struct {
	method, path string
	header       http.Header
	body         string
}

func parseRequest(text string) request {
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	r := request{header: http.Header{}, body: strings.TrimSpace(body)}
	r.method, r.path, _ = strings.Cut(lines[0], " ")
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		r.header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return r
}

// TestEveryConversationIsTheSameThroughBothDoors plays the recorded
// conversations to equal agents, one behind a real HTTP server and one behind
// API Gateway events, and compares every byte.
func TestEveryConversationIsTheSameThroughBothDoors(t *testing.T) {
	files, err := filepath.Glob("../pkg/a2a/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			profile := agenttest.Profile
			var requests []request
			for _, f := range archive.Files {
				switch kind, _, _ := strings.Cut(f.Name, " "); kind {
				case "profile":
					profile += string(f.Data)
				case "request":
					requests = append(requests, parseRequest(string(f.Data)))
				}
			}
			server := httptest.NewServer(front(t, profile))
			defer server.Close()
			function := cloud.REST(front(t, profile))
			for n, r := range requests {
				want := throughServer(t, server, r)
				event := roundTrip(t, restEvent(r))
				out, err := function(t.Context(), event)
				if err != nil {
					t.Fatal(err)
				}
				if got := throughEvent(t, roundTrip(t, out)); got != want {
					t.Errorf("request %d, %s %s:\n event  %s\n server %s", n+1, r.method, r.path, got, want)
				}
			}
		})
	}
}

func front(t *testing.T, profile string) http.Handler {
	s := agenttest.New(t, profile)
	return a2a.NewHandler(a2a.Config{Agent: s.Agent, Profiles: dealer.Fixed(s.Profile), Settings: agent.Settings{Now: agenttest.Now, Ticks: agenttest.Now, NewID: s.NewID}})
}

// roundTrip passes the value through JSON, as Lambda does.
func roundTrip[T any](t *testing.T, v T) (out T) {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func restEvent(r request) events.APIGatewayProxyRequest {
	path, query, _ := strings.Cut(r.path, "?")
	values, _ := url.ParseQuery(query)
	e := events.APIGatewayProxyRequest{
		Resource: "/a2a", Path: path, HTTPMethod: r.method, MultiValueHeaders: r.header, MultiValueQueryStringParameters: values, Body: r.body,
	}
	e.RequestContext.Stage, e.RequestContext.Identity.SourceIP = "live", "127.0.0.1"
	return e
}

func throughServer(t *testing.T, server *httptest.Server, r request) string {
	t.Helper()
	req, err := http.NewRequest(r.method, server.URL+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = r.header.Clone()
	res, err := server.Client().Transport.RoundTrip(req) // follows no redirects
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	res.Header.Del("Date")
	return answerText(res.StatusCode, res.Header, body)
}

func throughEvent(t *testing.T, out events.APIGatewayProxyResponse) string {
	t.Helper()
	body := []byte(out.Body)
	if out.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(out.Body); err != nil {
			t.Fatal(err)
		}
	}
	return answerText(out.StatusCode, out.MultiValueHeaders, body)
}

func answerText(status int, header http.Header, body []byte) string {
	// A server adds the length of what a handler did not count itself.
	header = header.Clone()
	header.Del("Content-Length")
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d\n", status)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(header[name], ", "))
	}
	b.Write(body)
	return b.String()
}
