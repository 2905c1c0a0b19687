package explain

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/measure/store"
	"memcost/internal/sites"
)

// File is the record in the folder of what memcost why found.
const File = "why.json"

// format is the version of the record: a memcost of another one refuses it.
const format = 1

// A Kept is what memcost why found, as it is kept.
type Kept struct {
	Format  int       `json:"format"`
	Created time.Time `json:"created"`
	Asked   []string  `json:"asked"`             // the packages as the user named them
	Command []string  `json:"command,omitempty"` // the command line that found it
	Sides   []Side    `json:"sides"`             // the first is the baseline of the others
}

// A Side is a report, and where its source lies.
type Side struct {
	Name   string        `json:"name"`   // the revision or the Go version; "" where there is one side
	Root   string        `json:"root"`   // folder that Site.File is relative to; of a revision it is gone
	Folder string        `json:"folder"` // of the module in its repository, with slashes; "" is the root
	Report *sites.Report `json:"report"`
	// Findings are the budgets of the source that are exceeded, or may be.
	Findings []Finding `json:"findings,omitempty"`
	// Sources are the source files of a revision, which are gone, by Site.File.
	Sources map[string]string `json:"sources,omitempty"`
}

// Read returns a source file, by its absolute path.
func (s Side) Read(path string) ([]byte, error) {
	if rel, err := filepath.Rel(s.Root, path); err == nil {
		if text, ok := s.Sources[filepath.ToSlash(rel)]; ok {
			return []byte(text), nil
		}
	}
	return os.ReadFile(path)
}

// Is reports whether a folder holds what memcost why found.
func Is(dir string) bool { return store.HoldsRecord(dir, File) }

// Read reads what memcost why found.
func Read(dir string) (*Kept, error) {
	k := &Kept{}
	if err := store.ReadRecord(dir, File, k); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, File)
	if k.Format != format {
		return nil, hint.New("run memcost why again, or read it with the memcost that wrote it",
			"reading %s: it has format %d, and this memcost reads %d", path, k.Format, format)
	}
	if len(k.Sides) == 0 {
		return nil, fmt.Errorf("reading %s: it holds no report", path)
	}
	for _, s := range k.Sides {
		if s.Report == nil {
			return nil, fmt.Errorf("reading %s: a side has no report", path)
		}
		s.place()
	}
	return k, nil
}

// place gives the sites of a report the paths of this machine.
func (s Side) place() {
	for i := range s.Report.Sites {
		x := &s.Report.Sites[i]
		if x.Path = filepath.FromSlash(x.File); !filepath.IsAbs(x.Path) {
			x.Path = filepath.Join(s.Root, x.Path)
		}
	}
}

// A Folder is where memcost why keeps what it finds.
type Folder struct {
	*store.Record
	made bool // results was made for it
}

// Create makes a folder below results, before anything is measured: what cannot be kept need not
// be found.
func Create(results string, now time.Time) (*Folder, error) {
	_, err := os.Stat(results)
	f := &Folder{made: err != nil}
	f.Record, err = store.Begin(results, "why", now, func(dir string) (*store.Record, error) {
		return store.CreateRecord(dir, File)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Keep writes what was found.
func (f *Folder) Keep(k *Kept, now time.Time) error {
	k.Format, k.Created = format, now
	return f.Write(k)
}

// Close gives the folder back, and removes it if nothing was kept in it.
func (f *Folder) Close() error {
	err := f.Record.Close()
	if Is(f.Dir) {
		return err
	}
	if err := os.RemoveAll(f.Dir); err != nil {
		return fmt.Errorf("removing the folder of what was not found: %w", err)
	}
	if f.made {
		os.Remove(filepath.Dir(f.Dir)) // unless something else is in it by now
	}
	return err
}
