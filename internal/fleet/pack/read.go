package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/foreign"
	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// A Pack is one that is read. In memory are its index and, of each study that is read, a part of a file.
type Pack struct {
	Dir   string
	Index *Index
	spans [][]located        // of each run
	open  map[string]*opened // by study
}

// A located span is one with its Part, an index into Index.Parts.
type located struct {
	Span
	part int
}

// An opened file is the one of a study that is read.
type opened struct {
	part   int
	file   *os.File
	reader *Reader
}

// Open opens a pack. The caller closes it.
func Open(dir string) (*Pack, error) {
	x, err := ReadIndex(dir)
	if err != nil {
		return nil, err
	}
	p := &Pack{Dir: dir, Index: x, spans: make([][]located, len(x.Runs)), open: map[string]*opened{}}
	for i, part := range x.Parts {
		for _, s := range part.Spans {
			p.spans[s.Run] = append(p.spans[s.Run], located{s, i})
		}
	}
	return p, nil
}

// Close closes the files.
func (p *Pack) Close() {
	for _, o := range p.open {
		o.file.Close()
	}
	clear(p.open)
}

// Machines returns the runs, as indices, that are reported on together: the attempts of one machine at
// a plan, and each run that belongs to none by itself.
func (x *Index) Machines() [][]int {
	var runs []int
	for i := range x.Runs {
		runs = append(runs, i)
	}
	return units.Grouped(runs, func(i int) [2]string {
		if r := x.Runs[i]; r.Plan != "" {
			return [2]string{r.Plan, r.Machine}
		}
		return [2]string{"", strconv.Itoa(i)}
	})
}

// file returns the reader of a file with samples of a study; another one of the study is closed.
func (p *Pack) file(part int) (*Reader, error) {
	x := p.Index.Parts[part]
	o := p.open[x.Study]
	if o != nil && o.part == part {
		return o.reader, nil
	}
	if o != nil {
		o.file.Close()
		delete(p.open, x.Study)
	}
	f, err := foreign.Open(p.Dir, filepath.FromSlash(x.File))
	if err != nil {
		return nil, damaged(p.Dir, x.File, err)
	}
	r, err := readerOf(f, x)
	if err != nil {
		f.Close()
		return nil, damaged(p.Dir, x.File, err)
	}
	p.open[x.Study] = &opened{part, f, r}
	return r, nil
}

func readerOf(f *os.File, x Part) (*Reader, error) {
	size, footer, err := sizeOf(f)
	if err != nil {
		return nil, err
	}
	if size != x.Bytes || footer != x.Footer {
		return nil, fmt.Errorf("it is not the file that was written: %d bytes for %d, or another end", size, x.Bytes)
	}
	return NewReader(f, size, x.Study)
}

// Has reports whether a run has samples of one of the studies and packages.
func (p *Pack) Has(run int, studies []string) bool {
	return slices.ContainsFunc(p.spans[run], func(s located) bool {
		return slices.Contains(studies, p.Index.Parts[s.part].Study)
	})
}

// Run returns the question and the samples of a run, of the named studies and packages alone, with
// what memcost measures of its own in every run.
func (p *Pack) Run(run int, studies []string) (Source, error) {
	r := p.Index.Runs[run]
	src := Source{Source: store.Source{Name: p.Dir + " " + r.Name}}
	var q plan.Question
	data, err := p.question(run)
	if err == nil {
		err = json.Unmarshal(data, &q)
	}
	if err == nil {
		err = q.Check()
	}
	if err != nil {
		return src, damaged(p.Dir, RunsFile, fmt.Errorf("the question of %s: %w", r.Name, err))
	}
	src.Question, src.JSON = q.Only(studies...), data
	src.Samples = func(fn func(*benchfmt.Result) error) ([]error, error) {
		var warnings []error
		for _, w := range r.Warnings {
			warnings = append(warnings, errors.New(w))
		}
		return warnings, p.samples(run, append([]string{series.FloorStudy}, studies...), fn)
	}
	return src, nil
}

