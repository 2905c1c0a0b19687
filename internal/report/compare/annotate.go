// This part of the package writes the findings of a comparison as annotations of GitHub Actions, at
// the lines of the benchmarks that they are about.

package compare

import (
	"fmt"
	"io"
	"strings"
)

// Write writes what changed as workflow commands: what closes the gate as errors, other
// regressions, and what stands on one side alone, as warnings, improvements as notices; before them the answer as a notice.
func Write(w io.Writer, r *Report, closed []Finding, place Place) error {
	x := &writer{NewCommands(w, "memcost compare", "the report has them all"), place}
	x.put("notice", "", "", "memcost compare", strings.Join(r.Says, "\n"))
	seen := map[[3]string]bool{}
	for _, f := range closed {
		seen[[3]string{f.Study, f.Benchmark, f.Side + "\x00" + f.Unit}] = true
		x.put("error", f.Study, f.Benchmark, title(f.Benchmark), f.Says)
	}
	for i, says := range r.OneSidedSays() {
		x.put("warning", r.OneSided[i].Study, r.OneSided[i].Name, title(r.OneSided[i].Name), says)
	}
	for side := 1; side < len(r.Sides); side++ {
		for _, unit := range r.Units() {
			for _, b := range r.ChangedBenchmarks(side, unit) {
				name := r.Sides[side].Name
				if seen[[3]string{b.Study, b.Name, name + "\x00" + unit}] || r.Repeats(side, unit) {
					continue
				}
				level := "notice"
				m := b.Metric(unit)
				if m.Changes[side-1].Regression {
					level = "warning"
				}
				x.put(level, b.Study, b.Name, title(b.Name), fmt.Sprintf(
					"%s: %s of %s against %s is %s: %s instead of %s", b.Name, MetricName(unit), name,
					r.Sides[0].Name, RatioSays(m.Changes[side-1]), m.Values[side].Quantity(),
					m.Values[0].Quantity()))
			}
		}
	}
	return x.End()
}

func title(benchmark string) string {
	if benchmark == "" {
		return "memcost compare"
	}
	return "Benchmark" + base(benchmark)
}

// A writer knows where the benchmarks are.
type writer struct {
	*Commands
	place Place
}

// put writes an annotation at the line of a benchmark.
func (x *writer) put(level, study, benchmark, title, message string) {
	a := Annotation{Level: level, Title: title, Message: message}
	if benchmark != "" && x.place != nil {
		if file, line, ok := x.place(study, benchmark); ok {
			a.File, a.Line = file, line
		}
	}
	x.Put(a)
}
