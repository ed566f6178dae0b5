package dealer

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Token is one bearer token that callers may show. A caller gets a new one
// without a gap while two rows carry its name: both tokens are good, and they
// share the quota of the name.
type Token struct {
	// Name says whose token it is, in the log and for the quota: 1 to 63
	// lower-case letters, digits and inner hyphens. Several rows may have it.
	// Required.
	Name string `yaml:"name"`
	// SHA256 is the hash of the token, 64 hex digits, lower case after Parse.
	// Required; no two rows have the same.
	SHA256 string `yaml:"sha256"`
	// Expires is when the token ends to be good. Default: never.
	Expires Moment `yaml:"expires"`
}

// TokenPrefix begins every token that NewToken makes, so that people and
// scanners see what it is.
const TokenPrefix = "dealer_"

// NewToken makes a token of 260 random bits behind TokenPrefix.
func NewToken() string { return TokenPrefix + strings.ToLower(rand.Text()+rand.Text()) }

// TokenHash is the hash by which a profile knows a token.
func TokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// IsTokenName reports whether a row may have the name.
func IsTokenName(name string) bool { return idForm.MatchString(name) }

// Guarded reports whether calls need a bearer token. It depends on the rows
// alone: an agent whose tokens have all expired lets nobody in.
func (a *Access) Guarded() bool { return len(a.Tokens) > 0 }

// mostTokens bounds what every call is compared with.
const mostTokens = 1000

var hexDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

func checkTokens(a *Access, r *reader) {
	if r.has("access.tokens") && len(a.Tokens) == 0 {
		r.fault("access.tokens", "has no row, so that nobody could call", "add the row that `dealer token new --name NAME` prints, or remove the line for an agent that is open to all")
	}
	if r.tooMany("access.tokens", len(a.Tokens), mostTokens) {
		return
	}
	first := map[string]int{}
	for i := range a.Tokens {
		at := fmt.Sprintf("access.tokens[%d]", i)
		t := &a.Tokens[i]
		if !IsTokenName(t.Name) {
			problem := "is not a name" // which is not repeated: a token may have slipped in
			if t.Name == "" {
				problem = r.missing(at + ".name")
			}
			r.fault(at+".name", problem, "write 1 to 63 lower-case letters, digits and inner hyphens, such as partner-a")
		}
		t.SHA256 = strings.ToLower(t.SHA256)
		if !hexDigest.MatchString(t.SHA256) {
			r.fault(at+".sha256", "is not a SHA-256",
				"write the 64 hex digits that `dealer token new` or `printf %s TOKEN | sha256sum` prints, never the token itself")
			continue
		}
		if j, twice := first[t.SHA256]; twice {
			r.fault(at+".sha256", fmt.Sprintf("is the same as in item %d", j+1), "remove one of them")
			continue
		}
		first[t.SHA256] = i
	}
}

// Moment is a point in time, written as an RFC 3339 date and time or as a date
// alone, which is its first moment in UTC. The zero value is none.
type Moment time.Time

var errMoment = errors.New("not a date")

// UnmarshalText reads the written form.
func (m *Moment) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, string(text)); err == nil {
			*m = Moment(at.UTC())
			return nil
		}
	}
	return errMoment
}

// MarshalText writes what UnmarshalText reads.
func (m Moment) MarshalText() ([]byte, error) {
	return []byte(time.Time(m).UTC().Format(time.RFC3339)), nil
}

func (m *Moment) form() (what, fix string) {
	return "a date", "write one such as 2027-03-31, or 2027-03-31T18:00:00Z with its time"
}

// Past reports whether the moment has come. None never comes.
func (m Moment) Past(now time.Time) bool {
	return !time.Time(m).IsZero() && !now.Before(time.Time(m))
}
