// This part of the package keeps two measurements of one machine apart, of whichever users: they would
// spoil each other's figures. The lock is the kernel's, and goes with the process that has it.

package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// Variable of the environment names another lock: where containers of one machine share a folder.
const Variable = "MEMCOST_LOCK"

const name = "memcost.lock"

// Path returns the file that is locked. It follows from the machine and not from the user, so that
// all users of a machine take the same.
func Path() string {
	if path := os.Getenv(Variable); path != "" {
		return path
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(os.TempDir(), name)
	}
	for _, dir := range []string{"/run/lock", "/tmp"} {
		if fi, err := os.Stat(dir); err == nil && fi.Mode()&os.ModeSticky != 0 && fi.Mode().Perm()&0o002 != 0 {
			return filepath.Join(dir, name)
		}
	}
	return filepath.Join("/tmp", name)
}

// A Lock is held until it is released, or the process ends.
type Lock struct{ file *flock.Flock }

// Release gives the machine free.
func (l *Lock) Release() {
	if l != nil && l.file != nil {
		l.file.Close()
	}
}

// Try takes the lock; nil if another process has it.
func Try() (*Lock, error) {
	f, err := open(Path())
	if err != nil {
		return nil, err
	}
	got, err := f.TryLock()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s, which keeps measurements of this machine apart: %w", f.Path(), err)
	}
	if !got {
		f.Close()
		return nil, nil
	}
	return &Lock{f}, nil
}

// between is how often Wait tries.
const between = 500 * time.Millisecond

// Wait takes the lock as soon as it can be had. busy is called once, if that is not at once.
func Wait(ctx context.Context, busy func()) (*Lock, error) {
	for said := false; ; {
		l, err := Try()
		if l != nil || err != nil {
			return l, err
		}
		if !said {
			said = true
			busy()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(between):
		}
	}
}

// open makes the file, or opens the one that another user made: opening that with O_CREAT is refused
// in a folder like /tmp (fs.protected_regular), and for writing by its permissions.
func open(path string) (*flock.Flock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDONLY, 0o644)
	if err == nil {
		err = errors.Join(f.Chmod(0o644), f.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("making the lock that keeps measurements of this machine apart: %w", err)
	}
	return flock.New(path, flock.SetFlag(os.O_RDONLY)), nil
}
