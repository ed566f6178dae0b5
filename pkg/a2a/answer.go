package a2a

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/agent/caller"
)

// answer is what goes back: a result in pieces, or a fault.
type answer struct {
	status int
	// result is the JSON of the result, in pieces so that a payload is not copied.
	result [][]byte
	fault  *fault
	// data is what the error carries, rendered.
	data json.RawMessage
}

// refuse renders a fault.
func (x *exchange) refuse(f *fault) answer {
	if f.aap != nil {
		f.aap = f.aap.Under(x.version)
	}
	a := answer{status: f.status, fault: f}
	if a.status == 0 {
		a.status = x.binding.status(x, f)
	}
	form := x.binding.errorForm(x)
	data := f.errorData(form, x.NewID, x.Now())
	if data == nil {
		return a
	}
	raw, err := aap.AppendValue(nil, data)
	if err != nil { // details that are no JSON: the error goes without them
		f.aap.Details = nil
		raw, _ = aap.AppendValue(nil, f.errorData(form, x.NewID, x.Now()))
	}
	a.data = raw
	return a
}

// rateLimitStatus is 429, unless the profile prefers 200 for clients that drop
// the body of anything else.
func (x *exchange) rateLimitStatus() int {
	if x.profile != nil && x.profile.Access.RateLimitStatus != 0 {
		return x.profile.Access.RateLimitStatus
	}
	return http.StatusTooManyRequests
}

// send writes the answer by appending bytes and reports status and length.
func (x *exchange) send(w http.ResponseWriter, a answer) (status, sent int) {
	pieces := x.binding.write(x, a)
	for _, p := range pieces {
		sent += len(p)
	}
	x.headers(w.Header(), a.fault)
	w.Header().Set("Content-Length", strconv.Itoa(sent))
	w.WriteHeader(a.status)
	for _, p := range pieces {
		if _, err := w.Write(p); err != nil {
			break // the caller is gone; there is nobody to tell
		}
	}
	return a.status, sent
}

func (x *exchange) headers(h http.Header, f *fault) {
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if x.service.activates(x.version) {
		h.Set(extensionsHeader, x.version.ExtensionURI)
	}
	if f == nil {
		return
	}
	if f.allow != "" {
		h.Set("Allow", f.allow)
	}
	if f.challenge != "" {
		h.Set("WWW-Authenticate", f.challenge)
	}
	if f.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
	}
}

// overQuota is the refusal of a call beyond the caller's quota (AAP v1.3
// behavior-rules).
func (x *exchange) overQuota(wait time.Duration) *fault {
	return faultOf(caller.OverQuota(wait))
}
