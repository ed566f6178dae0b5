package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

var (
	// ErrInUse: another process holds the data folder.
	ErrInUse = errors.New("the data folder is in use by another process")
	// ErrFormat: the file was written by a release with another layout.
	ErrFormat = errors.New("the data file has an unknown format")
	// ErrClosed: the database was closed.
	ErrClosed = errors.New("the data file is closed")
)

const (
	fileName = "dealer.db"
	format   = "1"
	// lockWait is long enough for a predecessor that is just leaving.
	lockWait = 500 * time.Millisecond
)

var (
	metaBucket      = []byte("meta")
	inventoryBucket = []byte("inventory")
	leadsBucket     = []byte("leads")
	queueBucket     = []byte("queue")
	formatKey       = []byte("format")
)

// DB is one open data file. It is safe for concurrent use.
type DB struct {
	path string
	// swap is held for writing while bolt is replaced by a fresh file.
	swap sync.RWMutex
	bolt *bolt.DB
	// visits are the sources of exports that somebody is at.
	visits visits
	// wake tells the running Queue that there is something to do.
	wake chan struct{}

	mu      sync.Mutex
	waiting []*write
	running bool
	closed  bool
	idle    *sync.Cond
}

// Open opens the data file in dir and makes both when they are missing.
// ErrInUse when another process has it, ErrFormat when its layout is unknown.
func Open(dir string) (*DB, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fileName)
	file, err := openFile(path)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s: %w", path, ErrInUse)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	db := &DB{path: path, bolt: file, wake: make(chan struct{}, 1)}
	db.idle = sync.NewCond(&db.mu)
	if err := file.Update(prepare); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	if err := db.finishRewrite(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return db, nil
}

func prepare(tx *bolt.Tx) error {
	if meta := tx.Bucket(metaBucket); meta != nil {
		if found := string(meta.Get(formatKey)); found != format {
			return fmt.Errorf("%w: found %q, this release reads %q", ErrFormat, found, format)
		}
		return nil
	}
	for _, name := range [][]byte{metaBucket, inventoryBucket, leadsBucket, queueBucket} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return tx.Bucket(metaBucket).Put(formatKey, []byte(format))
}

// Close waits for writes under way and releases the file. Later calls on
// anything the DB gave out fail with ErrClosed.
func (db *DB) Close() error {
	db.mu.Lock()
	db.closed = true
	for db.running {
		db.idle.Wait()
	}
	db.mu.Unlock()
	db.swap.RLock()
	defer db.swap.RUnlock()
	return db.bolt.Close()
}

func (db *DB) view(ctx context.Context, read func(*bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	db.swap.RLock()
	defer db.swap.RUnlock()
	err := db.bolt.View(read)
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}

// write is one caller's change, waiting to be committed.
type write struct {
	apply func(*bolt.Tx) error
	done  chan error
}

// update commits apply, together with whatever else arrives while the disk is
// busy, and returns when it is durable. An apply that fails changes nothing
// and does not disturb the others; it may run more than once.
func (db *DB) update(ctx context.Context, apply func(*bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &write{apply: apply, done: make(chan error, 1)}
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return ErrClosed
	}
	db.waiting = append(db.waiting, w)
	if !db.running {
		db.running = true
		go db.commitWaiting()
	}
	db.mu.Unlock()
	return <-w.done
}

func (db *DB) commitWaiting() {
	for {
		db.mu.Lock()
		group := db.waiting
		db.waiting = nil
		if len(group) == 0 {
			db.running = false
			db.idle.Broadcast()
			db.mu.Unlock()
			return
		}
		db.mu.Unlock()
		db.commit(group)
	}
}

// commit writes the group in one transaction. The first that fails is answered
// and taken out, then the rest is tried again from the start.
func (db *DB) commit(group []*write) {
	db.swap.RLock()
	defer db.swap.RUnlock()
	for len(group) > 0 {
		failed := -1
		err := db.bolt.Update(func(tx *bolt.Tx) error {
			for i, w := range group {
				if err := w.apply(tx); err != nil {
					failed = i
					return err
				}
			}
			return nil
		})
		if failed < 0 {
			for _, w := range group {
				w.done <- err
			}
			return
		}
		group[failed].done <- err
		group = append(group[:failed:failed], group[failed+1:]...)
	}
}

// Dealers lists the ids of the dealers whose leads or inventory the file
// keeps, in order.
func (db *DB) Dealers(ctx context.Context) (ids []string, err error) {
	err = db.view(ctx, func(tx *bolt.Tx) error {
		for _, name := range [][]byte{leadsBucket, inventoryBucket} {
			err := tx.Bucket(name).ForEachBucket(func(k []byte) error {
				ids = append(ids, string(k))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// Exists reports whether dir has a data file.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fileName))
	return err == nil
}
