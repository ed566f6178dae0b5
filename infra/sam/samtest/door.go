package samtest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/textproto"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// CloudFront's own policies that are known here (CloudFront Developer Guide,
// managed cache and origin request policies).
const (
	cachingDisabled     = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
	cachingOptimized    = "658327ea-f89d-4fab-a63d-7e88639e58f6"
	allViewer           = "216adef6-5c7f-47e4-b989-5492eafa07d3"
	allViewerExceptHost = "b689b0a8-53d0-40ab-baf2-68738e2966ac"
)

// distribution is a CloudFront distribution before the stack's API.
type distribution struct {
	stack  *Stack
	config tree
	client *http.Client

	// shown are the headers that an origin gets besides, by its id.
	shown map[string]http.Header

	mu   sync.Mutex
	kept map[string]copied
}

// copied is a file that is kept as long as its Cache-Control says.
type copied struct {
	status int
	header http.Header
	body   []byte
	until  time.Time
}

func newDistribution(s *Stack, config tree) (*distribution, error) {
	d := &distribution{stack: s, config: config, kept: map[string]copied{}, shown: map[string]http.Header{}}
	for _, origin := range listAt(config, "Origins") {
		header := http.Header{}
		for _, each := range listAt(origin, "OriginCustomHeaders") {
			value, err := s.reveal(textAt(each, "HeaderValue"))
			if err != nil {
				return nil, err
			}
			header.Set(textAt(each, "HeaderName"), value)
		}
		d.shown[textAt(origin, "Id")] = header
	}
	dialer := &net.Dialer{}
	d.client = &http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if host, _, _ := net.SplitHostPort(address); host != s.api.Host() {
				return nil, fmt.Errorf("%s is not the stack's API", address)
			}
			return dialer.DialContext(ctx, network, s.api.server.Listener.Addr().String())
		}},
	}
	s.t.Cleanup(d.client.CloseIdleConnections)
	return d, nil
}

func (d *distribution) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = map[string]copied{}
}

func (d *distribution) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	behavior := d.behavior(r.URL.Path)
	if !slices.Contains(listAt(behavior, "AllowedMethods"), any(r.Method)) {
		http.Error(w, "This distribution is not configured to allow the HTTP request method that was used for this request.", http.StatusForbidden)
		return
	}
	if err := d.viewerFunctions(behavior, r); err != nil {
		d.stack.fail("%v", err)
		http.Error(w, "The CloudFront function returned an error.", http.StatusServiceUnavailable)
		return
	}
	answer, err := d.fetch(behavior, r)
	if err != nil {
		if r.Context().Err() == nil {
			d.stack.fail("CloudFront: %s %s: %v", r.Method, r.URL.Path, err)
		}
		http.Error(w, "The origin closed the connection.", http.StatusBadGateway)
		return
	}
	maps.Copy(w.Header(), answer.header)
	if tag := answer.header.Get("ETag"); tag != "" && answer.status == http.StatusOK && sameTag(r.Header.Get("If-None-Match"), tag) {
		w.Header().Del("Content-Length")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(answer.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(answer.body)
	}
}

func sameTag(asked, tag string) bool {
	return slices.ContainsFunc(strings.Split(asked, ","), func(each string) bool {
		each = strings.TrimSpace(each)
		return each == "*" || strings.TrimPrefix(each, "W/") == strings.TrimPrefix(tag, "W/")
	})
}

// behavior is the first whose path pattern fits, else the default.
func (d *distribution) behavior(asked string) tree {
	for _, b := range listAt(d.config, "CacheBehaviors") {
		if glob(textAt(b, "PathPattern"), asked) {
			return b.(tree)
		}
	}
	return treeAt(d.config, "DefaultCacheBehavior")
}

