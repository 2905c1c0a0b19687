package pack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
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
	add := adder{w: w, run: r, id: ID{Run: r.ID, Plan: r.Plan, Machine: r.Machine,
		Boot: src.Question.Machine.BootID, Complete: true}}
	whole := true
	if a := src.Question.Attempt; a != nil {
		add.id.Boot, add.id.Shard, add.id.Attempt, whole = a.Boot, a.Shard, a.Number, a.Whole
	}
	warnings, err = src.Samples(func(s *benchfmt.Result) error {
		if add.number%stepEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if w.Step != nil {
				w.Step(add.number)
			}
		}
		if whole {
			return add.sample(s)
		}
		return add.hold(s)
	})
	if err == nil {
		err = add.release(false) // the last round of what was interrupted
	}
	if err != nil {
		return warnings, w.failed(fmt.Errorf("%s: %w", src.Name, err))
	}
	r.Samples = add.number
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
		err = os.WriteFile(filepath.Join(w.tmp, IndexFile), append(data, '\n'), 0o666)
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
