package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// unusedFor is how long an entry is kept after its last use.
const unusedFor = 30 * 24 * time.Hour

// An entry is a file or folder that is removed as a whole.
type entry struct {
	path string
	kind kind
	size int64
	used time.Time // last use; see Touch
}

type kind int

const (
	other    kind = iota
	binary        // a built program, or what is known of a build
	download      // a toolchain
	leftover      // of a build that was killed
)

// hashed matches the name of a binary or a build; begun matches a folder in which a
// build is made.
var (
	hashed     = regexp.MustCompile(`^[0-9a-f]{64}$`)
	unfinished = regexp.MustCompile(`^\.new-\d+$`)
)

// shelves are the folders of which each folder is an entry.
var shelves = map[string]kind{"studies": other, "limits": other, "goroot": other, "toolchains": download}

// entries lists what the cache holds.
func entries(dir string) []entry {
	var out []entry
	for _, d := range folders(dir) {
		path := filepath.Join(dir, d)
		shelf, isShelf := shelves[d]
		switch {
		case hashed.MatchString(d):
			out = append(out, look(path, binary))
		case unfinished.MatchString(d):
			out = append(out, look(path, leftover))
		case isShelf:
			for _, inside := range folders(path) {
				out = append(out, look(filepath.Join(path, inside), shelf))
			}
		}
	}
	return out
}

func folders(dir string) []string {
	var out []string
	all, _ := os.ReadDir(dir)
	for _, d := range all {
		if d.IsDir() {
			out = append(out, d.Name())
		}
	}
	return out
}

// look measures an entry. The time of a binary's folder is set at each use; of other
// entries the newest folder inside them counts.
func look(path string, k kind) entry {
	e := entry{path: path, kind: k}
	filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // a file that vanishes meanwhile counts nothing
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if d.Type().IsRegular() {
			e.size += info.Size()
		}
		if d.IsDir() && (at == path || k == other) && info.ModTime().After(e.used) {
			e.used = info.ModTime()
		}
		return nil
	})
	return e
}

// surplus returns the entries to remove: leftovers, entries not used for long, and then
// the least recently used ones until the others fit the limit.
func surplus(found []entry, limit int64, now time.Time) []entry {
	byUse := slices.Clone(found)
	slices.SortStableFunc(byUse, func(a, b entry) int { return a.used.Compare(b.used) })
	total := int64(0)
	for _, e := range byUse {
		total += e.size
	}
	var out []entry
	for _, e := range byUse {
		if e.kind == leftover || now.Sub(e.used) > unusedFor || total > limit {
			out = append(out, e)
			total -= e.size
		}
	}
	return out
}

// remove removes entries, and returns those that are gone.
func remove(all []entry) (gone []entry, failed error) {
	for _, e := range all {
		if err := Remove(e.path); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		gone = append(gone, e)
	}
	return gone, failed
}

// Remove removes a folder that may contain read-only folders, as a module cache does.
func Remove(dir string) error {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o777)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// Touch records that the entry which contains a file is used now.
func Touch(file string) {
	now := time.Now()
	os.Chtimes(filepath.Dir(file), now, now)
}