// fetch asks the origin unless a copy is kept.
func (d *distribution) fetch(behavior tree, r *http.Request) (copied, error) {
	policy := textAt(behavior, "CachePolicyId")
	if policy != cachingDisabled && policy != cachingOptimized {
		return copied{}, fmt.Errorf("nothing is known here of cache policy %s", policy)
	}
	keeps := policy == cachingOptimized && (r.Method == http.MethodGet || r.Method == http.MethodHead)
	key := r.Method + " " + r.URL.EscapedPath()
	if keeps {
		d.mu.Lock()
		copy, found := d.kept[key]
		d.mu.Unlock()
		if found && time.Now().Before(copy.until) {
			return copy, nil
		}
	}
	asked, err := d.originRequest(behavior, r)
	if err != nil {
		return copied{}, err
	}
	got, err := d.client.Do(asked)
	if err != nil {
		return copied{}, err
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	answer := copied{got.StatusCode, got.Header, body, time.Now().Add(maxAge(got.Header))}
	if keeps && err == nil && got.StatusCode == http.StatusOK {
		d.mu.Lock()
		d.kept[key] = answer
		d.mu.Unlock()
	}
	return answer, err
}

var age = regexp.MustCompile(`\b(s-maxage|max-age)=(\d+)`)

// maxAge is how long an answer may be kept: a day when it does not say.
func maxAge(h http.Header) time.Duration {
	control := h.Get("Cache-Control")
	if strings.Contains(control, "no-store") || strings.Contains(control, "no-cache") || strings.Contains(control, "private") {
		return 0
	}
	found := age.FindStringSubmatch(control)
	if found == nil {
		return 24 * time.Hour
	}
	seconds, _ := strconv.Atoi(found[2])
	return time.Duration(seconds) * time.Second
}

// originRequest is the request as the origin gets it.
func (d *distribution) originRequest(behavior tree, r *http.Request) (*http.Request, error) {
	var origin tree
	for _, o := range listAt(d.config, "Origins") {
		if textAt(o, "Id") == textAt(behavior, "TargetOriginId") {
			origin, _ = o.(tree)
		}
	}
	if origin == nil {
		return nil, fmt.Errorf("there is no origin %s", textAt(behavior, "TargetOriginId"))
	}
	// TLS to the origin is left out here.
	target := "http://" + textAt(origin, "DomainName") + textAt(origin, "OriginPath") + r.URL.EscapedPath()
	header := http.Header{}
	switch policy := textAt(behavior, "OriginRequestPolicyId"); policy {
	case allViewer, allViewerExceptHost:
		header = r.Header.Clone()
		if r.URL.RawQuery != "" {
			target += "?" + r.URL.RawQuery
		}
	case "":
		header.Set("User-Agent", "Amazon CloudFront")
	default:
		return nil, fmt.Errorf("nothing is known here of origin request policy %s", policy)
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, target, r.Body)
	if err != nil {
		return nil, err
	}
	out.ContentLength = r.ContentLength
	if out.Header = header; textAt(behavior, "OriginRequestPolicyId") == allViewer {
		out.Host = r.Host
	}
	for _, name := range []string{"Connection", "Expect", "Proxy-Connection", "Trailer", "Upgrade"} {
		out.Header.Del(name)
	}
	viewer, _, _ := net.SplitHostPort(r.RemoteAddr)
	out.Header.Set("X-Forwarded-For", strings.Join(append(out.Header.Values("X-Forwarded-For"), viewer), ", "))
	out.Header.Set("Via", "1.1 "+path.Base(r.Host)+" (CloudFront)")
	maps.Copy(out.Header, d.shown[textAt(origin, "Id")])
	return out, nil
}

// statement is what viewer functions are made of here: a header that is set to
// something that only CloudFront knows.
var (
	viewerFunction = regexp.MustCompile(`^function handler\(event\) \{\s*((?:event\.request\.headers\['[\w-]+'\] = \{value: [\w.]+\};\s*)*)return event\.request;\s*\}$`)
	statement      = regexp.MustCompile(`event\.request\.headers\['([\w-]+)'\] = \{value: ([\w.]+)\};`)
	comments       = regexp.MustCompile(`(?m)^\s*//.*$`)
)

func (s *Stack) addViewerFunction(arn, code string) error {
	code = strings.TrimSpace(comments.ReplaceAllString(code, ""))
	if !viewerFunction.MatchString(code) {
		return fmt.Errorf("what this viewer function does is not known here:\n%s", code)
	}
	if s.viewer == nil {
		s.viewer = map[string][][]string{}
	}
	s.viewer[arn] = statement.FindAllStringSubmatch(code, -1)
	return nil
}

// viewerFunctions run the functions of the behavior on the request.
func (d *distribution) viewerFunctions(behavior tree, r *http.Request) error {
	for _, association := range listAt(behavior, "FunctionAssociations") {
		statements, known := d.stack.viewer[textAt(association, "FunctionARN")]
		if !known || textAt(association, "EventType") != "viewer-request" {
			return fmt.Errorf("the distribution runs %v, which is not made", association)
		}
		for _, each := range statements {
			name := textproto.CanonicalMIMEHeaderKey(each[1])
			switch each[2] {
			case "event.viewer.ip":
				viewer, _, _ := net.SplitHostPort(r.RemoteAddr)
				r.Header.Set(name, viewer)
			case "event.request.headers.host.value":
				r.Header.Set(name, r.Host)
			default:
				return fmt.Errorf("what %s is, is not known here", each[2])
			}
		}
	}
	return nil
}
