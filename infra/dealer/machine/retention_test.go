package machine_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/dealer-agent/dealer/infra/dealer/machine"
)

// TestWhatHasExpiredGoesThoughNoLeadComes looks into the data file: a dealer
// that takes no more leads must not keep the buyers of years ago.
func TestWhatHasExpiredGoesThoughNoLeadComes(t *testing.T) {
	at := noon
	config := machine.Config{
		Addr: "127.0.0.1:0", Profile: "testdata/dealer.yaml", Data: filepath.Join(t.TempDir(), "data"),
		Now: func() time.Time { return at }, Log: slog.New(slog.DiscardHandler),
	}
	d, stop := serve(t, config)
	d.skill(t, lead(object{"message": "Is the sunroof tight?"})).want("ok")
	stop()
	if !holds(t, config.Data, "sunroof") {
		t.Fatal("the lead is not in the data file")
	}
	at = noon.AddDate(10, 0, 0)
	eventually(t, "the expired lead is gone", func() bool {
		_, stop := serve(t, config)
		time.Sleep(50 * time.Millisecond)
		stop()
		return !holds(t, config.Data, "sunroof")
	})
}

// holds looks for the text in every value of the data file.
func holds(t *testing.T, data, text string) bool {
	t.Helper()
	db, err := bolt.Open(filepath.Join(data, "dealer.db"), 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found := false
	var look func(b *bolt.Bucket) error
	look = func(b *bolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return look(b.Bucket(k))
			}
			found = found || bytes.Contains(v, []byte(text))
			return nil
		})
	}
	err = db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bolt.Bucket) error { return look(b) })
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
