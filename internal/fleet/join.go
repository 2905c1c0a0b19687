package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// A Tally says what became of the samples of a data set.
type Tally struct {
	Kept    int // samples
	Repeats int // that stood in two copies of an attempt
	Cut     int // of the last round of attempts that were interrupted or killed
	Missing []plan.Case
	// Warnings are what is wrong with the samples.
	Warnings []error
	Lack     string // what is missing, in words; "" for nothing
}

// A joiner writes the samples of a data set as those of one run.
type joiner struct {
	Tally
	group func(study, name string) int
	shard int         // of the attempt
	base  map[int]int // the first round of the next attempt, by comparison
	next  map[int]int
	seen  map[int]bool // comparisons with a sample
	pass  func(*benchfmt.Result) error
}

// Write writes the samples that are kept as those of one run, and returns its question; see Stream.
func (s Set) Write(w io.Writer) (*plan.Question, Tally, error) {
	q := s.Question()
	writer := benchfmt.NewWriter(w)
	tally, err := s.Stream(q, func(r *benchfmt.Result) error {
		if err := writer.Write(r); err != nil {
			return fmt.Errorf("writing a joined sample: %w", err)
		}
		return nil
	})
	return q, tally, err
}

// Stream passes the samples that are kept to fn as those of one run, in which the rounds of a comparison
// are counted on from attempt to attempt. q is the Question of the set, to which it adds what is
// missing.
//
// Kept are all rounds of an attempt that ended by itself, and of another all but the last, which may
// not be complete. Of copies of one attempt each sample is kept once. A Result belongs to the reader.
func (s Set) Stream(q *plan.Question, fn func(*benchfmt.Result) error) (Tally, error) {
	j := &joiner{group: q.Plan.GroupOf(), base: map[int]int{}, next: map[int]int{}, seen: map[int]bool{}, pass: fn}
	for _, copies := range s.attempts() {
		j.shard = copies[0].Question.Attempt.Shard
		if err := j.attempt(copies); err != nil {
			return j.Tally, err
		}
		for g, n := range j.next {
			j.base[g] = n
		}
	}
	for g := range q.Plan.Groups() {
		if !j.seen[g] {
			q.Plan.Missing = append(q.Plan.Missing, g)
		}
	}
	for _, c := range q.Plan.Cases {
		if !j.seen[c.Group] {
			j.Missing = append(j.Missing, c)
		}
	}
	q.Warnings = append(q.Warnings, j.warnings(len(q.Plan.Cases))...)
	return j.Tally, nil
}

// attempts returns the folders of the set, the copies of each attempt together.
func (s Set) attempts() [][]store.Source {
	return units.Grouped(s.Folders, func(f store.Source) string {
		return f.Question.Attempt.ID() + " " + f.Question.Attempt.Token
	})
}

// attempt writes the samples of an attempt, from all copies of it that there are.
func (j *joiner) attempt(copies []store.Source) error {
	whole := slices.ContainsFunc(copies, func(f store.Source) bool { return f.Question.Attempt.Whole })
	read := func(f store.Source, fn func(*benchfmt.Result) error) error {
		warnings, err := f.Samples(fn)
		j.Warnings = append(j.Warnings, warnings...)
		return err
	}
	if len(copies) == 1 {
		return j.stream(func(fn func(*benchfmt.Result) error) error { return read(copies[0], fn) }, whole)
	}
	all := merged{at: map[string]int{}}
	for _, f := range copies {
		if err := read(f, all.add); err != nil {
			return err
		}
	}
	j.Repeats += all.repeats
	return j.stream(all.each, whole)
}

// stream passes samples on as they come, but for those of the last round of an attempt that did not end by itself.
func (j *joiner) stream(samples func(func(*benchfmt.Result) error) error, whole bool) error {
	rounds := store.Rounds{Whole: whole, Keep: func(r *benchfmt.Result, complete bool) error {
		if !complete {
			j.Cut++
			return nil
		}
		return j.keep(r)
	}}
	err := samples(func(r *benchfmt.Result) error {
		if _, ok := r.Value(series.UnitRound); !ok {
			return nil // damaged
		}
		return rounds.Add(r)
	})
	return cmp.Or(err, rounds.End())
}

// keep passes a sample on with the round that it has in the joined run.
func (j *joiner) keep(r *benchfmt.Result) error {
	g := j.group(r.GetConfig(series.KeyStudy), string(r.Name))
	if g < 0 { // the empty loop: each shard has its own in its first rounds
		g = -j.shard
	}
	for i := range r.Values {
		if v := &r.Values[i]; v.Unit == series.UnitRound {
			v.Value += float64(j.base[g])
			j.next[g] = max(j.next[g], int(v.Value)+1)
		}
	}
	j.seen[g] = true
	j.Kept++
	return j.pass(r)
}

