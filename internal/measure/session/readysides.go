package session

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/malloc/allocator"
	"memcost/internal/malloc/settings"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// readySides returns the kind of the sides of a comparison that need no building, nil where they are
// built.
func readySides(q *plan.Question) Sides {
	if q.Comparison == nil || len(q.Plan.Sides) == 0 || len(q.Plan.Studies) != 1 {
		return nil
	}
	switch a, x := q.Plan.Sides[0], q.Plan.Studies[0]; {
	case a.Command != "":
		return Lines{}
	case a.Program != "":
		return Programs{}
	case x.Shipped && x.Google:
		return Malloc{}
	}
	return nil
}

// Lines are command lines, or one command line and settings for it, as they stand behind
// memcost compare --command.
type Lines struct {
	Args  []string
	Sides []plan.Side // instead of Args: each with its command line, and what it sets
	// Took and Beside are how long the program takes, where that is known, and what a sample takes beside that; 0: it is
	// found out.
	Took, Beside time.Duration
}

// commandStudy is what the samples of command lines have as their study.
const commandStudy = "command"

func (l Lines) choose(_ context.Context, s *Session) (err error) {
	p := s.chooseReady()
	if p.Sides = l.Sides; p.Sides == nil {
		if p.Sides, err = sidesOfLines(l.Args); err != nil {
			return err
		}
	}
	p.Studies = []plan.Study{{Name: commandStudy, Pkg: commandStudy, Harness: plan.HarnessCommand}}
	c := s.Question.Comparison
	if c.Stdin == "" {
		return nil
	}
	if c.Stdin, err = filepath.Abs(c.Stdin); err != nil {
		return err
	}
	f, err := os.Open(c.Stdin)
	if err != nil {
		return hint.Usage("--stdin FILE gives each process the file's content", "--stdin: %w", err)
	}
	return f.Close()
}

func (Lines) open(_ context.Context, s *Session) error {
	r := &processes{record: s.record}
	s.Question.Builds = nil
	for i, a := range s.Question.Plan.Sides {
		t, shell, err := targetOf(a.Command, s.Question.Dir, os.Environ())
		if err != nil {
			return err
		}
		r.targets = append(r.targets, t)
		b := plan.Build{Side: i, Layouts: []uint64{0}}
		if !shell { // of what a shell runs nobody knows the files
			if b.Hash, err = hashOf(t.Path); err != nil {
				return err
			}
		}
		s.Question.Builds = append(s.Question.Builds, b)
	}
	var err error
	if r.launcher, err = proc.StartLauncher(s.Runner); err != nil {
		return err
	}
	s.atClose = append(s.atClose, func() { r.launcher.Close() })
	s.before = func(context.Context) error {
		s.Folder.SyncEvery = syncEvery
		return nil
	}
	return s.openReady(r)
}

func (l Lines) list(ctx context.Context, s *Session) error {
	p := &s.Question.Plan
	if err := s.executor.List(ctx, p); err != nil {
		return err
	}
	for i := range p.Cases {
		p.Cases[i].Estimate, p.Cases[i].StartUp = l.Took.Seconds(), l.Beside.Seconds()
	}
	return nil
}

// emptyShells is how often a shell is started with nothing to do, to know what that takes.
const emptyShells = 21

// settle finds out what the shell takes, where one runs commands: that is part of their times.
func (Lines) settle(ctx context.Context, s *Session, from int) error {
	s.settleReady(from)
	var through []string
	for i, a := range s.Question.Plan.Sides {
		if s.Question.Builds[i].Hash == "" {
			through = append(through, a.Name)
		}
	}
	if len(through) == 0 {
		return nil
	}
	at := slices.IndexFunc(s.Question.Builds, func(b plan.Build) bool { return b.Hash == "" })
	var times []float64
	for range emptyShells {
		res, err := s.ready.launcher.Run(ctx, proc.Cmd{Path: s.ready.targets[at].Path, Args: []string{"-c", ""},
			Env: s.ready.targets[at].Env, Dir: s.ready.targets[at].Dir, Timeout: s.Question.Plan.Options.Timeout})
		if err == nil {
			err = res.Err("starting a shell with nothing to do")
		}
		if err != nil {
			return err
		}
		times = append(times, res.Wall.Seconds())
	}
	s.Question.Comparison.Shell = stat.Median(times)
	which := "A shell runs the commands"
	if len(through) < len(s.ready.targets) {
		which = "A shell runs " + through[0]
		if len(through) > 1 {
			which += fmt.Sprintf(" and %d more of the %d sides", len(through)-1, len(s.ready.targets))
		}
	}
	s.warn("%s: its start takes %s of each time (median of %d empty commands); a command without quotes, pipes and "+
		"variables of a shell is started directly", which, units.Seconds(s.Question.Comparison.Shell), emptyShells)
	return nil
}

