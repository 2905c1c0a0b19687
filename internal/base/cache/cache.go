// Package cache keeps the folder of what memcost built and downloaded within a limit:
// binaries, copies of the studies, the programs and toolchains of memcost limits. While
// a process uses the folder, nothing is removed. Everything that is removed can be built
// again; files that are not memcost's are never touched.
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
	// Limit is the number of bytes that are kept when a run starts: some 400 binaries, a
	// run taking about 20 of them. The least recently used entries are removed first.
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

// Begin trims the cache, unless another process uses it, and marks it as in use. An
// entry that cannot be removed or marked is no error: the cache is optional.
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

// Freed holds what Clean removed and kept.
type Freed struct {
	Entries, Kept       int
	Bytes, KeptBytes    int64
	Failed              error // of an entry that could not be removed
	Binaries, Downloads int   // among Entries: built programs, toolchains
}

// Clean removes what Begin would, or everything (all), or only reports what it would
// remove (dryRun). It returns ErrInUse while a memcost uses the cache.
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

// tally counts the removed and the kept entries.
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
