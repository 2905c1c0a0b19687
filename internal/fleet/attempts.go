package fleet

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"memcost/internal/base/foreign"
	"memcost/internal/base/hint"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// An Attempt is one that a place has whole.
type Attempt struct {
	plan.Attempt
	Name  string // as the place calls it
	Bytes int64  // of its samples.txt
	at    *place.Place
	of    *listed
}

// Attempts returns the attempts at a plan that a place has whole. What is left out is told to note.
func Attempts(ctx context.Context, at *place.Place, hash string, note func(string)) ([]Attempt, error) {
	l, err := list(ctx, at, hash)
	if err != nil {
		return nil, err
	}
	for _, w := range l.warnings {
		note("warning: " + w)
	}
	var out []Attempt
	for _, a := range l.attempts {
		if err := a.whole(); err != nil {
			note("warning: " + err.Error())
			continue
		}
		x := Attempt{Attempt: a.done.Attempt, Name: at.Below(a.key), at: at, of: a}
		for _, f := range a.done.Files {
			if f.Name == store.SamplesFile {
				x.Bytes = f.Size
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// whole returns why an attempt is left out of which not everything is there, nil for another.
func (a *listed) whole() error {
	switch {
	case a.done != nil:
		return nil
	case len(a.files) > 0:
		return leftOut(a, "it is half-written: there is no %s", doneFile)
	}
	return leftOut(a, "it was begun, and nothing of it is here yet")
}

// Fetch copies what a report needs of an attempt into a folder. One that is not what was sent is told
// to note, and there is none then.
func (a Attempt) Fetch(ctx context.Context, to string, note func(string)) (f store.Source, ok bool, err error) {
	f, err = fetch(ctx, a.at, a.of, to)
	var left *leftOutError
	if errors.As(err, &left) {
		note("warning: " + left.Error())
		return store.Source{}, false, nil
	}
	return f, err == nil, err
}

// A leftOutError is why an attempt in a place is not read.
type leftOutError struct{ text string }

func (e *leftOutError) Error() string { return e.text }

func leftOut(a *listed, format string, args ...any) error {
	return &leftOutError{fmt.Sprintf("attempt %d at shard %d/%d of %s is left out: %s", a.number, a.shard, a.shards,
		a.machine, fmt.Sprintf(format, args...))}
}

// missing returns which file of an attempt the place does not have as it was sent, by its size.
func (a *listed) missing() error {
	for _, f := range a.done.Files {
		if size, is := a.files[a.done.Token+"/"+f.Name]; !is || size != f.Size {
			return leftOut(a, "%s is missing, or not as long as when it was sent", f.Name)
		}
	}
	return nil
}

// fetch copies what a report needs of an attempt, and checks that it is what was sent.
func fetch(ctx context.Context, p *place.Place, a *listed, to string) (store.Source, error) {
	if err := a.missing(); err != nil {
		return store.Source{}, err
	}
	for _, f := range a.done.Files {
		if !strings.HasPrefix(filepath.Clean(f.Name), store.DiagnosticsDir) && f.Name != store.QuestionFile &&
			f.Name != store.SamplesFile {
			continue
		}
		sum, err := download(ctx, p, a.key+a.done.Token+"/"+f.Name, filepath.Join(to, filepath.FromSlash(f.Name)))
		if err != nil {
			return store.Source{}, err
		}
		if sum != f.SHA256 {
			return store.Source{}, leftOut(a, "%s is not what was sent: its hash differs", f.Name)
		}
	}
	return read(a, to)
}

func download(ctx context.Context, p *place.Place, key, to string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(key)) {
		return "", fmt.Errorf("reading the place %s: %q is no name of a file", p.Name, key)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return "", fmt.Errorf("copying from the place: %w", err)
	}
	f, err := os.Create(to)
	if err != nil {
		return "", fmt.Errorf("copying from the place: %w", err)
	}
	sum := sha256.New()
	err = p.Download(ctx, key, io.MultiWriter(f, sum))
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, f.Close())
}

// read makes a folder of an attempt of what was copied.
func read(a *listed, dir string) (store.Source, error) {
	src, err := store.ReadRun(dir)
	if err != nil {
		return store.Source{}, leftOut(a, "%v", err)
	}
	q := src.Question
	if q.Attempt == nil || q.Attempt.Check() != nil || keyOf(*q.Attempt) != a.key {
		return store.Source{}, leftOut(a, "its %s is not of this attempt", store.QuestionFile)
	}
	return src, nil
}

// A listed attempt is what a place has of one.
type listed struct {
	slot
	key   string // with the slash at its end
	begun *begun
	done  *done
	// written and finished are when begun.json and done.json were, by the clock of the place.
	written, finished time.Time
	files             map[string]int64 // below the attempt's folder: TOKEN/NAME
	broken            bool             // it is not what done.json says
}

// A given is a submission as it stands in a place.
type given struct {
	*Submitted
	written time.Time // by the clock of the place
}

// A listing is a plan in a place, and the attempts at it.
type listing struct {
	plan      *File
	attempts  []*listed
	submitted []*given
	warnings  []string
	unread    []reading
}

// A reading is an object that is to be read: of many at once, for each takes as long as the way to the place
// and back.
type reading struct {
	key  string
	take func(data []byte) error
	err  error
}

// atOnce is how many objects of a place are read at once.
const atOnce = 32

// Plans returns the hashes of the plans in a place.
func Plans(ctx context.Context, at *place.Place) ([]string, error) {
	folders, err := at.Folders(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range folders {
		if _, err := at.Read(ctx, f+"/"+Name); err == nil {
			out = append(out, f)
		} else if !errors.Is(err, place.ErrNone) {
			return nil, err
		}
	}
	return out, nil
}

// NoPlan is the error of a place without a plan.
func NoPlan(at *place.Place) error {
	return hint.New("memcost run --plan plan.json --shard 1/4 --to "+at.Name+" brings one there",
		"reading the place %s: there is no plan in it", at.Name)
}

// list reads what a place has of a plan.
func list(ctx context.Context, at *place.Place, hash string) (*listing, error) {
	data, err := at.Read(ctx, hash+"/"+Name)
	if err != nil {
		return nil, err
	}
	l := &listing{}
	if l.plan, err = Read(at.Name+" "+hash, data); err != nil {
		return nil, err
	}
	objects, err := at.List(ctx, hash+"/")
	if err != nil {
		return nil, err
	}
	known := map[slot]*listed{}
	for _, o := range objects {
		rest := strings.TrimPrefix(o.Key, hash+"/")
		_, submitted := submissionOf(rest)
		s, name, ok := slotOf(rest)
		switch {
		case rest == Name:
		case submitted:
			g := &given{written: o.Written}
			l.submitted = append(l.submitted, g)
			l.unread = append(l.unread, reading{key: o.Key, take: into(&g.Submitted)})
		case !ok:
			l.warn("%s is no part of an attempt: it is passed over", o.Key)
		default:
			if known[s] == nil {
				known[s] = &listed{slot: s, key: strings.TrimSuffix(o.Key, name), files: map[string]int64{}}
				l.attempts = append(l.attempts, known[s])
			}
			l.see(known[s], name, o)
		}
	}
	if err := l.read(ctx, at); err != nil {
		return nil, err
	}
	l.checkPlans()
	return l, nil
}

func (l *listing) warn(format string, args ...any) {
	l.warnings = append(l.warnings, fmt.Sprintf(format, args...))
}

// see takes one object of an attempt. What is in it is read later.
func (l *listing) see(a *listed, name string, o place.Object) {
	switch name {
	case begunFile:
		a.written = o.Written
		l.unread = append(l.unread, reading{key: o.Key, take: into(&a.begun)})
	case doneFile:
		a.finished = o.Written
		l.unread = append(l.unread, reading{key: o.Key, take: into(&a.done)})
	default:
		a.files[name] = o.Size
	}
}

// into returns what reads JSON, and leaves nothing of what is damaged.
func into[T any](to **T) func([]byte) error {
	return func(data []byte) error {
		var x T
		err := json.Unmarshal(data, &x)
		if err == nil {
			*to = &x
		}
		return err
	}
}

// read reads what was seen. An object that is no JSON is a warning.
func (l *listing) read(ctx context.Context, at *place.Place) error {
	var work sync.WaitGroup
	limit := make(chan struct{}, atOnce)
	for i := range l.unread {
		limit <- struct{}{}
		work.Go(func() {
			r := &l.unread[i]
			data, err := at.Read(ctx, r.key)
			if r.err = err; err == nil {
				r.err = r.take(data)
			}
			<-limit
		})
	}
	work.Wait()
	for _, r := range l.unread {
		switch {
		case isDamaged(r.err):
			l.warn("%s is damaged (%v): it is passed over", r.key, r.err)
		case r.err != nil:
			return r.err
		}
	}
	return nil
}

// isDamaged reports whether an object is no JSON, or not of its type.
func isDamaged(err error) bool {
	return errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError))
}

// checkPlans leaves out what says that it belongs to another plan, or elsewhere.
func (l *listing) checkPlans() {
	for _, a := range l.attempts {
		if a.begun != nil && l.elsewhere(a.key, begunFile, a.begun.Attempt) {
			a.begun = nil
		}
		if a.done != nil && l.elsewhere(a.key, doneFile, a.done.Attempt) {
			a.done = nil
		}
	}
}

func (l *listing) elsewhere(key, name string, a plan.Attempt) bool {
	if keyOf(a) == key {
		return false
	}
	l.warn("%s%s is of plan %s, machine %s, shard %d/%d: it is left out", key, name, a.Plan, a.Machine, a.Shard, a.Shards)
	return true
}

// What a place holds of an attempt: PLAN/MACHINE/3-of-8/ATTEMPT/ with begun.json, written before
// anything is measured; TOKEN/ with the files of the run folder; and done.json, written last.
const (
	begunFile = "begun.json"
	doneFile  = "done.json"
)

// A begun says that an attempt was begun.
type begun struct {
	plan.Attempt
	Host string `json:"host"`
	CPU  string `json:"cpu"`
	// Job is the task of a submission that began it, "" for none.
	Job string `json:"job,omitempty"`
	// Expected is how long it takes at most, with the building.
	Expected time.Duration `json:"expected_ns"`
}

// A done says that an attempt is whole in the place.
type done struct {
	plan.Attempt
	Host    string    `json:"host"`
	CPU     string    `json:"cpu"`
	Sent    time.Time `json:"sent"` // by the machine's clock
	Samples int       `json:"samples"`
	Files   []file    `json:"files"`
}

// A file is one of an attempt's in the place.
type file struct {
	Name   string `json:"name"`
	Size   int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// keyOf returns the folder of an attempt in a place.
func keyOf(a plan.Attempt) string {
	return fmt.Sprintf("%s/%s/%s/%d/", a.Plan, a.Machine, a.Part(), a.Number)
}

// A slot is what the key of an object says: whose it is.
type slot struct {
	machine       string
	shard, shards int
	number        int
}

// slotOf reads a key below a plan's folder: MACHINE/3-of-8/0/REST.
func slotOf(key string) (s slot, rest string, ok bool) {
	parts := strings.SplitN(key, "/", 4)
	if len(parts) < 4 {
		return s, "", false
	}
	shard, shards, of := strings.Cut(parts[1], "-of-")
	i, err1 := strconv.Atoi(shard)
	n, err2 := strconv.Atoi(shards)
	number, err3 := strconv.Atoi(parts[2])
	if !of || cmp.Or(err1, err2, err3) != nil || i < 1 || i > n || n > plan.MostShards ||
		number < 0 {
		return s, "", false
	}
	return slot{parts[0], i, n, number}, parts[3], true
}

// claimNumber gives an attempt its number, the one that was asked for or the next that is free here
// and in the place, and says in the place that it was begun. Of two processes that ask for one number
// at once, one gets it.
func claimNumber(ctx context.Context, o Options, a *plan.Attempt, b begun) error {
	taken, err := takenNumbers(ctx, o, *a)
	if err != nil {
		return err
	}
	for a.Number = 0; ; a.Number++ {
		if o.Number != nil {
			a.Number = *o.Number
		}
		dir, is := taken[a.Number]
		if !is {
			if err = writeBegun(ctx, o, *a, b); !errors.Is(err, place.ErrThere) {
				return err
			}
			dir = o.To.Name
		}
		if o.Number != nil {
			return hint.With(fmt.Sprintf("--attempt %d, or leave --attempt out for the next that is free",
				next(taken, a.Number)), fmt.Errorf("attempt %d at shard %d/%d was begun on this machine before: %s",
				a.Number, a.Shard, a.Shards, dir))
		}
	}
}

func next(taken map[int]string, number int) int {
	for {
		number++
		if _, is := taken[number]; !is {
			return number
		}
	}
}

func writeBegun(ctx context.Context, o Options, a plan.Attempt, b begun) error {
	if o.To == nil {
		return nil
	}
	b.Attempt = a
	return o.To.WriteJSON(ctx, keyOf(a)+begunFile, b, false)
}

// takenNumbers returns the numbers of the attempts at a shard on this machine, with where they are.
func takenNumbers(ctx context.Context, o Options, a plan.Attempt) (map[int]string, error) {
	taken := map[int]string{}
	for _, l := range localAttempts(o.Results, a.Plan, a.Machine) {
		if l.attempt.Part() == a.Part() {
			taken[l.attempt.Number] = l.dir
		}
	}
	if o.To == nil {
		return taken, nil
	}
	objects, err := o.To.List(ctx, a.Plan+"/"+a.Machine+"/"+a.Part()+"/")
	if err != nil {
		return nil, err
	}
	for _, x := range objects {
		if s, _, ok := slotOf(strings.TrimPrefix(x.Key, a.Plan+"/")); ok {
			taken[s.number] = o.To.Name
		}
	}
	return taken, nil
}

// A local is an attempt in a run folder of this machine.
type local struct {
	dir     string
	attempt plan.Attempt
}

// localAttempts finds the attempts at a plan among run folders. A folder that cannot be read is none.
func localAttempts(results, hash, machine string) []local {
	dirs, _ := filepath.Glob(filepath.Join(results, "*", store.QuestionFile))
	var out []local
	for _, path := range dirs {
		dir := filepath.Dir(path)
		data, err := foreign.Read(dir, store.QuestionFile, foreign.Document)
		var q struct {
			Attempt *plan.Attempt `json:"attempt"`
		}
		if err != nil || json.Unmarshal(data, &q) != nil || q.Attempt == nil {
			continue
		}
		if a := *q.Attempt; a.Plan == hash && a.Machine == machine && a.Check() == nil {
			out = append(out, local{dir, a})
		}
	}
	return out
}
