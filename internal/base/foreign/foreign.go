// Package foreign opens files of folders that somebody else may have made: regular files that lie in the folder.
// A pipe in the place of one would wait for ever, a device never end, and a link may name any file of the user's.
package foreign

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Document is the most bytes that a file may have which is read as a whole: a question, a plan, an index.
const Document = 64 << 20

// Open opens a file of a folder to read it. name may have folders in it; links are followed as far as they stay in
// the folder.
func Open(dir, name string) (*os.File, error) { return OpenFile(dir, name, os.O_RDONLY) }

// OpenFile is Open with the flags of os.OpenFile.
func OpenFile(dir, name string, flag int) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(name, flag|syscall.O_NONBLOCK, 0o666) // waits for no writer of a pipe
	if err != nil {
		return nil, named(root, dir, name, err)
	}
	if err := regular(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// named gives an error of a root, which knows only names below it, the whole name.
func named(root *os.Root, dir, name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	if info, at := root.Lstat(name); at == nil && info.Mode()&fs.ModeSymlink != 0 && !errors.As(err, new(syscall.Errno)) {
		err = errors.New("it is a link that leads out of the folder")
	}
	return &fs.PathError{Op: "open", Path: filepath.Join(dir, name), Err: err}
}

func regular(f *os.File) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return &fs.PathError{Op: "open", Path: f.Name(), Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "open", Path: f.Name(), Err: errors.New("it is not a file but a device or a pipe")}
	}
	return nil
}

// Read returns what a file of a folder holds, of which there may be limit bytes.
func Read(dir, name string, limit int64) ([]byte, error) {
	f, err := Open(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := ReadAll(f, limit)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Name(), err)
	}
	return data, nil
}

// ReadAll returns what there is to read, of which there may be limit bytes.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("it has more than %d MiB", limit>>20)
	}
	return data, err
}
