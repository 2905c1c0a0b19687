package place

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"memcost/internal/base/hint"
)

func folder(t *testing.T, dir string) *Place {
	t.Helper()
	p, err := Open(t.Context(), dir, true)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bucket returns the URL of a folder in a bucket of an object store, which runs here.
func bucket(t *testing.T) string {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "anyone")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "anything")
	store := s3mem.New()
	if err := store.CreateBucket("memcost"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(store).Server())
	t.Cleanup(server.Close)
	return "s3://memcost/some/folder?region=us-east-1&use_path_style=true&endpoint=" + server.URL
}

// A folder and a bucket do the same.
func TestPlaces(t *testing.T) {
	t.Run("folder", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "a", "place")
		if _, err := Open(t.Context(), dir, false); !errors.Is(err, ErrNone) {
			t.Errorf("a place that is not there: %v", err)
		}
		readAndWrite(t, folder(t, dir))
	})
	t.Run("bucket", func(t *testing.T) {
		url := bucket(t)
		readAndWrite(t, folder(t, url))
		large(t, folder(t, url))
		other := folder(t, strings.Replace(url, "s3://memcost", "s3://another", 1))
		if _, err := other.List(t.Context(), ""); !errors.Is(err, ErrNone) {
			t.Errorf("a bucket that is not there: %v", err)
		}
		whole := folder(t, strings.Replace(url, "/some/folder", "", 1))
		if objects, err := whole.List(t.Context(), "some/folder/x/"); err != nil || len(objects) != 2 {
			t.Errorf("in the bucket: %+v, %v", objects, err)
		}
	})
}

// An object that is brought in parts comes back as it was.
func large(t *testing.T, p *Place) {
	t.Helper()
	data := bytes.Repeat([]byte("0123456789abcdefg"), 1<<20)
	if err := p.Upload(t.Context(), "large", bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Read(t.Context(), "large"); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes came back of %d: %v", len(got), len(data), err)
	}
}

// Names that lead out of the folder are refused: they come from whoever wrote to the place. What is being
// written is no object, and a folder that is a link is listed.
func TestFolders(t *testing.T) {
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	p := folder(t, link)
	for _, key := range []string{"../x", "/x", "", ".", "a/../../x"} {
		if err := p.Write(t.Context(), key, nil); err == nil {
			t.Errorf("%q was written", key)
		}
		if _, err := p.Read(t.Context(), key); err == nil {
			t.Errorf("%q was read", key)
		}
	}
	err := errors.Join(p.Write(t.Context(), "a/b", nil), p.Write(t.Context(), "a-b", nil),
		os.WriteFile(filepath.Join(dir, "a", writing+"1"), nil, 0o666), os.Mkdir(filepath.Join(dir, "empty"), 0o777))
	if err != nil {
		t.Fatal(err)
	}
	if objects, err := p.List(t.Context(), ""); err != nil || len(objects) != 2 || objects[0].Key != "a-b" ||
		objects[1].Key != "a/b" {
		t.Errorf("listed %+v, %v", objects, err)
	}
	if objects, err := p.List(t.Context(), "none/x"); err != nil || len(objects) != 0 {
		t.Errorf("listed %+v, %v", objects, err)
	}
	if folders, err := p.Folders(t.Context()); err != nil || strings.Join(folders, " ") != "a" {
		t.Errorf("folders %q, %v", folders, err)
	}
	if _, err := p.Read(t.Context(), "a"); !errors.Is(err, ErrNone) {
		t.Errorf("a folder was read: %v", err)
	}
}

func readAndWrite(t *testing.T, p *Place) {
	t.Helper()
	ctx := t.Context()
	if _, err := p.Read(ctx, "x/y.json"); !errors.Is(err, ErrNone) {
		t.Errorf("an object that is not there: %v", err)
	}
	if err := errors.Join(p.Write(ctx, "x/y.json", []byte("1")), p.Write(ctx, "x/y.json", []byte("22")),
		p.Upload(ctx, "z/w", strings.NewReader("333"))); err != nil {
		t.Fatal(err)
	}
	if data, err := p.Read(ctx, "x/y.json"); err != nil || string(data) != "22" {
		t.Errorf("read %q, %v", data, err)
	}
	var b strings.Builder
	if err := p.Download(ctx, "z/w", &b); err != nil || b.String() != "333" {
		t.Errorf("downloaded %q, %v", b.String(), err)
	}
	objects, err := p.List(ctx, "x/")
	if err != nil || len(objects) != 1 || objects[0].Key != "x/y.json" || objects[0].Size != 2 ||
		objects[0].Written.IsZero() {
		t.Errorf("listed %+v, %v", objects, err)
	}
	if folders, err := p.Folders(ctx); err != nil || strings.Join(folders, " ") != "x z" {
		t.Errorf("folders %q, %v", folders, err)
	}
	if err := p.WriteNew(ctx, "x/done.json", []byte("a")); err != nil {
		t.Fatal(err)
	}
	err = p.WriteNew(ctx, "x/done.json", []byte("b"))
	if data, _ := p.Read(ctx, "x/done.json"); !errors.Is(err, ErrThere) || string(data) != "a" {
		t.Errorf("written only if it is new, a second time: %v, %q", err, data)
	}
}

// Of many writers at once, each with the place open by itself as processes have it, one succeeds, and
// what it wrote stays.
func TestWriteNewHasOneWinner(t *testing.T) {
	dir := t.TempDir()
	for _, key := range []string{"done.json", "p/q/done.json"} {
		var wait sync.WaitGroup
		var won atomic.Int32
		var winner atomic.Value
		for i := range 40 {
			p := folder(t, dir)
			wait.Go(func() {
				mine := strings.Repeat("x", 1+i)
				err := p.WriteNew(context.Background(), key, []byte(mine))
				switch {
				case err == nil:
					won.Add(1)
					winner.Store(mine)
				case !errors.Is(err, ErrThere):
					t.Errorf("%s: %v", key, err)
				}
			})
		}
		wait.Wait()
		data, err := os.ReadFile(filepath.Join(dir, key))
		if won.Load() != 1 || err != nil || string(data) != winner.Load() {
			t.Errorf("%s: %d writers succeeded; it holds %q, %v", key, won.Load(), data, err)
		}
	}
	objects, err := folder(t, dir).List(t.Context(), "")
	if err != nil || len(objects) != 2 {
		t.Errorf("left behind: %+v, %v", objects, err)
	}
}

// A place that cannot be written to says so, with what to do.
func TestNoRightToWrite(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	p := folder(t, dir)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{p.Write(t.Context(), "a/b", nil), p.WriteNew(t.Context(), "a/c", nil)} {
		if _, hints := hint.Split(err); err == nil || len(hints) == 0 {
			t.Errorf("writing without the right: %v", err)
		}
	}
}

func TestURLs(t *testing.T) {
	if _, err := Open(t.Context(), "s3://", false); !hint.IsUsage(err) {
		t.Errorf("a URL without a bucket: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), filepath.Join(file, "below"), true); err == nil {
		t.Error("a folder below a file was made")
	}
}

func TestBelow(t *testing.T) {
	for name, want := range map[string]string{"a/b/": "a/b/c/d", "what?": "what?/c/d", "s3://b": "s3://b/c/d",
		"s3://b/p?region=x": "s3://b/p/c/d?region=x"} {
		if got := (&Place{Name: name}).Below("c/d"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
