// Package place is where the shards of a plan meet: a folder that machines share, or a bucket of
// an object store. Both are used in the same way: objects are written whole, listed and read.
package place

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob" // s3://
	"gocloud.dev/gcerrors"

	"memcost/internal/base/hint"
)

// ErrThere is the error of an object that WriteNew found there.
var ErrThere = errors.New("it is there already")

// ErrNone is the error of an object, or a place, that is not there.
var ErrNone = errors.New("there is no such thing")

// A Place is a folder or a bucket.
type Place struct {
	Name   string // as the user wrote it
	bucket *blob.Bucket
	dir    string // of a folder
}

// An Object is what a place lists.
type Object struct {
	Key     string
	Size    int64
	Written time.Time // by the clock of the place
}

// Scheme begins the URL of a bucket.
const Scheme = "s3://"

// IsURL reports whether an argument is the URL of a bucket.
func IsURL(arg string) bool { return strings.HasPrefix(arg, Scheme) }

// Open opens a place: a folder, or s3://BUCKET/PREFIX?region=…, with what other parameters
// gocloud.dev/blob/s3blob knows (endpoint, s3ForcePathStyle). A folder is made if create says so.
func Open(ctx context.Context, where string, create bool) (*Place, error) {
	if !IsURL(where) {
		return openFolder(where, create)
	}
	u, err := url.Parse(where)
	if err != nil || u.Host == "" {
		return nil, hint.Usage("s3://BUCKET/PREFIX?region=eu-central-1", "the place %s: not the URL of a bucket", where)
	}
	prefix := strings.Trim(u.Path, "/")
	u.Path = ""
	b, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("opening the place %s: %w", where, err)
	}
	if prefix != "" {
		b = blob.PrefixedBucket(b, prefix+"/")
	}
	return &Place{Name: where, bucket: b}, nil
}

func openFolder(dir string, create bool) (*Place, error) {
	if create {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, (&Place{Name: dir}).failed("making the folder", "", err)
		}
	}
	// The temporary files stand beside the others: a rename must not leave the file system.
	b, err := fileblob.OpenBucket(dir, &fileblob.Options{NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, fmt.Errorf("opening the place %s: %w", dir, cmp.Or(notThere(dir), err))
	}
	return &Place{Name: dir, bucket: b, dir: dir}, nil
}

func notThere(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return ErrNone
	}
	return nil
}

// Below names something in the place, as a user would write it.
func (p *Place) Below(key string) string {
	name, query := p.Name, ""
	if i := strings.IndexByte(name, '?'); i >= 0 && IsURL(name) {
		name, query = name[:i], name[i:]
	}
	return strings.TrimSuffix(name, "/") + "/" + key + query
}

// Close gives the place back.
func (p *Place) Close() error { return p.bucket.Close() }

// Read returns an object; the error is ErrNone where there is none.
func (p *Place) Read(ctx context.Context, key string) ([]byte, error) {
	data, err := p.bucket.ReadAll(ctx, key)
	return data, p.failed("reading", key, err)
}

// Download copies an object into w.
func (p *Place) Download(ctx context.Context, key string, w io.Writer) error {
	r, err := p.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return p.failed("reading", key, err)
	}
	defer r.Close()
	if _, err = io.Copy(w, r); err != nil {
		return p.failed("reading", key, err)
	}
	return nil
}

// Write writes an object, over one that may be there.
func (p *Place) Write(ctx context.Context, key string, data []byte) error {
	return p.failed("writing", key, p.bucket.WriteAll(ctx, key, data, nil))
}

// Upload writes an object from r.
func (p *Place) Upload(ctx context.Context, key string, r io.Reader) error {
	return p.failed("writing", key, p.bucket.Upload(ctx, key, r, &blob.WriterOptions{
		ContentType: "application/octet-stream"}))
}

// WriteNew writes an object only if there is none; else the error is ErrThere. Of several processes
// that do so at once, on one machine or many, one succeeds.
func (p *Place) WriteNew(ctx context.Context, key string, data []byte) error {
	if p.dir != "" {
		return p.failed("writing", key, linkNew(filepath.Join(p.dir, filepath.FromSlash(key)), data))
	}
	return p.failed("writing", key, p.bucket.WriteAll(ctx, key, data, &blob.WriterOptions{IfNotExist: true}))
}

// linkNew makes a file with its content at once. The library looks whether there is one before it
// renames, which keeps apart what one process does, but not two: a link fails where there is one.
func linkNew(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".writing-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = errors.Join(tmp.Chmod(0o644), tmp.Sync())
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Link(tmp.Name(), path)
}

// List returns the objects whose keys begin with a prefix, sorted by key.
func (p *Place) List(ctx context.Context, prefix string) ([]Object, error) {
	var out []Object
	it := p.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := it.Next(ctx)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, p.failed("listing", prefix, err)
		}
		out = append(out, Object{Key: o.Key, Size: o.Size, Written: o.ModTime})
	}
}

// Folders returns the names of the folders at the top, without what is in them.
func (p *Place) Folders(ctx context.Context) ([]string, error) {
	var out []string
	it := p.bucket.List(&blob.ListOptions{Delimiter: "/"})
	for {
		o, err := it.Next(ctx)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, p.failed("listing", "", err)
		}
		if o.IsDir {
			out = append(out, strings.TrimSuffix(o.Key, "/"))
		}
	}
}

// failed says what was done to which object, with a hint where the user can do something.
func (p *Place) failed(doing, key string, err error) error {
	if err == nil {
		return nil
	}
	at := strings.TrimSuffix(p.Name+" "+key, " ")
	switch code := gcerrors.Code(err); {
	case errors.Is(err, os.ErrExist), code == gcerrors.FailedPrecondition:
		return fmt.Errorf("%s in the place %s: %w", doing, at, ErrThere)
	case code == gcerrors.NotFound, errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s in the place %s: %w", doing, at, ErrNone)
	case errors.Is(err, os.ErrPermission), code == gcerrors.PermissionDenied:
		err = hint.With("every machine that measures needs the right to write there, and to list", err)
	}
	return fmt.Errorf("%s in the place %s: %w", doing, at, err)
}
