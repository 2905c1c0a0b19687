// Reference prints what Go's own analysis (GOROOT/src/internal/trace) says of
// traces, as JSON: the minimum mutator utilization and the sums of its goroutine
// summaries. It can be built only inside GOROOT; see testdata/README.md.
package main

import (
	"encoding/json"
	"fmt"
	"internal/trace"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

type sums struct {
	Goroutines                int
	Exec, Sched, Syscall, Off time.Duration
	Block, Ranges             map[string]time.Duration
}

type figures struct {
	Events       int
	User, System *sums
	MMU          map[string]float64
}

func main() {
	all := map[string]figures{}
	for _, path := range os.Args[1:] {
		name := strings.TrimSuffix(filepath.Base(path), ".trace")
		f, err := read(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, path, err)
			os.Exit(1)
		}
		all[name] = f
	}
	out, _ := json.MarshalIndent(all, "", "\t")
	fmt.Println(string(out))
}

func read(path string) (f figures, err error) {
	file, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer file.Close()
	r, err := trace.NewReader(file)
	if err != nil {
		return f, err
	}
	var events []trace.Event
	s := trace.NewSummarizer()
	for {
		e, err := r.ReadEvent()
		if err == io.EOF {
			break
		}
		if err != nil {
			return f, err
		}
		if e.Kind() != trace.EventSync {
			f.Events++
		}
		events = append(events, e)
		s.Event(&events[len(events)-1])
	}
	f.User, f.System = newSums(), newSums()
	for _, g := range s.Finalize().Goroutines {
		if trace.IsSystemGoroutine(g.Name) {
			f.System.add(g)
		} else {
			f.User.add(g)
		}
	}
	f.MMU = map[string]float64{}
	util := trace.MutatorUtilizationV2(events, trace.UtilSTW|trace.UtilBackground|trace.UtilAssist|trace.UtilSweep)
	for _, w := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
		f.MMU[w.String()] = trace.NewMMUCurve(util).MMU(w)
	}
	return f, nil
}

func newSums() *sums {
	return &sums{Block: map[string]time.Duration{}, Ranges: map[string]time.Duration{}}
}

func (s *sums) add(g *trace.GoroutineSummary) {
	s.Goroutines++
	s.Exec += g.ExecTime
	s.Sched += g.SchedWaitTime
	s.Syscall += g.SyscallTime
	s.Off += g.SyscallBlockTime
	for reason, d := range g.BlockTimeByReason {
		s.Block[reason] += d
	}
	for name, d := range g.RangeTime {
		s.Ranges[name] += d
	}
}
