package place

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
)

// An s3Bucket is a store in an object store that speaks S3: the objects below a prefix.
type s3Bucket struct {
	core   minio.Core
	name   string
	prefix string // "" or "a/b/"
	put    minio.PutObjectOptions
}

// partSize is the size of the parts in which a large object is brought: up to two of them in one request.
const partSize = 8 << 20

func newBucket(u *url.URL) (*s3Bucket, error) {
	s, err := settingsOf(u.Query())
	if err != nil {
		return nil, err
	}
	client, err := s.client(u.Host)
	if err != nil {
		return nil, err
	}
	b := &s3Bucket{core: minio.Core{Client: client}, name: u.Host, prefix: strings.Trim(u.Path, "/")}
	if b.prefix != "" {
		b.prefix += "/"
	}
	// The store refuses what differs from its MD5, which the signature holds. A hash in the signature of
	// every chunk besides, as the library has it without TLS, is what not all stores read. Large objects go in
	// parts, of which four are on their way.
	b.put = minio.PutObjectOptions{ServerSideEncryption: s.encryption, SendContentMd5: true, DisableContentSha256: true,
		PartSize: partSize, NumThreads: 4, ConcurrentStreamParts: true}
	return b, nil
}

// answered says of an error of the object store what it means to a place.
func answered(err error) error {
	var means error
	switch r := minio.ToErrorResponse(err); {
	case r.Code == minio.NoSuchBucket, r.Code == minio.NoSuchKey, r.StatusCode == http.StatusNotFound:
		means = ErrNone
	case r.Code == minio.PreconditionFailed, r.StatusCode == http.StatusPreconditionFailed:
		means = ErrThere
	case r.Code == minio.AccessDenied, r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusUnauthorized:
		means = errDenied
	default:
		return err
	}
	return fmt.Errorf("%w: %w", means, err)
}

func (b *s3Bucket) open(ctx context.Context, key string) (io.ReadCloser, error) {
	r, _, _, err := b.core.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return nil, answered(err)
	}
	return r, nil
}

// write brings a small object in one request: the library would ask for three where it does not know the size.
func (b *s3Bucket) write(ctx context.Context, key string, r io.Reader) error {
	var head bytes.Buffer
	n, err := io.CopyN(&head, r, 2*partSize+1)
	if err == nil {
		_, err = b.core.Client.PutObject(ctx, b.name, b.prefix+key, io.MultiReader(&head, r), -1, b.put)
		return answered(err)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return b.putWhole(ctx, key, head.Bytes()[:n], b.put)
}

func (b *s3Bucket) writeNew(ctx context.Context, key string, data []byte) error {
	put := b.put
	put.SetMatchETagExcept("*") // If-None-Match
	return b.putWhole(ctx, key, data, put)
}

func (b *s3Bucket) putWhole(ctx context.Context, key string, data []byte, put minio.PutObjectOptions) error {
	put.DisableMultipart = true
	_, err := b.core.Client.PutObject(ctx, b.name, b.prefix+key, bytes.NewReader(data), int64(len(data)), put)
	return answered(err)
}

func (b *s3Bucket) list(ctx context.Context, prefix string) ([]Object, error) {
	var out []Object
	err := b.each(ctx, minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true}, func(o minio.ObjectInfo) {
		out = append(out, Object{strings.TrimPrefix(o.Key, b.prefix), o.Size, o.LastModified})
	})
	return out, err
}

func (b *s3Bucket) folders(ctx context.Context) ([]string, error) {
	var out []string
	err := b.each(ctx, minio.ListObjectsOptions{Prefix: b.prefix}, func(o minio.ObjectInfo) {
		if name, is := strings.CutSuffix(strings.TrimPrefix(o.Key, b.prefix), "/"); is {
			out = append(out, name)
		}
	})
	return out, err
}

func (b *s3Bucket) each(ctx context.Context, of minio.ListObjectsOptions, do func(minio.ObjectInfo)) error {
	for o := range b.core.Client.ListObjectsIter(ctx, b.name, of) {
		if o.Err != nil {
			return answered(o.Err)
		}
		do(o)
	}
	return ctx.Err()
}
