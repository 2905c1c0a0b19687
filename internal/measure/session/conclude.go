package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// conclude says, when the rounds have ended, what is to be known beside the figures, and returns an
// error where there is no sample.
func (s *Session) conclude(ending sample.Ending) error {
	if s.Question.Comparison != nil {
		if err := s.concludeComparison(); err != nil {
			return err
		}
	}
	if ending == sample.Interrupted {
		return nil
	}
	return s.noSample()
}

// concludeComparison finds what could not be compared.
func (s *Session) concludeComparison() error {
	sides, err := s.samplesOfSides()
	if err != nil {
		return err
	}
	p := &s.Question.Plan
	failed := slices.DeleteFunc(slices.Clone(p.Failures), func(x plan.Failure) bool { return x.Skipped })
	switch {
	case len(s.Broken) > 0:
		s.Failed = fmt.Errorf("not everything could be compared: %s left out, as said above",
			units.Plural(len(s.Broken), "build"))
	case len(failed) > 0:
		s.Failed = fmt.Errorf("not everything could be compared: %s failed, %s on %s: %s",
			units.Plural(len(failed), "benchmark"), failed[0].Name, failed[0].Side, failed[0].Reason)
	}
	isCommand := p.Has(plan.Command)
	for i, x := range sides {
		if x.samples == 0 && len(x.failed) > 0 {
			s.Failed = fmt.Errorf("%s failed in all of its %s: %s", x.name, units.Plural(len(x.failed), "sample"),
				x.failed[0])
		}
		if isCommand && x.samples > 0 && s.Question.Comparison.Alloc == nil {
			s.aboutOutput(sides[0], x, i)
		}
	}
	if isCommand {
		s.aboutTime(sides)
		s.aboutMemory(sides)
	}
	return nil
}

// sideSamples is what the samples say of one side.
type sideSamples struct {
	name    string
	samples int
	failed  []string // reasons
	sec     float64  // of all samples
	memory  int      // samples with a peak of memory
	output  map[output]bool
}

// output is what a command prints.
type output struct{ size, hash float64 }

// samplesOfSides sums up the samples in the run folder, by side.
func (s *Session) samplesOfSides() ([]sideSamples, error) {
	p := &s.Question.Plan
	sides := make([]sideSamples, len(p.Sides))
	for i, a := range p.Sides {
		sides[i] = sideSamples{name: a.Name, output: map[output]bool{}}
	}
	_, err := store.ReadSamples(s.Folder.Dir, func(x *benchfmt.Result) error {
		side := series.SideName(x.GetConfig(series.KeyToolchain), x.GetConfig(series.KeySide))
		i := slices.IndexFunc(p.Sides, func(a plan.Side) bool { return a.Name == side })
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

func (s *sideSamples) add(x *benchfmt.Result) {
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

// aboutOutput compares what a side printed with what the baseline did.
func (s *Session) aboutOutput(base, x sideSamples, i int) {
	if len(x.output) > 1 {
		s.Log.Note(fmt.Sprintf("note: what %s prints differs from run to run, and is not compared", x.name))
	}
	if i == 0 || len(base.output) != 1 || len(x.output) != 1 {
		return
	}
	was, is := only(base.output), only(x.output)
	if was != is {
		s.warn("%s prints something else than the baseline %s (%s, and the baseline %s)", x.name, base.name,
			units.Plural(int(is.size), "byte"), units.Plural(int(was.size), "byte"))
	}
}

func only(of map[output]bool) (out output) {
	for out = range of {
		continue
	}
	return out
}

// short is the time of a command below which starting a process is a large part of it.
const short = 5 * time.Millisecond

// aboutTime says, in one line, which commands are over soon.
func (s *Session) aboutTime(sides []sideSamples) {
	var names []string
	var least, most float64
	for _, x := range sides {
		if x.samples == 0 {
			continue
		}
		mean := x.sec / float64(x.samples)
		if mean >= short.Seconds() {
			continue
		}
		if names = append(names, x.name); len(names) == 1 {
			least, most = mean, mean
		}
		least, most = min(least, mean), max(most, mean)
	}
	took := units.Seconds(least)
	if to := units.Seconds(most); to != took {
		took += " to " + to
	}
	if len(names) > 0 {
		s.warn("%s %s: starting a process is a large part of that", several(names, "takes", "take"), took)
	}
}

// aboutMemory says, in one line, which commands need little memory.
func (s *Session) aboutMemory(sides []sideSamples) {
	var names []string
	small, all := 0, 0
	for _, x := range sides {
		if x.memory < x.samples && s.ready.floor > 0 {
			names, small, all = append(names, x.name), small+x.samples-x.memory, all+x.samples
		}
	}
	if len(names) > 0 {
		s.Log.Note(fmt.Sprintf("note: %s at most %s of memory, in %d of %s: a peak below that is not told apart from "+
			"that of the process that starts it", several(names, "needs", "need"), units.Bytes(s.ready.floor), small,
			units.Plural(all, "sample")))
	}
}

// several returns names with their verb: "a takes", "a and b take", "a, b and 4 more take".
func several(names []string, one, many string) string {
	const most = 3
	switch n := len(names); {
	case n == 1:
		return names[0] + " " + one
	case n > most:
		return fmt.Sprintf("%s and %d more %s", strings.Join(names[:most-1], ", "), n-most+1, many)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " " + many
	}
}
