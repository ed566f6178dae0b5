package mcptools

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// longestLine is the longest message that is read from a pipe, in bytes.
const longestLine = 4 << 20

// pipe stands between the library and a host's two pipes, one message a line
// (MCP 2026-07-28 stdio). The library drops the answers under way when its
// input ends, and ends at the first line it cannot read. Here the input ends
// only after the last answer, and such a line is answered and passed over.
type pipe struct {
	in  *bufio.Reader
	out io.Writer
	// patience is how long the end of the input waits for answers.
	patience time.Duration
	ready    []byte // checked lines that were not read yet

	writing sync.Mutex

	mu      sync.Mutex
	pending map[string]bool // requests of the host without an answer
	asked   map[string]bool // requests to the host without one
	changed chan struct{}   // closed at each change
	closed  chan struct{}
	close   func()
}

func newPipe(in io.Reader, out io.Writer, patience time.Duration) *pipe {
	p := &pipe{
		in: bufio.NewReaderSize(in, 64<<10), out: out, patience: patience,
		pending: map[string]bool{}, asked: map[string]bool{}, changed: make(chan struct{}), closed: make(chan struct{}),
	}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

// Read gives the library whole, well-formed lines.
func (p *pipe) Read(b []byte) (int, error) {
	for len(p.ready) == 0 {
		line, fits, err := p.line()
		if len(bytes.TrimSpace(line)) > 0 || !fits {
			p.take(line, fits)
		}
		if err != nil && len(p.ready) == 0 {
			p.settle()
			return 0, err
		}
	}
	n := copy(b, p.ready)
	p.ready = p.ready[n:]
	return n, nil
}

// line reads up to the next line feed; fits is false for a line that is too
// long, of which nothing is kept.
func (p *pipe) line() (line []byte, fits bool, err error) {
	fits = true
	for {
		part, err := p.in.ReadSlice('\n')
		if len(line)+len(part) > longestLine {
			line, fits = nil, false
		}
		if fits {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, fits, err
		}
	}
}

// take notes the messages of a line and passes them on, each on a line of its
// own, or answers what is none.
func (p *pipe) take(line []byte, fits bool) {
	line = bytes.TrimSpace(line)
	if !fits || !json.Valid(line) {
		p.complain(jsonrpc.CodeParseError, "This line is no JSON, or is too long. Send one message a line.")
		return
	}
	messages := []json.RawMessage{line}
	if line[0] == '[' {
		messages = nil
		_ = json.Unmarshal(line, &messages) // it is valid
	}
	for _, raw := range messages {
		message, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			p.complain(jsonrpc.CodeInvalidRequest, "This is no JSON-RPC 2.0 message.")
			continue
		}
		p.note(message, p.pending, p.asked)
		p.ready = append(append(p.ready, raw...), '\n')
	}
}

// note remembers a message of one side: its requests wait for the other side,
// its responses end a wait. A subscription has no end of its own.
func (p *pipe) note(message jsonrpc.Message, waiting, waited map[string]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m := message.(type) {
	case *jsonrpc.Request:
		if m.IsCall() && m.Method != "subscriptions/listen" {
			waiting[key(m.ID)] = true
		}
	case *jsonrpc.Response:
		delete(waited, key(m.ID))
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// key tells the id 1 from the id "1".
func key(id jsonrpc.ID) string {
	raw, _ := json.Marshal(id.Raw())
	return string(raw)
}

func (p *pipe) complain(code int, message string) {
	doc, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": message}})
	p.writing.Lock()
	defer p.writing.Unlock()
	_, _ = p.out.Write(append(doc, '\n')) // fails when there is nobody left to tell
}

// settle waits for the answers under way, unless one of them waits for the
// host, which has hung up.
func (p *pipe) settle() {
	over := time.NewTimer(p.patience)
	defer over.Stop()
	for {
		p.mu.Lock()
		done, changed := len(p.pending) == 0 || len(p.asked) > 0, p.changed
		p.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-over.C:
			return
		case <-p.closed:
			return
		}
	}
}

// Write sends one message of the library.
func (p *pipe) Write(line []byte) (int, error) {
	p.writing.Lock()
	n, err := p.out.Write(line)
	p.writing.Unlock()
	if message, wrong := jsonrpc.DecodeMessage(bytes.TrimSpace(line)); wrong == nil {
		p.note(message, p.asked, p.pending)
	}
	return n, err
}

// Close ends the waiting; the pipes belong to the process.
func (p *pipe) Close() error {
	p.close()
	return nil
}
