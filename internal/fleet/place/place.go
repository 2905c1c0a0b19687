// Package place is where the shards of a plan meet: a folder that machines share, or a bucket of
// an object store. Both are used in the same way: objects are written whole, listed and read.
package place

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"memcost/internal/base/foreign"
	"memcost/internal/base/hint"
)

// A Place is a folder or a bucket.
type Place struct {
	Name  string // as the user wrote it
	store store
}

// Scheme begins the URL of a bucket.
const Scheme = "s3://"

// IsURL reports whether an argument is the URL of a bucket.
func IsURL(arg string) bool { return strings.HasPrefix(arg, Scheme) }

// Open opens a place: a folder, or s3://BUCKET/PREFIX?region=…, with what other parameters docs/fleet.md
// has. A folder is made if create says so.
func Open(_ context.Context, where string, create bool) (*Place, error) {
	if !IsURL(where) {
		return openFolder(where, create)
	}
	u, err := url.Parse(where)
	if err != nil || u.Host == "" {
		return nil, hint.Usage("s3://BUCKET/PREFIX?region=eu-central-1", "the place %s: not the URL of a bucket", where)
	}
	b, err := newBucket(u)
	if err != nil {
		return nil, fmt.Errorf("opening the place %s: %w", where, err)
	}
	return &Place{Name: where, store: b}, nil
}

func openFolder(dir string, create bool) (*Place, error) {
	d, err := newFolder(dir, create)
	switch {
	case err == nil:
		return &Place{Name: dir, store: d}, nil
	case create:
		return nil, (&Place{Name: dir}).failed("making the folder", "", err)
	case errors.Is(err, ErrNone):
		err = ErrNone
	}
	return nil, fmt.Errorf("opening the place %s: %w", dir, err)
}

// Below names something in the place, as a user would write it.
func (p *Place) Below(key string) string {
	name, query := p.Name, ""
	if i := strings.IndexByte(name, '?'); i >= 0 && IsURL(name) {
		name, query = name[:i], name[i:]
	}
	return strings.TrimSuffix(name, "/") + "/" + key + query
}

// Read returns an object of no more bytes than a document may have; the error is ErrNone where there is none.
func (p *Place) Read(ctx context.Context, key string) ([]byte, error) {
	r, err := p.store.open(ctx, key)
	if err != nil {
		return nil, p.failed("reading", key, err)
	}
	defer r.Close()
	data, err := foreign.ReadAll(r, foreign.Document)
	return data, p.failed("reading", key, err)
}

// Download copies an object into w.
func (p *Place) Download(ctx context.Context, key string, w io.Writer) error {
	r, err := p.store.open(ctx, key)
	if err == nil {
		defer r.Close()
		_, err = io.Copy(w, r)
	}
	return p.failed("reading", key, err)
}

// Write writes an object, over one that may be there.
func (p *Place) Write(ctx context.Context, key string, data []byte) error {
	return p.Upload(ctx, key, bytes.NewReader(data))
}

// Upload writes an object from r.
func (p *Place) Upload(ctx context.Context, key string, r io.Reader) error {
	return p.failed("writing", key, p.store.write(ctx, key, r))
}

// WriteNew writes an object only if there is none; else the error is ErrThere. Of several processes
// that do so at once, on one machine or many, one succeeds.
func (p *Place) WriteNew(ctx context.Context, key string, data []byte) error {
	return p.failed("writing", key, p.store.writeNew(ctx, key, data))
}

// ReadJSON reads an object into v. The error of one that is no JSON is that of encoding/json.
func (p *Place) ReadJSON(ctx context.Context, key string, v any) error {
	data, err := p.Read(ctx, key)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// WriteJSON writes an object; with over, over one that may be there, and else as WriteNew does.
func (p *Place) WriteJSON(ctx context.Context, key string, v any, over bool) error {
	data, err := json.MarshalIndent(v, "", "  ")
	switch {
	case err != nil:
		return fmt.Errorf("formatting %s: %w", key, err)
	case over:
		return p.Write(ctx, key, append(data, '\n'))
	}
	return p.WriteNew(ctx, key, append(data, '\n'))
}

// List returns the objects whose keys begin with a prefix, sorted by key.
func (p *Place) List(ctx context.Context, prefix string) ([]Object, error) {
	objects, err := p.store.list(ctx, prefix)
	return objects, p.failed("listing", prefix, err)
}

// Folders returns the names of the folders at the top, without what is in them.
func (p *Place) Folders(ctx context.Context) ([]string, error) {
	folders, err := p.store.folders(ctx)
	return folders, p.failed("listing", "", err)
}

// failed says what was done to which object, with a hint where the user can do something.
func (p *Place) failed(doing, key string, err error) error {
	if err == nil {
		return nil
	}
	at := strings.TrimSuffix(p.Name+" "+key, " ")
	switch {
	case errors.Is(err, ErrThere):
		err = ErrThere
	case errors.Is(err, ErrNone):
		err = ErrNone
	case errors.Is(err, errDenied), errors.Is(err, os.ErrPermission):
		err = hint.With("every machine that measures needs the right to write there, and to list", err)
	}
	return fmt.Errorf("%s in the place %s: %w", doing, at, err)
}
