package cli

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/plan"
	"memcost/internal/units"
)

// noteKey is the configuration with a record's words.
const noteKey = "note"

// A fitness is whether a setting is fit for real time at one size: no operation with a
// page fault, and none that is late by what the allocator, or the kernel on its behalf,
// does. What an interrupt, another process or the host holds up, no allocator can help.
// What nothing shows the cause of leaves it open: an allocator that stalls now and then
// looks so.
type fitness struct {
	setting              string // allocator=glibc/setting=default
	size                 int64
	fit, broken          bool // neither: something is unexplained
	operations           float64
	faults, own, machine float64 // operations
	nulls                float64
	nobody               float64 // those of which nothing shows what held them up
	first                string  // what broke it first
}

// take remembers the verdict that a record holds.
func (w *worst) take(r *benchfmt.Result) {
	keys, ok := strings.CutPrefix(string(r.Name), "RealTime/")
	if _, judged := r.Value("rt-passed"); !ok || !judged {
		return
	}
	setting, size, _ := strings.Cut(keys, "/size=")
	v := fitness{setting: setting, first: r.GetConfig(noteKey)}
	v.size, _ = strconv.ParseInt(size, 10, 64)
	for unit, to := range map[string]*float64{"operations": &v.operations, "fault-operations": &v.faults, "late-own": &v.own, "nulls": &v.nulls, "late-machine": &v.machine, "late-unexplained": &v.nobody} {
		*to, _ = r.Value(unit)
	}
	fit, known := r.Value("rt-allocator")
	v.fit, v.broken = known && fit == 1, known && fit == 0
	w.verdicts = append(w.verdicts, v)
}

// judge returns the verdict of each setting, with its first violation.
func (w *worst) judge() *plan.RealTime {
	out := &plan.RealTime{Limit: w.limit, Settings: []plan.Fitness{}}
	for _, v := range w.variants {
		allocator, setting, _ := strings.Cut(strings.TrimPrefix(v.Keys, "allocator="), "/setting=")
		f, broken := plan.Fitness{Allocator: allocator, Setting: setting, Fit: true}, false
		missing := slices.Clone(worstSizes)
		for _, x := range w.verdicts {
			if x.setting != v.Keys {
				continue
			}
			missing = slices.DeleteFunc(missing, func(s worstSize) bool { return int64(s.bytes) == x.size })
			f.Operations += int64(x.operations)
			f.Violations += int64(max(x.faults, x.own, x.nulls))
			f.Machine += int64(x.machine)
			f.Nobody += int64(x.nobody)
			if first := x.broken && !broken; first || !x.fit && f.Fit { // of what breaks the rule, else of what is open
				f.First = units.Quantity(float64(x.size), "B/op") + ": " + x.first
			}
			f.Fit, broken = f.Fit && x.fit, broken || x.broken
		}
		if len(missing) > 0 && f.Fit { // a process that died: the warnings say how
			f.Fit, f.First = false, units.Quantity(float64(missing[0].bytes), "B/op")+": not measured"
		}
		if f.Operations > 0 {
			out.Settings = append(out.Settings, f)
		}
	}
	return out
}
