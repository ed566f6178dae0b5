package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

var (
	// ErrNotAAP: the card declares no version of AAP that the client speaks.
	ErrNotAAP = errors.New("the agent declares no common version of the Auto Agent Protocol")
	// ErrTooLong: the other side sent more than the client reads.
	ErrTooLong = errors.New("the answer is longer than the client reads")
)

// The most a client reads, in bytes.
const (
	maxCard   = 1 << 20
	maxAnswer = 8 << 20
)

// Client is a buyer agent's side: it reads cards and manifests. The zero value
// works.
type Client struct {
	// HTTP carries the requests. Default: a client with a time-out of 30s.
	// Redirects of calls are never followed: some turn a POST into a GET, and
	// a lead goes only where the card says.
	HTTP *http.Client
	// Token is sent as bearer token to the host the card came from, and to no other.
	Token string
	// Versions are the contracts the caller speaks, best first. Default: all
	// of this package's, newest first.
	Versions []aap.Version
	// NewID makes message and request ids. Default UUIDv7.
	NewID func() string
}

// Remote is an agent whose card was read.
type Remote struct {
	// Card is the one that declares Version.
	Card AgentCard
	// RawCard is the card as it was served.
	RawCard []byte
	// Version is the contract that calls use, Endpoint the URL they go to.
	Version  aap.Version
	Endpoint string

	binding string
	client  Client
	http    *http.Client
}

// Binding is how the endpoint is spoken to: JSONRPC, or HTTP+JSON.
func (r *Remote) Binding() string { return r.binding }

// Call sends one payload to a skill and returns the response payload. A
// payload without "type" is given the skill's; one that names another skill is
// a call of that one. An AAP error comes back as *Refusal, any other JSON-RPC
// error as *RPCError, and what is no answer of the binding as *NoAnswer.
func (r *Remote) Call(ctx context.Context, skill aap.Skill, payload []byte) ([]byte, error) {
	skill, payload, err := typed(skill, payload)
	if err != nil {
		return nil, err
	}
	id := r.client.NewID()
	params := map[string]any{
		"message": map[string]any{
			"messageId": r.client.NewID(), "role": "ROLE_USER",
			"parts": []any{map[string]any{"data": json.RawMessage(payload), "mediaType": skill.RequestMediaType()}},
		},
		"configuration": map[string]any{"acceptedOutputModes": []string{skill.ResponseMediaType()}},
	}
	to, read := strings.TrimSuffix(r.Endpoint, "/")+sendPath, readREST
	if r.binding == bindingRPC {
		params = map[string]any{"jsonrpc": "2.0", "id": id, "method": sendMessage, "params": params}
		to, read = r.Endpoint, readRPC
	}
	body, err := aap.AppendValue(nil, params)
	if err != nil {
		return nil, fmt.Errorf("the payload is not JSON: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", skill.ID, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set(versionHeader, protocolVersion)
	req.Header.Set(extensionsHeader, r.Version.ExtensionURI)
	if r.client.Token != "" {
		req.Header.Set("Authorization", "Bearer "+r.client.Token)
	}
	resp, err := r.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", skill.ID, err)
	}
	defer resp.Body.Close()
	raw, err := readAtMost(resp.Body, maxAnswer)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", skill.ID, err)
	}
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode/100 == 3 {
		return nil, fmt.Errorf("call %s: HTTP status %d: %s redirects to %s, and calls follow no redirects", skill.ID, resp.StatusCode, r.Endpoint, printable(to))
	}
	return read(resp.StatusCode, id, skill, raw)
}

// typed checks that the payload is an object, gives it a type when it has none,
// and returns the skill its type names.
func typed(skill aap.Skill, payload []byte) (aap.Skill, []byte, error) {
	if len(bytes.TrimSpace(payload)) == 0 {
		payload = []byte("{}")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(payload, &members); err != nil || members == nil {
		return skill, nil, fmt.Errorf("the payload of %s must be a JSON object", skill.ID)
	}
	if raw, ok := members["type"]; ok {
		name, _ := text(raw)
		if named, ok := aap.SkillByRequestType(name); ok {
			skill = named
		}
		return skill, payload, nil
	}
	head := []byte(`{"type":"` + skill.RequestType() + `"`)
	if len(members) > 0 {
		head = append(head, ',')
	}
	_, rest, _ := bytes.Cut(payload, []byte("{"))
	return skill, append(head, rest...), nil
}

func readAtMost(r io.Reader, most int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > most {
		return nil, ErrTooLong
	}
	return raw, nil
}
