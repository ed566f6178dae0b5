package mcptools

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// formLife is how long the answer to a form is taken.
const formLife = 10 * time.Minute

// clockSkew is how far the clocks of instances that share a key may differ.
const clockSkew = 2 * time.Minute

// state makes and checks what a client carries between a form and its answer
// (requestState, MCP 2026-07-28 multi round-trip requests). It holds the time
// and a MAC over that and over everything the answer is an answer to, and so
// nothing of the person. An answer to anything else has a state that does not
// fit.
type state struct{ key []byte }

// newState takes a key that all instances share; without one, a key of this
// process.
func newState(key []byte) state {
	if len(key) == 0 {
		key = make([]byte, sha256.Size)
		_, _ = rand.Read(key) // never fails
	}
	return state{key}
}

const (
	stampLength = 8
	stateLength = stampLength + sha256.Size
)

// stateForm refuses a second spelling of the same bytes.
var stateForm = base64.RawURLEncoding.Strict()

// sign binds the parts, in their order, to the second of the time.
func (s state) sign(at time.Time, parts ...string) string {
	raw := binary.BigEndian.AppendUint64(make([]byte, 0, stateLength), uint64(at.Unix()))
	return stateForm.EncodeToString(s.mac(raw, parts))
}

// verify reports whether the token was signed over the parts and is neither
// expired at now nor from the future.
func (s state) verify(token string, now time.Time, parts ...string) bool {
	if len(token) != stateForm.EncodedLen(stateLength) {
		return false
	}
	raw, err := stateForm.DecodeString(token)
	if err != nil || len(raw) != stateLength {
		return false
	}
	if !hmac.Equal(raw, s.mac(raw[:stampLength:stampLength], parts)) {
		return false
	}
	age := now.Sub(time.Unix(int64(binary.BigEndian.Uint64(raw)), 0))
	return age >= -clockSkew && age <= formLife
}

// mac appends to the stamp the MAC over it and the parts. Lengths are in it, so
// that no two lists of parts are the same text.
func (s state) mac(stamp []byte, parts []string) []byte {
	h := hmac.New(sha256.New, s.key)
	_, _ = h.Write([]byte("dealer-agent form 1\x00"))
	_, _ = h.Write(stamp)
	for _, part := range parts {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		_, _ = h.Write([]byte(part))
	}
	return h.Sum(stamp)
}

// keyOf is the idempotency key of the lead that a form was about, when its
// sender gave none: nobody can know it before the form was made.
func keyOf(token string) string {
	sum := sha256.Sum256([]byte("dealer-agent key 1\x00" + token))
	return "form-" + hex.EncodeToString(sum[:16])
}
