package site

import "github.com/dealer-agent/dealer/pkg/cloud"

// Place is where the files of a dealer lie in the profile's bucket, as the
// beginning of their keys, and the address that they name where the profile
// names none. The id counts where a stack serves many dealers.
func Place(s cloud.Settings, id string) (prefix, address string) {
	if !s.Pooled() {
		return "", s.URL
	}
	return byID + id + "/", addressOf(s.URL, id)
}
