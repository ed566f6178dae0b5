package a2a

import (
	"net/http"
	"strings"

	"github.com/dealer-agent/dealer/pkg/aap"
)

// route is what one URL serves: a contract, and how its messages travel.
type route struct {
	version aap.Version
	binding binding
}

// sendPath follows a contract's URL where HTTP+JSON is served (A2A 1.0 §11.3).
const sendPath = "/message:send"

// routes lists every URL of the contracts without a trailing slash.
func routes(versions []aap.Version) map[string]route {
	all := map[string]route{}
	for _, v := range versions {
		for _, path := range []string{v.Path(), v.VersionPath()} {
			all[path] = route{v, jsonRPC{}}
			if v.REST {
				all[path+sendPath] = route{v, httpJSON{}}
			}
		}
	}
	return all
}

// findRoute settles which contract the request is under. The profile may list
// another set at any time; the primary contract is always served.
func (x *exchange) findRoute() *fault {
	found, known := x.routes[strings.TrimSuffix(x.r.URL.Path, "/")]
	x.route = route{aap.Primary(), jsonRPC{}}
	if p := x.profileOrNil(); known && (p == nil || found.version == aap.Primary() || p.Serves(found.version)) {
		x.route = found
		return nil
	}
	return &fault{code: codeInvalidRequest, status: http.StatusNotFound, message: x.signpost()}
}

// signpost tells where the agent is.
func (x *exchange) signpost() string {
	message := "There is no agent at this path. POST to " + x.version.Path() + "."
	if x.profile == nil {
		return message
	}
	for _, v := range x.Versions {
		if v != x.version && x.profile.Serves(v) {
			message += " AAP " + v.Label + " is at " + v.Path() + "."
		}
	}
	return message
}
