package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/foreign"
	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// sentFile of a run folder names the places that have it.
const sentFile = "sent.txt"

// notSent are the files of a run folder that stay on the machine: they are made anew, or say nothing.
var notSent = []string{".lock", sentFile, "report.html"}

// writePlan puts a plan into a place, or adds to the one that is there the kinds of machines that were calibrated
// since: they come from several machines, and each that measures needs its own.
func writePlan(ctx context.Context, to *place.Place, f *File) error {
	key := f.Hash + "/" + Name
	err := to.WriteJSON(ctx, key, f, false)
	if !errors.Is(err, place.ErrThere) {
		return err
	}
	data, err := to.Read(ctx, key)
	if err != nil {
		return err
	}
	there, err := Read(to.Below(key), data)
	if err != nil || !there.Merge(f) {
		return err
	}
	return to.WriteJSON(ctx, key, there, true)
}

// sendLeft sends the attempts at a plan that ended on this machine and are not in the place. One that
// was killed ends with its last complete round.
func sendLeft(ctx context.Context, o Options, machine string) error {
	for _, l := range localAttempts(o.Results, o.Plan.Hash, machine) {
		if wasSent(l.dir, o.To) || store.Busy(l.dir) {
			continue
		}
		err := send(ctx, o.To, l.dir)
		if errors.Is(err, errNothing) {
			continue
		}
		if err != nil {
			return fmt.Errorf("sending attempt %d at shard %d/%d, which was measured before: %w", l.attempt.Number,
				l.attempt.Shard, l.attempt.Shards, err)
		}
		o.Note(fmt.Sprintf("sent attempt %d at shard %d/%d (%s), which had not been sent", l.attempt.Number,
			l.attempt.Shard, l.attempt.Shards, l.dir))
	}
	return nil
}

func wasSent(dir string, to *place.Place) bool {
	data, err := foreign.Read(dir, sentFile, foreign.Document)
	return err == nil && slices.Contains(strings.Split(string(data), "\n"), nameOf(to))
}

// nameOf is the name of a place that does not depend on the current folder.
func nameOf(to *place.Place) string {
	if abs, err := filepath.Abs(to.Name); err == nil && !place.IsURL(to.Name) {
		return abs
	}
	return to.Name
}

// errNothing is the error of an attempt without a sample.
var errNothing = errors.New("nothing was measured in it")

// send copies an attempt into the place: its files, then done.json, only if there is none.
func send(ctx context.Context, to *place.Place, dir string) error {
	var q plan.Question
	if err := store.ReadQuestion(dir, &q); err != nil {
		return err
	}
	if q.Attempt == nil {
		return fmt.Errorf("sending %s: it is no attempt at a plan", dir)
	}
	d := done{Attempt: *q.Attempt, Host: q.Machine.Hostname, CPU: q.Machine.CPUModel, Sent: now()}
	if d.Ended == "" {
		d.Ended = "killed"
	}
	_, err := store.ReadSamples(dir, func(*benchfmt.Result) error { d.Samples++; return nil })
	if err != nil {
		return err
	}
	if d.Samples == 0 {
		return fmt.Errorf("sending %s: %w", dir, errNothing)
	}
	base := keyOf(d.Attempt)
	if d.Files, err = sendFiles(ctx, to, base+d.Token+"/", dir); err != nil {
		return err
	}
	err = to.WriteJSON(ctx, base+doneFile, d, false)
	if errors.Is(err, place.ErrThere) {
		err = sameDone(ctx, to, d)
	}
	if err != nil {
		return err
	}
	return markSent(dir, to)
}

// sameDone returns an error if the place has another attempt of that number.
func sameDone(ctx context.Context, to *place.Place, d done) error {
	var other done
	err := to.ReadJSON(ctx, keyOf(d.Attempt)+doneFile, &other)
	switch {
	case err == nil && other.Token == d.Token:
		return nil
	case err != nil && !isDamaged(err):
		return err
	}
	return hint.With("the place keeps the first; measure again without --attempt, for a number that is free",
		fmt.Errorf("the place %s has another attempt %d at shard %d/%d of this machine", to.Name, d.Number, d.Shard,
			d.Shards))
}

