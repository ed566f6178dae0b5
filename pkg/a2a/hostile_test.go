package a2a_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
)

// hostile are bodies of nearly the longest length that is read, each made to
// cost a naive reader much.
func hostile() map[string]string {
	fill := func(prefix, piece, suffix string) string {
		n := (a2a.MaxBody - len(prefix) - len(suffix)) / len(piece)
		return prefix + strings.Repeat(piece, n) + suffix
	}
	members := func(prefix, suffix string) string {
		var b strings.Builder
		b.WriteString(prefix)
		for i := 0; b.Len() < a2a.MaxBody-64-len(suffix); i++ {
			fmt.Fprintf(&b, `"k%d":0,`, i)
		}
		b.WriteString(`"z":0`)
		b.WriteString(suffix)
		return b.String()
	}
	in := func(payload string) (string, string) {
		head, tail, _ := strings.Cut(message("@"), "@")
		p, s, _ := strings.Cut(payload, "@")
		return head + p, s + tail
	}
	filters := func(inside string) (string, string) {
		return in(`{"type":"inventory.search.request","filters":{` + inside + `}}`)
	}
	makes, makesEnd := filters(`"make":[@"x"]`)
	bad, badEnd := filters(`"make":[@0]`)
	dup, dupEnd := filters(`@"make":[]`)
	unknown, unknownEnd := filters(`@`)
	digits, digitsEnd := filters(`"price_max":1@`)
	deep, deepEnd := filters(`"make":@`)
	escapes, escapesEnd := filters(`"query":"@"`)
	half := a2a.MaxBody/2 - 400
	return map[string]string{
		"brackets":          fill("", "[", ""),
		"braces":            fill("", `{"a":`, ""),
		"blanks":            fill("", " ", ""),
		"numbers":           fill("[", "1,", "1]"),
		"a batch":           fill("[", `{"jsonrpc":"2.0","id":1,"method":"SendMessage"},`, "1]"),
		"members outside":   members(`{"jsonrpc":"2.0","id":1,"method":"SendMessage",`, `}`),
		"members in params": members(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{`, `}}`),
		"parts":             fill(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[`, `{},`, `{}]}}}`),
		"parts of nothing":  fill(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[`, `0,`, `0]}}}`),
		"output modes":      fill(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"configuration":{"acceptedOutputModes":[`, `"a",`, `"a"]},"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"type":"dealer.information.request"}}]}}}`),
		"a long id":         fill(`{"jsonrpc":"2.0","id":"`, "x", `","method":"Nope"}`),
		"a long method":     fill(`{"jsonrpc":"2.0","id":1,"method":"`, "/", `"}`),
		"a long type":       fill(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"type":"a.`, "b", `"}}]}}}`),
		"many makes":        fill(makes, `"Q",`, makesEnd),
		"many wrong makes":  fill(bad, `0,`, badEnd),
		"duplicate names":   fill(dup, `"make":[],`, dupEnd),
		"unknown filters":   members(unknown, unknownEnd),
		"many digits":       fill(digits, `0`, digitsEnd),
		"deep filters":      deep + strings.Repeat("[", half) + strings.Repeat("]", half) + deepEnd,
		"escapes":           fill(escapes, `\ud800`, escapesEnd),
	}
}

// TestHostileBodiesAreAnsweredQuickly counts the handler's own work, and takes
// the best of some tries for what the caches of the machine do to it.
func TestHostileBodiesAreAnsweredQuickly(t *testing.T) {
	if testing.Short() {
		t.Skip("counts CPU time")
	}
	h := handler(agenttest.New(t, agenttest.Profile+"access: {per_minute: 100000}\n"))
	post(t, h, message(`{"type":"inventory.search.request"}`)) // compiles the schema
	for name, body := range hostile() {
		quick(t, h, name, body)
	}
}

// quick asserts that a body of nearly the longest length costs little.
func quick(t *testing.T, h http.Handler, name, body string) {
	t.Helper()
	if len(body) > a2a.MaxBody || len(body) < a2a.MaxBody*17/20 {
		t.Fatalf("%s has %d bytes", name, len(body))
	}
	limit := 50 * time.Millisecond
	if raceDetector {
		limit *= 10
	}
	best := time.Hour
	var w *httptest.ResponseRecorder
	for range 30 {
		took := cpuTime(t, func() { w, _ = post(t, h, body) })
		if best = min(best, took); best <= limit {
			break
		}
	}
	if best > limit {
		t.Errorf("%s took %v, want at most %v", name, best, limit)
	}
	if w.Body.Len() > 4<<20 {
		t.Errorf("%s is answered with %d bytes", name, w.Body.Len())
	}
	t.Logf("%-18s %8v %7d bytes back", name, best.Round(10*time.Microsecond), w.Body.Len())
}

func TestOneByteTooManyIsRefusedUnread(t *testing.T) {
	h := handler(agenttest.New(t, agenttest.Profile))
	fits := message(information)
	fits += strings.Repeat(" ", a2a.MaxBody-len(fits))
	if w, got := post(t, h, fits); w.Code != http.StatusOK || got.code() != 0 {
		t.Errorf("%d bytes: %d %s", len(fits), w.Code, w.Body)
	}
	if w, got := post(t, h, fits+" "); w.Code != http.StatusRequestEntityTooLarge || got.code() != -32600 {
		t.Errorf("%d bytes: %d %s", len(fits)+1, w.Code, w.Body)
	}
	r := httptest.NewRequest(http.MethodPost, "/a2a", strings.NewReader(fits+" "))
	r.ContentLength = -1 // chunked: the length shows only when it is read
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("chunked: %d", w.Code)
	}
}

// internals are words that would show that something of the inside got out.
var internals = regexp.MustCompile(`goroutine|runtime error|panic|\.go:\d|/pkg/|github\.com/dealer-agent|json: |unmarshal|0x[0-9a-f]{6}`)

// checkAnswer asserts what holds for the answer to any bytes whatever.
func checkAnswer(t *testing.T, request []byte, w *httptest.ResponseRecorder) {
	t.Helper()
	switch w.Code {
	case 200, 401, 404, 405, 413, 415, 429:
	default:
		t.Fatalf("HTTP status %d", w.Code)
	}
	body := w.Body.Bytes()
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	var answer struct {
		Version string           `json:"jsonrpc"`
		ID      json.RawMessage  `json:"id"`
		Result  *json.RawMessage `json:"result"`
		Error   *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if err := d.Decode(&answer); err != nil || d.More() {
		t.Fatalf("no single JSON object: %v: %.200s", err, body)
	}
	if answer.Version != "2.0" || len(answer.ID) == 0 || (answer.Result == nil) == (answer.Error == nil) {
		t.Fatalf("no JSON-RPC answer: %.200s", body)
	}
	if e := answer.Error; e != nil && (e.Message == "" || e.Code > -32000 || e.Code < -32700 || e.Code == -32603) {
		t.Fatalf("error %d %q", e.Code, e.Message)
	}
	// What the caller wrote may come back; anything else of the kind may not.
	if found := internals.Find(body); found != nil && !bytes.Contains(request, found) {
		t.Fatalf("internal text %q in %.300s", found, body)
	}
}

func FuzzHandler(f *testing.F) {
	for _, seed := range []string{
		"", "{", "[]", "null", message(information), message(leadPayload), withParts(`[{"text":"hi"}]`),
		message(`{"type":"inventory.search.request","filters":{"make":["Honda"],"price_max":3e4},"sort":{"field":"price","order":"asc"}}`),
		message(`{"type":"inventory.facets.request"}`), message(`{"type":"inventory.vehicle.request","stock":"H-1107"}`),
		`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":5}}`,
		`{"jsonrpc":"2.0","id":"x","method":"GetTask","params":{"id":"t"}}`, withModes(information, `["a/b"]`),
	} {
		f.Add([]byte(seed), "application/json", "1.0", aapHeader, "/a2a")
		f.Add([]byte(seed), "application/json", "", "", "/a2a/?A2A-Version=%zz")
		f.Add([]byte(strings.Replace(seed, "SendMessage", "message/send", 1)), "application/json", "", "", "/a2a/v0.1")
		f.Add([]byte(seed), "application/json", "", "", "/a2a/v1.0/message:send")
	}
	for _, body := range []string{"{}", restMessage(information), restMessage(leadPayload), restMessage(`{"type":"inventory.search.request","sort":{}}`)} {
		f.Add([]byte(body), "application/a2a+json", "1.0", "", "/a2a/v0.1/message:send")
	}
	f.Add([]byte("x"), "text/plain;charset", "0.3", ",,", "/b")
	h := handler(agenttest.New(f, agenttest.Profile+allVersions()+"access: {per_minute: 1000000, leads_per_hour: 1000000}\n"))
	f.Fuzz(func(t *testing.T, body []byte, media, version, extensions, target string) {
		r, err := http.NewRequest(http.MethodPost, "http://agent.example"+target, bytes.NewReader(body))
		if err != nil {
			t.Skip()
		}
		r.RemoteAddr = "203.0.113.9:4711"
		r.Header = http.Header{"Content-Type": {media}, "A2a-Version": {version}, "A2a-Extensions": {extensions}}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		request := append(append(append(bytes.Clone(body), media...), version...), target...)
		if strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), "/message:send") && w.Code != http.StatusNotFound || bytes.HasPrefix(w.Body.Bytes(), []byte(`{"error"`)) {
			checkRestAnswer(t, request, w)
			return
		}
		checkAnswer(t, request, w)
	})
}

