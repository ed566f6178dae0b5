// Package schemas carries the JSON Schemas of the Auto Agent Protocol, one
// folder for each contract version. The README.md of a folder says what sets
// its version apart from the one before.
//
// The files constrain exactly what the released schemas of that version
// constrain, under the same names and $ids; titles and descriptions are our
// own. Every folder is complete: what two versions share stands in both, so
// that a version is read and served without its neighbours. A new version is a
// new folder and needs no change here.
package schemas

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
)

// The second pattern is for what embedding a folder would leave out: names
// that begin with an underscore.
//
//go:embed v*/*.schema.json v*/_primitives/*.schema.json
var files embed.FS

// Version returns the schema files of a contract version by its wire label,
// such as "v1.3". Paths are rooted in the version's folder:
// "customer.schema.json", "_primitives/address.schema.json". An unknown label
// is an error that wraps fs.ErrNotExist.
func Version(label string) (fs.FS, error) {
	if !slices.Contains(Labels(), label) {
		return nil, fmt.Errorf("schemas: no contract version %q: %w", label, fs.ErrNotExist)
	}
	return fs.Sub(files, label)
}

// Labels lists the contract versions that have a folder, in lexical order.
func Labels() []string {
	found, _ := fs.ReadDir(files, ".") // the root of an embedded tree is always there
	labels := make([]string, 0, len(found))
	for _, f := range found {
		labels = append(labels, f.Name())
	}
	return labels
}
