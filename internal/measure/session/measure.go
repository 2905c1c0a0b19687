package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// syncEvery is how often the samples of commands have to be on disk: waiting for that takes longer
// than a short command.
const syncEvery = time.Second

// Measure takes samples until the questions are answered, the budget is spent or ctx is done, and
// returns which of these ended it. The samples stay in the run folder in any case.
func (r *CommandRun) Measure(ctx context.Context) (sample.Stop, error) {
	said := len(r.Question.Warnings)
	stop, err := r.measure(ctx)
	if err != nil {
		return stop, hint.With("go on with: "+r.Command()+" --resume "+r.Folder.Dir,
			fmt.Errorf("%w; the samples taken so far are kept", err))
	}
	err = r.conclude()
	if len(r.Question.Warnings) > said {
		if werr := r.Folder.WriteQuestion(r.Question); err == nil {
			err = werr
		}
	}
	return stop, err
}

// Command is the command that goes on with the run.
func (r *CommandRun) Command() string {
	if r.Question.Comparison.Alloc != nil {
		return "memcost alloc"
	}
	return "memcost compare"
}

func (r *CommandRun) measure(ctx context.Context) (sample.Stop, error) {
	sampler, err := machine.NewSampler("")
	if err != nil {
		return "", fmt.Errorf("watching this machine: %w", err)
	}
	defer sampler.Close()
	if r.launcher != nil {
		r.Folder.SyncEvery = syncEvery
	}
	began := time.Now()
	e := &sample.Engine{Plan: &r.Question.Plan, Suites: r.suites, Lab: r.lab, Folder: r.Folder, Sampler: sampler,
		Header: r.Question.Header(), Progress: r.Log.Sample}
	stop, err := e.Run(ctx)
	r.Measured = time.Since(began)
	return stop, err
}

// read sums up the samples in the run folder, by arm.
func (r *CommandRun) read() ([]side, error) {
	p := &r.Question.Plan
	sides := make([]side, len(p.Arms))
	for i, a := range p.Arms {
		sides[i] = side{name: a.Name, output: map[output]bool{}}
	}
	_, err := store.ReadSamples(r.Folder.Dir, func(x *benchfmt.Result) error {
		arm := series.ArmName(x.GetConfig(series.KeyToolchain), x.GetConfig(series.KeyArm))
		i := slices.IndexFunc(p.Arms, func(a plan.Arm) bool { return a.Name == arm })
		if i < 0 || x.GetConfig(series.KeyRole) == series.RoleFloor {
			return nil
		}
		if _, failed := x.Value(series.UnitFailed); failed {
			sides[i].failed = append(sides[i].failed, x.GetConfig(series.KeyFailed))
			return nil
		}
		sides[i].add(x)
		return nil
	})
	return sides, err
}

func (s *side) add(x *benchfmt.Result) {
	s.samples++
	sec, _ := x.Value("sec/op")
	s.sec += sec
	if _, ok := x.Value(series.UnitRSS); ok {
		s.memory++
	}
	if size, ok := x.Value(series.UnitOutput); ok {
		hash, _ := x.Value(series.UnitOutputHash)
		s.output[output{size, hash}] = true
	}
}

// conclude says what is to be known beside the figures, and finds a side without any.
func (r *CommandRun) conclude() error {
	sides, err := r.read()
	if err != nil {
		return err
	}
	p := &r.Question.Plan
	for _, f := range p.Failures {
		if !f.Skipped && r.Failed == nil {
			r.Failed = fmt.Errorf("not everything could be compared: %s failed on %s: %s", f.Name, f.Arm, f.Reason)
		}
	}
	isCommand := p.Has(plan.Command)
	for i, s := range sides {
		if s.samples == 0 && len(s.failed) > 0 {
			r.Failed = fmt.Errorf("%s failed in all of its %s: %s", s.name, units.Plural(len(s.failed), "sample"),
				s.failed[0])
		}
		if isCommand && s.samples > 0 && r.Question.Comparison.Alloc == nil {
			r.aboutOutput(sides[0], s, i)
		}
	}
	if isCommand {
		r.aboutTime(sides)
		r.aboutMemory(sides)
	}
	return nil
}

// aboutOutput compares what a side printed with what the baseline did.
func (r *CommandRun) aboutOutput(base, s side, i int) {
	if len(s.output) > 1 {
		r.Log.Note(fmt.Sprintf("note: what %s prints differs from run to run, and is not compared", s.name))
	}
	if i == 0 || len(base.output) != 1 || len(s.output) != 1 {
		return
	}
	was, is := only(base.output), only(s.output)
	if was != is {
		r.warn("%s prints something else than the baseline %s (%s, and the baseline %s)", s.name, base.name,
			units.Plural(int(is.size), "byte"), units.Plural(int(was.size), "byte"))
	}
}

func only(of map[output]bool) (out output) {
	for out = range of {
		continue
	}
	return out
}
