package stacklog

import (
	"fmt"

	"golang.org/x/perf/benchfmt"
)

// Records are the figures in the benchmark format, for claims to be judged on.
// The name is that of the program, as "StackGrowth/program=hello"; to it belong
// the totals:
//
//	grows, shrinks, preempts    counts
//	copied-B                    by all growths and shrinks
//	stacks, stacks-B            allocated
//	reused, fresh               of them, on memory of a freed stack or not
//	freed                       stacks
//	cache-refills               of the processors' caches from the common pool
//	smallest-B, largest-B       stack allocated; stack grown to, 0 if none grew
//	steps                       growths of the goroutine that grew most often
//
// and a record …/event=grow/from=2048/to=4096 for each kind of step, with times,
// copied-B, used-B (mean of what was in use), factor (to/from). config is copied
// into each.
func (l *Log) Records(name string, config ...benchfmt.Config) []*benchfmt.Result {
	var refills int64
	for _, s := range l.Sizes {
		refills += s.CacheRefills
	}
	steps := 0
	for _, c := range l.Chains {
		n := 0
		for i := 1; i < len(c.Sizes); i++ {
			if c.Sizes[i] > c.Sizes[i-1] {
				n++
			}
		}
		steps = max(steps, n)
	}
	values := []benchfmt.Value{
		{Value: float64(l.Grows.N), Unit: "grows"}, {Value: float64(l.Shrinks.N), Unit: "shrinks"},
		{Value: float64(l.Allocs.N), Unit: "stacks"}, {Value: float64(l.Allocs.Bytes), Unit: "stacks-B"},
		{Value: float64(l.Reused), Unit: "reused"}, {Value: float64(l.Fresh()), Unit: "fresh"},
		{Value: float64(l.Frees.N), Unit: "freed"}, {Value: float64(l.Smallest), Unit: "smallest-B"},
		{Value: float64(l.Largest), Unit: "largest-B"}, {Value: float64(steps), Unit: "steps"},
	}
	if !l.Trace {
		values = append(values, benchfmt.Value{Value: float64(l.Copied()), Unit: "copied-B"},
			benchfmt.Value{Value: float64(l.Preempts), Unit: "preempts"}, benchfmt.Value{Value: float64(refills),
				Unit: "cache-refills"})
	}
	all := []*benchfmt.Result{record(name, values, config)}
	for _, s := range l.Steps {
		values := []benchfmt.Value{{Value: float64(s.N), Unit: "times"}, {Value: float64(s.To) / float64(s.From),
			Unit: "factor"}}
		if !l.Trace {
			values = append(values, benchfmt.Value{Value: float64(s.Used), Unit: "copied-B"},
				benchfmt.Value{Value: float64(s.Used) / float64(s.N), Unit: "used-B"})
		}
		all = append(all, record(fmt.Sprintf("%s/event=%v/from=%d/to=%d", name, s.Kind, s.From, s.To), values, config))
	}
	return all
}

func record(name string, values []benchfmt.Value, config []benchfmt.Config) *benchfmt.Result {
	return &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: values, Config: append([]benchfmt.Config(nil),
		config...)}
}
