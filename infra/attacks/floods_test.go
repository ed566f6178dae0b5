package attacks

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// disguises are headers that name another caller.
var disguises = [][]string{
	{"X-Forwarded-For", "198.51.100.%d"}, {"X-Forwarded-For", "198.51.100.%d, 10.0.0.1"}, {"X-Real-IP", "198.51.100.%d"},
	{"Forwarded", "for=198.51.100.%d;proto=https"}, {"Forwarded", `for="[2001:db8::%d]"`}, {"True-Client-IP", "198.51.100.%d"},
	{"CF-Connecting-IP", "198.51.100.%d"}, {"CloudFront-Viewer-Address", "198.51.100.%d:443"}, {"Fastly-Client-IP", "198.51.100.%d"},
	{"X-Client-IP", "198.51.100.%d"}, {"X-Cluster-Client-IP", "198.51.100.%d"}, {"X-Originating-IP", "198.51.100.%d"}, {"Via", "1.1 proxy%d"},
	{"Dealer-Viewer", "198.51.100.%d"}, {"Dealer-Origin-Secret", "guess-%d"}, {"X-Amzn-Trace-Id", "Root=1-%d"}, {"User-Agent", "agent %d"},
	{"X-Forwarded-For", "198.51.100.%d", "X-Forwarded-For", "198.51.100.7"}, {"Authorization", "Bearer none-%d"}, {"Cookie", "session=%d"},
}

func TestNoHeaderMakesAnotherCallerOfOne(t *testing.T) {
	t.Parallel()
	v := attack(t, "access: {per_minute: 10}\n")
	for _, d := range []door{doors()[0], doors()[1]} {
		served, began := 0, time.Now()
		for n, disguise := range disguises {
			var headers []string
			for i := 0; i < len(disguise); i += 2 {
				value := disguise[i+1]
				if strings.Contains(value, "%d") {
					value = fmt.Sprintf(value, n)
				}
				headers = append(headers, disguise[i], value)
			}
			got := do(t, "POST", v.url+d.path, d.body, headers...)
			switch {
			case got.status == 200 && !strings.Contains(got.body, "RATE_LIMITED"):
				served++
			case got.status != 429 && !strings.Contains(got.body, "RATE_LIMITED"):
				t.Errorf("%s %v: %d %s", d.name, disguise, got.status, got.body)
			}
		}
		if served < 10 || served > grown(10, began) {
			t.Errorf("%s: %d of %d calls were served, want the 10 of one caller", d.name, served, len(disguises))
		}
	}
}

// TestABuyerBehindAProxyUsesUpNobodyElsesCalls has all calls come through a web
// server before the agent, which adds whom it asks for to what they wrote.
func TestABuyerBehindAProxyUsesUpNobodyElsesCalls(t *testing.T) {
	t.Parallel()
	v := attack(t, "access: {per_minute: 10}\n", "--proxy", "127.0.0.1")
	call := func(written, address string) int {
		return do(t, "POST", v.url+"/a2a", message(information), "X-Forwarded-For", strings.TrimPrefix(written+", "+address, ", ")).status
	}
	refused, began := 0, time.Now()
	for n := range 30 {
		if call(fmt.Sprintf("198.51.100.%d, 127.0.0.1", n), "203.0.113.66") == 429 {
			refused++
		}
	}
	if served := 30 - refused; served > grown(10, began) {
		t.Errorf("one buyer in 30 disguises was refused %d times", refused)
	}
	for n := range 30 {
		if status := call("203.0.113.66", fmt.Sprintf("192.0.2.%d", n)); status != 200 {
			t.Errorf("buyer %d: %d", n, status)
		}
	}
}

// TestSlowAndEndlessRequestsAreCutOff holds connections open in every way that
// costs the attacker little, all at once, and for as long as the agent lets it.
func TestSlowAndEndlessRequestsAreCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the agent's time limits")
	}
	t.Parallel()
	v := attack(t, "access: {per_minute: 100000}\n")
	// limits are the agent's time for headers, and for a request whole.
	const headers, whole, grace = 5 * time.Second, 15 * time.Second, 8 * time.Second
	post := func(more string) string {
		return "POST /a2a HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" + more
	}
	var attackers sync.WaitGroup
	for name, c := range map[string]struct {
		begin, drip string
		limit       time.Duration
	}{
		"nothing is sent":              {"", "", headers},
		"headers that never end":       {"POST /a2a HTTP/1.1\r\nHost: a\r\n", "X-A: b\r\n", headers},
		"a request line that drips":    {"P", "O", headers},
		"a body that drips":            {post("Content-Length: 200000\r\n\r\n"), " ", whole},
		"a body that never comes":      {post("Content-Length: 10\r\n\r\n"), "", whole},
		"chunks that drip":             {post("Transfer-Encoding: chunked\r\n\r\n"), "1\r\n \r\n", whole},
		"chunk extensions that drip":   {post("Transfer-Encoding: chunked\r\n\r\n"), "1;a=b\r\n \r\n", whole},
		"a size of a chunk that drips": {post("Transfer-Encoding: chunked\r\n\r\n"), "0", whole},
		"a body that waits for leave":  {post("Content-Length: 10\r\nExpect: 100-continue\r\n\r\n"), "", whole},
		"a drip to the tools":          {strings.Replace(post("Content-Length: 200000\r\n\r\n"), "/a2a", "/mcp", 1), " ", whole},
	} {
		for range 20 {
			attackers.Go(func() {
				spent := hold(t, v.addr, c.begin, c.drip, c.limit+grace)
				if spent > c.limit+grace {
					t.Errorf("%s: held open for %v", name, spent)
				}
			})
		}
	}
	for range 10 {
		v.stillServes(t)
		time.Sleep(100 * time.Millisecond)
	}
	attackers.Wait()
	v.stillServes(t)
}

