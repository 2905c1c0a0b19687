// Package atomicfile writes files that are never seen half.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write writes a file of which a reader finds the old or the new content: beside it first, then renamed. What is not
// a plain file (/dev/stdout, a link, a pipe) is written directly: a rename would put a file in its place, and the user
// named it.
func Write(path string, write func(io.Writer) error) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return nameless(err)
		}
		return nameless(errors.Join(write(f), f.Close()))
	}
	return WriteIn(filepath.Dir(path), filepath.Base(path), write)
}

// WriteIn writes a file below a folder as Write does, but never through a link that leads out of the folder, for somebody
// else may have made it; a link in the file's place is replaced. Folders on the way to it are made.
func WriteIn(dir, name string, write func(io.Writer) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nameless(err)
	}
	defer root.Close()
	below := filepath.Dir(name)
	if err := root.MkdirAll(below, 0o777); err != nil {
		return nameless(err)
	}
	temp := filepath.Join(below, fmt.Sprintf(".writing-%016x", rand.Uint64()))
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nameless(err)
	}
	defer root.Remove(temp) // fails once it has its name
	err = write(f)
	if err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err == nil {
		syncFolder(root, below)
	}
	return nameless(err)
}

// syncFolder waits until the name of a file is on disk, where a system can do that.
func syncFolder(root *os.Root, name string) {
	if d, err := root.Open(name); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// nameless returns an error without the name of the file beside it, which nobody asked for.
func nameless(err error) error {
	var named *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &named):
		return named.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
