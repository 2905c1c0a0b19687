package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchfmt"

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

// judge writes the verdict of each setting, with its first violation, and returns how
// many are not fit.
func (w *worst) judge(to io.Writer) (broken int) {
	fmt.Fprintf(to, "real time: no page fault, and no call longer than %v\n", w.limit)
	tw := tabwriter.NewWriter(to, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, "  allocator\tsetting\tis\tits own violations\tthe first\tlate by the machine's doing")
	for _, v := range w.variants {
		var all []fitness
		for _, x := range w.verdicts {
			if x.setting == v.Keys {
				all = append(all, x)
			}
		}
		if len(all) == 0 {
			continue
		}
		is, first := "fit", ""
		var own, machine, operations float64
		for _, x := range all {
			own, machine, operations = own+max(x.faults, x.own), machine+x.machine, operations+x.operations
			if !x.fit && first == "" {
				is, first = "not fit", report.Quantity(float64(x.size), "B/op")+": "+x.first
			}
		}
		if is != "fit" {
			broken++
		}
		allocator, setting, _ := strings.Cut(strings.TrimPrefix(v.Keys, "allocator="), "/setting=")
		fmt.Fprintf(tw, "  %s\t%s\t%s\t%.0f of %.0f\t%s\t%.0f\n", allocator, setting, is, own, operations, first, machine)
	}
	tw.Flush()
	fmt.Fprintln(to, "  A longest call is what was observed, and no bound on what may come.")
	return broken
}
