package place

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"memcost/internal/base/foreign"
)

// A diskFolder is a store whose objects are the files below it.
type diskFolder struct {
	dir  string // an absolute path
	link func(root *os.Root, old, name string) error
}

// writing begins the names of files that are not whole yet. They stand beside the others, since a rename
// must not leave the file system, and are no objects.
const writing = ".writing-"

func newFolder(dir string, create bool) (diskFolder, error) {
	if create {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return diskFolder{}, err
		}
	}
	info, err := os.Stat(dir)
	if err != nil {
		return diskFolder{}, fileError(err)
	}
	if !info.IsDir() {
		return diskFolder{}, errors.New("it is not a folder")
	}
	absolute, err := filepath.Abs(dir)
	return diskFolder{absolute, (*os.Root).Link}, err
}

// fileError says of an error of the file system what it means to a place.
func fileError(err error) error {
	var meaning error
	switch {
	case errors.Is(err, fs.ErrNotExist):
		meaning = ErrNone
	case errors.Is(err, fs.ErrExist):
		meaning = ErrThere
	case errors.Is(err, fs.ErrPermission):
		meaning = errDenied
	default:
		return err
	}
	return fmt.Errorf("%w: %w", meaning, err)
}

// local is the path of an object in the folder. A key comes from whoever wrote to the place, and may not lead out of
// it; no more may a link.
func local(key string) (string, error) {
	name, err := filepath.Localize(key)
	if err != nil || key == "." {
		return "", fmt.Errorf("%q is no name of an object", key)
	}
	return name, nil
}

func (d diskFolder) open(_ context.Context, key string) (io.ReadCloser, error) {
	name, err := local(key)
	if err != nil {
		return nil, err
	}
	f, err := foreign.Open(d.dir, name)
	if errors.Is(err, syscall.EISDIR) {
		err = ErrNone
	}
	if err != nil { // no *os.File that is nil
		return nil, fileError(err)
	}
	return f, nil
}

func (d diskFolder) write(ctx context.Context, key string, r io.Reader) error {
	return d.publish(key, r, func(root *os.Root, tmp, name string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return root.Rename(tmp, name)
	})
}

// writeNew links, because a link fails where there is a file, of whichever process. To look whether there
// is one before a rename keeps apart what one process does, but not two. Where the file system has no links
// (exFAT, some network storage), an empty file of that name is made, which fails where there is one, too, and is
// replaced: whoever reads in between, or after its writer was killed there, finds it damaged.
func (d diskFolder) writeNew(_ context.Context, key string, data []byte) error {
	return d.publish(key, bytes.NewReader(data), func(root *os.Root, tmp, name string) error {
		err := d.link(root, tmp, name)
		if err == nil || !noLinks(err) {
			return err
		}
		first, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		if err := cmp.Or(first.Close(), root.Rename(tmp, name)); err != nil {
			return errors.Join(err, root.Remove(name))
		}
		return nil
	})
}

// noLinks reports whether an error says that the file system has no hard links.
func noLinks(err error) bool {
	for _, is := range []error{syscall.EPERM, syscall.ENOSYS, syscall.EMLINK, errors.ErrUnsupported} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// publish writes a file under another name, and lets the caller give it its own when it is on disk. Others may read it
// as the user's umask says: the place is for several.
func (d diskFolder) publish(key string, r io.Reader, named func(root *os.Root, tmp, name string) error) error {
	name, err := local(key)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return fileError(err)
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fileError(err)
	}
	tmp := filepath.Join(filepath.Dir(name), fmt.Sprintf("%s%016x", writing, rand.Uint64()))
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fileError(err)
	}
	defer root.Remove(tmp)
	defer f.Close()
	if _, err := io.Copy(f, r); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return fileError(named(root, tmp, name))
}

// list passes over what vanishes while it looks: files of others that were not whole.
func (d diskFolder) list(_ context.Context, prefix string) ([]Object, error) {
	var out []Object
	below := cmp.Or(strings.TrimSuffix(prefix[:strings.LastIndexByte(prefix, '/')+1], "/"), ".")
	err := fs.WalkDir(os.DirFS(d.dir), below, func(key string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || e.IsDir() || !strings.HasPrefix(key, prefix) || strings.HasPrefix(path.Base(key), writing) {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		out = append(out, Object{Key: key, Size: info.Size(), Written: info.ModTime()})
		return nil
	})
	if err != nil {
		return nil, fileError(err)
	}
	slices.SortFunc(out, func(a, b Object) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}

// folders leaves out those that are empty or cannot be read: the place may be the root of a file system,
// which has a lost+found.
func (d diskFolder) folders(context.Context) ([]string, error) {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return nil, fileError(err)
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if below, err := os.ReadDir(filepath.Join(d.dir, e.Name())); err == nil && len(below) > 0 {
			out = append(out, e.Name())
		}
	}
	return out, nil
}
