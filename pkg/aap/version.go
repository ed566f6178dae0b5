package aap

// Version is one released contract of the protocol. Nothing inside a message
// tells its version (AAP v1.3 versioning), so a version belongs to a URL.
type Version struct {
	// Label is the wire label, such as "v1.3".
	Label string
	// SemVer is the full version the card publishes, such as "1.3.0".
	SemVer string
	// ExtensionURI identifies the contract on a card and in A2A-Extensions.
	ExtensionURI string
}

// V1_3 is the primary contract (released 2026-09-04).
var V1_3 = Version{
	Label:        "v1.3",
	SemVer:       "1.3.0",
	ExtensionURI: "https://autoagentprotocol.org/extensions/aap/v1.3",
}

// Versions lists the contracts this agent can serve, newest first.
func Versions() []Version { return []Version{V1_3} }

// SchemaBaseURL is where the contract's schemas are published; it ends in a slash.
func (v Version) SchemaBaseURL() string {
	return "https://autoagentprotocol.org/" + v.Label + "/schemas/"
}
