package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/atomicfile"
	"memcost/internal/base/foreign"
	"memcost/internal/base/hint"
)

// A Folder is a run folder opened for writing. Only one process at a time can have it
// open.
type Folder struct {
	Dir      string
	Warnings []error // what Open had to repair
	// SyncEvery is how often Append waits until what was appended is on disk; 0 is each time.
	// It waits more seldom where that takes long, beside programs that write much. What a killed
	// process has appended is safe in any case, and this is what a machine that loses its power
	// may lose.
	SyncEvery time.Duration

	sync    time.Time // when Append waits next
	lock    *flock.Flock
	samples *os.File
	writer  *benchfmt.Writer
	pending bytes.Buffer
	size    int64 // bytes of complete blocks in samples.txt
	chain   *chain
	checked bool // there are checks in it
	since   int  // blocks since the whole configuration was written
}

// A BusyError is returned when another process is writing to the folder.
type BusyError struct{ Dir string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("run folder %s is being written to by another memcost", e.Dir)
}

// Create makes a new run folder. The folder must not hold a run yet.
func Create(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("creating run folder: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, QuestionFile)); err == nil {
		return nil, fmt.Errorf("creating run folder %s: it holds a run already (%s)", dir, QuestionFile)
	}
	return open(dir)
}

// CreateRun makes the run folder of a run that begins now, in the folder of all runs: its name
// is the time and the machine.
func CreateRun(results, machine string, now time.Time) (*Folder, error) {
	return Begin(results, FileName(machine), now, Create)
}

// Begin makes a folder of something that begins now, in the folder of all of them: its name is the
// time and what it is, and a number where two begin in the same second.
func Begin[T any](results, what string, now time.Time, create func(dir string) (T, error)) (T, error) {
	base := filepath.Join(results, now.Format("20060102-150405")+"-"+what)
	dir := base
	for i := 2; ; i++ {
		if _, err := os.Stat(dir); err != nil {
			made, err := create(dir)
			if !errors.As(err, new(*BusyError)) { // else another memcost was faster
				if err != nil {
					err = hint.With("name another place with --results DIR", err)
				}
				return made, err
			}
		}
		dir = fmt.Sprintf("%s-%d", base, i)
	}
}

// CloseRun closes the folder of a run. One whose preparation was not completed is removed: an
// incomplete folder could be mistaken for a run. made reports that the folder of all runs was made
// for this one.
func CloseRun(f *Folder, made bool) {
	f.Close()
	for _, part := range []string{QuestionFile, LogsDir} {
		if _, err := os.Stat(filepath.Join(f.Dir, part)); err == nil {
			return
		}
	}
	os.RemoveAll(f.Dir)
	if made {
		os.Remove(filepath.Dir(f.Dir)) // fails if another run is in it
	}
}

// Open opens an existing run folder to go on with its run. An unfinished last
// line of samples.txt is cut off and reported in Warnings.
func Open(dir string) (*Folder, error) {
	if err := exists(dir); err != nil {
		return nil, err
	}
	f, err := open(dir)
	return f, readOnly(err)
}

// readOnly gives the error of a folder that cannot be written to a hint.
func readOnly(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return hint.With("copy the folder to where it can be written, and go on with the copy", err)
	}
	return err
}

// lockOf returns the lock of a folder, which a link or a pipe in its place is not: opening it would make a file elsewhere,
// or wait for ever.
func lockOf(dir string) (*flock.Flock, error) {
	path := filepath.Join(dir, lockFile)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("locking the folder %s: %s is no plain file", dir, lockFile)
	}
	return flock.New(path), nil
}

// lockIn takes the lock of a folder.
func lockIn(dir string) (*flock.Flock, error) {
	lock, err := lockOf(dir)
	if err != nil {
		return nil, err
	}
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking the folder %s: %w", dir, err)
	}
	if !ok {
		return nil, &BusyError{dir}
	}
	return lock, nil
}

