package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// build runs the target that `sam build` runs for the function, and packs it.
func build(ctx context.Context, top, id string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "dealer-release-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", "build-"+id, "ARTIFACTS_DIR="+dir)
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	binary, err := os.ReadFile(filepath.Join(dir, "bootstrap"))
	if err != nil {
		return nil, err
	}
	return pack(binary)
}

// firstDay is the earliest that a zip can tell.
var firstDay = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// pack makes the zip that Lambda takes; the same binary makes the same bytes.
func pack(binary []byte) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestCompression) })
	head := &zip.FileHeader{Name: "bootstrap", Method: zip.Deflate, Modified: firstDay}
	head.SetMode(0o755)
	file, err := w.CreateHeader(head)
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(binary); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// nameOf names a function's code by its contents, so that CloudFormation sees an
// update where there is one.
func nameOf(id string, zipped []byte) string {
	sum := sha256.Sum256(zipped)
	return strings.ToLower(strings.TrimSuffix(id, "Function")) + "-" + hex.EncodeToString(sum[:])[:16] + ".zip"
}
