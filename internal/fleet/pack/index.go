package pack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"time"

	"memcost/internal/base/hint"
)

// Format is the version of an Index: see docs/format.md.
const Format = 1

// Names of the parts of a pack.
const (
	IndexFile  = "pack.json"
	RunsFile   = "runs.parquet"
	SamplesDir = "samples"
)

// An Index says what a pack holds, and where.
type Index struct {
	Format  int       `json:"format"`
	Tool    string    `json:"tool"`
	Created time.Time `json:"created"`
	Samples int64     `json:"samples"`
	Text    int64     `json:"text_bytes"`    // of the samples.txt that they are of
	Parquet int64     `json:"parquet_bytes"` // of the Parts
	Runs    []Run     `json:"runs"`          // as they stand in RunsFile
	Parts   []Part    `json:"parts"`         // of a study, kind and month in the order in which they were written
}

// A Run is one that was packed.
type Run struct {
	ID      string `json:"run"`
	Name    string `json:"name"` // its folder, as it was given
	Kind    string `json:"kind"`
	Month   string `json:"month"`
	Machine string `json:"machine"`
	Host    string `json:"host"`
	Plan    string `json:"plan,omitempty"`
	Samples int64  `json:"samples"`
	// Warnings say what was wrong with its samples.txt.
	Warnings []string `json:"warnings,omitempty"`
}

// A Part is a file with the samples of a study on machines of a kind, of a month.
type Part struct {
	File    string `json:"file"` // below the pack, with slashes
	Study   string `json:"study"`
	Kind    string `json:"kind"`
	Month   string `json:"month"`
	Samples int64  `json:"samples"`
	Bytes   int64  `json:"bytes"`
	Footer  string `json:"footer"` // the hash of its end; its pages have checksums of their own
	Spans   []Span `json:"runs"`   // in the order of their rows
}

// A Span is where the samples of a run are in a Part.
type Span struct {
	Run   int   `json:"run"` // index into Index.Runs
	First int64 `json:"first"`
	Rows  int64 `json:"samples"`
}

// Is reports whether a folder is a pack.
func Is(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, IndexFile))
	return err == nil && info.Mode().IsRegular()
}

// ReadIndex reads what a pack holds.
func ReadIndex(dir string) (*Index, error) {
	data, err := os.ReadFile(filepath.Join(dir, IndexFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.With("memcost pack RUN... -o "+dir+" makes one",
			fmt.Errorf("reading the pack %s: it holds no %s", dir, IndexFile))
	}
	x := &Index{}
	if err == nil {
		err = json.Unmarshal(data, x)
	}
	if err == nil {
		err = x.check()
	}
	if err != nil {
		return nil, damaged(dir, IndexFile, err)
	}
	return x, nil
}

// damaged is the error of a pack with a file that is not as it was written.
func damaged(dir, file string, err error) error {
	return hint.With("make it again of the run folders: samples.txt has every sample",
		fmt.Errorf("reading the pack %s: %s: %w", dir, file, err))
}

// check reports what no pack can have.
func (x *Index) check() error {
	if x.Format != Format {
		return fmt.Errorf("it has format %d and this memcost reads format %d", x.Format, Format)
	}
	for _, p := range x.Parts {
		if !filepath.IsLocal(filepath.FromSlash(p.File)) {
			return fmt.Errorf("%q is no file of a pack", p.File)
		}
		for _, s := range p.Spans {
			if s.Run < 0 || s.Run >= len(x.Runs) {
				return fmt.Errorf("%s has samples of run %d of %d", p.File, s.Run, len(x.Runs))
			}
		}
	}
	return nil
}

// Studies returns the names of the studies and packages, in the order of their files.
func (x *Index) Studies() []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range x.Parts {
		if !seen[p.Study] {
			seen[p.Study] = true
			out = append(out, p.Study)
		}
	}
	return out
}

// folderOf returns the folder of the samples of a study on machines of a kind, of a month, as tools
// that read Parquet know it.
func folderOf(study, kind, month string) string {
	return path.Join(SamplesDir, "study="+url.PathEscape(study), "kind="+url.PathEscape(kind), "month="+month)
}
