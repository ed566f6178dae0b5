package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The files that Write makes.
const (
	ProfileName   = "dealer.yaml"
	SAMConfigName = "samconfig.toml"
)

// ErrExists: a file is there already and was not to be replaced.
var ErrExists = errors.New("is there already")

// Overwrite says what becomes of files that are there already.
type Overwrite int

// Keep refuses to touch them, Replace puts the new ones in their place.
const (
	Keep Overwrite = iota
	Replace
)

// Write puts the profile, and for AWS the settings of the deployment, into the
// folder: each file whole, and all of them or none. It returns their names.
func (a Answers) Write(dir string, over Overwrite) ([]string, error) {
	if _, err := a.check(); err != nil {
		return nil, err
	}
	names, bodies := []string{filepath.Join(dir, ProfileName)}, [][]byte{a.Profile()}
	if a.OnAWS() {
		settings, err := a.SAMConfig()
		if err != nil {
			return nil, err
		}
		names, bodies = append(names, filepath.Join(dir, SAMConfigName)), append(bodies, settings)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var there []string
	for _, name := range names {
		info, err := os.Lstat(name)
		if err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder; choose another place with --dir", name)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			there = append(there, name)
		}
	}
	if len(there) > 0 && over == Keep {
		return nil, exists(there)
	}
	var staged []string
	defer func() {
		for _, name := range staged {
			_ = os.Remove(name) // where it was moved away there is nothing left
		}
	}()
	for i, name := range names {
		part, err := stage(name, bodies[i])
		staged = append(staged, part)
		if err != nil {
			return nil, err
		}
	}
	return names, place(staged, names, over)
}

// Free says, before anything is asked, that the folder has a profile already:
// ErrExists.
func Free(dir string) error {
	name := filepath.Join(dir, ProfileName)
	if _, err := os.Lstat(name); err == nil {
		return exists{name}
	}
	return nil
}

// exists are the names of files that are there already.
type exists []string

func (names exists) Error() string {
	verb := "is"
	if len(names) > 1 {
		verb = "are"
	}
	return fmt.Sprintf("%s %s there already; choose another folder with --dir, or replace with --force", strings.Join(names, " and "), verb)
}

func (names exists) Unwrap() error { return ErrExists }

// stage writes the body beside where it is to be.
func stage(name string, body []byte) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*.tmp")
	if err != nil {
		return "", err
	}
	_, err = f.Write(body)
	return f.Name(), errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
}

// place moves the parts to their names. A file that came meanwhile is not
// replaced unless that was asked for, and then no part stays.
func place(parts, names []string, over Overwrite) error {
	for i, part := range parts {
		if over == Replace {
			if err := os.Rename(part, names[i]); err != nil {
				return err
			}
			continue
		}
		err := os.Link(part, names[i])
		if errors.Is(err, fs.ErrExist) {
			err = exists{names[i]}
		}
		if err != nil {
			for _, placed := range names[:i] {
				_ = os.Remove(placed)
			}
			return err
		}
	}
	return nil
}
