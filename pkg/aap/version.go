package aap

import "slices"

// Version is one released contract of the protocol: what its wire looks like
// beside its schemas and its translation (package wire). Nothing inside a
// message tells its version (AAP v1.3 versioning), so a version belongs to a URL.
type Version struct {
	// Label is the wire label, such as "v1.3".
	Label string
	// SemVer is the full version the release publishes, such as "1.3.0".
	SemVer string
	// ExtensionURI identifies the contract on a card and in A2A-Extensions.
	ExtensionURI string
	// Contract is the file beside the card that describes the agent.
	Contract ContractForm
	// Card is how the agent card is written.
	Card CardForm
	// REST is true when the HTTP+JSON binding, POST …/message:send, is served
	// beside JSON-RPC.
	REST bool
	// OldMethod is true when message/send, kind members and the roles user and
	// agent are accepted as well, and answered in kind.
	OldMethod bool
	// Faults is how an error says where the payload is faulty.
	Faults FaultForm
	// Auth is what a call without valid credentials is told.
	Auth AuthForm
	// Data is how error.data of JSON-RPC holds an AAP error.
	Data DataForm
	// Headers says whether calls must send A2A-Version and A2A-Extensions.
	Headers HeaderForm
	// PriceIsOutTheDoor is true when "price" means all that a buyer pays;
	// else it leaves government charges out.
	PriceIsOutTheDoor bool
}

// ContractForm is the file beside the card that describes the agent.
type ContractForm int

const (
	// NoContract: the card says everything.
	NoContract ContractForm = iota
	// ContractManifest is auto-agent-contract.json (AAP v0.1 contract-manifest).
	ContractManifest
)

// CardForm is how an agent card is written: the spelling of its members and
// what the params of its AAP extension entry hold.
type CardForm int

const (
	// CardSchemas: camelCase; id, version, schema base URL and each skill's
	// schemas (AAP v1.1 and later).
	CardSchemas CardForm = iota
	// CardVersioned: camelCase; id and version (AAP v1.0).
	CardVersioned
	// CardNamed: camelCase; id alone (AAP v0.2).
	CardNamed
	// CardManifest: snake_case; the profile's name and version, the address of
	// the contract manifest, the skills and auth_type (AAP v0.1).
	CardManifest
)

// FaultForm is how the details of a validation error point into the payload.
type FaultForm int

const (
	// FaultList: details.errors lists every fault (AAP v1.1 and later).
	FaultList FaultForm = iota
	// FaultPath: details.instancePath points at the first one; the list stands
	// beside it, as details are free (AAP v0.1 to v1.0).
	FaultPath
)

// AuthForm is what a call without valid credentials is told.
type AuthForm int

const (
	// AuthOutside: nothing of AAP; HTTP and A2A answer alone.
	AuthOutside AuthForm = iota
	// AuthCode: the code AUTH_REQUIRED (AAP v0.1).
	AuthCode
)

// DataForm is how error.data of JSON-RPC holds an AAP error.
type DataForm int

const (
	// DataAsked: the bare object for callers who name the contract or no A2A
	// version, the array of A2A 1.0 §9.5 for all others (AAP v0.1 to v1.3).
	DataAsked DataForm = iota
	// DataTyped: that array for everybody.
	DataTyped
)

// HeaderForm says whether calls must send A2A-Version and A2A-Extensions.
type HeaderForm int

const (
	// HeadersOptional: calls without them are served (AAP v0.1 to v1.3).
	HeadersOptional HeaderForm = iota
	// HeadersRequired: the card marks the extension as required, and calls that
	// do not send both are refused.
	HeadersRequired
)

const extensions = "https://autoagentprotocol.org/extensions/"

// table has one row a contract, newest first; the first one is primary. A row
// needs its schemas in the folder schemas/<label> and, unless it is the first,
// a translation to the row above it in package wire.
var table = [...]Version{
	{Label: "v1.3", SemVer: "1.3.0", ExtensionURI: extensions + "aap/v1.3"},
	{Label: "v1.2", SemVer: "1.2.0", ExtensionURI: extensions + "aap/v1.2", PriceIsOutTheDoor: true},
	{Label: "v1.1", SemVer: "1.1.0", ExtensionURI: extensions + "aap/v1.1", PriceIsOutTheDoor: true},
	{Label: "v1.0", SemVer: "1.0.0", ExtensionURI: extensions + "a2a-automotive-retail/v1.0",
		Card: CardVersioned, REST: true, Faults: FaultPath, PriceIsOutTheDoor: true},
	{Label: "v0.2", SemVer: "0.2.0", ExtensionURI: extensions + "a2a-automotive-retail/v0.2",
		Card: CardNamed, REST: true, OldMethod: true, Faults: FaultPath, PriceIsOutTheDoor: true},
	{Label: "v0.1", SemVer: "0.1.1", ExtensionURI: extensions + "a2a-automotive-retail/v0.1",
		Contract: ContractManifest, Card: CardManifest, REST: true, OldMethod: true, Faults: FaultPath, Auth: AuthCode, PriceIsOutTheDoor: true},
}

// V1_3 is the contract released 2026-09-04.
var V1_3, _ = VersionByLabel("v1.3")

// Versions lists the contracts this agent can serve, newest first. The slice
// is the caller's own.
func Versions() []Version { return slices.Clone(table[:]) }

// Primary is the newest contract: what the agent speaks inside, and serves at
// its main address.
func Primary() Version { return table[0] }

// VersionByLabel finds a contract by its wire label.
func VersionByLabel(label string) (Version, bool) {
	for _, v := range table {
		if v.Label == label {
			return v, true
		}
	}
	return Version{}, false
}

// SchemaBaseURL is where the contract's schemas are published; it ends in a slash.
func (v Version) SchemaBaseURL() string {
	return "https://autoagentprotocol.org/" + v.Label + "/schemas/"
}

// Path is the URL path the contract is served at: "/a2a" for the primary one,
// "/a2a/v1.2" and so on for the others. The primary one answers at VersionPath too.
func (v Version) Path() string {
	if v == Primary() {
		return "/a2a"
	}
	return v.VersionPath()
}

// VersionPath is the path that names the contract, such as "/a2a/v1.3".
func (v Version) VersionPath() string { return "/a2a/" + v.Label }

// Codes lists the error codes of the contract in table order.
func (v Version) Codes() []Code {
	out := Codes()
	if v.Auth == AuthCode {
		out = append(out, AuthRequired)
	}
	return out
}
