package wellknown

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// RegistryPath is where the entry for the MCP registry lies. Nobody looks for
// it there: the dealer hands the file to mcp-publisher, which registers it once
// the host of the address has been proved.
const RegistryPath = "/.well-known/server.json"

// registrySchema is the form of the entry.
const registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// serverVersion is the version the MCP endpoint tells of itself.
const serverVersion = "1.0.0"

// registryLine is the most characters the registry takes for title and description.
const registryLine = 100

type entry struct {
	Schema      string   `json:"$schema"`
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Version     string   `json:"version"`
	WebsiteURL  string   `json:"websiteUrl,omitempty"`
	Remotes     []remote `json:"remotes"`
}

type remote struct {
	Type    string        `json:"type"`
	URL     string        `json:"url"`
	Headers []entryHeader `json:"headers,omitempty"`
}

type entryHeader struct {
	entryInput
	Name      string                `json:"name"`
	Value     string                `json:"value"`
	Variables map[string]entryInput `json:"variables"`
}

type entryInput struct {
	Description string `json:"description"`
	IsRequired  bool   `json:"isRequired"`
	IsSecret    bool   `json:"isSecret"`
}

// registryEntry describes the MCP endpoint as a remote server. The registry
// takes each version once, so that it tells when the profile was changed.
func registryEntry(p *dealer.Profile, _ aap.Version) ([]byte, error) {
	e := entry{
		Schema: registrySchema, Name: registryName(p), Title: cut(plain(p.Name), registryLine), Version: serverVersion,
		Description: cut("Car inventory, dealer information and leads of "+plain(p.Name)+".", registryLine),
		Remotes:     []remote{{Type: "streamable-http", URL: endpoint(p)}},
	}
	if !p.Modified.IsZero() {
		e.Version += "+" + p.Modified.UTC().Format("20060102.150405")
	}
	if p.Provider != nil {
		e.WebsiteURL = p.Provider.URL
	}
	if p.Access.Guarded() {
		e.Remotes[0].Headers = []entryHeader{{
			Name: "Authorization", Value: "Bearer {token}",
			entryInput: entryInput{Description: "A bearer token from the dealer.", IsRequired: true, IsSecret: true},
			Variables:  map[string]entryInput{"token": {Description: "The token, without the word Bearer.", IsRequired: true, IsSecret: true}},
		}}
	}
	return document(e)
}

// registryName is the host of the dealer's address with its labels reversed,
// which is the namespace its owner can prove, and the dealer's id. What is no
// name on the wire, such as an address in numbers, is nobody's: localhost.
func registryName(p *dealer.Profile) string {
	host := "localhost"
	if u, err := url.Parse(p.URL); err == nil {
		name := strings.ToLower(u.Hostname())
		if _, err := netip.ParseAddr(name); err != nil && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") == "" {
			host = name
		}
	}
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + "/" + p.ID
}

// cut shortens a text to at most that many characters.
func cut(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	return strings.TrimRight(string(r[:most-1]), " ") + "…"
}