// warnings say what was left out of a set, and what it does not have.
func (j *joiner) warnings(cases int) []string {
	var out []string
	if j.Repeats > 0 {
		out = append(out, fmt.Sprintf("%s of copies of an attempt are counted once", units.Plural(j.Repeats, "sample")))
	}
	if j.Cut > 0 {
		out = append(out, fmt.Sprintf("%s are left out: of the last rounds of attempts that were interrupted, which "+
			"may not be complete", units.Plural(j.Cut, "sample")))
	}
	if n := len(j.Missing); n > 0 {
		j.Lack = fmt.Sprintf("%d of %d cases are missing, for nothing of their shards is here: %s", n, cases,
			names(j.Missing))
		out = append(out, j.Lack)
	}
	return out
}

// names lists the first of some cases.
func names(cases []plan.Case) string {
	const most = 8
	var out []string
	for _, c := range cases[:min(len(cases), most)] {
		out = append(out, c.Name)
	}
	if n := len(cases) - most; n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(out, ", ")
}

// A Set is a data set: the attempts of one machine in one state, of which the shards are joined.
type Set struct {
	Machine string // the machine's kind and identity
	State   string // what tells it from other sets of the machine: "kernel 6.1.0"; "" for the only one
	Folders []store.Source
}

// Sets parts attempts into data sets. A shard that moved to another machine belongs to that of the
// other machine; so does one that was measured by another version of memcost, after another
// calibration, with another kernel or with other binaries, to a set of its own.
func Sets(folders []store.Source) []Set {
	var out []Set
	for _, of := range units.Grouped(inOrder(folders), func(f store.Source) string {
		return f.Question.Attempt.Machine + "\n" + strings.Join(stateOf(f.Question), "\n")
	}) {
		out = append(out, Set{Machine: of[0].Question.Attempt.Machine, Folders: of})
	}
	nameStates(out)
	return out
}

// stateOf is what must be the same in all attempts of a data set. Compilers are those that the plan
// names, and the shipped studies belong to the version of memcost; the user's code is known by what was
// built of it, which also differs with the folder of the cache.
func stateOf(q *plan.Question) []string {
	code := ""
	for _, b := range q.Builds {
		if len(q.Packages) > 0 {
			code += fmt.Sprintf(" %.8s", b.Hash)
		}
	}
	return []string{"kernel " + q.Machine.Kernel, q.Tool, fmt.Sprintf("method %d", q.Method), "calibration " + q.Attempt.Calibration, "binaries" + code}
}

// nameStates says of the sets of one machine what tells each from the first.
func nameStates(sets []Set) {
	first := map[string][]string{}
	for i := range sets {
		state := stateOf(sets[i].Folders[0].Question)
		base, known := first[sets[i].Machine]
		if !known {
			first[sets[i].Machine] = state
			continue
		}
		var differs []string
		for k := range state {
			if state[k] != base[k] {
				differs = append(differs, state[k])
			}
		}
		sets[i].State = strings.Join(differs, ", ")
	}
}

// Host is the name of the machine of a set.
func (s Set) Host() string { return s.Folders[len(s.Folders)-1].Question.Machine.Hostname }

// Label is what a set is called beside others: the name of its machine, with its identity where another has that
// name, and its state.
func (s Set) Label(shared bool) string {
	name := s.Host()
	if shared || name == "" {
		name = strings.TrimSpace(name + " " + s.Machine)
	}
	if s.State != "" {
		name += ", " + s.State
	}
	return name
}

// Labels returns what each of several sets is called beside the others.
func Labels(sets []Set) (out []string) {
	for _, s := range sets {
		out = append(out, s.Label(slices.ContainsFunc(sets, func(o Set) bool {
			return o.Host() == s.Host() && o.Machine != s.Machine
		})))
	}
	return out
}

// inOrder sorts attempts: by number, for schedulers count them and a board may have lost its clock;
// then by when they began.
func inOrder(folders []store.Source) []store.Source {
	return slices.SortedStableFunc(slices.Values(folders), func(a, b store.Source) int {
		x, y := a.Question.Attempt, b.Question.Attempt
		return cmp.Or(cmp.Compare(x.Number, y.Number), x.Began.Compare(y.Began), cmp.Compare(x.Shards, y.Shards),
			cmp.Compare(x.Shard, y.Shard), cmp.Compare(x.Token, y.Token), cmp.Compare(a.Name, b.Name))
	})
}

// merged is the samples of several copies of one attempt, of which some may be a part.
type merged struct {
	samples []*benchfmt.Result
	at      map[string]int
	repeats int
}

