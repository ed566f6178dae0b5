package attacks

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// paths are what is tried to reach a file that is not published, from below
// /.well-known/ and elsewhere.
var paths = []string{
	"/.well-known/../dealer.yaml", "/.well-known/../../dealer.yaml", "/.well-known/%2e%2e/dealer.yaml", "/.well-known/%2e%2e%2fdealer.yaml",
	"/.well-known/..%2fdealer.yaml", "/.well-known/..%2Fdata%2Fdealer.db", "/.well-known/%252e%252e%252fdealer.yaml", "/.well-known/..%255cdealer.yaml",
	`/.well-known/..\dealer.yaml`, "/.well-known/..%5cdealer.yaml", "/.well-known/%5c..%5c..%5cdealer.yaml", "/.well-known/%c0%ae%c0%ae/dealer.yaml",
	"/.well-known/%e0%80%ae%e0%80%ae/dealer.yaml", "/.well-known/..;/dealer.yaml", "/.well-known/....//dealer.yaml", "/.well-known/./../dealer.yaml",
	"//dealer.yaml", "/.well-known//etc/passwd", "/.well-known/%2fetc%2fpasswd", "/.well-known/file:///etc/passwd", "/dealer.yaml", "/data/", "/outbox/",
	"/.well-known/dealer.yaml", "/.well-known/agent-card.json%00.yaml", "/.well-known/%00", "/.well-known/agent-card.json/../../dealer.yaml",
	"/.well-known/agent-card.json%2f..%2f..%2fdealer.yaml", "/.well-known/agent-card.json;.css", "/.well-known/agent-card.json%20", "/.well-known/AGENT-CARD.JSON",
	"/.well-known/", "/.well-known", "/.well-known/?list-type=2", "/.well-known/*", "/.git/config", "/debug/pprof/", "/metrics", "/a2a/../dealer.yaml", "/mcp/../dealer.yaml",
	"/a2a/v1.3/../../dealer.yaml", "/a2a/%2e%2e/dealer.yaml", "/.well-known/" + strings.Repeat("../", 500) + "etc/passwd", "/.well-known/" + strings.Repeat("a", 20_000),
	"http://127.0.0.1:1/.well-known/agent-card.jsonx", "/.well-known/%zz", "/.well-known/agent-card.json?file=../dealer.yaml&path=/etc/passwd#/etc/passwd",
}

// outside are words of files that are not published.
var outside = []string{unpublished, "root:", "1HGCV1F30KA000001"}

func TestNoPathLeadsOutOfThePublishedFiles(t *testing.T) {
	t.Parallel()
	v := attack(t, "")
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "PROPFIND"} {
			answer, closed := raw(t, v.addr, 5*time.Second, method+" "+path+" HTTP/1.1\r\nHost: "+v.addr+"\r\nConnection: close\r\n\r\n")
			var status int
			if _, err := fmt.Sscanf(answer, "HTTP/1.1 %d", &status); err != nil || !closed {
				t.Errorf("%s %.60s: %.100q", method, path, answer)
				continue
			}
			public := strings.HasPrefix(path, "/.well-known/agent-card.json?") && (method == "GET" || method == "HEAD")
			switch {
			case public && status == 200:
			case status == 301 || status == 307 || status == 308: // the tidied path, which is tried beside it
				_, location, _ := strings.Cut(answer, "\r\nLocation: ")
				if location, _, _ = strings.Cut(location, "\r\n"); !strings.HasPrefix(location, "/") || strings.HasPrefix(location, "//") || strings.HasPrefix(location, `/\`) {
					t.Errorf("%s %.60s leads to another host: %q", method, path, location)
				}
			case status != 400 && status != 404 && status != 405:
				t.Errorf("%s %.60s: %.100q", method, path, answer)
			}
			for _, word := range outside {
				if strings.Contains(answer, word) {
					t.Errorf("%s %.60s gives away %s", method, path, word)
				}
			}
		}
	}
	// Where a client tidies the path itself, what is left is none either.
	for _, path := range []string{"/dealer.yaml", "/data/dealer.db", "/outbox", "/" + unpublished, "/etc/passwd"} {
		if got := do(t, "GET", v.url+path, ""); got.status != 404 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	v.stillServes(t)
}
