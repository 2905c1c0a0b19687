package cli

import (
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/plan"
	"memcost/internal/report"
)

// noteKey is the configuration with a record's words.
const noteKey = "note"

// A fitness is whether a setting is fit for real time at one size: no operation with a
// page fault, and none that is late by what the allocator, or the kernel on its behalf,
// does. What an interrupt or another process holds up, no allocator can help.
type fitness struct {
	setting              string // allocator=glibc/setting=default
	size                 int64
	fit                  bool
	operations           float64
	faults, own, machine float64 // operations
	first                string  // what broke it first
}

// take remembers the verdict that a record holds.
func (w *worst) take(r *benchfmt.Result) {
	keys, ok := strings.CutPrefix(string(r.Name), "RealTime/")
	fit, judged := r.Value("rt-allocator")
	if !ok || !judged {
		return
	}
	setting, size, _ := strings.Cut(keys, "/size=")
	v := fitness{setting: setting, fit: fit == 1, first: r.GetConfig(noteKey)}
	v.size, _ = strconv.ParseInt(size, 10, 64)
	for unit, to := range map[string]*float64{"operations": &v.operations, "fault-operations": &v.faults, "late-own": &v.own, "late-machine": &v.machine} {
		*to, _ = r.Value(unit)
	}
	w.verdicts = append(w.verdicts, v)
}

// judge returns the verdict of each setting, with its first violation.
func (w *worst) judge() *plan.RealTime {
	out := &plan.RealTime{Limit: w.limit, Settings: []plan.Fitness{}}
	for _, v := range w.variants {
		allocator, setting, _ := strings.Cut(strings.TrimPrefix(v.Keys, "allocator="), "/setting=")
		f := plan.Fitness{Allocator: allocator, Setting: setting, Fit: true}
		for _, x := range w.verdicts {
			if x.setting != v.Keys {
				continue
			}
			f.Operations += int64(x.operations)
			f.Violations += int64(max(x.faults, x.own))
			f.Machine += int64(x.machine)
			if !x.fit && f.Fit {
				f.Fit, f.First = false, report.Quantity(float64(x.size), "B/op")+": "+x.first
			}
		}
		if f.Operations > 0 {
			out.Settings = append(out.Settings, f)
		}
	}
	return out
}
