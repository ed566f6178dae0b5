package doctor

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// rpcBinding is how cards call JSON-RPC.
const rpcBinding = "JSONRPC"

// protocol sends what is no call of a skill.
func (x *examination) protocol(ctx context.Context, c *contract) {
	if c.remote.Binding() != rpcBinding {
		return
	}
	x.expectCode(ctx, c, "errors.parse", `{"jsonrpc":"2.0","id":1,"method":`, -32700)
	x.expectCode(ctx, c, "errors.request", `{"jsonrpc":"2.0","id":"r"}`, -32600)
	x.expectCode(ctx, c, "errors.method", `{"jsonrpc":"2.0","id":"m","method":"NoSuchMethod","params":{}}`, -32601)
	x.undeclared(ctx, c)
	x.transport(ctx, c)
}

// expectCode sends a body that must be refused with one code.
func (x *examination) expectCode(ctx context.Context, c *contract, id, body string, code int) {
	got, err := x.rpc(ctx, c, body)
	switch {
	case err != nil:
		x.fail(id, c.of(), "%v", err)
	case x.overQuota(got):
		x.skip(id, c.of(), "%v", errLimited)
	case got.Error == nil || got.Error.Code != code:
		x.fail(id, c.of(), "%s", got.says())
	default:
		x.pass(id, c.of(), "%d", code)
		c.statuses(got)
	}
}

// statuses remembers the HTTP status of an error that is none of AAP.
func (c *contract) statuses(got *rpcAnswer) {
	if got.status != http.StatusOK {
		c.refused = append(c.refused, refusal{code: got.Error.Code, status: got.status, payload: noPayload})
	}
}

// noPayload marks errors that need no aap.error.
var noPayload = json.RawMessage{}

// overQuota reports, and remembers, a refusal for the sake of a quota.
func (x *examination) overQuota(got *rpcAnswer) bool {
	limited := got.status == http.StatusTooManyRequests || got.Error != nil && strings.Contains(string(got.Error.Data), `"`+string(aap.RateLimited)+`"`)
	if limited && x.door.limited == nil {
		x.door.limited = got.exchange
	}
	return limited
}

// undeclared calls an operation that most cards do not declare.
func (x *examination) undeclared(ctx context.Context, c *contract) {
	if c.remote.Card.Capabilities.Streaming {
		x.skip("errors.undeclared", c.of(), "the card declares streaming")
		return
	}
	body := strings.Replace(x.sendMessage(`"s"`, aap.DealerInformation, `{"type":"`+aap.DealerInformation.RequestType()+`"}`), "SendMessage", "SendStreamingMessage", 1)
	got, err := x.rpc(ctx, c, body)
	switch {
	case got == nil:
		x.fail("errors.undeclared", c.of(), "%v", err)
	case err != nil && !got.is("text/event-stream"):
		x.warn("errors.undeclared", c.of(), "%v", err)
	case err != nil || got.Error == nil:
		x.fail("errors.undeclared", c.of(), "SendStreamingMessage is served, which the card does not declare")
	case x.overQuota(got):
		x.skip("errors.undeclared", c.of(), "%v", errLimited)
	case got.Error.Code == -32004 || got.Error.Code == -32601:
		x.pass("errors.undeclared", c.of(), "%d", got.Error.Code)
	default:
		x.warn("errors.undeclared", c.of(), "%s", got.says())
	}
}

