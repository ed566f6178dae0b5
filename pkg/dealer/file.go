package dealer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// File is the Origin of a profile on disk. Its tag is the content's hash, so
// that a touched but equal file is not read again; Modified is the file's time.
func File(path string) Origin { return file{path} }

type file struct{ path string }

func (f file) Fetch(ctx context.Context, tag string) (Document, error) {
	if err := ctx.Err(); err != nil {
		return Document{}, err
	}
	in, err := os.Open(f.path)
	if err != nil {
		return Document{}, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return Document{}, err
	}
	// One byte more than allowed is enough for Parse to say so.
	body, err := io.ReadAll(io.LimitReader(in, MaxDocument+1))
	if err != nil {
		return Document{}, err
	}
	sum := sha256.Sum256(body)
	if hash := hex.EncodeToString(sum[:]); hash != tag {
		return Document{Body: body, Tag: hash, Modified: info.ModTime()}, nil
	}
	return Document{}, ErrNotModified
}

// String is the path; faults name it.
func (f file) String() string { return f.path }