// checkRestAnswer asserts of HTTP+JSON what checkAnswer does of JSON-RPC.
func checkRestAnswer(t *testing.T, request []byte, w *httptest.ResponseRecorder) {
	t.Helper()
	body := w.Body.Bytes()
	var answer struct {
		Message json.RawMessage `json:"message"`
		Error   *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("no JSON: %v: %.200s", err, body)
	}
	if failed := w.Code != http.StatusOK; failed != (answer.Error != nil) || failed == (answer.Message != nil) {
		t.Fatalf("%d with %.200s", w.Code, body)
	}
	if e := answer.Error; e != nil && (e.Code != w.Code || e.Message == "" || e.Code >= 500) {
		t.Fatalf("%d with %.200s", w.Code, body)
	}
	if found := internals.Find(body); found != nil && !bytes.Contains(request, found) {
		t.Fatalf("internal text %q in %.300s", found, body)
	}
}

func TestHostileBodiesGetWellFormedAnswers(t *testing.T) {
	h := handler(agenttest.New(t, agenttest.Profile+allVersions()))
	for name, body := range hostile() {
		t.Run(name, func(t *testing.T) {
			w, _ := post(t, h, body)
			checkAnswer(t, []byte(body), w)
			checkAnswer(t, []byte(body), send(h, "/a2a/v0.1", body))
			checkRestAnswer(t, []byte(body), send(h, "/a2a/v0.1/message:send", body))
			checkRestAnswer(t, []byte(body), send(h, "/a2a/v1.0/message:send", `{"message":`+body+`}`))
		})
	}
}
