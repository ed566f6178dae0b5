package stack

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/wellknown"
)

// gateway carries out the integrations of the published files as API Gateway
// does: only what is mapped goes in and comes out.
type gateway struct {
	methods tree
	// bucket is the address of the site bucket.
	bucket string
	// readable are the objects that the role may read, with * at the end.
	readable string
	// tidy makes the path that S3 is asked for: as it stands, or without "..".
	tidy func(string) string
}

func (g gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	segment, ok := strings.CutPrefix(r.URL.EscapedPath(), "/.well-known/")
	name, fault := url.PathUnescape(segment)
	in := treeAt(g.methods, strings.ToLower(r.Method), integration)
	if !ok || fault != nil || in == nil || name == "" || strings.Contains(segment, "/") {
		http.Error(w, `{"message":"Missing Authentication Token"}`, http.StatusForbidden)
		return
	}
	status, header, content, err := 0, http.Header{}, []byte(nil), error(nil)
	if textAt(in, "type") == "mock" {
		var request struct{ StatusCode int }
		err = json.Unmarshal([]byte(textAt(in, "requestTemplates", "application/json")), &request)
		status = request.StatusCode
	} else {
		status, header, content, err = g.ask(r, in, name)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer := treeAt(in, "responses", strconv.Itoa(status))
	if answer == nil {
		answer = treeAt(in, "responses", "default")
	}
	for target, value := range treeAt(answer, "responseParameters") {
		name := strings.TrimPrefix(target, "method.response.header.")
		if static, ok := strings.CutPrefix(render(value), "'"); ok {
			w.Header().Set(name, strings.TrimSuffix(static, "'"))
		} else if sent := header.Get(strings.TrimPrefix(render(value), "integration.response.header.")); sent != "" {
			w.Header().Set(name, sent)
		}
	}
	if body := textAt(answer, "responseTemplates", "application/xml"); body != "" {
		content = []byte(body)
	}
	mapped, _ := strconv.Atoi(textAt(answer, "statusCode"))
	w.WriteHeader(mapped)
	_, _ = w.Write(content)
}

// ask asks S3, whose faults look as they do to a role that may not list.
func (g gateway) ask(r *http.Request, in tree, name string) (int, http.Header, []byte, error) {
	match := s3URI.FindStringSubmatch(render(in["uri"]))
	request, err := http.NewRequestWithContext(r.Context(), textAt(in, "httpMethod"), g.bucket, nil)
	if err != nil || match == nil {
		return 0, nil, nil, fmt.Errorf("uri %s: %w", render(in["uri"]), err)
	}
	request.URL.Path += match[2]
	// API Gateway signs with the role; the emulator only looks for a signature.
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0")
	for target, source := range treeAt(in, "requestParameters") {
		kind := requestSource.FindStringSubmatch(render(source))
		if header, ok := strings.CutPrefix(target, "integration.request.header."); ok && r.Header.Get(kind[2]) != "" {
			request.Header.Set(header, r.Header.Get(kind[2]))
		} else if parameter, ok := strings.CutPrefix(target, "integration.request.path."); ok && kind[2] == "file" {
			request.URL.Path = strings.ReplaceAll(request.URL.Path, "{"+parameter+"}", name)
		}
	}
	bucket := strings.TrimSuffix(strings.TrimPrefix(g.bucket, "http://"+request.URL.Host), "/")
	key := g.tidy(strings.TrimPrefix(request.URL.Path, bucket))
	if !strings.HasPrefix(key, strings.TrimSuffix(g.readable, "*")) {
		return http.StatusForbidden, http.Header{}, []byte("<Error><Code>AccessDenied</Code></Error>"), nil
	}
	request.URL.Path = bucket + key
	got, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer got.Body.Close()
	content, err := io.ReadAll(got.Body)
	if got.StatusCode == http.StatusNotFound {
		got.StatusCode = http.StatusForbidden
	}
	return got.StatusCode, got.Header, content, err
}

// published puts the files of a profile into a bucket as the stack's output
// tells, and serves them through the template and through the agent itself.
func published(t *testing.T, tidy func(string) string) (stack, agent *httptest.Server) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "dealer.yaml")
	if err := os.WriteFile(name, append(sample.Profile(), "\nurl: https://agent.example.com\nversions: [v1.3, v1.2, v1.1, v1.0, v0.2, v0.1]\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	source := dealer.NewCache(dealer.File(name), time.Minute, time.Now, nil)
	p, err := source.Profile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files, err := wellknown.Files(p)
	if err != nil {
		t.Fatal(err)
	}
	endpoint := cloudtest.Moto(t)
	objects := cloudtest.Objects(endpoint)
	bucket := cloudtest.Bucket(t, objects)
	for _, f := range files {
		_, err := objects.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: aws.String(bucket), Key: aws.String(strings.TrimPrefix(f.Path, "/")), Body: strings.NewReader(string(f.Body)),
			ContentType: aws.String(f.ContentType), CacheControl: aws.String(f.CacheControl),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	cloudtest.Put(t, objects, bucket, "dealer.yaml", []byte("secret: yes"))
	parsed := readTemplate(t)
	_, body := parsed.body()
	readable := render(at(parsed.props("SiteReaderRole"), "Policies", 0, "PolicyDocument", "Statement", 0, "Resource"))
	stack = httptest.NewServer(gateway{
		methods: treeAt(body, "paths", file), bucket: endpoint + "/" + bucket,
		readable: strings.TrimPrefix(readable, "${SiteBucket.Arn}"), tidy: tidy,
	})
	agent = httptest.NewServer(wellknown.Handler(source, nil))
	t.Cleanup(stack.Close)
	t.Cleanup(agent.Close)
	return stack, agent
}

// reading is what a reader sees of an answer. Tags and times differ from door
// to door, so only their presence counts.
type reading struct {
	Status int
	Header map[string]string
	Body   string
}

func read(t *testing.T, method, address string, header http.Header) (reading, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	got, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := reading{got.StatusCode, map[string]string{}, string(body)}
	for name := range got.Header {
		switch out.Header[name] = got.Header.Get(name); name {
		case "Etag", "Last-Modified":
			out.Header[name] = "set"
		case "Date", "Content-Length", "Accept-Ranges":
			delete(out.Header, name)
		}
	}
	if got.StatusCode == http.StatusNotModified {
		// Optional where the reader has them already; moto and the agent each leave one out.
		delete(out.Header, "Cache-Control")
		delete(out.Header, "Last-Modified")
	}
	return out, got.Header
}

func TestFilesReadTheSameThroughTheStackAndFromTheAgent(t *testing.T) {
	stack, agent := published(t, asItStands)
	header := func(pairs ...string) func(http.Header) http.Header {
		return func(tags http.Header) http.Header {
			out := http.Header{}
			for n := 0; n < len(pairs); n += 2 {
				out.Set(pairs[n], strings.ReplaceAll(pairs[n+1], "TAG", tags.Get("ETag")))
			}
			return out
		}
	}
	for _, c := range []struct {
		name, method string
		header       func(http.Header) http.Header
		status       int
	}{
		{"a first reading", "GET", header(), 200},
		{"a look at the headers", "HEAD", header(), 200},
		{"a reader who has it", "GET", header("If-None-Match", "TAG"), 304},
		{"a look by one who has it", "HEAD", header("If-None-Match", "TAG"), 304},
		{"a reader who has another", "GET", header("If-None-Match", `"other"`), 200},
		{"a reader who has read it since", "GET", header("If-Modified-Since", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)), 304},
		{"a browser asking whether it may", "OPTIONS", header("Origin", "https://buyer.example", "Access-Control-Request-Method", "GET"), 204},
	} {
		for _, path := range []string{wellknown.CardPath, "/.well-known/agent-card-v1.0.json", "/.well-known/auto-agent-contract.json", "/.well-known/auto-agent-llm-guide.md", wellknown.ToolsPath, wellknown.RegistryPath} {
			t.Run(c.name+" of "+path, func(t *testing.T) {
				var doors []reading
				for _, door := range []*httptest.Server{agent, stack} {
					address := door.URL + path
					_, tags := read(t, "GET", address, http.Header{})
					got, _ := read(t, c.method, address, c.header(tags))
					doors = append(doors, got)
				}
				if diff := cmp.Diff(doors[0], doors[1]); diff != "" {
					t.Errorf("(-agent +stack):\n%s", diff)
				}
				if doors[1].Status != c.status {
					t.Errorf("status %d, want %d", doors[1].Status, c.status)
				}
			})
		}
	}
}

// TestNothingButPublishedFilesLeavesTheBucket tries to reach the profile beside
// the published files, whichever way the path is read on its way to S3.
func TestNothingButPublishedFilesLeavesTheBucket(t *testing.T) {
	for reading, tidy := range map[string]func(string) string{"as it stands": asItStands, "without dots": path.Clean} {
		t.Run(reading, func(t *testing.T) {
			stack, _ := published(t, tidy)
			for _, tried := range []string{
				"/.well-known/none.json", "/.well-known/dealer.yaml", "/.well-known/..%2Fdealer.yaml", "/.well-known/%2e%2e%2fdealer.yaml",
				"/.well-known/x%2F..%2F..%2Fdealer.yaml", "/.well-known/%2e%2e", "/.well-known/..%252Fdealer.yaml", "/.well-known/%3Flist-type=2",
				"/.well-known/%2Fdealer.yaml", "/.well-known/%2F..%2Fdealer.yaml", `/.well-known/..%5Cdealer.yaml`, "/.well-known/..%00%2Fdealer.yaml", "/.well-known/agent-card.json%00", "/.well-known/agent-card.json%2F..%2F..%2Fdealer.yaml",
				"/.well-known/%252e%252e%252fdealer.yaml", "/.well-known/..%EF%BC%8Fdealer.yaml", "/.well-known/%C0%AE%C0%AE%2Fdealer.yaml", "/.well-known/agent-card.json%3FversionId=null", "/.well-known/%23", "/.well-known/" + strings.Repeat("..%2F", 200) + "dealer.yaml",
				"/.well-known/" + strings.Repeat("a", 2000),
			} {
				got, _ := read(t, "GET", stack.URL+tried, http.Header{})
				if got.Status != 404 || got.Header["Content-Type"] != "application/json" || !json.Valid([]byte(got.Body)) || strings.Contains(got.Body, "secret") {
					t.Errorf("%s: %+v", tried, got)
				}
			}
		})
	}
}

func asItStands(path string) string { return path }
