// Package wellknown is every file a dealer agent publishes below /.well-known/,
// made from the profile: for a bucket that publishes them, and as a handler
// that serves them. Equal profiles give equal bytes and tags on every instance.
package wellknown

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/dealer-agent/dealer/pkg/a2a"
	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// ErrNoURL: the profile has no public URL, which every published file names.
var ErrNoURL = errors.New("the profile has no url: the published files must name one")

// CardPath is where the agent card lies (A2A 1.0 §8.2).
const CardPath = "/.well-known/agent-card.json"

// File is one published document.
type File struct {
	// Path begins with /.well-known/.
	Path        string
	ContentType string
	Body        []byte
	// ETag is strong, quoted, and made of the content.
	ETag string
	// Modified is when the profile was changed; zero when that is unknown.
	Modified     time.Time
	CacheControl string
}

// maxAge is how long readers keep a file: short enough that a changed profile
// is known to all within minutes.
const maxAge = 5 * time.Minute

// published is the one table of files.
var published = []struct {
	path        string
	contentType string
	make        func(*dealer.Profile) ([]byte, error)
}{
	{CardPath, "application/json", card},
}

// card is the card of the newest contract, which stands at /a2a.
func card(p *dealer.Profile) ([]byte, error) {
	return a2a.Card(p, aap.Versions()[0], p.URL+"/a2a")
}

// Files makes every file of a profile, or ErrNoURL.
func Files(p *dealer.Profile) ([]File, error) {
	if p.URL == "" {
		return nil, ErrNoURL
	}
	files := make([]File, 0, len(published))
	for _, row := range published {
		body, err := row.make(p)
		if err != nil {
			return nil, fmt.Errorf("make %s: %w", row.path, err)
		}
		sum := sha256.Sum256(body)
		files = append(files, File{
			Path: row.path, ContentType: row.contentType, Body: body,
			ETag:         `"` + hex.EncodeToString(sum[:16]) + `"`,
			Modified:     p.Modified,
			CacheControl: fmt.Sprintf("public, max-age=%d", int(maxAge.Seconds())),
		})
	}
	return files, nil
}
