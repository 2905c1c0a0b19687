package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"memcost/internal/fleet/place"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// An Attempt is one that a place has whole.
type Attempt struct {
	plan.Attempt
	Name  string // as the place calls it
	Bytes int64  // of its samples.txt
	at    *place.Place
	of    listed
}

// Attempts returns the attempts at a plan that a place has whole. What is left out is told to note.
func Attempts(ctx context.Context, at *place.Place, hash string, note func(string)) ([]Attempt, error) {
	l, err := list(ctx, at, hash)
	if err != nil {
		return nil, err
	}
	for _, w := range l.warnings {
		note("warning: " + w)
	}
	var out []Attempt
	for _, a := range l.attempts {
		if err := a.whole(); err != nil {
			note("warning: " + err.Error())
			continue
		}
		x := Attempt{Attempt: a.done.Attempt, Name: at.Below(a.key), at: at, of: a}
		for _, f := range a.done.Files {
			if f.Name == store.SamplesFile {
				x.Bytes = f.Size
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// whole returns why an attempt is left out of which not everything is there, nil for another.
func (a listed) whole() error {
	switch {
	case a.done != nil:
		return nil
	case len(a.files) > 0:
		return leftOut(a, "it is half-written: there is no %s", doneFile)
	}
	return leftOut(a, "it was begun, and nothing of it is here yet")
}

// Fetch copies what a report needs of an attempt into a folder. One that is not what was sent is told
// to note, and there is none then.
func (a Attempt) Fetch(ctx context.Context, to string, note func(string)) (f Folder, ok bool, err error) {
	f, err = fetch(ctx, a.at, a.of, to)
	var left *leftOutError
	if errors.As(err, &left) {
		note("warning: " + left.Error())
		return Folder{}, false, nil
	}
	return f, err == nil, err
}

// A leftOutError is why an attempt in a place is not read.
type leftOutError struct{ text string }

func (e *leftOutError) Error() string { return e.text }

func leftOut(a listed, format string, args ...any) error {
	return &leftOutError{fmt.Sprintf("attempt %d at shard %d/%d of %s is left out: %s", a.number, a.shard, a.shards,
		a.machine, fmt.Sprintf(format, args...))}
}

// fetch copies what a report needs of an attempt, and checks that it is what was sent.
func fetch(ctx context.Context, p *place.Place, a listed, to string) (Folder, error) {
	for _, f := range a.done.Files {
		key := a.done.Token + "/" + f.Name
		if !strings.HasPrefix(filepath.Clean(f.Name), store.DiagnosticsDir) && f.Name != store.QuestionFile &&
			f.Name != store.SamplesFile {
			continue
		}
		if size, is := a.files[key]; !is || size != f.Size {
			return Folder{}, leftOut(a, "%s is missing, or not as long as when it was sent", f.Name)
		}
		sum, err := download(ctx, p, a.key+key, filepath.Join(to, filepath.FromSlash(f.Name)))
		if err != nil {
			return Folder{}, err
		}
		if sum != f.SHA256 {
			return Folder{}, leftOut(a, "%s is not what was sent: its hash differs", f.Name)
		}
	}
	return read(a, to)
}

func download(ctx context.Context, p *place.Place, key, to string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(key)) {
		return "", fmt.Errorf("reading the place %s: %q is no name of a file", p.Name, key)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return "", fmt.Errorf("copying from the place: %w", err)
	}
	f, err := os.Create(to)
	if err != nil {
		return "", fmt.Errorf("copying from the place: %w", err)
	}
	sum := sha256.New()
	err = p.Download(ctx, key, io.MultiWriter(f, sum))
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, f.Close())
}

// read makes a folder of an attempt of what was copied.
func read(a listed, dir string) (Folder, error) {
	q := &plan.Question{}
	err := store.ReadQuestion(dir, q)
	if err == nil {
		err = q.Check()
	}
	if err != nil {
		return Folder{}, leftOut(a, "%v", err)
	}
	if q.Attempt == nil || q.Attempt.Check() != nil || keyOf(*q.Attempt) != a.key {
		return Folder{}, leftOut(a, "its %s is not of this attempt", store.QuestionFile)
	}
	return FolderOf(dir, q), nil
}
