package session

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/malloc/allocator"
	"memcost/internal/malloc/settings"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/study/language"
	"memcost/study"
)

// Malloc are settings of malloc, under each of which the study malloc runs with its default
// variant.
type Malloc struct{ Settings []string }

// mallocStudy is the study whose program settings of malloc are for.
const mallocStudy = "malloc"

// OfMalloc returns the settings among the arguments of memcost compare that end with the study
// malloc; ok is false for others.
func OfMalloc(args []string) (m Malloc, ok bool) {
	last := len(args) - 1
	if last < 1 || args[last] != mallocStudy {
		return m, false
	}
	return Malloc{args[:last]}, true
}

// defaultSetting is what a side without a setting is called.
const defaultSetting = "default"

func (m Malloc) choose(_ context.Context, r *CommandRun) error {
	p := &r.Question.Plan
	settings := slices.Clone(m.Settings)
	if len(settings) == 1 && settings[0] != defaultSetting && settings[0] != "." {
		settings = append([]string{defaultSetting}, settings...)
	}
	if len(settings) < 2 {
		return hint.Usage("memcost compare M_TRIM_THRESHOLD=0 malloc", "%s has nothing to be compared with",
			strings.Join(m.Settings, " "))
	}
	for _, text := range settings {
		if text == "." { // nothing is set, as for the files as they lie
			text = defaultSetting
		}
		arm := plan.Arm{Name: text}
		if text != defaultSetting {
			v, err := allocator.Variant(text, text)
			if err != nil {
				return err
			}
			arm.Env, arm.Args = v.Env, v.Args
		}
		p.Arms = append(p.Arms, arm)
	}
	distinguish(p.Arms)
	st, err := Study(mallocStudy)
	if err != nil {
		return err
	}
	// The names of its cases are the same, whatever is set.
	one := []language.Variant{{Keys: allocator.Default, Args: []string{"--setting=" + defaultSetting}}}
	x := plan.Suite{Name: st.Name, Pkg: "memcost/study/" + st.Name, Shipped: true, Google: true, Variants: one,
		Sample: st.Sample}
	x.Directives, x.Show = language.WithVariants(st.Directives, st.Show, one)
	x.Directives = slices.DeleteFunc(x.Directives, func(d language.Directive) bool {
		return d.Verb == "claim" || d.Verb == "more" // they are not what was asked
	})
	p.Suites = []plan.Suite{x}
	return nil
}

func (Malloc) targets(ctx context.Context, r *CommandRun) error {
	tc, err := r.Builder.Compiler(ctx)
	if err != nil {
		return err
	}
	source, err := fs.Sub(study.FS, mallocStudy)
	if err != nil {
		return err
	}
	r.Log.Step("building the study malloc with " + tc.Version)
	bin, err := r.Builder.BuildCMake(ctx, source, mallocStudy+"_bench", tc)
	if err != nil {
		return err
	}
	for i, a := range r.Question.Plan.Arms {
		r.targets = append(r.targets, sample.Target{Path: bin.Paths[0], Args: a.Args, Dir: r.Question.Dir,
			Env: r.Env})
		r.Question.Builds = append(r.Question.Builds, plan.Build{Arm: i, Layouts: bin.Layouts, Hash: bin.Hash,
			FloatAllocs: bin.FloatAllocs})
	}
	return nil
}

// list has the program refuse settings that it does not know, and finds the cases of the quick
// profile.
func (Malloc) list(ctx context.Context, r *CommandRun) error {
	p := &r.Question.Plan
	for i, a := range p.Arms {
		t := &settings.Trier{Runner: r.Runner, Program: r.targets[i].Path, Env: r.Env, Timeout: p.Options.Timeout}
		defer t.Close()
		f, err := t.Try(ctx, language.Variant{Keys: a.Name, Env: a.Env, Args: a.Args})
		if err != nil {
			return err
		}
		if f.Dead != "" {
			return hint.Usage(f.Advice, "%s: %s", a.Name, f.Dead)
		}
	}
	r.lab.Skip = func(c plan.Case) bool {
		if p.Options.Bench != "" {
			return false
		}
		named := &benchfmt.Result{Name: benchfmt.Name(c.Name)}
		left := slices.ContainsFunc(r.suites[0].Study.Full, func(sel language.Selector) bool { return sel.Match(named) })
		if left {
			p.ToFull = append(p.ToFull, plan.Left{Suite: c.Suite, Name: c.Name})
		}
		return left
	}
	return r.lab.List(ctx, p)
}

// mostApart is how many times as long as it is to be a sample may be on a side that is slower than
// the baseline. Settings of malloc differ by a factor of some hundreds.
const mostApart = 10

// check finds what the cases cost on the sides behind the baseline: so many iterations of the
// fastest may be far too many for the slowest.
func (Malloc) check(ctx context.Context, r *CommandRun) error {
	p := &r.Question.Plan
	for i := range p.Arms[1:] {
		of := *p
		of.Cases, of.Suites, of.Failures = slices.Clone(p.Cases), slices.Clone(p.Suites), nil
		of.Suites[0].Arms = []int{i + 1}
		step := func(done, known int) {
			r.Log.Step(fmt.Sprintf("calibrating with %s %d/%d", p.Arms[i+1].Name, done, known))
		}
		if err := r.lab.Calibrate(ctx, &of, 0, step); err != nil {
			return err
		}
		p.Failures = append(p.Failures, of.Failures...)
		p.Prepared = of.Prepared
		for j := range p.Cases {
			c := &p.Cases[j]
			at := slices.IndexFunc(of.Cases, func(x plan.Case) bool { return x.Name == c.Name })
			if at < 0 || of.Cases[at].Estimate <= c.Estimate {
				continue
			}
			c.Estimate = of.Cases[at].Estimate
			most := int64(mostApart * p.SampleOf(c.Suite).Seconds() / c.Estimate)
			c.N = max(min(c.N, most), 1)
		}
	}
	return Programs{}.check(ctx, r)
}
