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
const CardPath = a2a.CardPath

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

// draft is one file to be made.
type draft struct {
	path        string
	contentType string
	make        func(*dealer.Profile, aap.Version) ([]byte, error)
	version     aap.Version
}

// drafts lists the files of the contracts that the profile serves: a card for
// each, and what the contract wants beside it.
func drafts(p *dealer.Profile) []draft {
	main := aap.Primary()
	all := []draft{{CardPath, contentJSON, card, main}, {ToolsPath, contentJSON, toolManifest, main}, {RegistryPath, contentJSON, registryEntry, main}}
	for _, v := range aap.Versions() {
		if v != main && p.Serves(v) {
			all = append(all, draft{a2a.VersionCardPath(v), contentJSON, card, v})
		}
		if v.Contract == aap.ContractManifest && p.Serves(v) {
			all = append(all,
				draft{a2a.ManifestPath, contentJSON, a2a.ContractManifest, v},
				draft{a2a.GuidePath, contentMarkdown, func(p *dealer.Profile, v aap.Version) ([]byte, error) { return guide(p, v), nil }, v})
		}
	}
	return all
}

const (
	contentJSON     = "application/json"
	contentMarkdown = "text/markdown; charset=utf-8"
)

func card(p *dealer.Profile, v aap.Version) ([]byte, error) {
	return a2a.Card(p, v, p.URL+v.Path())
}

// Files makes every file of a profile, or ErrNoURL.
func Files(p *dealer.Profile) ([]File, error) {
	if p.URL == "" {
		return nil, ErrNoURL
	}
	var files []File
	for _, row := range drafts(p) {
		body, err := row.make(p, row.version)
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
