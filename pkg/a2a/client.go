package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

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

// Client is a buyer agent's side: it reads cards. The zero value works.
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
	Card AgentCard
	// RawCard is the card as it was served.
	RawCard []byte
	// Version is the contract that calls use, Endpoint the URL they go to.
	Version  aap.Version
	Endpoint string

	client Client
	http   *http.Client
}

// Discover reads the card below a base URL (or a card's own URL) and settles on
// the best contract both sides name exactly. There is no fallback to a version
// the card does not declare: ErrNotAAP instead.
func (c Client) Discover(ctx context.Context, base string) (*Remote, error) {
	if c.HTTP == nil {
		c.HTTP = &http.Client{Timeout: 30 * time.Second}
	}
	if c.Versions == nil {
		c.Versions = aap.Versions()
	}
	if c.NewID == nil {
		c.NewID = newID
	}
	at, err := cardURL(base)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("ask for the card: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set(versionHeader, protocolVersion)
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("read the card: %w", err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("read the card at %s: HTTP status 404; give the agent's base URL or the card's own", at)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("read the card at %s: HTTP status %d", at, resp.StatusCode)
	case at.Scheme == "https" && resp.Request.URL.Scheme != "https":
		return nil, fmt.Errorf("the card at %s was redirected to %s, without https", at, resp.Request.URL)
	}
	raw, err := readAtMost(resp.Body, maxCard)
	if err != nil {
		return nil, fmt.Errorf("read the card at %s: %w", at, err)
	}
	r := &Remote{RawCard: raw, client: c}
	if err := json.Unmarshal(raw, &r.Card); err != nil {
		return nil, fmt.Errorf("read the card at %s: %w", at, err)
	}
	if err := r.settle(at); err != nil {
		return nil, err
	}
	noRedirect := *c.HTTP
	noRedirect.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r.http = &noRedirect
	return r, nil
}

// settle chooses contract and endpoint, and refuses to carry a token to
// another host than the card's.
func (r *Remote) settle(card *url.URL) error {
	for _, v := range r.client.Versions {
		for _, ext := range r.Card.Capabilities.Extensions {
			if ext.URI == v.ExtensionURI && r.Version == (aap.Version{}) {
				r.Version = v
			}
		}
	}
	if r.Version == (aap.Version{}) {
		return r.notAAP(card)
	}
	for _, i := range r.Card.SupportedInterfaces {
		if strings.EqualFold(i.ProtocolBinding, "JSONRPC") && (i.ProtocolVersion == protocolVersion || strings.HasPrefix(i.ProtocolVersion, protocolVersion+".")) {
			r.Endpoint = i.URL
			break
		}
	}
	to, err := url.Parse(r.Endpoint)
	switch {
	case err != nil || to.Host == "" || to.Scheme != "https" && to.Scheme != "http":
		return fmt.Errorf("the card names no JSONRPC interface of A2A %s with an absolute URL", protocolVersion)
	case card.Scheme == "https" && to.Scheme != "https":
		return errors.New("the card was served over https but names an endpoint without")
	case r.client.Token != "" && !strings.EqualFold(to.Host, card.Host):
		return fmt.Errorf("the card names an endpoint on %s: the token is only for %s", to.Host, card.Host)
	}
	return nil
}

// notAAP says which extensions the card names instead.
func (r *Remote) notAAP(card *url.URL) error {
	var named []string
	for _, ext := range r.Card.Capabilities.Extensions {
		if strings.HasPrefix(ext.URI, extensionFamily) {
			named = append(named, printable(ext.URI))
		}
	}
	if named == nil {
		named = []string{"none"}
	}
	return fmt.Errorf("%w: the card at %s names %s", ErrNotAAP, card, strings.Join(named, ", "))
}

// Call sends one payload to a skill and returns the response payload. A
// payload without "type" is given the skill's; one that names another skill is
// a call of that one. An AAP error comes back as *Refusal, any other JSON-RPC
// error as *RPCError.
func (r *Remote) Call(ctx context.Context, skill aap.Skill, payload []byte) ([]byte, error) {
	skill, payload, err := typed(skill, payload)
	if err != nil {
		return nil, err
	}
	id := r.client.NewID()
	body, err := aap.AppendValue(nil, map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "SendMessage",
		"params": map[string]any{
			"message": map[string]any{
				"messageId": r.client.NewID(), "role": "ROLE_USER",
				"parts": []any{map[string]any{"data": json.RawMessage(payload), "mediaType": skill.RequestMediaType()}},
			},
			"configuration": map[string]any{"acceptedOutputModes": []string{skill.ResponseMediaType()}},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("the payload is not JSON: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Endpoint, bytes.NewReader(body))
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
	return readAnswer(resp.StatusCode, id, skill, raw)
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

// cardURL is where the card of a base URL lies: at its host's root for a bare
// host, below its path otherwise (A2A 1.0 §8.2).
func cardURL(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%q is not an absolute http or https URL", base)
	}
	if !strings.HasSuffix(u.Path, ".json") {
		u = u.JoinPath("/.well-known/agent-card.json")
	}
	return u, nil
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
