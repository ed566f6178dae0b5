package mcptools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dealer-agent/dealer/pkg/agent/agenttest"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/mcptools"
)

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"

// overStdio pipes text in and returns the lines that come out.
func overStdio(t *testing.T, c mcptools.Config, in io.Reader) []string {
	t.Helper()
	var out bytes.Buffer
	if err := mcptools.ServeStdio(t.Context(), c, in, &out); err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(out.String()) {
		if !json.Valid([]byte(line)) || !strings.HasSuffix(line, "\n") {
			t.Fatalf("no message: %q", line)
		}
		list = append(list, line)
	}
	return list
}

// oneByte gives what it reads byte by byte.
type oneByte struct{ io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.Reader.Read(p[:min(1, len(p))]) }

func TestEveryRequestOfAnEndedInputIsAnswered(t *testing.T) {
	s := agenttest.New(t, agenttest.Profile)
	c := mcptools.Config{Agent: s.Agent, Profiles: dealer.Fixed(s.Profile)}
	in := hello
	for i := range 50 {
		in += strings.Replace(toolCall("aap_inventory_search", `{}`), `"id":1`, fmt.Sprintf(`"id":%d`, i), 1) + "\n"
		in += strings.Replace(toolCall("aap_inventory_facets", `{}`), `"id":1`, fmt.Sprintf(`"id":"%d"`, i), 1) + "\n"
	}
	want := map[string]bool{}
	for line := range strings.Lines(in) {
		var m struct{ ID json.RawMessage }
		_ = json.Unmarshal([]byte(line), &m)
		want[string(m.ID)] = true
	}
	for name, reader := range map[string]io.Reader{"at once": strings.NewReader(in), "byte by byte": oneByte{strings.NewReader(in)}, "without the last line feed": strings.NewReader(strings.TrimSuffix(in, "\n"))} {
		got := map[string]bool{}
		for _, line := range overStdio(t, c, reader) {
			var m struct{ ID json.RawMessage }
			_ = json.Unmarshal([]byte(line), &m)
			got[string(m.ID)] = true
		}
		for id := range want {
			if !got[id] {
				t.Errorf("%s: request %s has no answer", name, id)
			}
		}
	}
}

// FuzzPipe: whatever lines a host writes, what comes out is messages, and the
// request after them is answered.
func FuzzPipe(f *testing.F) {
	for _, seed := range []string{
		"", "x", "{}", "[]", "[[]]", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"},7]`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"last"}}`,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, "\r\n\r\n", "\x00\xff",
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"hello","method":"subscriptions/listen","params":{}}`,
	} {
		f.Add([]byte(seed))
	}
	s := agenttest.New(f, agenttest.Profile)
	c := mcptools.Config{Agent: s.Agent, Profiles: dealer.Fixed(s.Profile)}
	f.Fuzz(func(t *testing.T, lines []byte) {
		if bytes.Contains(lines, []byte("last")) || bytes.Contains(lines, []byte(`\u`)) {
			return // the id of the last request may be cancelled, or be in use
		}
		began := time.Now()
		in := hello + string(lines) + "\n" + `{"jsonrpc":"2.0","id":"last","method":"ping"}` + "\n"
		if answers := strings.Join(overStdio(t, c, strings.NewReader(in)), ""); !strings.Contains(answers, `"id":"last"`) {
			t.Errorf("after %q the next request has no answer: %s", lines, answers)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("after %q the end took %v: an answer is waited for that never comes", lines, took)
		}
	})
}
