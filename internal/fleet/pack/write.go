package pack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/atomicfile"
	"memcost/internal/base/hint"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// Create begins a pack. There must be nothing at out yet.
func Create(out, tool string, now time.Time) (*Writer, error) {
	if _, err := os.Lstat(out); err == nil {
		return nil, hint.Usage("name another with -o, or remove it: a pack is written as a whole",
			"packing into %s: it is there already", out)
	}
	out = filepath.Clean(out)
	tmp, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+".writing-*")
	if err != nil {
		return nil, hint.With("name another place with -o", fmt.Errorf("packing into %s: %w", out, err))
	}
	w := &Writer{out: out, tmp: tmp, studies: map[string]*FileWriter{},
		Index: Index{Format: Format, Tool: tool, Created: now.UTC(), Runs: []Run{}, Parts: []Part{}}}
	if w.runsFile, err = os.Create(filepath.Join(tmp, RunsFile)); err != nil {
		w.Abandon()
		return nil, w.failed(err)
	}
	w.runs = parquet.NewGenericWriter[row](w.runsFile, parquet.CreatedBy("memcost", "", ""),
		parquet.SkipPageBounds("question"), parquet.SkipPageStatistics("question")) // else its values stand there, too
	return w, nil
}

// stepEvery is after how many samples the Writer looks whether it is to stop, and tells Step.
const stepEvery = 1 << 12

// Add packs a run of which text bytes of samples are read. Runs come by their kind and month. What is wrong
// with its samples is returned, as a report of the run warns of it.
func (w *Writer) Add(ctx context.Context, src Source, text int64) (warnings []error, err error) {
	r := RunOf(src.Question, src.JSON, src.Name)
	if at := [2]string{r.Kind, r.Month}; at != w.at {
		if err := w.closeStudies(); err != nil {
			return nil, w.failed(err)
		}
		w.at = at
	}
	id := ID{Index: len(w.Index.Runs), Run: r.ID, Plan: r.Plan, Machine: r.Machine,
		Boot: src.Question.Machine.BootID}
	whole := true
	if a := src.Question.Attempt; a != nil {
		id.Boot, id.Shard, id.Attempt, whole = a.Boot, a.Shard, a.Number, a.Whole
	}
	rounds := store.Rounds{Whole: whole, Keep: func(s *benchfmt.Result, complete bool) error {
		study := cmp.Or(s.GetConfig(series.KeyStudy), s.GetConfig(series.KeyPkg), "none")
		of := w.studies[study]
		if of == nil {
			of = w.study(study)
		}
		id.Complete = complete
		err := of.Add(id, s)
		id.Number++
		return err
	}}
	warnings, err = src.Samples(func(s *benchfmt.Result) error {
		if id.Number%stepEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if w.Step != nil {
				w.Step(id.Number)
			}
		}
		return rounds.Add(s)
	})
	if err == nil {
		err = rounds.End()
	}
	if err != nil {
		return warnings, w.failed(fmt.Errorf("%s: %w", src.Name, err))
	}
	r.Samples = id.Number
	for _, warning := range warnings {
		r.Warnings = append(r.Warnings, warning.Error())
	}
	w.Index.Runs, w.Index.Samples = append(w.Index.Runs, r), w.Index.Samples+r.Samples
	w.Index.Text += text
	_, err = w.runs.Write([]row{rowOf(r, src)})
	if err == nil && len(w.Index.Runs)%runsPerGroup == 0 {
		err = w.runs.Flush()
	}
	return warnings, w.failed(err)
}

// runsPerGroup is how many runs are held in memory until they are written: a question may have a megabyte.
const runsPerGroup = 32

