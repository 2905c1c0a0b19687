// Package certify proves the instrument on the machine where it is used: how often does a
// comparison of two identical copies show a difference (a false alarm), and how often does
// the interval of a known slowdown hold the truth?
//
// What is tested is the instrument itself: processes, order, layouts, excluded rounds,
// intervals and the looks after every round are those of memcost run. Its own part is to
// choose what is compared, and to know the truth. Copies differ in nothing but their links.
// A slowdown is known without touching code: the slower side runs (1+r)·N iterations in the
// name of N.
package certify

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/machine"
	"memcost/internal/measure/certificate"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/stat"
)

// Conditions are what runs beside the samples, in turn.
func Conditions() []string {
	return []string{certificate.Quiet, certificate.CPU, certificate.Memory}
}

// Options are the settings of an attempt.
type Options struct {
	Seed    uint64        `json:"seed"`
	Alpha   float64       `json:"alpha"`
	Budget  time.Duration `json:"budget_ns"` // of all, building included
	Wanted  int           `json:"wanted"`    // comparisons of identical copies
	Rounds  int           `json:"rounds"`    // of a comparison
	Layouts int           `json:"layouts"`   // of each side's pool
	Links   int           `json:"links"`     // from which the pools are drawn
	Sample  time.Duration `json:"sample_ns"` // least loop time of a sample
	// Slices is how many slices a sample has at most in the batches that take turns (see
	// takesTurns); 0 where each process ran alone.
	Slices int `json:"slices,omitempty"`
}

// Budgets of the two profiles, and what divides them.
const (
	QuickBudget = 10 * time.Minute
	FullBudget  = time.Hour
	longBudget  = 30 * time.Minute
	shortBudget = 3 * time.Minute
)

// layoutsOfSide is the size of each side's pool of links.
const layoutsOfSide = 4

// Fit returns the options for a budget.
func Fit(budget time.Duration, seed uint64) Options {
	o := Options{Seed: seed, Alpha: plan.Alpha, Budget: budget, Wanted: 612, Rounds: 10, Layouts: layoutsOfSide,
		Links: 48, Sample: 12 * time.Millisecond, Slices: plan.MostSlices}
	switch {
	case budget >= longBudget:
		o.Wanted, o.Rounds, o.Links = 1800, 20, 96
	case budget < shortBudget: // a link takes a sixth of a second
		o.Links = o.Layouts * (slower + len(Slowdowns()))
	}
	return o
}

// A Batch is some comparisons that are measured in the same rounds, as those of a run are.
type Batch struct {
	Condition string `json:"condition"`
	Known     []int  `json:"known"`          // the cases that have slower copies, too
	Done      bool   `json:"done"`           // all its rounds were taken
	Void      string `json:"void,omitempty"` // why it does not count
}

// turnsEvery is how many batches of a condition there are to one in which processes take turns: it
// takes five times as long (docs/performance.md), and ten minutes are to suffice. A run takes
// samples of both kinds.
const turnsEvery = 24

// takesTurns reports whether the processes of a batch take turns.
func (o Options) takesTurns(batch int) bool {
	return o.Slices > 0 && batch/len(Conditions())%turnsEvery == 0
}

// An Attempt is what is known of a certification under way; its samples are beside it.
type Attempt struct {
	Format  int              `json:"format"`
	Method  int              `json:"method"`
	Tool    string           `json:"tool"`
	Created time.Time        `json:"created"`
	Machine machine.Identity `json:"machine"`
	Go      string           `json:"go"`
	Hash    string           `json:"hash"` // of the first link
	Options Options          `json:"options"`
	Cases   []plan.Case      `json:"cases"`
	Batches []Batch          `json:"batches"`
	Spent   time.Duration    `json:"spent_ns"`
	Ended   bool             `json:"ended"` // nothing is left to measure
}

// attemptFormat is the version of an attempt's file.
const attemptFormat = 1

// folderOf is where attempts are kept, below the folder of the certificate.
func folderOf(dir string) string { return filepath.Join(dir, "certify") }

// Begin makes the folder of a new attempt.
func Begin(dir string, a *Attempt) (*store.Folder, error) {
	a.Format, a.Method = attemptFormat, stat.Method
	name := a.Created.UTC().Format("20060102-150405.000")
	f, err := store.Create(filepath.Join(folderOf(dir), name))
	if err != nil {
		return nil, hint.With("name another folder with MEMCOST_CONFIG", err)
	}
	return f, f.WriteQuestion(a)
}

