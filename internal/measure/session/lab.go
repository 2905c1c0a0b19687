package session

import (
	"cmp"
	"runtime"
	"slices"
	"time"

	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/method/claim"
	"memcost/internal/report/result"
	"memcost/internal/study/language"

	"golang.org/x/perf/benchfmt"
)

// A Run takes samples in rounds.
type Run struct {
	*builds
	Measured time.Duration // by Measure
	Need     claim.Need    // how many rounds its claims take

	lab    *sample.Lab
	suites []claim.Suite
	toFull []plan.Case // left to the full profile
}

// makeLab connects the plan's arms and suites with the binaries.
func (r *Run) makeLab() {
	r.lab = &sample.Lab{Runner: r.Runner, Target: r.target, Recording: r.recording, Skip: r.leftToFull,
		Loads: r.loads, CPUs: r.cpus(), Batches: r.batches}
	if r.sources != nil {
		r.lab.ListOn = func(suite int) []int { return listOn(r, suite) }
		r.lab.Ready = r.link
		r.lab.OneSided = func(more []plan.OneSided) { r.Question.Comparison.AddOneSided(more) }
	}
	if r.Folder != nil {
		r.lab.SaveLog = func(name string, data []byte) {
			if err := r.Folder.WriteFile(name, data); err != nil {
				r.Log.Note("warning: " + err.Error())
			}
		}
	}
}

// cpus returns how many CPUs can work for this process: those it may run on, and no more
// than the quota of its container.
func (r *Run) cpus() int { return cmp.Or(r.Question.Machine.GOMAXPROCS, runtime.NumCPU()) }

// loads returns those beside which a case is measured: what the user asks for, else what
// its study does.
func (r *Run) loads(c plan.Case) []string {
	if asked := r.Question.Plan.Options.Load; len(asked) > 0 {
		return asked
	}
	return r.suites[c.Suite].Study.LoadsOf(&benchfmt.Result{Name: benchfmt.Name(c.Name)})
}

// leftToFull reports whether a case is one that a study leaves to the full profile. A case
// that the user asks for by -b is measured in any profile.
func (r *Run) leftToFull(c plan.Case) bool {
	o := r.Question.Plan.Options
	if o.Profile != Quick || o.Bench != "" {
		return false
	}
	named := &benchfmt.Result{Name: benchfmt.Name(c.Name)}
	left := slices.ContainsFunc(r.suites[c.Suite].Study.Full, func(sel language.Selector) bool {
		return sel.Match(named)
	})
	if left {
		r.toFull = append(r.toFull, c)
	}
	return left
}

// readSuites parses the directives of the question's suites.
func (r *Run) readSuites() (err error) {
	r.suites, err = result.Suites(r.Question)
	return err
}

// batches returns the cases in the order in which they are needed: see asked.Batches.
func (r *Run) batches(cases []plan.Case) [][]int {
	var studies []*language.Study
	for _, x := range r.suites {
		studies = append(studies, x.Study)
	}
	return claim.Batches(studies, cases)
}

// listOn returns the arms of a suite whose benchmarks need not be the same.
func listOn(r *Run, suite int) []int {
	var out []int
	seen := map[string]bool{}
	for _, a := range r.Question.Plan.ArmsOf(suite) {
		if key := source.Key(r.Question.Plan.Arms[a], r.folders[a]); !seen[key] {
			seen[key] = true
			out = append(out, a)
		}
	}
	return out
}
