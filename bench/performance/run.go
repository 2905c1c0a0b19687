package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/stat"
)

// A stay is the wall time of a run of memcost. The folder shows when the rounds began
// (run.json is written before the first sample) and when they ended (samples.txt is
// written last when the last process has ended).
type stay struct {
	whole, prepared, rounds, answered float64 // seconds
	peak                              int64   // bytes; of memcost itself
	answer                            *answer
	usage                             *usage
}

// quickProfile measures memcost run as it is after make setup: with the standard library
// compiled, and no binary built before.
func (b *bench) quickProfile(ctx context.Context) error {
	dir := filepath.Join(b.dir, "run")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	c := proc.Cmd{Path: b.memcost, Limit: 64 << 20, Args: []string{"run", "--json", "--results", dir},
		Env: append(slices.Clone(b.env), "MEMCOST_CACHE="+filepath.Join(dir, "cache"))}
	if b.scale < 1 {
		budget := time.Duration(b.scale * float64(plan.QuickBudget)).Round(time.Second)
		c.Args = append(c.Args, "--budget", max(budget, time.Second).String())
	}
	b.logf("run: memcost run, the quick profile")
	s, err := b.stay(ctx, c)
	if err != nil {
		return err
	}
	floors, err := b.processFloors(ctx)
	if err != nil {
		return err
	}
	b.printf("### The quick profile\n\n")
	b.commands("memcost run")
	b.printf("%s", stayTable(s))
	o := s.usage.overheads()
	perProcess := (s.usage.processes - s.usage.loops) / float64(s.usage.samples)
	b.printf("\nOutside of the loops, a sample takes %s inside its process and %s between processes (bookkeeping, "+
		"the sample's way to disk). "+
		"A process of the study that runs no benchmark takes %s here; one iteration of the empty loop, with the "+
		"testing package's "+
		"collections around it, %s more.\n\n", seconds(perProcess),
		seconds((s.rounds-s.usage.processes)/float64(s.usage.samples)),
		seconds(floors[0]), seconds(floors[1]-floors[0]))
	b.printf("%s", overheadTable(o))
	return nil
}

func (b *bench) stay(ctx context.Context, c proc.Cmd) (*stay, error) {
	began := time.Now()
	res, peak, err := b.doWatched(ctx, c)
	if err != nil {
		return nil, err
	}
	s := &stay{whole: res.Wall.Seconds(), peak: peak}
	if s.answer, err = parseAnswer(res.Stdout); err != nil {
		return nil, err
	}
	if s.usage, err = readUsage(s.answer.Folder); err != nil {
		return nil, err
	}
	first, err := os.Stat(filepath.Join(s.answer.Folder, store.QuestionFile))
	if err != nil {
		return nil, err
	}
	last, err := os.Stat(filepath.Join(s.answer.Folder, store.SamplesFile))
	if err != nil {
		return nil, err
	}
	s.prepared = first.ModTime().Sub(began).Seconds()
	s.rounds = last.ModTime().Sub(first.ModTime()).Seconds()
	s.answered = s.whole - s.prepared - s.rounds
	// The clock of files is as coarse as a tick of the kernel.
	if tick := 0.02; s.rounds < s.usage.processes-tick || s.prepared < 0 || s.answered < -tick {
		return nil, fmt.Errorf("the times of %s do not fit: prepared %.3f s, rounds %.3f s with processes of %.3f "+
			"s, whole %.3f s",
			s.answer.Folder, s.prepared, s.rounds, s.usage.processes, s.whole)
	}
	return s, nil
}

func stayTable(s *stay) string {
	peak := "?"
	if s.peak > 0 {
		peak = size(float64(s.peak))
	}
	u := s.usage
	return table([][]string{
		{"", "reached", "to reach"},
		{"whole command, nothing built before", seconds(s.whole), "under 3m0s"},
		{"of it: builds, listing, calibration", seconds(s.prepared), ""},
		{fmt.Sprintf("of it: the rounds (%d; %s samples of %d cases)", s.answer.Rounds, thousands(u.samples),
			len(u.perCase)), seconds(s.rounds), ""},
		{"of it: the answer", seconds(max(s.answered, 0)), ""},
		{"benchmark loops, of the rounds' wall time", percent(u.loops / s.rounds), "95% or more"},
		{"share of run time in benchmark loops", percent(u.loops / u.processes), ""},
		{"rounds of a comparison that met the rule for exclusion", percent(float64(s.answer.Disturbed)), ""},
		{"peak memory of memcost itself", peak, "under 100 MB"},
	})
}

// processFloors returns the median times of a process of the study without any
// benchmark, and of one with a single iteration of the empty loop.
func (b *bench) processFloors(ctx context.Context) (floors [2]float64, err error) {
	binary, err := b.build(ctx, "", "stackheap.test", "test", "-c", "./study/stackheap")
	if err != nil {
		return floors, err
	}
	var walls [2][]float64
	for range b.times(50, 5) {
		for i, benchmark := range []string{"^$", "^BenchmarkEmpty$"} {
			res, err := b.do(ctx, proc.Cmd{Path: binary, Args: []string{"-test.run=^$", "-test.bench=" + benchmark,
				"-test.benchtime=1x", "-test.benchmem"}})
			if err != nil {
				return floors, err
			}
			walls[i] = append(walls[i], res.Wall.Seconds())
		}
	}
	return [2]float64{stat.Median(walls[0]), stat.Median(walls[1])}, nil
}
