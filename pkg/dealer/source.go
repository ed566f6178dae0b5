package dealer

import (
	"context"
	"errors"
	"time"
)

// ErrNotModified is what an Origin returns when the etag still holds.
var ErrNotModified = errors.New("profile not modified")

// Source gives the profile in force. It is safe for concurrent use and cheap
// enough to call once a request.
type Source interface {
	Profile(ctx context.Context) (*Profile, error)
}

// Document is a profile as it lies at its origin.
type Document struct {
	Body []byte
	// Tag changes whenever the body does: an ETag or a content hash.
	Tag string
	// Modified is when the document was last changed.
	Modified time.Time
}

// Origin is where the profile document lies: a file, or one object in S3.
type Origin interface {
	// Fetch returns the document, or ErrNotModified while tag is the current one.
	Fetch(ctx context.Context, tag string) (Document, error)
}

// Fixed returns a Source that never changes.
func Fixed(p *Profile) Source { return fixed{p} }

type fixed struct{ profile *Profile }

func (f fixed) Profile(context.Context) (*Profile, error) { return f.profile, nil }
