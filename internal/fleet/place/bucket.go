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
	prefix string // "" or "a/b/"
	with   minio.PutObjectOptions
	// The three requests, rather than the client: a type that an interface holds keeps all methods of its
	// fields in the program, for templates call methods by name, and those of the client are many.
	get  func(ctx context.Context, key string) (io.ReadCloser, error)
	put  func(ctx context.Context, key string, r io.Reader, size int64, with minio.PutObjectOptions) error
	each func(ctx context.Context, of minio.ListObjectsOptions, do func(minio.ObjectInfo)) error
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
	b := &s3Bucket{prefix: strings.Trim(u.Path, "/")}
	if b.prefix != "" {
		b.prefix += "/"
	}
	// The store refuses what differs from its MD5, which the signature holds. A hash in the signature of
	// every chunk besides, as the library has it without TLS, is what not all stores read. Large objects go in
	// parts, of which four are on their way.
	b.with = minio.PutObjectOptions{ServerSideEncryption: s.encryption, SendContentMd5: true, DisableContentSha256: true,
		PartSize: partSize, NumThreads: 4, ConcurrentStreamParts: true}
	b.ask(client, u.Host)
	return b, nil
}

// ask lets the requests go to a bucket.
func (b *s3Bucket) ask(client *minio.Client, name string) {
	b.get = func(ctx context.Context, key string) (io.ReadCloser, error) {
		r, _, _, err := minio.Core{Client: client}.GetObject(ctx, name, key, minio.GetObjectOptions{})
		return r, replyError(err)
	}
	b.put = func(ctx context.Context, key string, r io.Reader, size int64, with minio.PutObjectOptions) error {
		_, err := client.PutObject(ctx, name, key, r, size, with)
		return replyError(err)
	}
	b.each = func(ctx context.Context, of minio.ListObjectsOptions, do func(minio.ObjectInfo)) error {
		for o := range client.ListObjectsIter(ctx, name, of) {
			if o.Err != nil {
				return replyError(o.Err)
			}
			do(o)
		}
		return ctx.Err()
	}
}

// replyError says of an error of the object store what it means to a place.
func replyError(err error) error {
	var meaning error
	switch r := minio.ToErrorResponse(err); {
	case r.Code == minio.NoSuchBucket, r.Code == minio.NoSuchKey, r.StatusCode == http.StatusNotFound:
		meaning = ErrNone
	case r.Code == minio.PreconditionFailed, r.StatusCode == http.StatusPreconditionFailed:
		meaning = ErrThere
	case r.Code == minio.AccessDenied, r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusUnauthorized:
		meaning = errDenied
	default:
		return err
	}
	return fmt.Errorf("%w: %w", meaning, err)
}

func (b *s3Bucket) open(ctx context.Context, key string) (io.ReadCloser, error) {
	return b.get(ctx, b.prefix+key)
}

// write brings a small object in one request: the library would ask for three where it does not know the size.
func (b *s3Bucket) write(ctx context.Context, key string, r io.Reader) error {
	var head bytes.Buffer
	n, err := io.CopyN(&head, r, 2*partSize+1)
	if err == nil {
		return b.put(ctx, b.prefix+key, io.MultiReader(&head, r), -1, b.with)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return b.putSingle(ctx, key, head.Bytes()[:n], b.with)
}

func (b *s3Bucket) writeNew(ctx context.Context, key string, data []byte) error {
	with := b.with
	with.SetMatchETagExcept("*") // If-None-Match
	return b.putSingle(ctx, key, data, with)
}

func (b *s3Bucket) putSingle(ctx context.Context, key string, data []byte, with minio.PutObjectOptions) error {
	with.DisableMultipart = true
	return b.put(ctx, b.prefix+key, bytes.NewReader(data), int64(len(data)), with)
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
