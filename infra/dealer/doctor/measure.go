package doctor

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// mostSchemas is how many schema addresses are tried.
const mostSchemas = 40

// schemaFiles reads the schemas that cards name, over https or on the card's own
// host, without a token.
func (x *examination) schemaFiles(ctx context.Context) {
	var addresses []string
	for _, c := range x.contracts {
		for _, e := range c.remote.Card.Capabilities.Extensions {
			if e.Params == nil {
				continue
			}
			for _, s := range e.Params.Skills {
				addresses = append(addresses, s.Request, s.Response)
			}
		}
	}
	slices.Sort(addresses)
	addresses = slices.Compact(addresses)
	if len(addresses) == 0 {
		return
	}
	missing := []string{}
	tried := addresses[:min(len(addresses), mostSchemas)]
	for _, address := range tried {
		if !x.schemaAt(ctx, address) {
			missing = append(missing, address)
		}
	}
	if len(missing) > 0 {
		x.warn("schemas.reach", about{}, "%d of %d cannot be read from here, such as %s", len(missing), len(tried), quoted(missing[0]))
	} else {
		x.pass("schemas.reach", about{}, "%d schemas", len(tried))
	}
}

func (x *examination) schemaAt(ctx context.Context, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && !strings.EqualFold(u.Host, x.card.Host) {
		return false
	}
	silent := x.door.silent
	got, err := x.ask(ctx, http.MethodGet, address, "", "Accept", "application/schema+json, application/json")
	x.door.silent = silent // another host's silence is not the agent's
	return err == nil && got.status == http.StatusOK && json.Valid(got.body)
}

// limits looks at a refusal for quota, if one was met.
func (x *examination) limits() {
	got := x.door.limited
	if got == nil {
		x.skip("limits.answer", about{}, "no quota was met")
		return
	}
	var body struct {
		Error struct {
			Code int             `json:"code"`
			Data json.RawMessage `json:"data"`
		} `json:"error"`
	}
	_ = json.Unmarshal(got.body, &body) // without an error, the checks below fail
	data := string(body.Error.Data)
	hint := got.header.Get("Retry-After") != "" || strings.Contains(data, `"retry_after_`)
	switch {
	case !strings.Contains(data, `"RATE_LIMITED"`):
		x.fail("limits.answer", about{}, "HTTP status %d without the code RATE_LIMITED", got.status)
	case !strings.Contains(strings.ReplaceAll(data, " ", ""), `"retryable":true`):
		x.fail("limits.answer", about{}, "it is not retryable")
	case !hint:
		x.warn("limits.answer", about{}, "neither Retry-After nor details.retry_after_ms")
	default:
		x.pass("limits.answer", about{}, "HTTP status %d, error %d", got.status, body.Error.Code)
	}
}

// speed tells how long calls took.
func (x *examination) speed() {
	took := slices.Clone(x.door.calls)
	if len(took) == 0 {
		x.skip("speed.calls", about{}, "no call was answered")
		return
	}
	slices.Sort(took)
	half, most := took[len(took)/2], took[len(took)*95/100]
	verdict := x.pass
	if most > x.Slow {
		verdict = x.warn
	}
	verdict("speed.calls", about{}, "of %d calls half within %d ms, 95 of 100 within %d ms", len(took), half.Milliseconds(), most.Milliseconds())
}