func markSent(dir string, to *place.Place) error {
	f, err := foreign.OpenFile(dir, sentFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err == nil {
		_, err = fmt.Fprintln(f, nameOf(to))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("noting that the attempt was sent: %w", err)
	}
	return nil
}

// sendFiles copies the files of a run folder.
func sendFiles(ctx context.Context, to *place.Place, prefix, dir string) ([]file, error) {
	var out []file
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || slices.Contains(notSent, e.Name()) {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f, err := sendFile(ctx, to, prefix, dir, name)
		out = append(out, f)
		return err
	})
	return out, err
}

func sendFile(ctx context.Context, to *place.Place, prefix, dir, name string) (file, error) {
	f, err := foreign.Open(dir, name)
	name = filepath.ToSlash(name)
	if err != nil {
		return file{}, fmt.Errorf("sending the attempt: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return file{}, fmt.Errorf("sending the attempt: %w", err)
	}
	return file{name, n, hex.EncodeToString(sum.Sum(nil))}, to.Upload(ctx, prefix+name, f)
}

// submittedFolder of a plan in a place says what memcost submit gave to schedulers: PLAN/submitted/0.json
const submittedFolder = "submitted/"

// A Submitted is what was given to a scheduler at once.
type Submitted struct {
	Number    int       `json:"number"`
	On        string    `json:"on"` // slurm, ssh
	Host      string    `json:"host"`
	Submitted time.Time `json:"submitted"`
	Shards    int       `json:"shards"`
	Replicas  int       `json:"replicas"`
	Jobs      []Job     `json:"jobs"`
}

// A Job is one of the scheduler's, with a number of tasks.
type Job struct {
	ID    string `json:"id,omitempty"` // the scheduler's
	Kind  string `json:"kind,omitempty"`
	Tasks int    `json:"tasks"`
}

// Describe names the job.
func (j Job) Describe() string {
	out := units.Plural(j.Tasks, "task")
	if j.Kind != "" {
		out = "kind " + j.Kind + ", " + out
	}
	if j.ID != "" {
		out = "job " + j.ID + ": " + out
	}
	return out
}

// NextSubmission returns the number of the next submission of a plan to a place.
func NextSubmission(ctx context.Context, at *place.Place, hash string) (int, error) {
	objects, err := at.List(ctx, hash+"/"+submittedFolder)
	if err != nil {
		return 0, err
	}
	next := 0
	for _, o := range objects {
		if n, is := submissionOf(strings.TrimPrefix(o.Key, hash+"/")); is {
			next = max(next, n+1)
		}
	}
	return next, nil
}

// Record writes what was submitted to the place. The first time of a number it fails with
// place.ErrThere where another has that number.
func (s *Submitted) Record(ctx context.Context, to *place.Place, hash string, first bool) error {
	return to.WriteJSON(ctx, hash+"/"+submittedFolder+strconv.Itoa(s.Number)+".json", s, !first)
}

// submissionOf reads a key below a plan's folder: submitted/3.json
func submissionOf(key string) (int, bool) {
	name, in := strings.CutPrefix(key, submittedFolder)
	name, is := strings.CutSuffix(name, ".json")
	n, err := strconv.Atoi(name)
	return n, in && is && err == nil && n >= 0
}

// A Submission is how far that is which was given to a scheduler at once.
type Submission struct {
	Submitted
	Tasks int `json:"tasks"`
	Begun int `json:"begun"` // tasks that began at least one attempt
	// Since is how long ago it was submitted, in nanoseconds.
	Since time.Duration `json:"since_ns"`
}

// submissions returns how far each is.
func (l *listing) submissions(now time.Time) []Submission {
	var out []Submission
	for _, g := range l.submitted {
		if g.Submitted == nil {
			continue // damaged
		}
		s := Submission{Submitted: *g.Submitted, Since: max(now.Sub(g.written), 0)}
		for _, j := range g.Jobs {
			s.Tasks += j.Tasks
		}
		var begun []string
		for _, a := range l.attempts {
			if a.begun != nil && strings.HasPrefix(a.begun.Job, strconv.Itoa(g.Number)+"/") {
				begun = append(begun, a.begun.Job)
			}
		}
		slices.Sort(begun)
		s.Begun = len(slices.Compact(begun))
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Submission) int { return a.Number - b.Number })
	return out
}
