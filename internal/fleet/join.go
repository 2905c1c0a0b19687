package fleet

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"

	"golang.org/x/perf/benchfmt"
)

// A Tally says what became of the samples of a data set.
type Tally struct {
	Kept    int // samples
	Repeats int // that stood in two copies of an attempt
	Cut     int // of the last round of attempts that were interrupted or killed
	Missing []plan.Case
	Lack    string // what is missing, in words; "" for nothing
}

// A joiner writes the samples of a data set as those of one run.
type joiner struct {
	Tally
	group func(suite, name string) int
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
func (s Set) attempts() [][]Folder {
	var out [][]Folder
	at := map[string]int{}
	for _, f := range s.Folders {
		id := f.Question.Attempt.ID() + " " + f.Question.Attempt.Token
		if i, ok := at[id]; ok {
			out[i] = append(out[i], f)
			continue
		}
		at[id] = len(out)
		out = append(out, []Folder{f})
	}
	return out
}

// attempt writes the samples of an attempt, from all copies of it that there are.
func (j *joiner) attempt(copies []Folder) error {
	whole := slices.ContainsFunc(copies, func(f Folder) bool { return f.Question.Attempt.Whole })
	if len(copies) == 1 {
		return j.stream(copies[0].Samples, whole)
	}
	all := merged{at: map[string]int{}}
	for _, f := range copies {
		if err := f.Samples(all.add); err != nil {
			return err
		}
	}
	j.Repeats += all.repeats
	return j.stream(all.each, whole)
}

// stream passes samples on as they come. Those of a round of an attempt that did not end by itself are
// held back until another begins, for the last may have to go.
func (j *joiner) stream(samples func(func(*benchfmt.Result) error) error, whole bool) error {
	var held []*benchfmt.Result
	last := -1
	err := samples(func(r *benchfmt.Result) error {
		v, ok := r.Value(series.UnitRound)
		switch {
		case !ok:
			return nil // damaged
		case whole:
			return j.keep(r)
		}
		if int(v) != last {
			for _, r := range held {
				if err := j.keep(r); err != nil {
					return err
				}
			}
			held, last = held[:0], int(v)
		}
		held = append(held, r.Clone())
		return nil
	})
	j.Cut += len(held)
	return err
}

// keep passes a sample on with the round that it has in the joined run.
func (j *joiner) keep(r *benchfmt.Result) error {
	g := j.group(r.GetConfig(series.KeySuite), string(r.Name))
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
