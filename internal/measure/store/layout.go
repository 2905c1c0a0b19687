package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"memcost/internal/base/hint"
)

// Names of the parts of a run folder.
const (
	QuestionFile   = "run.json"
	SamplesFile    = "samples.txt"
	DiagnosticsDir = "diagnostics"
	LogsDir        = "logs"
	lockFile       = ".lock"
	// HistoryFile is what a search through commits or releases keeps in the folder of its run folders.
	HistoryFile = "history.json"
)

// ErrNoRun is wrapped by the error of a folder that exists and has no run.json.
var ErrNoRun = errors.New("it holds no " + QuestionFile)

func exists(dir string) error {
	_, err := os.Stat(filepath.Join(dir, QuestionFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, derr := os.Stat(dir); derr != nil {
			return fmt.Errorf("opening run folder %s: no such folder", dir)
		}
		return noRun(dir)
	case err != nil:
		return fmt.Errorf("opening run folder: %w", err)
	}
	return nil
}

// noRun returns the error of a folder without run.json. One with a lock is that of a run
// that ended before run.json was written.
func noRun(dir string) error {
	if HoldsRecord(dir, HistoryFile) {
		return hint.New("memcost report "+dir+" shows the search by itself",
			"opening run folder %s: %w: it holds a search through history", dir, ErrNoRun)
	}
	if _, err := os.Stat(filepath.Join(dir, lockFile)); err != nil {
		return fmt.Errorf("opening run folder %s: %w, so it is not a run folder", dir, ErrNoRun)
	}
	samples := filepath.Join(dir, SamplesFile)
	if info, err := os.Stat(samples); err == nil && info.Size() > 0 {
		return hint.New("its samples can be read by themselves: memcost report "+samples,
			"opening run folder %s: %w any more", dir, ErrNoRun)
	}
	return hint.New("nothing was measured in it: begin a new run; the folder may be removed",
		"opening run folder %s: %w: it ended while it was prepared", dir, ErrNoRun)
}

// CheckSamples returns the warning of a run folder without samples, if it is one: Create
// makes samples.txt, so that a missing one is a loss.
func CheckSamples(dir string) []error {
	path := filepath.Join(dir, SamplesFile)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []error{fmt.Errorf("%s is missing: nothing of what was measured is there", path)}
	case err == nil && info.Size() == 0:
		return []error{fmt.Errorf("%s is empty: nothing was measured yet, or it is lost", path)}
	}
	return nil
}

// IsRun reports whether a folder is a run folder.
func IsRun(dir string) bool { return exists(dir) == nil }

// HoldsRecord reports whether a folder holds a record of that name.
func HoldsRecord(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

// A Recording is a kind of file that a program of a study writes while it runs, and of
// which a run folder keeps the first of each case and configuration.
type Recording struct {
	Kind   string // in a program's arguments, in braces: {trace}
	dir    string
	ending string
}

// Recordings returns the kinds that there are.
func Recordings() []Recording {
	return []Recording{{"trace", "traces", ".trace"}, {"cpuprofile", "profiles", ".pprof"}}
}

// Word returns the placeholder for the file in a program's arguments.
func (r Recording) Word() string { return "{" + r.Kind + "}" }

// File returns the path of a recording inside the run folder.
func (r Recording) File(caseName, side string) string {
	return path.Join(r.dir, FileName(caseName+"-"+side)+r.ending)
}

// FileName makes of a name one that can be a file's on every system.
func FileName(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, s)
}
