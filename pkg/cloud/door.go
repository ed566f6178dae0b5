package cloud

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// The headers that a CDN in front of the API adds. It replaces what a caller
// wrote there.
const (
	// OriginSecretHeader proves that the request came through the CDN.
	OriginSecretHeader = "Dealer-Origin-Secret"
	// ViewerHeader is the address of whoever asked the CDN, without a port.
	ViewerHeader = "Dealer-Viewer"
)

// FrontDoor stands before a handler whose buyers come through a CDN: requests
// without the CDN's secret are refused with 403, so that nobody passes it by,
// and RemoteAddr of the others is the viewer's address, so that buyers do not
// share the CDN's for quotas. Without a secret there is no CDN, and everybody is
// who the connection says. The handler sees neither header.
func FrontDoor(secret []byte, next http.Handler) http.Handler {
	want := sha256.Sum256(secret)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown, viewer := r.Header.Values(OriginSecretHeader), r.Header.Values(ViewerHeader)
		r.Header.Del(OriginSecretHeader)
		r.Header.Del(ViewerHeader)
		if len(secret) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		if len(shown) != 1 || !same(shown[0], want) {
			refusePassing(w)
			return
		}
		if len(viewer) == 1 {
			if address, err := netip.ParseAddr(viewer[0]); err == nil {
				r.RemoteAddr = net.JoinHostPort(address.String(), "0")
			}
		}
		next.ServeHTTP(w, r)
	})
}

// same compares without telling by its duration how much of the secret is right.
func same(shown string, want [sha256.Size]byte) bool {
	got := sha256.Sum256([]byte(shown))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

func refusePassing(w http.ResponseWriter) {
	RefuseCall(w, http.StatusForbidden, aap.Errorf(aap.UnsupportedSkill, "Nothing is offered at this address. POST to the address on the agent card."))
}

// RefuseCall answers in the form of API Gateway's own refusals, before the
// request is read.
func RefuseCall(w http.ResponseWriter, status int, e *aap.Error) {
	id, _ := uuid.NewV7() // fails only where the system's randomness does
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": e.Code.RPC(), "message": e.Message, "data": e.Payload(id.String(), time.Now())},
	})
	if err != nil {
		http.Error(w, e.Message, status)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if ms, ok := e.Details["retry_after_ms"].(int64); ok {
		h.Set("Retry-After", strconv.FormatInt((ms+999)/1000, 10))
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may be gone
}
