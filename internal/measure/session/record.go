package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/source"
	"memcost/internal/machine"
	"memcost/internal/measure/certificate"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"

	"golang.org/x/perf/benchfmt"
)

// A record is a question and its run folder while they are written: what sessions and searches
// share.
type record struct {
	*Tools
	Question *plan.Question
	Folder   *store.Folder // nil when nothing is recorded: a plan is only printed
	Unbuilt  []Unbuilt     // among it, what does not compile
	Broken   []string      // of what was left out, what could not be built or read
	results  bool          // the folder of run folders was made for this run
}

// NewQuestion begins run.json: who asks, on which machine.
func NewQuestion(from Origin) (*plan.Question, error) {
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return nil, fmt.Errorf("reading what this machine is: %w", err)
	}
	return &plan.Question{Format: plan.Format, Tool: "memcost " + from.Version, Method: stat.Method,
		Created: time.Now().UTC().Truncate(time.Second),
		Command: from.Command, Machine: fp, Certificate: certificate.OfHere()}, nil
}

// sameMachine returns an error on another machine than that of the recorded samples.
func (r *record) sameMachine() error {
	fp, err := machine.ReadFingerprint("")
	if recorded := r.Question.Machine; err == nil && fp.ID() != recorded.ID() {
		return hint.With("begin a run of its own here, and look at both: memcost report RUN RUN",
			fmt.Errorf("run folder %s was begun on another machine (%s, %s)", r.Folder.Dir, recorded.Hostname,
				recorded.CPUModel))
	}
	return nil
}

// sameMethod returns an error where this memcost takes and judges samples in another way than the one that began the
// run, and warns where it is another version.
func (r *record) sameMethod(from Origin) error {
	q := r.Question
	if q.Method != stat.Method {
		return hint.With("go on with the memcost that began it, or begin a new run",
			fmt.Errorf("run folder %s was begun by %s with method %d, and this memcost measures by method %d",
				r.Folder.Dir, q.Tool, q.Method, stat.Method))
	}
	if tool := "memcost " + from.Version; tool != q.Tool {
		r.warn("begun by %s, and gone on with by %s", q.Tool, tool)
	}
	return nil
}

// recordStudy returns the study of a study whose figures are records.
func recordStudy(st *language.Study) plan.Study {
	return plan.Study{Name: st.Name, Pkg: "memcost/study/" + st.Name, Shipped: true, Directives: st.Directives,
		Show: st.Show}
}

// Unbuilt is a package that does not compile on a configuration.
type Unbuilt struct {
	Study string
	Side  int
}

// makeFolder makes the run folder: its name is the time and the machine, and a number
// where two runs begin in the same second.
func (r *record) makeFolder(results string, now time.Time) error {
	_, err := os.Stat(results)
	r.results = errors.Is(err, fs.ErrNotExist)
	r.Folder, err = store.CreateRun(results, r.Question.Machine.Hostname, now)
	return err
}

// openFolder opens the folder of a run that is gone on with.
func (r *record) openFolder(dir string) error {
	lost := store.CheckSamples(dir) // asked first: Open makes a missing file
	if a := r.Question.Attempt; a != nil && a.Ended == "" {
		lost = nil // it begins
	}
	var err error
	if r.Folder, err = store.Open(dir); err != nil {
		if errors.As(err, new(*store.BusyError)) {
			return hint.With("wait for it to end, or start a run of its own", err)
		}
		return err
	}
	for _, w := range append(lost, r.Folder.Warnings...) {
		r.Log.Note("warning: " + w.Error())
	}
	return nil
}

// Close closes the run folder: see store.CloseRun.
func (r *record) Close() {
	if r.Folder != nil {
		store.CloseRun(r.Folder, r.results)
	}
}

// again returns the command that goes on with what is in the folder.
func (r *record) again() string {
	q := r.Question
	switch {
	case q.Attempt != nil:
		return "memcost run --plan plan.json, which begins another attempt"
	case q.OfHeld() != nil:
		return "memcost held --resume " + r.Folder.Dir
	case q.Comparison != nil && q.Comparison.Alloc != nil:
		return "memcost alloc --resume " + r.Folder.Dir
	case q.Comparison != nil:
		return "memcost compare --resume " + r.Folder.Dir
	}
	return "memcost run --resume " + r.Folder.Dir
}

// save writes run.json, if the run has a folder.
func (r *record) save() error {
	if r.Folder == nil {
		return nil
	}
	return r.Folder.WriteQuestion(r.Question)
}

// warn says what is to be known of the figures, once: a session that is gone on with, and each round,
// find it once more.
func (r *record) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if slices.Contains(r.Question.Warnings, w) {
		return
	}
	r.Question.Warnings = append(r.Question.Warnings, w)
	r.Log.Note("warning: " + w)
}

// leftOut records something that was asked for and cannot be had.
func (r *record) leftOut(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	r.Question.LeftOut = append(r.Question.LeftOut, w)
	r.Log.Note("left out: " + w)
}

// broken records something that was asked for and cannot be built or read.
func (r *record) broken(format string, args ...any) {
	r.leftOut(format, args...)
	r.Broken = append(r.Broken, fmt.Sprintf(format, args...))
}

// keep records what was found, with what all records share.
func (r *record) keep(records []*benchfmt.Result, config ...[2]string) error {
	for _, x := range records {
		for _, kv := range append(r.Question.Header(), config...) {
			x.SetConfig(kv[0], kv[1])
		}
		for i := range x.Config {
			x.Config[i].File = true
		}
	}
	return r.Folder.Append(records...)
}

// timeLeft returns how much longer a task takes of which a share is done, after the time
// since it began.
func timeLeft(began time.Time, share float64) string {
	left := float64(time.Since(began)) / share * (1 - share)
	return fmt.Sprintf(", about %v left", time.Duration(left).Round(time.Second))
}

// place says where checkouts lie.
func (r *record) place() source.SidePlace {
	return source.SidePlace{Runner: r.Runner, Env: r.Env, Cache: r.Builder.CacheDir, Note: r.Log.Note, Step: r.Log.Step}
}

// otherCode is the error of a run whose benchmarks have changed since it began.
func otherCode(study, on, folder string) error {
	return hint.With("put the code back as it was, or begin a new run",
		fmt.Errorf("the benchmarks of %s on %s are not those that run folder %s was begun with", study, on, folder))
}
