package cloud_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/pkg/cloud"
)

func restEvent(t *testing.T) (event events.APIGatewayProxyRequest) {
	t.Helper()
	body, err := os.ReadFile("testdata/rest-post.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &event); err != nil {
		t.Fatal(err)
	}
	return event
}

func rest(t *testing.T, event events.APIGatewayProxyRequest, h http.HandlerFunc) events.APIGatewayProxyResponse {
	t.Helper()
	out, err := cloud.REST(h)(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAnEventIsTheRequestThatAServerWouldSee(t *testing.T) {
	out := rest(t, restEvent(t), func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		want := `{"jsonrpc":"2.0","name":"Zoë"}`
		for _, c := range []struct{ what, got, want string }{
			{"method", r.Method, "POST"},
			{"path", r.URL.Path, "/a2a"},
			{"host", r.Host, "agent.seabright.example"},
			{"remote address", r.RemoteAddr, "203.0.113.7:0"},
			{"request URI", r.RequestURI, "/a2a?empty=&q=a%26b&q=b+c"},
			{"body", string(body), want},
			{"length", fmt.Sprint(r.ContentLength), fmt.Sprint(len(want))},
			{"repeated header", strings.Join(r.Header.Values("x-tag"), "+"), "one+two"},
			{"canonical header", r.Header.Get("A2a-Version"), "1.0"},
			{"query", strings.Join(r.URL.Query()["q"], "+"), "a&b+b c"},
			{"host header", r.Header.Get("Host"), ""},
		} {
			if c.got != c.want {
				t.Errorf("%s is %q, want %q", c.what, c.got, c.want)
			}
		}
		w.Header().Add("Vary", "Origin")
		w.Header().Add("Vary", "Accept")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		w.Header().Set("Too-Late", "yes")
		fmt.Fprint(w, `{"a":"<é>"}`)
	})
	want := events.APIGatewayProxyResponse{
		StatusCode: 429, Body: `{"a":"<é>"}`,
		MultiValueHeaders: map[string][]string{"Vary": {"Origin", "Accept"}, "Content-Type": {"application/json"}},
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
}

func TestEventsOfEveryShapeReachTheHandler(t *testing.T) {
	binary := []byte{0xff, 0x00, 0xfe}
	for name, c := range map[string]struct {
		change   func(*events.APIGatewayProxyRequest)
		path     string
		body     []byte
		wantBody string
	}{
		"stage in the path":     {func(e *events.APIGatewayProxyRequest) { e.Path = "/live/a2a" }, "/a2a", nil, ""},
		"stage alone":           {func(e *events.APIGatewayProxyRequest) { e.Path = "/live" }, "/", nil, ""},
		"a path like the stage": {func(e *events.APIGatewayProxyRequest) { e.Path = "/lively/a2a" }, "/lively/a2a", nil, ""},
		"escaped path":          {func(e *events.APIGatewayProxyRequest) { e.Path = "/a%2Fb%20c" }, "/a/b c", nil, ""},
		"broken escape":         {func(e *events.APIGatewayProxyRequest) { e.Path = "/100%" }, "/100%", nil, ""},
		"no path":               {func(e *events.APIGatewayProxyRequest) { e.Path = "" }, "/", nil, ""},
		"single headers only": {func(e *events.APIGatewayProxyRequest) {
			e.MultiValueHeaders, e.MultiValueQueryStringParameters = nil, nil
		}, "/a2a", nil, ""},
		"binary body": {func(e *events.APIGatewayProxyRequest) {
			e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString(binary), true
		}, "/a2a", binary, ""},
		"nothing but the method": {func(e *events.APIGatewayProxyRequest) { *e = events.APIGatewayProxyRequest{HTTPMethod: "GET"} }, "/", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			event := restEvent(t)
			c.change(&event)
			reached := false
			rest(t, event, func(w http.ResponseWriter, r *http.Request) {
				reached = true
				if r.URL.Path != c.path {
					t.Errorf("path %q, want %q", r.URL.Path, c.path)
				}
				if body, _ := io.ReadAll(r.Body); c.body != nil && !bytes.Equal(body, c.body) {
					t.Errorf("body %x, want %x", body, c.body)
				}
			})
			if !reached {
				t.Error("the handler was not called")
			}
		})
	}
}

func TestTwoSpellingsOfAHeaderAreOneWithTwoValues(t *testing.T) {
	event := restEvent(t)
	event.Headers = map[string]string{"content-type": "text/plain"}
	event.MultiValueHeaders = map[string][]string{"content-type": {"text/plain"}, "Content-Type": {"application/json"}}
	rest(t, event, func(_ http.ResponseWriter, r *http.Request) {
		if got := r.Header.Values("Content-Type"); len(got) != 2 {
			t.Errorf("Content-Type %q, want both", got)
		}
	})
}

func TestBrokenEventsAreBadRequestsAndPanicsAreErrors(t *testing.T) {
	event := restEvent(t)
	event.Body, event.IsBase64Encoded = "%%%", true
	if out := rest(t, event, func(http.ResponseWriter, *http.Request) { t.Error("called") }); out.StatusCode != 400 {
		t.Errorf("HTTP %d, want 400", out.StatusCode)
	}
	event = restEvent(t)
	event.HTTPMethod = "NO GOOD"
	if out := rest(t, event, func(http.ResponseWriter, *http.Request) { t.Error("called") }); out.StatusCode != 400 {
		t.Errorf("HTTP %d, want 400", out.StatusCode)
	}
	_, err := cloud.REST(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("maxine@example.com") }))(t.Context(), restEvent(t))
	if err == nil || strings.Contains(err.Error(), "maxine") {
		t.Errorf("a panic gives %v; want an error without its value", err)
	}
}

