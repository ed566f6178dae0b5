package mcptools

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// mostInBatch is how many messages one request may hold. Batches are of MCP
// 2025-03-26 alone, and each of their messages may have a long answer and has a
// line in the log.
const mostInBatch = 20

// tooMany reports whether a request is a batch of more messages. The body can
// still be read whole; what is no JSON is the library's to refuse.
func tooMany(r *http.Request) bool {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	r.Body = unread{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	if err != nil || !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		return false
	}
	messages := json.NewDecoder(bytes.NewReader(body))
	if _, err := messages.Token(); err != nil {
		return false
	}
	for n := 0; messages.More(); n++ {
		var one json.RawMessage
		if messages.Decode(&one) != nil {
			return false
		}
		if n == mostInBatch {
			return true
		}
	}
	return false
}

// unread is a body whose beginning was read and is read again.
type unread struct {
	io.Reader
	io.Closer
}
