// Package annotate writes the findings of a comparison as annotations of GitHub Actions, at
// the lines of the benchmarks that they are about.
package annotate

import (
	"fmt"
	"io"
	"strings"

	"memcost/internal/compare"
	"memcost/internal/gate"
)

// most is how many annotations of a level a step of a workflow may have; GitHub drops further
// ones.
const most = 10

// Write writes what changed as workflow commands: what closes the gate as errors, other
// regressions as warnings, improvements as notices; before them the answer as a notice.
func Write(w io.Writer, r *compare.Report, closed []gate.Finding, place Place) error {
	x := &writer{w: w, place: place, count: map[string]int{}}
	x.put("notice", "", "", "memcost compare", strings.Join(r.Says, "\n"))
	seen := map[[3]string]bool{}
	for _, f := range closed {
		seen[[3]string{f.Suite, f.Benchmark, f.Side + "\x00" + f.Unit}] = true
		x.put("error", f.Suite, f.Benchmark, title(f.Benchmark), f.Says)
	}
	for side := 1; side < len(r.Sides); side++ {
		for _, unit := range r.Units() {
			for _, b := range r.ChangedBenchmarks(side, unit) {
				name := r.Sides[side].Name
				if seen[[3]string{b.Suite, b.Name, name + "\x00" + unit}] || r.Repeats(side, unit) {
					continue
				}
				level := "notice"
				m := b.Metric(unit)
				if m.Changes[side-1].Regression {
					level = "warning"
				}
				x.put(level, b.Suite, b.Name, title(b.Name), fmt.Sprintf(
					"%s: %s of %s against %s is %s: %s instead of %s", b.Name, compare.MetricName(unit), name,
					r.Sides[0].Name, compare.RatioSays(m.Changes[side-1]), m.Values[side].Quantity(),
					m.Values[0].Quantity()))
			}
		}
	}
	x.rest()
	return x.err
}

func title(benchmark string) string {
	if benchmark == "" {
		return "memcost compare"
	}
	return "Benchmark" + base(benchmark)
}

// A writer counts the annotations of each level, and keeps the first error.
type writer struct {
	w     io.Writer
	place Place
	count map[string]int
	err   error
}

// put writes an annotation, unless there are too many of its level.
func (x *writer) put(level, suite, benchmark, title, message string) {
	x.count[level]++
	if x.err != nil || x.count[level] >= most {
		return
	}
	properties := "title=" + property(title)
	if benchmark != "" && x.place != nil {
		if file, line, ok := x.place(suite, benchmark); ok {
			properties = fmt.Sprintf("file=%s,line=%d,%s", property(file), line, properties)
		}
	}
	_, x.err = fmt.Fprintf(x.w, "::%s %s::%s\n", level, properties, data(message))
}

// rest counts what was left out, in the last annotation that there is room for.
func (x *writer) rest() {
	for _, level := range []string{"error", "warning", "notice"} {
		if left := x.count[level] - most + 1; left > 0 && x.err == nil {
			_, x.err = fmt.Fprintf(x.w, "::%s title=memcost compare::%d more of this kind; the report has them all\n",
				level, left)
		}
	}
}

// data escapes a message, and property the value of a property, as GitHub's toolkit does
// (packages/core/src/command.ts).
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
