package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/fleet"
	"memcost/internal/fleet/pack"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/report/result"
)

// keptTimes is how many samples a report may be of that compares the machines of a pack with each other,
// for which the times of all samples are needed at once. Above it each machine has its answer alone.
const keptTimes = 2_000_000

// A reader computes the answers of a pack, one machine after the other.
type reader struct {
	pack    *pack.Pack
	studies []string
	options result.Options
	hosts   map[string]int // machines of a name
	several bool           // there is more than one answer
	times   bool           // answers keep the times of all samples
	answers []*result.Answer
}

// Answers computes the answers of a pack: of the named studies and packages, of all where none is named.
// In memory are the samples of one machine at a time, and of the others what was found.
func Answers(ctx context.Context, a *App, dir string, names []string, o result.Options) ([]*result.Answer,
	error) {
	p, err := pack.Open(dir)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	all := slices.DeleteFunc(p.Index.Studies(), func(s string) bool { return s == series.FloorSuite })
	r := &reader{pack: p, studies: all, options: o, hosts: map[string]int{}}
	if len(names) > 0 {
		if r.studies, err = StudiesNamed(all, []string{dir}, names); err != nil {
			return nil, err
		}
	}
	machines := slices.DeleteFunc(p.Index.Machines(), func(runs []int) bool {
		return !slices.ContainsFunc(runs, func(run int) bool { return p.Has(run, r.studies) })
	})
	if len(machines) == 0 {
		return nil, hint.New("pack the runs again when something was measured in them",
			"reading the pack %s: there is no sample in it", dir)
	}
	samples := r.prepare(machines)
	progress := NewProgress(a.Stderr)
	defer progress.End()
	if !r.times {
		progress.Note(fmt.Sprintf("the machines are not compared with each other: that needs the times of all %s "+
			"samples in memory, and is done up to %s", units.Thousands(samples), units.Thousands(keptTimes)))
	}
	start := time.Now()
	for i, runs := range machines {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("reading the pack %s: %w", dir, err)
		}
		if i > 0 {
			left := time.Since(start) * time.Duration(len(machines)-i) / time.Duration(i)
			progress.Step(fmt.Sprintf("read %d of %d machines, about %v left", i, len(machines),
				left.Round(time.Second)))
		}
		if err := r.machine(runs); err != nil {
			return nil, err
		}
	}
	return r.answers, nil
}

// prepare looks at how much there is to read, and returns how many samples.
func (r *reader) prepare(machines [][]int) int64 {
	x := r.pack.Index
	samples := int64(0)
	for _, p := range x.Parts {
		if slices.Contains(r.studies, p.Study) {
			samples += p.Samples
		}
	}
	known := map[string]bool{}
	for _, run := range x.Runs {
		if key := run.Host + "\n" + run.Machine; !known[key] {
			known[key] = true
			r.hosts[run.Host]++
		}
	}
	r.several, r.times = len(machines) > 1, len(machines) == 1 || samples <= keptTimes
	return samples
}

// machine computes the answers of the runs of a machine at a plan, or of one run.
func (r *reader) machine(runs []int) error {
	var folders []fleet.Folder
	var warnings []error // of the data set that is read
	for _, run := range runs {
		src, err := r.pack.Run(run, r.studies)
		if err != nil {
			return err
		}
		if r.pack.Index.Runs[run].Plan == "" {
			return r.answer(result.Source{Name: r.pack.Index.Runs[run].Name, Question: src.Question,
				Samples: src.Samples})
		}
		folders = append(folders, fleet.Folder{Name: src.Name, Question: src.Question,
			Samples: func(fn func(*benchfmt.Result) error) error {
				more, err := src.Samples(fn)
				warnings = append(warnings, more...)
				return err
			}})
	}
	for _, s := range fleet.Sets(folders) {
		warnings = nil
		q := s.Question()
		q.Joined = r.pack.Dir + "/" + s.Machine
		q.Label = strings.TrimSpace(q.Label + " " + r.label(s))
		samples := func(fn func(*benchfmt.Result) error) ([]error, error) {
			_, err := s.Stream(q, fn)
			return warnings, err
		}
		if err := r.answer(result.Source{Name: q.Joined, Question: q, Samples: samples}); err != nil {
			return err
		}
	}
	return nil
}

// label is what a data set is called beside those of other machines.
func (r *reader) label(s fleet.Set) string {
	host := s.Folders[len(s.Folders)-1].Question.Machine.Hostname
	switch {
	case !r.several && s.State == "":
		return ""
	case r.hosts[host] > 1 || host == "":
		host = strings.TrimSpace(host + " " + s.Machine)
	}
	if s.State != "" {
		host += ", " + s.State
	}
	return host
}

// answer computes an answer. Beside others it keeps what is shown of it, and not the samples.
func (r *reader) answer(src result.Source) error {
	a, err := result.ReadFrom(src, r.options)
	if err != nil {
		return err
	}
	r.answers = append(r.answers, a)
	if r.several {
		slim(a, r.times)
	}
	return nil
}

// slim drops what nothing shows of an answer beside others.
func slim(a *result.Answer, times bool) {
	a.Set = nil
	if q := a.Question; q != nil && q.Comparison == nil {
		a.Question = &plan.Question{Format: q.Format, Joined: q.Joined, Plan: plan.Plan{Suites: q.Plan.Suites}}
	}
	for i := range a.Suites {
		s := &a.Suites[i]
		s.Judged = nil
		for k := range s.Cases {
			if !times {
				s.Cases[k].Times = nil
			}
		}
	}
}
