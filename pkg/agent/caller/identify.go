package caller

import (
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// Caller is who makes a call. The zero value is whoever started this process.
type Caller struct {
	// Token is the name of the bearer token shown; empty where none is asked for.
	Token   string
	address string
}

// Key names the caller in a Quota: the token's holder, wherever they call from,
// else the address.
func (c Caller) Key() string {
	if c.Token != "" {
		return "token " + c.Token
	}
	return c.address
}

// Refusal is why a call is not let in: 401 with the Challenge as
// WWW-Authenticate (RFC 6750 §3).
type Refusal struct {
	// Message says what to send instead.
	Message   string
	Challenge string
}

const realm = `Bearer realm="dealer agent"`

// Identify settles who calls: where the profile has tokens, by the one in the
// Authorization header, else by the address of the connection (see Address). A
// refused Caller is known by the address.
func Identify(h http.Header, remote string, a dealer.Access, now time.Time) (Caller, *Refusal) {
	who := Caller{address: Address(remote)}
	if !a.Guarded() {
		return who, nil
	}
	shown := h.Values("Authorization")
	if len(shown) != 1 {
		return who, needed()
	}
	scheme, token, _ := strings.Cut(shown[0], " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return who, needed()
	}
	if who.Token = holder(token, a.Tokens, now); who.Token == "" {
		return who, &Refusal{
			Message:   "The bearer token is not one this agent accepts, or it has expired. Ask the dealer for a new one.",
			Challenge: realm + `, error="invalid_token"`,
		}
	}
	return who, nil
}

func needed() *Refusal {
	return &Refusal{
		Message:   "This agent needs a bearer token: send the header Authorization: Bearer followed by the token the dealer gave you.",
		Challenge: realm,
	}
}

// holder is the name on the row of a token, empty without a row that is still
// good. Every row costs the same, whether it matches, has expired or neither, so
// that the duration tells nothing about any.
func holder(token string, rows []dealer.Token, now time.Time) string {
	hash := []byte(dealer.TokenHash(token))
	found := len(rows)
	for i, row := range rows {
		match := subtle.ConstantTimeCompare(hash, []byte(row.SHA256))
		found = subtle.ConstantTimeSelect(match&good(row, now), i, found)
	}
	if found == len(rows) {
		return ""
	}
	return rows[found].Name
}

func good(row dealer.Token, now time.Time) int {
	if row.Expires.Past(now) {
		return 0
	}
	return 1
}