func open(dir string) (_ *Folder, err error) {
	f := &Folder{Dir: dir}
	if f.lock, err = lockIn(dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	f.samples, err = foreign.OpenFile(dir, SamplesFile, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("opening run folder %s: %w", dir, err)
	}
	if err := f.repairTail(); err != nil {
		return nil, fmt.Errorf("opening run folder %s: %w", dir, err)
	}
	if err := f.startWriter(); err != nil {
		return nil, fmt.Errorf("opening run folder %s: %w", dir, err)
	}
	return f, nil
}

// Busy reports whether someone is writing to a run folder now.
func Busy(dir string) bool {
	path := filepath.Join(dir, lockFile)
	if _, err := os.Stat(path); err != nil {
		return false
	}
	lock, err := lockOf(dir)
	if err != nil {
		return false
	}
	ok, err := lock.TryRLock()
	if ok {
		lock.Unlock()
	}
	return err == nil && !ok
}

// startWriter reads what stands in samples.txt, for the next block has to fit to it.
func (f *Folder) startWriter() error {
	r := newBlockReader(io.NewSectionReader(f.samples, 0, f.size), f.samples.Name(), false, func(error) {})
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	f.chain, f.checked = r.chain, r.checked
	f.startOver()
	_, err := f.samples.Seek(f.size, io.SeekStart)
	return err
}

// startOver makes a writer that writes the whole configuration of the next sample, and unsets what is in force beside
// it: the writer of before knew what had changed since, which another memcost, or damage, may have made untrue.
func (f *Folder) startOver() {
	f.writer, f.since = benchfmt.NewWriter(&f.pending), 0
	all := &benchfmt.Result{}
	for _, key := range slices.Sorted(maps.Keys(f.chain.config)) {
		all.Config = append(all.Config, benchfmt.Config{Key: key, Value: []byte{0}, File: true})
	}
	if len(all.Config) > 0 {
		_ = f.writer.Write(all) // into pending, which the next Append empties
	}
}

// blocksAtOnce is after how many blocks the configuration is written as a whole, so that damage to it has an end.
const blocksAtOnce = 32

// repairTail cuts an unfinished last line off samples.txt.
func (f *Folder) repairTail() error {
	info, err := f.samples.Stat()
	if err != nil {
		return err
	}
	whole, err := finished(f.samples, info.Size())
	if err != nil {
		return err
	}
	if lost := info.Size() - whole; lost > 0 {
		f.Warnings = append(f.Warnings, partialLine(f.samples.Name(), lost))
		if err := f.samples.Truncate(whole); err != nil {
			return err
		}
	}
	f.size = whole
	return nil
}

// Append adds samples as one block and waits until they are on disk (but see SyncEvery). After an
// error the file is cut back to the last complete block, so that a full disk costs only the
// samples that did not fit.
func (f *Folder) Append(rs ...*benchfmt.Result) error {
	if f.writer == nil { // what was appended last did not fit on the disk
		if err := f.startWriter(); err != nil {
			return fmt.Errorf("reading %s: %w", f.samples.Name(), err)
		}
	}
	if f.since == blocksAtOnce {
		f.startOver()
	}
	f.pending.Reset()
	if !f.checked { // nothing yet, or lines of before there were checks
		f.pending.Write(f.chain.end())
	}
	begins := f.pending.Len()
	for _, r := range rs {
		if err := f.writer.Write(r); err != nil {
			return fmt.Errorf("formatting a sample: %w", err)
		}
	}
	for line := range bytes.Lines(f.pending.Bytes()[begins:]) {
		f.chain.add(line)
		f.chain.set(line)
	}
	f.pending.Write(f.chain.end())
	f.since++
	n, err := f.samples.Write(f.pending.Bytes())
	if now := time.Now(); err == nil && (f.SyncEvery == 0 || now.After(f.sync)) {
		err = f.samples.Sync()
		f.sync = time.Now().Add(max(f.SyncEvery, perSync*time.Since(now)))
	}
	if err != nil {
		f.samples.Truncate(f.size)
		f.writer = nil
		return f.writeError(f.samples.Name(), err)
	}
	f.size += int64(n)
	f.checked = true
	return nil
}

// perSync is how many times as long as a wait took Append goes on without another.
const perSync = 20

// A WriteError is returned when the folder cannot be written to: nothing can be measured
// then.
type WriteError struct{ err error }

func (e *WriteError) Error() string { return e.err.Error() }

func (e *WriteError) Unwrap() error { return e.err }

func (f *Folder) writeError(name string, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		if _, missing := os.Stat(filepath.Join(f.Dir, QuestionFile)); missing != nil {
			return &WriteError{fmt.Errorf("writing %s: the disk is full; nothing was measured yet: free some room, "+
				"then begin again (%w)", name, err)}
		}
		return &WriteError{fmt.Errorf("writing %s: the disk is full; what was measured so far is safe: free some "+
			"room, then go on with --resume %s (%w)", name, f.Dir, err)}
	}
	return &WriteError{fmt.Errorf("writing %s: %w", name, err)}
}

// WriteQuestion writes run.json, signed, atomically: a reader finds the old or the new one.
func (f *Folder) WriteQuestion(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("formatting %s: %w", QuestionFile, err)
	}
	return f.WriteFile(QuestionFile, signed(append(data, '\n')))
}

// WriteFile writes a further file of the folder atomically; name may contain
// sub-folders, which are made.
func (f *Folder) WriteFile(name string, data []byte) error {
	path := filepath.Join(f.Dir, filepath.FromSlash(name))
	if err := writeAtomically(f.Dir, filepath.FromSlash(name), data); err != nil {
		return f.writeError(path, err)
	}
	return nil
}

// writeAtomically writes a file of a folder of which a reader finds the old or the new content.
func writeAtomically(dir, name string, data []byte) error {
	return atomicfile.WriteIn(dir, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Close gives the folder back. Everything appended is on disk then.
func (f *Folder) Close() error {
	var err error
	if f.samples != nil {
		if f.SyncEvery > 0 {
			err = f.samples.Sync()
		}
		err = errors.Join(err, f.samples.Close())
	}
	return errors.Join(err, f.lock.Unlock())
}