// question returns the question of a run as run.json had it.
func (p *Pack) question(run int) ([]byte, error) {
	f, err := foreign.Open(p.Dir, RunsFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return questionAt(f, info.Size(), run)
}

// A Source is a run that is packed.
type Source struct {
	store.Source
	JSON []byte // the question, as run.json has it
}

// A row is a run in RunsFile.
type row struct {
	Run            string    `parquet:"run"`
	Name           string    `parquet:"name"`
	Kind           string    `parquet:"kind,dict"`
	Month          string    `parquet:"month,dict"`
	Machine        string    `parquet:"machine"`
	Host           string    `parquet:"host"`
	CPU            string    `parquet:"cpu,dict"`
	CPUs           int32     `parquet:"cpus"`
	Memory         int64     `parquet:"memory_bytes"`
	OS             string    `parquet:"os,dict"`
	Arch           string    `parquet:"arch,dict"`
	Kernel         string    `parquet:"kernel,dict"`
	Virtualization string    `parquet:"virtualization,dict"`
	Tool           string    `parquet:"tool,dict"`
	Created        time.Time `parquet:"created,timestamp(microsecond)"`
	Plan           *string   `parquet:"plan,dict"`
	Boot           string    `parquet:"boot"`
	Shard          *int32    `parquet:"shard"`
	Shards         *int32    `parquet:"shards"`
	Attempt        *int32    `parquet:"attempt"`
	Ended          *string   `parquet:"ended"`
	Whole          *bool     `parquet:"whole"`
	Samples        int64     `parquet:"samples"`
	Question       string    `parquet:"question,json,zstd"`
}

// RunOf returns what a pack says of a run, but for its samples. Two copies of an attempt have one ID.
func RunOf(q *plan.Question, json []byte, name string) Run {
	r := Run{Name: name, Kind: q.Machine.Kind(), Month: monthOf(q), Host: q.Machine.Hostname}
	id := sha256.Sum256(json)
	r.Machine = r.Kind + "-" + r.Host
	if a := q.Attempt; a != nil {
		id = sha256.Sum256([]byte(a.ID() + " " + a.Token))
		r.Machine, r.Plan = a.Machine, a.Plan
		r.Kind, _, _ = strings.Cut(a.Machine, "-")
	}
	r.ID = hex.EncodeToString(id[:6])
	return r
}

// monthOf returns the month in which a run began, by the machine's clock.
func monthOf(q *plan.Question) string {
	began := q.Created
	if q.Attempt != nil {
		began = q.Attempt.Began
	}
	return began.UTC().Format("2006-01")
}

func rowOf(r Run, src Source) row {
	q, m := src.Question, src.Question.Machine
	x := row{Run: r.ID, Name: r.Name, Kind: r.Kind, Month: r.Month, Machine: r.Machine, Host: r.Host, CPU: m.CPUModel,
		CPUs: int32(m.CPUs), Memory: m.MemoryBytes, OS: m.OS, Arch: m.Arch, Kernel: m.Kernel,
		Virtualization: m.Virtualization, Tool: q.Tool, Created: q.Created, Boot: m.BootID, Samples: r.Samples,
		Question: string(src.JSON)}
	if a := q.Attempt; a != nil {
		shard, shards, number := int32(a.Shard), int32(a.Shards), int32(a.Number)
		x.Plan, x.Boot, x.Shard, x.Shards, x.Attempt = &a.Plan, a.Boot, &shard, &shards, &number
		x.Ended, x.Whole = &a.Ended, &a.Whole
	}
	return x
}

// questionAt reads the question of the run at an index.
func questionAt(r io.ReaderAt, size int64, index int) (_ []byte, err error) {
	defer func() {
		if x := recover(); x != nil { // of the library, where a page is damaged
			err = fmt.Errorf("it is damaged: %v", x)
		}
	}()
	f, err := parquet.OpenFile(r, size, parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	for _, g := range f.Metadata().RowGroups {
		if err := plausible(r, size, g, questionBytes); err != nil {
			return nil, err
		}
	}
	rows := parquet.NewGenericReader[struct {
		Question string `parquet:"question"`
	}](f)
	defer rows.Close()
	if err := rows.SeekToRow(int64(index)); err != nil {
		return nil, err
	}
	one := make([]struct {
		Question string `parquet:"question"`
	}, 1)
	if n, err := rows.Read(one); n < 1 {
		if err == nil || errors.Is(err, io.EOF) {
			err = fmt.Errorf("it has %d runs, and none of the number %d", f.NumRows(), index)
		}
		return nil, err
	}
	return []byte(one[0].Question), nil
}

// A stream is the samples of a study in a run, one at a time.
type stream struct {
	pack  *Pack
	spans []located // that are left
	rows  *Rows
	part  int // of rows

	number int64            // of the sample in its run
	sample *benchfmt.Result // nil behind the last one
}

// next goes on to the next sample.
func (x *stream) next() (err error) {
	for {
		if x.rows != nil {
			x.number, x.sample, err = x.rows.Next()
			if !errors.Is(err, io.EOF) {
				if err != nil {
					err = damaged(x.pack.Dir, x.pack.Index.Parts[x.part].File, err)
				}
				return err
			}
		}
		if x.rows, x.sample = nil, nil; len(x.spans) == 0 {
			return nil
		}
		s := x.spans[0]
		x.spans, x.part = x.spans[1:], s.part
		r, err := x.pack.file(s.part)
		if err != nil {
			return err
		}
		x.rows = r.Rows(s.First, s.Rows)
	}
}

// samples passes the samples of studies of a run to fn in the order in which they were taken.
func (p *Pack) samples(run int, studies []string, fn func(*benchfmt.Result) error) error {
	study := func(s located) string { return p.Index.Parts[s.part].Study }
	spans := slices.DeleteFunc(slices.Clone(p.spans[run]), func(s located) bool {
		return !slices.Contains(studies, study(s))
	})
	var streams []*stream
	for _, of := range units.Grouped(spans, study) {
		streams = append(streams, &stream{pack: p, spans: of})
	}
	for _, x := range streams {
		if err := x.next(); err != nil {
			return err
		}
	}
	for {
		var first *stream
		for _, x := range streams {
			if x.sample != nil && (first == nil || x.number < first.number) {
				first = x
			}
		}
		if first == nil {
			return nil
		}
		if err := fn(first.sample); err != nil {
			return err
		}
		if err := first.next(); err != nil {
			return err
		}
	}
}

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
	data, err := foreign.Read(dir, IndexFile, foreign.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.With("memcost pack RUN... -o "+dir+" makes one",
			fmt.Errorf("reading the pack %s: it holds no %s", dir, IndexFile))
	}
	x := &Index{}
	if err == nil {
		err = store.Whole(data)
	}
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
	all, of := int64(0), make([]int64, len(x.Runs))
	for _, p := range x.Parts {
		if !filepath.IsLocal(filepath.FromSlash(p.File)) {
			return fmt.Errorf("%q is no file of a pack", p.File)
		}
		rows := int64(0)
		for _, s := range p.Spans {
			if s.Run < 0 || s.Run >= len(x.Runs) {
				return fmt.Errorf("%s has samples of run %d of %d", p.File, s.Run, len(x.Runs))
			}
			if s.First != rows || s.Rows < 0 || s.Rows > p.Samples-rows {
				return fmt.Errorf("%s has %d samples of run %d from row %d on, and %d in all", p.File, s.Rows, s.Run, s.First,
					p.Samples)
			}
			rows += s.Rows
			of[s.Run] += s.Rows
		}
		if rows != p.Samples {
			return fmt.Errorf("%s has %d samples, and %d of all runs", p.File, p.Samples, rows)
		}
		all += rows
	}
	for i, r := range x.Runs {
		if of[i] != r.Samples {
			return fmt.Errorf("run %d has %d samples, and its files %d", i, r.Samples, of[i])
		}
	}
	if all != x.Samples {
		return fmt.Errorf("it has %d samples, and its files %d", x.Samples, all)
	}
	return nil
}

// Studies returns the names of the studies and packages, in the order of their files.
func (x *Index) Studies() []string {
	var out []string
	for _, of := range units.Grouped(x.Parts, func(p Part) string { return p.Study }) {
		out = append(out, of[0].Study)
	}
	return out
}

// folderOf returns the folder of the samples of a study on machines of a kind, of a month, as tools
// that read Parquet know it.
func folderOf(study, kind, month string) string {
	return path.Join(SamplesDir, "study="+url.PathEscape(study), "kind="+url.PathEscape(kind), "month="+month)
}