// TestBothDoorsGiveEqualAnswers plays the same requests to one handler through
// a real server and through an event.
func TestBothDoorsGiveEqualAnswers(t *testing.T) {
	answers := map[string]http.HandlerFunc{
		"nothing":           func(http.ResponseWriter, *http.Request) {},
		"text, type unset":  func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<p>hello") },
		"binary":            func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte{0x89, 'P', 'N', 'G', 0xff}) },
		"not modified":      func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("ETag", `"x"`); w.WriteHeader(304) },
		"no content":        func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204); fmt.Fprint(w, "dropped") },
		"status twice":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418); w.WriteHeader(200) },
		"early hints first": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(201) },
		"echo": func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s %s %s %q", r.Method, r.URL.Path, r.URL.RawQuery, r.Host, body)
		},
		"error": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusServiceUnavailable) },
	}
	for name, h := range answers {
		for _, method := range []string{"GET", "HEAD", "POST"} {
			t.Run(name+" "+method, func(t *testing.T) {
				server := httptest.NewServer(h)
				defer server.Close()
				body := ""
				if method == "POST" {
					body = `{"a":1}`
				}
				r, _ := http.NewRequest(method, server.URL+"/a%20b?x=1&x=2", strings.NewReader(body))
				r.Host = "agent.seabright.example"
				res, err := server.Client().Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				want, _ := io.ReadAll(res.Body)

				event := events.APIGatewayProxyRequest{HTTPMethod: method, Path: "/a%20b", Body: body, MultiValueQueryStringParameters: url.Values{"x": {"1", "2"}}}
				event.MultiValueHeaders = http.Header{"Host": {"agent.seabright.example"}}
				out := rest(t, event, h)
				got := []byte(out.Body)
				if out.IsBase64Encoded {
					got, _ = base64.StdEncoding.DecodeString(out.Body)
				}
				if !bytes.Equal(got, want) || out.StatusCode != res.StatusCode {
					t.Errorf("event: %d %q, server: %d %q", out.StatusCode, got, res.StatusCode, want)
				}
				for _, h := range []string{"Content-Type", "ETag", "X-Content-Type-Options"} {
					if got, want := http.Header(out.MultiValueHeaders).Get(h), res.Header.Get(h); got != want {
						t.Errorf("%s: event %q, server %q", h, got, want)
					}
				}
			})
		}
	}
}

func FuzzAnyEventIsAnswered(f *testing.F) {
	body, err := os.ReadFile("testdata/rest-post.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add([]byte(`{"httpMethod":"GET","path":"%zz//..","isBase64Encoded":true,"body":"\u0000"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var event events.APIGatewayProxyRequest
		if json.Unmarshal(body, &event) != nil {
			return
		}
		echo := func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Path", r.URL.String())
			_, _ = io.Copy(w, r.Body)
		}
		out, err := cloud.REST(http.HandlerFunc(echo))(t.Context(), event)
		if err != nil || out.StatusCode != 200 && out.StatusCode != 400 {
			t.Errorf("%d, %v", out.StatusCode, err)
		}
	})
}

func TestTheLogNamesTheIDThatAPIGatewayTellsBuyers(t *testing.T) {
	event := restEvent(t)
	event.RequestContext.RequestID = "0b7f2c4e-5f1d-4c59-9c43-1f0b7f2c4e5f"
	var log bytes.Buffer
	rest(t, event, func(_ http.ResponseWriter, r *http.Request) {
		cloud.NewLogger(&log, nil).InfoContext(r.Context(), "a2a")
	})
	if !strings.Contains(log.String(), `"api_request_id":"0b7f2c4e-5f1d-4c59-9c43-1f0b7f2c4e5f"`) {
		t.Errorf("the log has %s", log.String())
	}
}
