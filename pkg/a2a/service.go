package a2a

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// The names of A2A's service parameters (A2A 1.0 §3.2.6).
const (
	versionHeader    = "A2A-Version"
	extensionsHeader = "A2A-Extensions"
)

// protocolVersion is the A2A version served, as cards and headers spell it.
const protocolVersion = "1.0"

// extensionFamily begins every extension URI of the Auto Agent Protocol.
const extensionFamily = "https://autoagentprotocol.org/extensions/"

// service is what the request says about protocol versions.
type service struct {
	version    string
	extensions []string
}

// readService takes A2A-Version from the header, else from the query, where
// its name is matched without case as header names are (A2A 1.0 §3.6.1).
func readService(r *http.Request) service {
	var s service
	s.version = strings.TrimSpace(r.Header.Get(versionHeader))
	if s.version == "" && r.URL.RawQuery != "" {
		// A broken query holds no version; what can be read of it counts.
		query, _ := url.ParseQuery(r.URL.RawQuery)
		for name, values := range query {
			if strings.EqualFold(name, versionHeader) {
				s.version = strings.TrimSpace(values[0])
			}
		}
	}
	for _, line := range r.Header.Values(extensionsHeader) {
		for uri := range strings.SplitSeq(line, ",") {
			if uri = strings.TrimSpace(uri); uri != "" {
				s.extensions = append(s.extensions, uri)
			}
		}
	}
	return s
}

// namesAAP reports whether the caller asked for any version of AAP.
func (s service) namesAAP() bool {
	return slices.ContainsFunc(s.extensions, func(uri string) bool { return strings.HasPrefix(uri, extensionFamily) })
}

// activates reports whether the caller asked for the contract of this URL.
func (s service) activates(v aap.Version) bool { return slices.Contains(s.extensions, v.ExtensionURI) }

// bareData reports whether error.data is the bare aap.error object that AAP
// v1.3 prescribes, rather than the array of typed objects of A2A 1.0 §9.5,
// which is all that plain A2A clients can decode.
func (s service) bareData() bool { return s.namesAAP() || s.version == "" }

// checkVersion refuses any A2A version but 1.0; the patch number does not
// matter (A2A 1.0 §3.6). Released AAP texts send no header, so an absent one is
// served unless the contract or the profile is strict.
func (s service) checkVersion(v aap.Version, p *dealer.Profile) *fault {
	if s.version == "" {
		if !strict(v, p) {
			return nil
		}
		return s.refuseVersion("The header A2A-Version is missing. Send A2A-Version: 1.0.")
	}
	if s.version == protocolVersion {
		return nil
	}
	patch, ok := strings.CutPrefix(s.version, protocolVersion+".")
	if ok && patch != "" && strings.Trim(patch, "0123456789") == "" {
		return nil
	}
	return s.refuseVersion("This agent speaks A2A 1.0 only. Send A2A-Version: 1.0.")
}

func (s service) refuseVersion(message string) *fault {
	return a2aFault(errVersion, message).with("supportedVersions", protocolVersion).with("requiredHeader", versionHeader)
}

// strict reports whether calls must send both headers.
func strict(v aap.Version, p *dealer.Profile) bool {
	return v.Headers == aap.HeadersRequired || p != nil && p.Access.RequireA2AHeaders
}

// checkExtensions refuses callers who want only versions of AAP that this URL
// does not serve: there is no silent fallback to another version (A2A 1.0
// §4.6.3). They are told where the version they named is. Foreign extensions are
// ignored.
func (s service) checkExtensions(v aap.Version, all []aap.Version, p *dealer.Profile) *fault {
	if s.activates(v) || !s.namesAAP() && !strict(v, p) {
		return nil
	}
	message := "This URL serves AAP " + v.Label + ". Send A2A-Extensions: " + v.ExtensionURI + "."
	for _, other := range all {
		if s.activates(other) && p.Serves(other) {
			message += " AAP " + other.Label + " is at " + other.Path() + "."
		}
	}
	return a2aFault(errExtension, message).
		with("extensionUri", v.ExtensionURI).with("requiredHeader", extensionsHeader)
}
