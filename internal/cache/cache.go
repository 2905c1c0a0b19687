// Package cache keeps the folder of what memcost built and downloaded within a
// limit: binaries, copies of the studies, the programs and toolchains of memcost
// limits. Whoever uses it holds it meanwhile, and nothing is removed then. All of
// it can be made again; what is in the folder and is not memcost's stays.
package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const (
	// Limit is how many bytes stay when a run starts: some 400 binaries, a run taking
	// about 20 of them. What was used least recently goes first.
	Limit = 2 << 30

	// holdTime bounds the wait for another memcost that removes something right now.
	holdTime = 10 * time.Second

	lockFile = ".lock"
)

// Dir returns the folder: MEMCOST_CACHE, or memcost in the user's cache folder.
func Dir() (string, error) {
	if dir := os.Getenv("MEMCOST_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "memcost"), nil
}

// A Use is a cache that somebody uses. It ends with Close, or with the process.
type Use struct{ lock *flock.Flock }

// Begin trims the cache, unless somebody else uses it, and holds it. What cannot be
// removed or held is no reason to fail: a cache is for comfort.
func Begin(dir string, now time.Time) *Use {
	os.MkdirAll(dir, 0o777)
	u := &Use{flock.New(filepath.Join(dir, lockFile))}
	if alone, err := u.lock.TryLock(); err == nil && alone {
		remove(surplus(entries(dir), Limit, now))
		u.lock.Unlock()
	}
	ctx, stop := context.WithTimeout(context.Background(), holdTime)
	defer stop()
	u.lock.TryRLockContext(ctx, holdTime/100)
	return u
}

// Close ends the use.
func (u *Use) Close() error { return u.lock.Close() }

// ErrInUse is a cache that a memcost which runs now needs.
var ErrInUse = errors.New("another memcost uses the cache now")

// Freed is what Clean did.
type Freed struct {
	Entries, Kept       int
	Bytes, KeptBytes    int64
	Failed              error // of an entry that could not be removed
	Binaries, Downloads int   // among Entries: built programs, toolchains
}

// Clean removes what Begin would, or everything, or only says what it would remove.
// It returns ErrInUse while a memcost uses the cache.
func Clean(dir string, all, dryRun bool, now time.Time) (Freed, error) {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return Freed{}, nil
	}
	lock := flock.New(filepath.Join(dir, lockFile))
	alone, err := lock.TryLock()
	if err != nil {
		return Freed{}, fmt.Errorf("locking the cache %s: %w", dir, err)
	}
	if !alone {
		return Freed{}, ErrInUse
	}
	defer lock.Close()
	found := entries(dir)
	out := found
	if !all {
		out = surplus(found, Limit, now)
	}
	if dryRun {
		return tally(found, out), nil
	}
	gone, failed := remove(out)
	freed := tally(found, gone)
	freed.Failed = failed
	return freed, nil
}

// tally counts what goes and what stays.
func tally(found, gone []entry) Freed {
	var f Freed
	for _, e := range found {
		f.Kept++
		f.KeptBytes += e.size
	}
	for _, e := range gone {
		f.Entries++
		f.Bytes += e.size
		f.Kept--
		f.KeptBytes -= e.size
		switch e.kind {
		case binary:
			f.Binaries++
		case download:
			f.Downloads++
		}
	}
	return f
}
