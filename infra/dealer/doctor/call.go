package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
)

// refusal is one error that came where an AAP error was due.
type refusal struct {
	skill  aap.Skill
	code   int
	status int
	// payload is the aap.error, nil when there is none; aap is its code.
	payload json.RawMessage
	aap     aap.Code
	// inList is true when it came inside an array.
	inList bool
}

// rpcAnswer is one JSON-RPC answer.
type rpcAnswer struct {
	*exchange
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// says is the answer in a few words.
func (a *rpcAnswer) says() string {
	if a.Error == nil {
		return fmt.Sprintf("HTTP status %d with a result", a.status)
	}
	return fmt.Sprintf("HTTP status %d, error %d: %s", a.status, a.Error.Code, clip(a.Error.Message, 160))
}

// sendMessage is the body of a call.
func (x *examination) sendMessage(id string, s aap.Skill, payload string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"SendMessage","params":{"message":{"messageId":"` + x.NewID() + `","role":"ROLE_USER","parts":[{"data":` +
		payload + `,"mediaType":"` + s.RequestMediaType() + `"}]}}}`
}

// rpc posts a body to the contract's endpoint with the headers of a buyer's
// agent and those given, which replace them; an empty one leaves a header out.
func (x *examination) rpc(ctx context.Context, c *contract, body string, headers ...string) (*rpcAnswer, error) {
	all := append([]string{
		"Content-Type", "application/json", "Accept", "application/json",
		"A2A-Version", "1.0", "A2A-Extensions", c.version.ExtensionURI, "Authorization", x.bearer(),
	}, headers...)
	got, err := x.ask(ctx, http.MethodPost, c.remote.Endpoint, body, lastOf(all)...)
	if err != nil {
		return nil, err
	}
	a := &rpcAnswer{exchange: got}
	if err := json.Unmarshal(got.body, a); err != nil || a.Version != "2.0" || a.Error == nil && a.Result == nil {
		return a, fmt.Errorf("HTTP status %d with a body that is no JSON-RPC 2.0 answer", got.status)
	}
	return a, nil
}

// bearer is the header that carries the token. The client of package a2a has
// made sure that the endpoint is on the card's host.
func (x *examination) bearer() string {
	if x.Token == "" {
		return ""
	}
	return "Bearer " + x.Token
}

// lastOf keeps the last value given for each header.
func lastOf(headers []string) []string {
	at := map[string]int{}
	var out []string
	for i := 0; i+1 < len(headers); i += 2 {
		name := http.CanonicalHeaderKey(headers[i])
		if j, ok := at[name]; ok {
			out[j] = headers[i+1]
			continue
		}
		out = append(out, name, headers[i+1])
		at[name] = len(out) - 1
	}
	return out
}

// errLimited ends a check that the agent's quota left no room for.
var errLimited = errors.New("refused for the sake of a quota")

// call calls a skill as a buyer's client does. An AAP error comes back as
// *a2a.Refusal and is remembered.
func (x *examination) call(ctx context.Context, c *contract, s aap.Skill, payload string) ([]byte, error) {
	answer, err := c.remote.Call(ctx, s, []byte(payload))
	got := x.door.last
	if err == nil {
		c.answered = true
		if c.confirmed == "" {
			c.confirmed = got.header.Get("A2A-Extensions")
		}
		return answer, nil
	}
	if refused, ok := errors.AsType[*a2a.Refusal](err); ok {
		if errors.Is(err, &aap.Error{Code: aap.RateLimited}) {
			x.door.limited = got
			return nil, errLimited
		}
		c.remember(s, got, refused)
		return nil, refused
	}
	if got != nil && got.status == http.StatusTooManyRequests {
		return nil, errLimited
	}
	if wrong, ok := errors.AsType[*a2a.RPCError](err); ok {
		c.refused = append(c.refused, refusal{skill: s, code: wrong.Code, status: wrong.Status})
		return nil, wrong
	}
	return nil, plain(err)
}

// remember keeps an AAP error for the checks that look at all of them.
func (c *contract) remember(s aap.Skill, got *exchange, refused *a2a.Refusal) {
	r := refusal{skill: s, status: got.status, payload: refused.Payload}
	if e, ok := errors.AsType[*aap.Error](refused); ok {
		r.aap = e.Code
	}
	var body rpcAnswer
	if json.Unmarshal(got.body, &body) == nil && body.Error != nil {
		r.code = body.Error.Code
		r.inList = len(body.Error.Data) > 0 && body.Error.Data[0] == '['
	}
	c.refused = append(c.refused, r)
}

// codeOf is the AAP code of what call returned, "" when it has none.
func codeOf(err error) aap.Code {
	if e, ok := errors.AsType[*aap.Error](err); ok {
		return e.Code
	}
	return ""
}

// untyped reports whether err is a refusal without an AAP error.
func untyped(err error) bool {
	_, ok := errors.AsType[*a2a.RPCError](err)
	return ok
}