// Close ends the pack and puts it where it was asked for.
func (w *Writer) Close() error {
	err := w.closeStudies()
	if err == nil {
		err = cmp.Or(w.runs.Close(), synced{w.runsFile}.Close())
	}
	if err != nil {
		return w.failed(err)
	}
	slices.SortStableFunc(w.Index.Parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(a.Study, b.Study), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Month, b.Month))
	})
	data, err := json.MarshalIndent(w.Index, "", " ")
	if err == nil {
		err = atomicfile.WriteIn(w.tmp, IndexFile, func(f io.Writer) error {
			_, err := f.Write(store.Checked(append(data, '\n')))
			return err
		})
	}
	if err == nil {
		err = os.Chmod(w.tmp, 0o755)
	}
	if err == nil {
		err = os.Rename(w.tmp, w.out)
	}
	return w.failed(err)
}

// Abandon removes what was written, unless it is the pack by now.
func (w *Writer) Abandon() {
	for _, s := range w.studies {
		s.Abandon()
	}
	if w.runsFile != nil {
		w.runsFile.Close()
	}
	os.RemoveAll(w.tmp)
}

// failed says what could not be done.
func (w *Writer) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return hint.With("free some room, or name another place with -o: a pack takes about a fifth of the text",
			fmt.Errorf("packing into %s: the disk is full, and nothing was left there: %w", w.out, err))
	}
	return fmt.Errorf("packing into %s: %w", w.out, err)
}

// A Writer makes a pack: in a folder beside it, which becomes the pack when everything is in it.
type Writer struct {
	Index Index
	// Step is told after each so many samples how many of the run at hand are packed; nil: nobody.
	Step func(samples int64)

	out, tmp string
	runsFile *os.File
	runs     *parquet.GenericWriter[row]
	at       [2]string              // kind and month of the run at hand
	studies  map[string]*FileWriter // of that kind and month
	names    []string               // theirs, in order
}

// study opens the files of a study on machines of the kind and in the month at hand.
func (w *Writer) study(name string) *FileWriter {
	kind, month := w.at[0], w.at[1]
	part := Part{Study: name, Kind: kind, Month: month}
	var file *os.File
	open := func() (io.WriteCloser, error) {
		dir := filepath.FromSlash(folderOf(name, kind, month))
		if err := os.MkdirAll(filepath.Join(w.tmp, dir), 0o777); err != nil {
			return nil, err
		}
		number := 0
		for _, p := range w.Index.Parts {
			if p.Study == name && p.Kind == kind && p.Month == month {
				number++
			}
		}
		part.File = filepath.ToSlash(filepath.Join(dir, partName(number)))
		var err error
		file, err = os.Create(filepath.Join(w.tmp, filepath.FromSlash(part.File)))
		return synced{file}, err
	}
	x := NewFileWriter(open, func(spans []Span) error {
		p := part
		p.Spans = spans
		for _, s := range spans {
			p.Samples += s.Rows
		}
		written, err := os.Open(file.Name())
		if err != nil {
			return err
		}
		defer written.Close()
		p.Bytes, p.Footer, err = sizeOf(written)
		w.Index.Parquet += p.Bytes
		w.Index.Parts = append(w.Index.Parts, p)
		return err
	})
	w.studies[name], w.names = x, append(w.names, name)
	return x
}

// sizeOf returns how long a file is, and the hash of its end.
func sizeOf(f *os.File) (size int64, footer string, err error) {
	info, err := f.Stat()
	if err == nil {
		size = info.Size()
		footer, _, err = Footer(f, size)
	}
	return size, footer, err
}

func partName(number int) string {
	if number == 0 {
		return "part.parquet"
	}
	return fmt.Sprintf("part-%d.parquet", number)
}

// synced is a file that is on disk when it is closed.
type synced struct{ *os.File }

func (f synced) Close() error { return errors.Join(f.File.Sync(), f.File.Close()) }

func (w *Writer) closeStudies() error {
	for _, name := range w.names {
		if err := w.studies[name].Close(); err != nil {
			return err
		}
	}
	w.names = nil
	clear(w.studies)
	return nil
}
