package doctor

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/dealer-agent/dealer/pkg/schema"
)

// deepestCard is how deep a card may nest before it counts as broken.
const deepestCard = 64

// files looks at how the main card is served; false when there is none to read.
func (x *examination) files(ctx context.Context) bool {
	at := x.card.String()
	got, err := x.ask(ctx, http.MethodGet, at, "", "Accept", "application/json", "A2A-Version", "1.0", "Origin", "https://buyer.example")
	if err != nil {
		if refused, ok := errors.AsType[*net.OpError](err); ok && refused.Op == "dial" {
			x.fail("reach.answer", about{}, "no connection: %s", plainDial(refused))
			return false
		}
		x.report.Reachable = errors.Is(err, errTooLong) || errors.Is(err, errLoop)
		x.fail("card.found", about{}, "%v", err)
		return false
	}
	x.report.Reachable = true
	x.pass("reach.answer", about{}, "in %d ms", got.took.Milliseconds())
	if got.status != http.StatusOK {
		x.fail("card.found", about{}, "HTTP status %d at %s", got.status, at)
		return false
	}
	x.pass("card.found", about{}, "%d bytes at %s", len(got.body), at)
	if got.url != at {
		x.warn("card.redirect", about{}, "it is answered by %s", got.url)
	} else {
		x.pass("card.redirect", about{}, "no redirect")
	}
	if got.is("application/json", "application/a2a+json") {
		x.pass("card.type", about{}, "%s", got.media())
	} else {
		x.fail("card.type", about{}, "Content-Type is %s", quoted(got.header.Get("Content-Type")))
	}
	x.caching(ctx, at, got)
	if origin := got.header.Get("Access-Control-Allow-Origin"); origin == "*" || origin == "https://buyer.example" {
		x.pass("card.cors", about{}, "%s", origin)
	} else {
		x.warn("card.cors", about{}, "Access-Control-Allow-Origin is %s", quoted(origin))
	}
	if faults := schema.Scan(got.body, deepestCard); len(faults) > 0 {
		x.fail("card.json", about{}, "%s", listed(faults))
		return false
	}
	x.pass("card.json", about{}, "no member stands twice")
	x.raw = got.body
	return true
}

// caching looks at Cache-Control, ETag and HEAD.
func (x *examination) caching(ctx context.Context, at string, got *exchange) {
	if control := got.header.Get("Cache-Control"); keeps(control) {
		x.pass("card.cache", about{}, "%s", control)
	} else {
		x.warn("card.cache", about{}, "Cache-Control is %s", quoted(control))
	}
	tag := got.header.Get("ETag")
	if tag == "" {
		x.warn("card.etag", about{}, "there is no ETag")
	} else if again, err := x.ask(ctx, http.MethodGet, at, "", "If-None-Match", tag); err != nil {
		x.warn("card.etag", about{}, "asked with If-None-Match: %v", err)
	} else if again.status != http.StatusNotModified {
		x.warn("card.etag", about{}, "HTTP status %d to If-None-Match with its own ETag", again.status)
	} else {
		x.pass("card.etag", about{}, "304 to its own ETag")
	}
	head, err := x.ask(ctx, http.MethodHead, at, "")
	switch {
	case err != nil:
		x.warn("card.head", about{}, "%v", err)
	case head.status != http.StatusOK || head.media() != got.media():
		x.warn("card.head", about{}, "HTTP status %d, Content-Type %s", head.status, quoted(head.header.Get("Content-Type")))
	default:
		x.pass("card.head", about{}, "as GET")
	}
}

// keeps reports whether a Cache-Control lets a reader keep the file for a time.
func keeps(control string) bool {
	for directive := range strings.SplitSeq(strings.ToLower(control), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		if seconds, err := strconv.Atoi(value); name == "max-age" && err == nil && seconds > 0 {
			return true
		}
	}
	return false
}