// Programs are test binaries of Go (go test -c) or programs on Google Benchmark, all of one kind.
type Programs struct{ Files []string }

// AllPrograms reports whether arguments are all files that the system can run, two at least.
func AllPrograms(args []string) bool {
	return len(args) > 1 && !slices.ContainsFunc(args, func(arg string) bool { return executable(arg) != nil })
}

func (x Programs) choose(ctx context.Context, s *Session) error {
	q := s.Question
	s.chooseReady()
	var study plan.Study
	for i, name := range x.Files {
		file, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		s, err := packageOf(ctx, s, file, name)
		if err != nil {
			return err
		}
		switch of := x.Files[0]; {
		case i == 0:
			study = s
		case (s.Harness == "") != (study.Harness == ""):
			return hint.Usage("compare two of the same kind", "%s and %s: one is a test binary of Go, and one a "+
				"program on Google Benchmark", of, name)
		case s.Harness == plan.HarnessTimed: // what all of them can do
			study.Harness = s.Harness
		}
		q.Plan.Sides = append(q.Plan.Sides, plan.Side{Name: name, Program: file})
	}
	distinguish(q.Plan.Sides)
	q.Plan.Studies = []plan.Study{study}
	return nil
}

// packageOf finds out what benchmarks a program has.
func packageOf(ctx context.Context, s *Session, file, name string) (plan.Study, error) {
	if info, err := buildinfo.ReadFile(file); err == nil {
		pkg, test := strings.CutSuffix(info.Path, ".test")
		if !test {
			return plan.Study{}, hint.Usage("go test -c -o FILE makes one; --command 'PROGRAM ARG' compares any "+
				"program", "%s is a Go program, and no test binary", name)
		}
		return plan.Study{Name: pkg, Pkg: pkg}, nil
	}
	neither := hint.Usage("--command './program args' compares any program",
		"%s is neither a test binary of Go nor a program on Google Benchmark", name)
	text, err := os.ReadFile(file)
	if err != nil {
		return plan.Study{}, err
	}
	if !bytes.Contains(text, []byte("benchmark")) { // its name is in the names of what it calls
		return plan.Study{}, neither
	}
	study := plan.Study{Name: "benchmarks", Pkg: "benchmarks", Harness: plan.HarnessTimed}
	list := func(more ...string) (proc.Result, error) {
		return s.Runner.Run(ctx, proc.Cmd{Path: file, Args: slices.Concat([]string{"--benchmark_list_tests=true"}, more,
			s.Question.Comparison.TestArgs), Env: s.Env, Timeout: s.Question.Plan.Options.Timeout})
	}
	res, err := list()
	switch {
	case err != nil:
		return study, err
	case res.ExitCode != 0:
		return study, fmt.Errorf("%w: %w", neither, res.Err("asking it for its benchmarks"))
	case len(bytes.TrimSpace(res.Stdout)) == 0:
		return study, neither
	}
	// From version 1.8 on a number of iterations can be asked for.
	counted, err := list("--benchmark_min_time=1x")
	if err == nil && counted.ExitCode == 0 && bytes.Equal(counted.Stdout, res.Stdout) {
		study.Harness = plan.HarnessCounted
	}
	return study, err
}

func (Programs) open(_ context.Context, s *Session) error {
	r := &processes{record: s.record}
	s.Question.Builds = nil
	for i, a := range s.Question.Plan.Sides {
		if err := executable(a.Program); err != nil {
			return hint.With("put it back as it was, or begin a new comparison", err)
		}
		hash, err := hashOf(a.Program)
		if err != nil {
			return err
		}
		r.targets = append(r.targets, sample.Target{Path: a.Program, Args: s.Question.Comparison.TestArgs,
			Dir: s.Question.Dir, Env: s.Env})
		s.Question.Builds = append(s.Question.Builds, plan.Build{Side: i, Layouts: []uint64{0}, Hash: hash})
	}
	return s.openReady(r)
}

// list keeps the benchmarks that all sides have, and notes the others.
func (Programs) list(ctx context.Context, s *Session) error {
	p := &s.Question.Plan
	s.executor.ListOn = p.SidesOf
	s.executor.OneSided = func(found []plan.OneSided) {
		s.Question.Comparison.OneSided = found
		for _, x := range found {
			s.Log.Note(fmt.Sprintf("not compared: %s is only on %s", x.Name, strings.Join(x.On, ", ")))
		}
	}
	return s.executor.List(ctx, p)
}

