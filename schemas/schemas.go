// Package schemas carries the JSON Schemas of the Auto Agent Protocol, one
// folder for each contract version.
//
// The files constrain exactly what the released schemas of that version
// constrain, under the same names and $ids; titles and descriptions are our
// own. A new version is a new folder and needs no change here.
package schemas

import (
	"embed"
	"fmt"
	"io/fs"
)

// The pattern needs "all:" because a plain one leaves out _primitives.
//
//go:embed all:v*
var files embed.FS

// Version returns the schema files of a contract version by its wire label,
// such as "v1.3". Paths are rooted in the version's folder:
// "customer.schema.json", "_primitives/address.schema.json". An unknown label
// is an error that wraps fs.ErrNotExist.
func Version(label string) (fs.FS, error) {
	info, err := fs.Stat(files, label)
	if err != nil || !info.IsDir() || label == "." {
		return nil, fmt.Errorf("schemas: no contract version %q: %w", label, fs.ErrNotExist)
	}
	return fs.Sub(files, label)
}
