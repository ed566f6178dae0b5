package machine

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/dealer-agent/dealer/pkg/cloud/targets"
	"github.com/dealer-agent/dealer/pkg/crm"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/embedded"
	"github.com/dealer-agent/dealer/pkg/feed"
	"github.com/dealer-agent/dealer/pkg/outbound"
	"github.com/dealer-agent/dealer/pkg/pickup"
)

const (
	// pickupPoll is how often it is looked whether a source is due.
	pickupPoll = time.Second
	// pickupFolder, in the data folder, keeps the last file of each source.
	pickupFolder = "pickups"
)

// pickUp fetches what is due, until ctx ends. A fault of a source is logged,
// and the last good inventory stays.
func (m *Machine) pickUp(ctx context.Context) error {
	told := ""
	for {
		err := m.picker.Turn(ctx)
		switch {
		case err == nil:
			told = ""
		case ctx.Err() == nil && err.Error() != told:
			told = err.Error()
			m.config.Log.Error("exports cannot be fetched, it will be tried again", "reason", told)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pickupPoll):
		}
	}
}

// NewPicker fetches exports into the data folder that db lies in. A source may
// be anywhere, on this machine or its network too: the profile is the word of
// whoever runs the machine. What a source redirects to must be public.
func NewPicker(db *embedded.DB, profiles dealer.Source, data string, secrets crm.Secrets, now func() time.Time, log *slog.Logger) (*pickup.Picker, error) {
	dir := filepath.Join(data, pickupFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// What a killed process left on its way; no other one has the data folder.
	left, _ := filepath.Glob(filepath.Join(dir, "pickup-*"))
	for _, name := range left {
		_ = os.Remove(name)
	}
	return &pickup.Picker{
		Profiles: profiles, States: db.Pickups(), Secrets: secrets, Now: now, Log: log, Dir: dir,
		Depot: shelf{dir: dir, now: now, teller: teller{log, db.Inventory(), profiles}},
		Route: func(host string) outbound.Route { return outbound.Route{Named: host} },
	}, nil
}

// Secrets are those of the environment and, where AWS is configured, of AWS.
func Secrets(ctx context.Context) (crm.Secrets, error) {
	w := &crm.Worker{}
	err := targets.EquipHere(ctx, w)
	return secretsOf(w), err
}

func secretsOf(w *crm.Worker) crm.Secrets {
	if w.Secrets != nil {
		return w.Secrets
	}
	return &crm.SecretCache{Now: w.Now, Sources: map[string]crm.Source{"env": crm.Environment}}
}

// shelf is pickup.Depot in a folder: one file a source.
type shelf struct {
	dir string
	now func() time.Time
	teller
}

// Take keeps the file, dated as its source dates it, and imports it.
func (s shelf) Take(ctx context.Context, p *dealer.Profile, source *dealer.FeedSource, f pickup.File) (feed.Report, error) {
	if err := s.keep(f); err != nil {
		s.log.Error("feed not kept, it will be fetched again", "reason", err.Error())
		return feed.Report{}, err
	}
	importer := feed.Importer{Store: s.inventory, Profiles: dealer.Fixed(p), Now: s.now}
	report, err := importer.Import(ctx, feed.Source{Name: f.Name, Size: f.Size, Modified: f.Modified, Body: f.Body, Rooftops: source.Rooftops}, false)
	s.tell(ctx, report, err)
	return report, err
}

func (s shelf) keep(f pickup.File) error {
	file, err := os.CreateTemp(s.dir, "pickup-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(file, f.Body)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = errors.Join(os.Chtimes(file.Name(), f.Modified, f.Modified), os.Rename(file.Name(), filepath.Join(s.dir, f.Name)))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	_, err = f.Body.Seek(0, io.SeekStart)
	return err
}