// hold opens a connection, sends a beginning and then a drip a tenth of a
// second apart, and tells when it was cut off, or gives up a little after that
// was due.
func hold(t *testing.T, addr, begin, drip string, due time.Duration) time.Duration {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer c.Close()
	began := time.Now()
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, c)
		close(gone)
	}()
	_, _ = io.WriteString(c, begin)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for time.Since(began) <= due {
		select {
		case <-gone:
			return time.Since(began)
		case <-tick.C:
			_, _ = io.WriteString(c, drip)
		}
	}
	return time.Since(began)
}

func TestRequestsThatLieAboutTheirLengthAreRefusedAndNothingBehindThemIsRun(t *testing.T) {
	t.Parallel()
	v := attack(t, "access: {per_minute: 100000}\n")
	big := strings.Repeat(" ", 300<<10)
	smuggled := "POST /a2a HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
	head := func(path, more string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: " + v.addr + "\r\nContent-Type: application/json\r\nConnection: close\r\n" + more + "\r\n"
	}
	const closes = 10 * time.Second
	for name, c := range map[string]struct {
		bytes  string
		status []int
		// within is the time in which the connection ends; 0: when the sender does.
		within time.Duration
	}{
		"longer than is read":            {head("/a2a", fmt.Sprintf("Content-Length: %d\r\n", len(big))) + big, []int{413}, closes},
		"longer than is read, for tools": {head("/mcp", fmt.Sprintf("Content-Length: %d\r\n", len(big))) + big, []int{413}, closes},
		"announced as huge":              {head("/a2a", "Content-Length: 99999999999\r\n") + "{}", []int{413}, closes},
		"announced beyond numbers":       {head("/a2a", "Content-Length: 99999999999999999999999\r\n") + "{}", []int{400}, closes},
		"announced below zero":           {head("/a2a", "Content-Length: -1\r\n") + "{}", []int{400}, closes},
		"announced twice, two lengths":   {head("/a2a", "Content-Length: 2\r\nContent-Length: 90\r\n") + "{}" + smuggled, []int{400}, closes},
		"announced in words":             {head("/a2a", "Content-Length: two\r\n") + "{}", []int{400}, closes},
		"a sign before the length":       {head("/a2a", "Content-Length: +2\r\n") + "{}", []int{400}, closes},
		"length and chunks":              {head("/a2a", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" + smuggled, []int{200, 400}, closes},
		"another coding":                 {head("/a2a", "Transfer-Encoding: gzip, chunked\r\n") + "0\r\n\r\n" + smuggled, []int{400, 501}, closes},
		"a coding with a blank":          {head("/a2a", "Transfer-Encoding : chunked\r\n") + "0\r\n\r\n" + smuggled, []int{400}, closes},
		"a coding with a tab":            {head("/a2a", "Transfer-Encoding: \x0bchunked\r\n") + "0\r\n\r\n" + smuggled, []int{400, 501}, closes},
		"chunks without end":             {head("/a2a", "Transfer-Encoding: chunked\r\n") + strings.Repeat("1000\r\n"+big[:0x1000]+"\r\n", 80), []int{413}, 0},
		"a chunk of any size":            {head("/a2a", "Transfer-Encoding: chunked\r\n") + "ffffffffffffffffff\r\n" + big[:4096], []int{200, 400}, closes},
		"a chunk that is cut short":      {head("/a2a", "Transfer-Encoding: chunked\r\n") + "5\r\n{}\r\n0\r\n\r\n", []int{200, 400}, closes},
		"an expectation of another kind": {head("/a2a", "Expect: the-unexpected\r\nContent-Length: 2\r\n") + "{}", []int{417}, closes},
		"headers without end":            {head("/a2a", strings.Repeat("X-Padding: "+big[:1000]+"x\r\n", 60)), []int{431}, closes},
		"one header without end":         {head("/a2a", "X-Padding: "+strings.Repeat("x", 60<<10)+"\r\n"), []int{431}, closes},
		"a header folded over lines":     {head("/a2a", "X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 2\r\n") + "{}", []int{200, 400}, closes},
		"a NUL in a header":              {head("/a2a", "X-A: \x00\r\nContent-Length: 2\r\n") + "{}", []int{400}, closes},
		"no host":                        {"POST /a2a HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", []int{400}, closes},
		"two hosts":                      {"POST /a2a HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}", []int{400}, closes},
		"an old protocol":                {"POST /a2a HTTP/0.9\r\n\r\n", []int{400, 505}, closes},
		"a new protocol":                 {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{400, 405, 505}, closes},
	} {
		t.Run(name, func(t *testing.T) {
			within := c.within
			if within == 0 {
				within = time.Second // the answer is there; the rest is waited for as long as for any body
			}
			answer, closed := raw(t, v.addr, within, c.bytes)
			var status int
			if _, err := fmt.Sscanf(answer, "HTTP/1.1 %d", &status); err != nil || !closed && c.within > 0 {
				t.Fatalf("closed %t: %.200q", closed, answer)
			}
			if n := strings.Count(answer, "HTTP/1.1 "); n != 1 {
				t.Errorf("%d answers to one request: %.400q", n, answer)
			}
			for _, want := range c.status {
				if status == want {
					return
				}
			}
			t.Errorf("%d, want one of %v: %.300q", status, c.status, answer)
		})
	}
	v.stillServes(t)
	if got := do(t, http.MethodPost, v.url+"/a2a", `{"jsonrpc":"2.0","id":1}`+strings.Repeat(" ", 300<<10)); got.status != 413 {
		t.Errorf("by an ordinary client: %d", got.status)
	}
}
