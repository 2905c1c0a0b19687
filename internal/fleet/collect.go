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

	"memcost/internal/hint"
	"memcost/internal/join"
	"memcost/internal/place"
	"memcost/internal/plan"
	"memcost/internal/store"
)

// Collect makes a run folder, below dir, of each data set of a plan in places: the shards of a machine,
// joined. It returns the folders; what was left out is told to note.
func Collect(ctx context.Context, at []*place.Place, hash, dir string, note func(string)) ([]string,
	error) {
	var folders []join.Folder
	for i, p := range at {
		l, err := list(ctx, p, hash)
		if err != nil {
			return nil, err
		}
		for _, w := range l.warnings {
			note("warning: " + w)
		}
		for _, a := range l.attempts {
			to := filepath.Join(dir, "attempts", fmt.Sprint(i), filepath.FromSlash(a.key))
			f, err := fetch(ctx, p, a, to)
			var left *leftOutError
			if errors.As(err, &left) {
				note("warning: " + left.Error())
				continue
			}
			if err != nil {
				return nil, err
			}
			folders = append(folders, f)
		}
	}
	if len(folders) == 0 {
		return nil, hint.New("memcost status "+at[0].Name+" says how far it is",
			"reading the place %s: no attempt at the plan %s is whole in it yet", at[0].Name, hash)
	}
	sets := join.Sets(folders)
	labels := join.Labels(sets)
	var out []string
	for i, s := range sets {
		to := filepath.Join(dir, fmt.Sprintf("set-%d", i))
		name := at[0].Below(hash + "/" + s.Machine)
		label := ""
		if len(sets) > 1 {
			label = labels[i]
		}
		lack, err := write(s, to, name, label)
		if err != nil {
			return nil, err
		}
		if lack != "" {
			note("warning: " + name + ": " + lack)
		}
		out = append(out, to)
	}
	return out, nil
}

// A leftOutError is why an attempt in a place is not read.
type leftOutError struct{ text string }

func (e *leftOutError) Error() string { return e.text }

func leftOut(a listed, format string, args ...any) error {
	return &leftOutError{fmt.Sprintf("attempt %d at shard %d/%d of %s is left out: %s", a.number, a.shard, a.shards,
		a.machine, fmt.Sprintf(format, args...))}
}

// fetch copies what a report needs of an attempt, and checks that it is what was sent.
func fetch(ctx context.Context, p *place.Place, a listed, to string) (join.Folder, error) {
	if a.done == nil && len(a.files) > 0 {
		return join.Folder{}, leftOut(a, "it is half-written: there is no %s", doneFile)
	}
	if a.done == nil {
		return join.Folder{}, leftOut(a, "it was begun, and nothing of it is here yet")
	}
	for _, f := range a.done.Files {
		key := a.done.Token + "/" + f.Name
		if !strings.HasPrefix(filepath.Clean(f.Name), store.DiagnosticsDir) && f.Name != store.QuestionFile &&
			f.Name != store.SamplesFile {
			continue
		}
		if size, is := a.files[key]; !is || size != f.Size {
			return join.Folder{}, leftOut(a, "%s is missing, or not as long as when it was sent", f.Name)
		}
		sum, err := download(ctx, p, a.key+key, filepath.Join(to, filepath.FromSlash(f.Name)))
		if err != nil {
			return join.Folder{}, err
		}
		if sum != f.SHA256 {
			return join.Folder{}, leftOut(a, "%s is not what was sent: its hash differs", f.Name)
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
func read(a listed, dir string) (join.Folder, error) {
	q := &plan.Question{}
	err := store.ReadQuestion(dir, q)
	if err == nil {
		err = q.Check()
	}
	if err != nil {
		return join.Folder{}, leftOut(a, "%v", err)
	}
	if q.Attempt == nil || q.Attempt.Check() != nil || keyOf(*q.Attempt) != a.key {
		return join.Folder{}, leftOut(a, "its %s is not of this attempt", store.QuestionFile)
	}
	return FolderOf(dir, q), nil
}

// write makes the run folder of a data set, which is called as the place calls it, and returns what it
// lacks.
func write(s join.Set, dir, name, label string) (lack string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("joining shards: %w", err)
	}
	f, err := os.Create(filepath.Join(dir, store.SamplesFile))
	if err != nil {
		return "", fmt.Errorf("joining shards: %w", err)
	}
	q, tally, err := s.Write(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("joining the shards of %s: %w", s.Machine, err)
	}
	q.Joined = name
	q.Label = strings.TrimSpace(q.Label + " " + label)
	folder, err := store.Create(dir)
	if err == nil {
		err = errors.Join(folder.WriteQuestion(q), folder.Close())
	}
	if err == nil {
		err = copyDiagnostics(s, dir)
	}
	return tally.Lack, err
}

// copyDiagnostics gives the joined run what the compiler said, as the first attempt has it.
func copyDiagnostics(s join.Set, dir string) error {
	from := filepath.Join(s.Folders[0].Name, store.DiagnosticsDir)
	if _, err := os.Stat(from); err != nil {
		return nil
	}
	if err := os.CopyFS(filepath.Join(dir, store.DiagnosticsDir), os.DirFS(from)); err != nil {
		return fmt.Errorf("joining shards: %w", err)
	}
	return nil
}