// add adds a sample unless a copy of it is there. Within an attempt its round and its place in the
// round, with what was measured, say which it is.
func (m *merged) add(r *benchfmt.Result) error {
	round, _ := r.Value(series.UnitRound)
	order, _ := r.Value(series.UnitOrder)
	id := fmt.Sprintf("%v %v %s %s %s %s %s", round, order, r.Name, r.GetConfig(series.KeyStudy),
		r.GetConfig(series.KeyToolchain), r.GetConfig(series.KeySide), r.GetConfig(series.KeyRole))
	if _, there := m.at[id]; there {
		m.repeats++
		return nil
	}
	m.at[id] = len(m.samples)
	m.samples = append(m.samples, r.Clone())
	return nil
}

// each streams the samples by their rounds.
func (m *merged) each(fn func(*benchfmt.Result) error) error {
	slices.SortStableFunc(m.samples, func(a, b *benchfmt.Result) int {
		x, _ := a.Value(series.UnitRound)
		y, _ := b.Value(series.UnitRound)
		return cmp.Compare(x, y)
	})
	for _, r := range m.samples {
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

// Collect makes a run folder, below dir, of each data set of a plan in places: the shards of a machine,
// joined. It returns the folders; what was left out is told to note.
func Collect(ctx context.Context, at []*place.Place, hash, dir string, note func(string)) ([]string,
	error) {
	var folders []store.Source
	for i, p := range at {
		attempts, err := Attempts(ctx, p, hash, note)
		if err != nil {
			return nil, err
		}
		for _, a := range attempts {
			to := filepath.Join(dir, "attempts", fmt.Sprint(i), filepath.FromSlash(a.of.key))
			f, ok, err := a.Fetch(ctx, to, note)
			if err != nil {
				return nil, err
			}
			if ok {
				folders = append(folders, f)
			}
		}
	}
	if len(folders) == 0 {
		return nil, hint.New("memcost status "+at[0].Name+" says how far it is",
			"reading the place %s: no attempt at the plan %s is whole in it yet", at[0].Name, hash)
	}
	sets := Sets(folders)
	labels := Labels(sets)
	var out []string
	for i, s := range sets {
		to := filepath.Join(dir, fmt.Sprintf("set-%d", i))
		name := at[0].Below(hash + "/" + s.Machine)
		label := ""
		if len(sets) > 1 {
			label = labels[i]
		}
		lack, err := write(s, to, name, label)
		if err != nil {
			return nil, err
		}
		if lack != "" {
			note("warning: " + name + ": " + lack)
		}
		out = append(out, to)
	}
	return out, nil
}

// write makes the run folder of a data set, which is called as the place calls it, and returns what it
// lacks.
func write(s Set, dir, name, label string) (lack string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("joining shards: %w", err)
	}
	f, err := os.Create(filepath.Join(dir, store.SamplesFile))
	if err != nil {
		return "", fmt.Errorf("joining shards: %w", err)
	}
	q, tally, err := s.Write(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("joining the shards of %s: %w", s.Machine, err)
	}
	q.Joined = name
	q.Label = strings.TrimSpace(q.Label + " " + label)
	folder, err := store.Create(dir)
	if err == nil {
		err = errors.Join(folder.WriteQuestion(q), folder.Close())
	}
	if err == nil {
		err = copyDiagnostics(s, dir)
	}
	return tally.Lack, err
}

// copyDiagnostics gives the joined run what the compiler said, as the first attempt has it.
func copyDiagnostics(s Set, dir string) error {
	from := filepath.Join(s.Folders[0].Name, store.DiagnosticsDir)
	if _, err := os.Stat(from); err != nil {
		return nil
	}
	if err := os.CopyFS(filepath.Join(dir, store.DiagnosticsDir), os.DirFS(from)); err != nil {
		return fmt.Errorf("joining shards: %w", err)
	}
	return nil
}

// Question returns that of the run that the attempts of a set are together: of the whole plan, on
// the machine as it was at last. What is missing of it shows when its samples are read.
func (s Set) Question() *plan.Question {
	q := *s.Folders[0].Question
	last := s.Folders[len(s.Folders)-1].Question
	q.Machine, q.Certificate, q.Attempt = last.Machine, last.Certificate, nil
	q.Warnings, q.LeftOut = nil, nil
	for _, f := range s.Folders {
		q.Warnings = addNew(q.Warnings, f.Question.Warnings)
		q.LeftOut = addNew(q.LeftOut, f.Question.LeftOut)
		if f.Question.Created.Before(q.Created) {
			q.Created = f.Question.Created
		}
	}
	o := &q.Plan.Options
	o.Shard, o.Shards, o.Draw = 0, 0, 0
	q.Plan.Parts, q.Plan.Missing = nil, nil
	return &q
}

func addNew(to, more []string) []string {
	for _, s := range more {
		if !slices.Contains(to, s) {
			to = append(to, s)
		}
	}
	return to
}
