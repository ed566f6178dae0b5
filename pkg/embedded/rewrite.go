package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
)

var (
	// rewriteKey in the meta bucket says that freed pages hold what was removed.
	rewriteKey  = []byte("rewrite")
	rewriteNow  = []byte("now")  // erased on demand
	rewriteSoon = []byte("soon") // expired
)

// rewriteLater notes that freed pages hold what has expired.
func rewriteLater(tx *bolt.Tx) error {
	meta := tx.Bucket(metaBucket)
	if meta.Get(rewriteKey) != nil {
		return nil
	}
	return meta.Put(rewriteKey, rewriteSoon)
}

// rewriteSuffix names the new file until it takes the old one's place.
const rewriteSuffix = ".rewrite"

// rewriteStep is how many bytes one transaction of a rewrite copies.
const rewriteStep = 4 << 20

// Rewrite puts a fresh file with the same content in the place of the file, so
// that nothing removed can be read in it any more. Reads and writes wait
// meanwhile; a crash leaves the old file or the new one.
func (db *DB) Rewrite(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	db.swap.Lock()
	defer db.swap.Unlock()
	db.mu.Lock()
	closed := db.closed
	db.mu.Unlock()
	if closed {
		return ErrClosed
	}
	fresh, err := copyOf(db.bolt, db.path)
	if err != nil {
		return fmt.Errorf("writing %s anew: %w", db.path, err)
	}
	old := db.bolt
	// The new file is locked before it gets the name: who opens the name finds
	// either file in use.
	if err := os.Rename(db.path+rewriteSuffix, db.path); err != nil {
		return errors.Join(fmt.Errorf("writing %s anew: %w", db.path, err), fresh.Close(), os.Remove(db.path+rewriteSuffix))
	}
	db.bolt = fresh
	return errors.Join(syncDir(filepath.Dir(db.path)), old.Close())
}

// finishRewrite does, on opening, what a stop cut short: what was erased must
// not wait in freed pages, nor in half a copy.
func (db *DB) finishRewrite() error {
	if err := os.Remove(db.path + rewriteSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	due := false
	err := db.view(context.Background(), func(tx *bolt.Tx) error {
		due = string(tx.Bucket(metaBucket).Get(rewriteKey)) == string(rewriteNow)
		return nil
	})
	if err != nil || !due {
		return err
	}
	return db.Rewrite(context.Background())
}

// RewriteExpired rewrites the file if something expired was removed since it
// was written last.
func (db *DB) RewriteExpired(ctx context.Context) error {
	pending := false
	err := db.view(ctx, func(tx *bolt.Tx) error {
		pending = tx.Bucket(metaBucket).Get(rewriteKey) != nil
		return nil
	})
	if err != nil || !pending {
		return err
	}
	return db.Rewrite(ctx)
}

// copyOf makes the new file, open and whole on disk.
func copyOf(old *bolt.DB, path string) (*bolt.DB, error) {
	name := path + rewriteSuffix
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	fresh, err := bolt.Open(name, 0o600, &bolt.Options{Timeout: lockWait, FreelistType: bolt.FreelistMapType, NoSync: true})
	if err != nil {
		return nil, err
	}
	err = bolt.Compact(fresh, old, rewriteStep)
	if err == nil {
		err = fresh.Update(func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Delete(rewriteKey) })
	}
	if err == nil {
		err = fresh.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, fresh.Close(), os.Remove(name))
	}
	fresh.NoSync = false
	return fresh, nil
}

// openFile opens the file and makes sure that it still is the one of that
// name: its holder may have put a new one there while we waited for the lock.
func openFile(path string) (*bolt.DB, error) {
	for start := time.Now(); ; {
		var opened *os.File
		db, err := bolt.Open(path, 0o600, &bolt.Options{
			Timeout: lockWait, FreelistType: bolt.FreelistMapType,
			OpenFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
				f, err = os.OpenFile(name, flag, mode)
				opened = f
				return f, err
			},
		})
		if err != nil {
			return nil, err
		}
		mine, err := opened.Stat()
		if err == nil {
			var named os.FileInfo
			if named, err = os.Stat(path); err == nil && os.SameFile(mine, named) {
				return db, nil
			}
		}
		if e := db.Close(); err != nil || e != nil || time.Since(start) > 10*lockWait {
			return nil, errors.Join(err, e)
		}
	}
}

func syncDir(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