func (Programs) settle(_ context.Context, s *Session, from int) error {
	s.settleReady(from)
	if n := len(s.Question.Plan.NotReached); n > 0 {
		s.warn("%s not reached in the budget of %v", units.Plural(n, "benchmark"), s.Question.Plan.Options.Budget)
	}
	return nil
}

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

func (m Malloc) choose(_ context.Context, s *Session) error {
	p := s.chooseReady()
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
		side := plan.Side{Name: text}
		if text != defaultSetting {
			v, err := allocator.Variant(text, text)
			if err != nil {
				return err
			}
			side.Env, side.Args = v.Env, v.Args
		}
		p.Sides = append(p.Sides, side)
	}
	distinguish(p.Sides)
	st, err := Study(mallocStudy)
	if err != nil {
		return err
	}
	// The names of its cases are the same, whatever is set.
	one := []language.Variant{{Keys: allocator.Default, Args: []string{"--setting=" + defaultSetting}}}
	x := plan.Study{Name: st.Name, Pkg: "memcost/study/" + st.Name, Shipped: true, Google: true, Variants: one,
		Sample: st.Sample}
	x.Directives, x.Show = language.WithVariants(st.Directives, st.Show, one)
	x.Directives = slices.DeleteFunc(x.Directives, func(d language.Directive) bool {
		return d.Verb == "claim" || d.Verb == "more" // they are not what was asked
	})
	p.Studies = []plan.Study{x}
	return nil
}

func (Malloc) open(ctx context.Context, s *Session) error {
	tc, err := s.Builder.Compiler(ctx)
	if err != nil {
		return err
	}
	s.Log.Step("building the study malloc with " + tc.Version)
	bin, err := s.buildCPP(ctx, mallocStudy, mallocStudy, tc)
	if err != nil {
		return err
	}
	r := &processes{record: s.record}
	s.Question.Builds = nil
	for i, a := range s.Question.Plan.Sides {
		r.targets = append(r.targets, sample.Target{Path: bin.Paths[0], Args: a.Args, Dir: s.Question.Dir,
			Env: s.Env})
		s.Question.Builds = append(s.Question.Builds, plan.Build{Side: i, Layouts: bin.Layouts, Hash: bin.Hash,
			FloatAllocs: bin.FloatAllocs})
	}
	return s.openReady(r)
}

// list has the program refuse settings that it does not know, and finds the cases of the quick
// profile.
func (Malloc) list(ctx context.Context, s *Session) error {
	p := &s.Question.Plan
	for i, a := range p.Sides {
		t := &settings.Trier{Builder: s.Builder, Program: s.ready.targets[i].Path, Env: s.Env, Timeout: p.Options.Timeout}
		f, err := t.Try(ctx, language.Variant{Keys: a.Name, Env: a.Env, Args: a.Args})
		if err != nil {
			return err
		}
		if f.Dead != "" {
			return hint.Usage(f.Advice, "%s: %s", a.Name, f.Dead)
		}
	}
	return s.executor.List(ctx, p)
}

// mostApart is how many times as long as it is to be a sample may be on a side that is slower than
// the baseline. Settings of malloc differ by a factor of some hundreds.
const mostApart = 10

// settle finds what the cases cost on the sides behind the baseline: so many iterations of the
// fastest may be far too many for the slowest.
func (Malloc) settle(ctx context.Context, s *Session, from int) error {
	p := &s.Question.Plan
	for i := range p.Sides[1:] {
		of := *p
		of.Cases, of.Studies, of.Failures = slices.Clone(p.Cases), slices.Clone(p.Studies), nil
		of.Studies[0].Sides = []int{i + 1}
		step := func(done, known int) {
			s.Log.Step(fmt.Sprintf("calibrating with %s %d/%d", p.Sides[i+1].Name, done, known))
		}
		if err := s.executor.Calibrate(ctx, &of, from, step); err != nil {
			return err
		}
		p.Failures = append(p.Failures, of.Failures...)
		p.Prepared = of.Prepared
		for j := range p.Cases[from:] {
			c := &p.Cases[from+j]
			at := slices.IndexFunc(of.Cases, func(x plan.Case) bool { return x.Name == c.Name })
			if at < 0 || of.Cases[at].Estimate <= c.Estimate {
				continue
			}
			c.Estimate = of.Cases[at].Estimate
			most := int64(mostApart * p.SampleOf(c.Study).Seconds() / c.Estimate)
			c.N = max(min(c.N, most), 1)
		}
	}
	return Programs{}.settle(ctx, s, from)
}
