package hostconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrChanged: the file was changed by someone else meanwhile.
var ErrChanged = errors.New("the file was changed meanwhile")

// longest is the longest configuration that is read, in bytes.
const longest = 32 << 20

// Read reads a configuration; a file that is not there is empty. A link to one
// that is not there is an error: a new file would take the link's place.
func Read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(file); err == nil {
			return nil, fmt.Errorf("%s is a link to a file that is not there; create that one first", file)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > longest {
		return nil, fmt.Errorf("%s is no configuration file", file)
	}
	return os.ReadFile(file)
}

// Replace puts a document in the place of the one that was read, whole or not
// at all, and returns the backup of the old one beside it, named by the time;
// there is none of a file that was not there. A link stays one.
func Replace(file string, old, document []byte, now time.Time) (backup string, err error) {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	mode := fs.FileMode(0o600)
	if info, missing := os.Stat(file); missing == nil {
		if mode = info.Mode().Perm(); mode&0o200 == 0 {
			return "", errors.New("it is write-protected")
		}
		backup = file + ".backup-" + now.UTC().Format("20060102T150405.000Z")
		if err = create(backup, old, mode); err != nil {
			return "", err
		}
		made := backup
		defer func() {
			if err != nil { // there is nothing to go back to
				_ = os.Remove(made)
			}
		}()
	} else if err = os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", err
	}
	beside, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".new-*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(beside.Name())
		}
	}()
	_, err = beside.Write(document)
	if err := errors.Join(err, beside.Chmod(mode), beside.Sync(), beside.Close()); err != nil {
		return "", err
	}
	if now, err := Read(file); err != nil || !bytes.Equal(now, old) {
		return "", errors.Join(ErrChanged, err)
	}
	return backup, os.Rename(beside.Name(), file)
}

// create writes a file that is not there yet.
func create(file string, document []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(document)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(file)
	}
	return err
}
