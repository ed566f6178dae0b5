package crm

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/dealer-agent/dealer/pkg/dealer"
)

// outbox writes one <lead_id>.xml a lead into a folder that the receiver
// empties. A file appears whole or not at all; one that still lies there is
// replaced only by a document that says something else, such as a visit moved
// since. Every fault of the disk, a full one too, is temporary and leaves no
// file.
type outbox struct{ folder string }

func openFile(t dealer.Target, s Setup) (Transport, error) {
	folder := t.Folder
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(s.BaseDir, folder)
	}
	return outbox{folder}, nil
}

// fileSafe is a lead id that can be a file name.
var fileSafe = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// FileName is <lead_id>.xml; a *Failure when the id cannot be a file name.
func (d Document) FileName() (string, error) {
	if !fileSafe.MatchString(d.LeadID) {
		return "", permanent("the lead id cannot be a file name")
	}
	return d.LeadID + ".xml", nil
}

func (o outbox) Deliver(ctx context.Context, d Document) (Receipt, error) {
	if err := ctx.Err(); err != nil {
		return Receipt{}, temporary("writing the file", err)
	}
	name, err := d.FileName()
	if err != nil {
		return Receipt{}, err
	}
	path := filepath.Join(o.folder, name)
	if err := o.write(path, d); err != nil {
		return Receipt{}, temporary("writing the file", err)
	}
	return Receipt{Status: "written", Text: name, File: path}, nil
}

func (o outbox) write(path string, d Document) error {
	if err := os.MkdirAll(o.folder, 0o700); err != nil {
		return err
	}
	if lies, err := os.ReadFile(path); err == nil && bytes.Equal(asNew(lies), asNew(d.Body)) {
		return syncDir(o.folder)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// What a killed attempt left behind holds the buyer's data.
	if left, err := filepath.Glob(filepath.Join(o.folder, "."+d.LeadID+"-*.tmp")); err == nil {
		for _, name := range left {
			_ = os.Remove(name)
		}
	}
	f, err := os.CreateTemp(o.folder, "."+d.LeadID+"-*.tmp") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(d.Body)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(o.folder)
}

// asNew takes the mark of a resend off a document.
func asNew(xml []byte) []byte {
	return bytes.Replace(xml, []byte(`<prospect status="resend">`), []byte(`<prospect status="new">`), 1)
}

// syncDir makes a rename durable.
func syncDir(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