// transport sends what HTTP itself should refuse.
func (x *examination) transport(ctx context.Context, c *contract) {
	got, err := x.ask(ctx, http.MethodGet, c.remote.Endpoint, "", "Authorization", x.bearer())
	switch {
	case err != nil:
		x.warn("http.method", c.of(), "%v", err)
	case got.status != http.StatusMethodNotAllowed:
		x.warn("http.method", c.of(), "HTTP status %d", got.status)
	case got.header.Get("Allow") == "":
		x.warn("http.method", c.of(), "405 without Allow")
	default:
		x.pass("http.method", c.of(), "405")
	}
	body := x.sendMessage(`"t"`, aap.DealerInformation, `{"type":"`+aap.DealerInformation.RequestType()+`"}`)
	text, err := x.rpc(ctx, c, body, "Content-Type", "text/plain")
	switch {
	case text == nil:
		x.warn("http.media", c.of(), "%v", err)
	case text.status == http.StatusUnsupportedMediaType || text.Error != nil && text.Error.Code == -32005:
		x.pass("http.media", c.of(), "HTTP status %d", text.status)
	case text.Error != nil:
		x.warn("http.media", c.of(), "%s", text.says())
	default:
		x.warn("http.media", c.of(), "text/plain has HTTP status %d", text.status)
	}
}

// headers looks at A2A's own headers.
func (x *examination) headers(ctx context.Context, c *contract) {
	if c.answered {
		if strings.Contains(c.confirmed, c.version.ExtensionURI) {
			x.pass("headers.echo", c.of(), "A2A-Extensions is repeated")
		} else {
			x.warn("headers.echo", c.of(), "A2A-Extensions of the answer is %s", quoted(c.confirmed))
		}
	}
	if c.remote.Binding() != rpcBinding {
		return
	}
	s := c.skills[0]
	payload := `{"type":"` + s.RequestType() + `"}`
	if s == aap.LeadSubmit || s == aap.InventoryVehicle {
		payload = `{"type":"` + unknownSkill + `"}` // refused, and seen to be by its AAP code
	}
	x.withoutHeaders(ctx, c, s, payload)
	got, err := x.rpc(ctx, c, x.sendMessage(`"v"`, s, payload), "A2A-Version", "99.0")
	x.expectRefusal("headers.version", c, got, err, -32009, x.fail)
	next := extensionsAt + "aap/v99.0"
	got, err = x.rpc(ctx, c, x.sendMessage(`"e"`, s, payload), "A2A-Extensions", next)
	x.expectRefusal("headers.extension", c, got, err, -32008, x.warn)
}

// extensionsAt begins the extension URIs of AAP.
const extensionsAt = "https://autoagentprotocol.org/extensions/"

// expectRefusal judges an answer that should be an A2A error; served is how bad
// it is when it is none at all.
func (x *examination) expectRefusal(id string, c *contract, got *rpcAnswer, err error, code int, served func(string, about, string, ...any)) {
	switch {
	case err != nil:
		x.fail(id, c.of(), "%v", err)
	case x.overQuota(got):
		x.skip(id, c.of(), "%v", errLimited)
	case got.Error == nil || skillError(got):
		served(id, c.of(), "it is served: %s", got.says())
	case got.Error.Code != code:
		x.warn(id, c.of(), "%s", got.says())
	default:
		x.pass(id, c.of(), "%d", code)
	}
}

// skillError reports whether an error comes from a skill.
func skillError(got *rpcAnswer) bool {
	return got.Error != nil && strings.Contains(string(got.Error.Data), `"aap.error"`)
}

// withoutHeaders calls as the examples of AAP do, with an id that is a number.
func (x *examination) withoutHeaders(ctx context.Context, c *contract, s aap.Skill, payload string) {
	got, err := x.rpc(ctx, c, x.sendMessage("4200", s, payload), "A2A-Version", "", "A2A-Extensions", "")
	switch {
	case err != nil:
		x.fail("headers.absent", c.of(), "%v", err)
		return
	case x.overQuota(got):
		x.skip("headers.absent", c.of(), "%v", errLimited)
		return
	case got.Error != nil && !skillError(got):
		x.warn("headers.absent", c.of(), "%s", got.says())
	default:
		x.pass("headers.absent", c.of(), "served")
	}
	if string(got.ID) == "4200" {
		x.pass("skill.id", c.of(), "4200")
	} else {
		x.fail("skill.id", c.of(), "4200 came back as %s", quoted(string(got.ID)))
	}
}
