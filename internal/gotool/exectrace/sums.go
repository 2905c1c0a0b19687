package exectrace

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// sums are times of goroutines.
type sums struct {
	n                             int64
	exec, sched, syscall, offProc time.Duration
	block, ranges                 waits
}

// waits are times by name. There are few names, and most are constants of the
// runtime: a scan costs less than a map.
type waits []Wait

func (w *waits) add(name string, d time.Duration) {
	for i := range *w {
		if (*w)[i].Name == name {
			(*w)[i].Time += d
			return
		}
	}
	*w = append(*w, Wait{strings.Clone(name), d})
}

func (s *sums) merge(o *sums) {
	s.n += o.n
	s.exec += o.exec
	s.sched += o.sched
	s.syscall += o.syscall
	s.offProc += o.offProc
	for _, w := range o.block {
		s.block.add(w.Name, w.Time)
	}
	for _, w := range o.ranges {
		s.ranges.add(w.Name, w.Time)
	}
}

// isSystem says whether a goroutine that began with this function is the
// runtime's own; so are those of which no stack was seen, as threads that C made
// have (GOROOT/src/internal/trace/summary.go, IsSystemGoroutine), and, other than
// there, what the tracer starts.
func isSystem(name string) bool {
	return name == "" || name != "runtime.main" && strings.HasPrefix(name, "runtime.") || isTracer(name)
}

// isTracer says whether a goroutine began in package runtime/trace: nothing that it
// exports starts one but to write the trace (trace.Start.func1, since Go 1.25
// trace.(*traceMultiplexer).startLocked.func1).
func isTracer(name string) bool { return strings.HasPrefix(name, "runtime/trace.") }

func (s *sums) asGroup(name string) Group {
	g := Group{Name: name, System: isSystem(name), Goroutines: s.n, Exec: s.exec, SchedWait: s.sched,
		Block: slices.Clone(s.block), Syscall: s.syscall, SyscallOff: s.offProc, Ranges: slices.Clone(s.ranges)}
	for _, w := range [][]Wait{g.Block, g.Ranges} {
		slices.SortFunc(w, func(a, b Wait) int {
			return cmp.Or(-cmp.Compare(a.Time, b.Time), cmp.Compare(a.Name, b.Name))
		})
	}
	return g
}

func (s *sums) clone() sums {
	c := *s
	c.block, c.ranges = slices.Clone(s.block), slices.Clone(s.ranges)
	return c
}
