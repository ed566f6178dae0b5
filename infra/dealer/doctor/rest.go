package doctor

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
)

// restBinding is how cards call HTTP+JSON.
const restBinding = "HTTP+JSON"

// rest looks at the HTTP+JSON interface of contracts that know one, where the
// card lists it beside JSON-RPC.
func (x *examination) rest(ctx context.Context, c *contract) {
	at := slices.IndexFunc(c.remote.Card.SupportedInterfaces, func(i a2a.Interface) bool { return strings.EqualFold(i.ProtocolBinding, restBinding) })
	if !c.version.REST || !c.ownCard() || at < 0 || c.remote.Binding() != rpcBinding {
		return
	}
	to := strings.TrimSuffix(c.remote.Card.SupportedInterfaces[at].URL, "/") + "/message:send"
	if to != strings.TrimSuffix(c.remote.Endpoint, "/")+"/message:send" {
		x.skip("rest.answer", c.of(), "it is at another address than JSON-RPC")
		return
	}
	if c.offers(aap.DealerInformation) {
		got, err := x.restCall(ctx, c, to, aap.DealerInformation, `{"type":"dealer.information.request"}`)
		switch {
		case err != nil:
			x.fail("rest.answer", c.of(), "%v", err)
		case got.status == http.StatusTooManyRequests:
			x.skip("rest.answer", c.of(), "%v", errLimited)
		default:
			var body struct {
				Message struct {
					Parts []struct {
						Data json.RawMessage `json:"data"`
					} `json:"parts"`
				} `json:"message"`
			}
			if json.Unmarshal(got.body, &body) != nil || got.status != http.StatusOK || len(body.Message.Parts) == 0 {
				x.fail("rest.answer", c.of(), "HTTP status %d without a message", got.status)
			} else {
				x.valid("rest.answer", c, aap.DealerInformation, body.Message.Parts[0].Data)
			}
		}
	}
	got, err := x.restCall(ctx, c, to, c.skills[0], `{"type":"`+unknownSkill+`"}`)
	switch {
	case err != nil:
		x.fail("rest.errors", c.of(), "%v", err)
	case got.status == http.StatusTooManyRequests:
		x.skip("rest.errors", c.of(), "%v", errLimited)
	case got.status != aap.UnsupportedSkill.HTTP() || !strings.Contains(string(got.body), `"aap.error"`):
		x.fail("rest.errors", c.of(), "UNSUPPORTED_SKILL is due, and HTTP status %d came", got.status)
	default:
		x.pass("rest.errors", c.of(), "%d for UNSUPPORTED_SKILL", got.status)
	}
}

func (x *examination) restCall(ctx context.Context, c *contract, to string, s aap.Skill, payload string) (*exchange, error) {
	body := `{"message":{"messageId":"` + x.NewID() + `","role":"ROLE_USER","parts":[{"data":` + payload + `,"mediaType":"` + s.RequestMediaType() + `"}]}}`
	return x.ask(ctx, http.MethodPost, to, body, "Content-Type", "application/json", "Accept", "application/json",
		"A2A-Version", "1.0", "A2A-Extensions", c.version.ExtensionURI, "Authorization", x.bearer())
}
