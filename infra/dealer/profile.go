package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/dealer-agent/dealer/infra/sample"
	"github.com/dealer-agent/dealer/pkg/dealer"
)

// loadProfile reads and checks the profile at path; faults are told by the
// name of the file. An empty path is the sample dealer.
func loadProfile(ctx context.Context, path string) (*dealer.Profile, error) {
	if path == "" {
		return dealer.Parse(sample.Profile())
	}
	document, err := dealer.File(path).Fetch(ctx, "")
	if err != nil {
		return nil, err
	}
	p, err := dealer.Parse(document.Body)
	if faults, ok := errors.AsType[*dealer.Faults](err); ok {
		faults.Document = filepath.Base(path)
	}
	if err != nil {
		return nil, err
	}
	p.Modified = document.Modified
	return p, nil
}