// Unfinished opens the newest attempt that was not ended. It refuses one of another machine,
// another version or another method.
func Unfinished(dir string, here machine.Identity, tool string) (*Attempt, *store.Folder, error) {
	names, _ := filepath.Glob(filepath.Join(folderOf(dir), "*", store.QuestionFile))
	slices.Sort(names)
	for _, name := range slices.Backward(names) {
		a := &Attempt{}
		at := filepath.Dir(name)
		if err := store.ReadQuestion(at, a); err != nil || a.Ended {
			continue
		}
		if err := a.usable(here, tool); err != nil {
			return nil, nil, hint.With("begin a new one: memcost certify",
				fmt.Errorf("the attempt of %s cannot be gone on with: %w", a.Created.Format(time.DateTime), err))
		}
		f, err := store.Open(at)
		if errors.As(err, new(*store.BusyError)) {
			err = hint.With("wait for it to end", errors.New("another memcost certify is running"))
		}
		return a, f, err
	}
	return nil, nil, hint.Usage("memcost certify", "there is no unfinished attempt to go on with")
}

func (a *Attempt) usable(here machine.Identity, tool string) error {
	switch {
	case a.Format != attemptFormat:
		return fmt.Errorf("it has format %d, and this memcost reads format %d", a.Format, attemptFormat)
	case a.Machine.ID != here.ID:
		return fmt.Errorf("it was begun on another machine (%s)", a.Machine)
	case a.Method != stat.Method:
		return fmt.Errorf("it was begun by method %d, and this is method %d", a.Method, stat.Method)
	case a.Tool != tool:
		return fmt.Errorf("it was begun by memcost %s, and this is %s", a.Tool, tool)
	case len(a.Cases) == 0 || a.Options.Rounds < stat.Looks{Rounds: a.Options.Rounds}.MinRounds(a.Options.Alpha) || a.Options.Layouts < 1:
		return errors.New("what is known of it is damaged")
	}
	for _, c := range a.Cases {
		if c.N < 1 {
			return errors.New("what is known of its cases is damaged")
		}
	}
	for _, b := range a.Batches {
		if slices.ContainsFunc(b.Known, func(c int) bool { return c < 0 || c >= len(a.Cases) }) {
			return errors.New("what is known of its batches is damaged")
		}
	}
	return nil
}

// Forget removes the attempts but the one that is kept: their samples prove nothing any more.
func Forget(dir, keep string) {
	entries, _ := os.ReadDir(folderOf(dir))
	for _, e := range entries {
		if at := filepath.Join(folderOf(dir), e.Name()); at != keep && !strings.HasPrefix(e.Name(), ".") &&
			!store.Busy(at) {
			os.RemoveAll(at)
		}
	}
}

// studyName is what the samples of all batches say they are of.
const studyName = "certify"

// timeout of one process; under a load the slowest takes a hundredth of it.
const timeout = time.Minute

// plan returns the plan of a batch: a run whose configurations are the copies.
func (a *Attempt) plan(batch int) *plan.Plan {
	o := a.Options
	p := &plan.Plan{Looks: &stat.Looks{Rounds: o.Rounds}, Options: plan.Options{Seed: o.Seed + uint64(batch)<<32, Alpha: o.Alpha, Layouts: o.Layouts,
		FreshLayouts: true, Sample: o.Sample, Timeout: timeout, NoGuards: true}}
	if o.takesTurns(batch) {
		p.Options.Slices = o.Slices
	}
	for i := range slower + len(Slowdowns()) {
		p.Sides = append(p.Sides, plan.Side{Name: sideName(i), Toolchain: a.Go})
	}
	// Most cases have the identical copy alone; of the others a single original serves all.
	p.Studies = []plan.Study{{Name: studyName, Pkg: "memcost/study/certify", Sides: []int{original, copied}},
		{Name: studyName, Pkg: "memcost/study/certify"}}
	for i, c := range a.Cases {
		c.Study, c.Group = 0, i
		for _, known := range a.Batches[batch].Known {
			if known == i {
				c.Study = 1
			}
		}
		p.Cases = append(p.Cases, c)
	}
	return p
}

// pools returns which links each side of a batch may run: no link is in two of them, and the
// next batch has others.
func (a *Attempt) pools(batch int) [][]int {
	rng := rand.New(rand.NewPCG(a.Options.Seed, 0x9001<<32+uint64(batch)))
	all := rng.Perm(a.Options.Links)
	pools := make([][]int, slower+len(Slowdowns()))
	n := a.Options.Layouts
	for i := range pools {
		pools[i] = all[i*n : (i+1)*n]
	}
	return pools
}

// seeds returns those of the links.
func (a *Attempt) seeds() []uint64 {
	out := make([]uint64, a.Options.Links)
	for i := range out {
		out[i] = plan.LinkSeed(a.Options.Seed, 0, i)
	}
	return out
}
