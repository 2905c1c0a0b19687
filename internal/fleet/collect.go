package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/store"
)

// Collect makes a run folder, below dir, of each data set of a plan in places: the shards of a machine,
// joined. It returns the folders; what was left out is told to note.
func Collect(ctx context.Context, at []*place.Place, hash, dir string, note func(string)) ([]string,
	error) {
	var folders []Folder
	for i, p := range at {
		attempts, err := Attempts(ctx, p, hash, note)
		if err != nil {
			return nil, err
		}
		for _, a := range attempts {
			to := filepath.Join(dir, "attempts", fmt.Sprint(i), filepath.FromSlash(a.of.key))
			f, ok, err := a.Fetch(ctx, to, note)
			if err != nil {
				return nil, err
			}
			if ok {
				folders = append(folders, f)
			}
		}
	}
	if len(folders) == 0 {
		return nil, hint.New("memcost status "+at[0].Name+" says how far it is",
			"reading the place %s: no attempt at the plan %s is whole in it yet", at[0].Name, hash)
	}
	sets := Sets(folders)
	labels := Labels(sets)
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

// write makes the run folder of a data set, which is called as the place calls it, and returns what it
// lacks.
func write(s Set, dir, name, label string) (lack string, err error) {
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
func copyDiagnostics(s Set, dir string) error {
	from := filepath.Join(s.Folders[0].Name, store.DiagnosticsDir)
	if _, err := os.Stat(from); err != nil {
		return nil
	}
	if err := os.CopyFS(filepath.Join(dir, store.DiagnosticsDir), os.DirFS(from)); err != nil {
		return fmt.Errorf("joining shards: %w", err)
	}
	return nil
}
