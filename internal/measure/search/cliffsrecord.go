package search

import (
	"fmt"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Study is the name of the study that the records belong to.
const CliffStudy = "malloc/cliffs"

// Results returns the records of a finding in the Go benchmark format: a case
// BenchmarkCliff/SETTING/cause=… for each cliff, one for each prediction without a
// cliff, and last BenchmarkCliffSearch/SETTING, with which the finding is complete.
func (f Finding) Results() []*benchfmt.Result {
	var out []*benchfmt.Result
	for _, c := range f.Cliffs {
		r := f.record("Cliff", "cause="+c.Cause, benchfmt.Value{Value: float64(c.At), Unit: "bytes"},
			benchfmt.Value{Value: float64(c.Below), Unit: "below-bytes"})
		if c.Before.Null == "" && c.After.Null == "" {
			r.Values = append(r.Values, benchfmt.Value{Value: c.Ratio, Unit: "cost-ratio"})
		}
		note := c.Verdict
		if p := c.Prediction; p != nil {
			r.Values = append(r.Values, benchfmt.Value{Value: float64(p.High), Unit: "predicted-bytes"})
			note = fmt.Sprintf("%s: glibc's rules predict %s", c.Verdict, p)
		}
		set(r, "how", fmt.Sprintf("from %d B on: %s: %s; %s", c.At, c.What, c.Before, c.After))
		set(r, "note", note)
		out = append(out, r)
	}
	for _, p := range f.Absent {
		r := f.record("Cliff", "cause="+p.Cause, benchfmt.Value{Value: float64(p.High), Unit: "predicted-bytes"})
		set(r, "note", fmt.Sprintf("%s: glibc's rules predict %s, and nothing was found", Differs, p))
		out = append(out, r)
	}
	return append(out, f.search())
}

// search returns the record of how the setting was searched, or why it was not.
func (f Finding) search() *benchfmt.Result {
	r := f.record("CliffSearch", "", benchfmt.Value{Value: float64(len(f.Cliffs)), Unit: "cliffs"},
		benchfmt.Value{Value: float64(f.Probes), Unit: "processes"}, benchfmt.Value{Value: float64(f.Largest),
			Unit: "largest-bytes"})
	if f.Failed != "" {
		r.Values = []benchfmt.Value{{Value: 1, Unit: "failed"}}
		set(r, "failed", f.Failed)
		return r
	}
	set(r, "how", fmt.Sprintf("blocks of up to %d bytes were tried in %d processes; %s, malloc from %s",
		f.Largest, f.Probes, f.Platform, f.Library))
	set(r, "note", strings.Join(f.Notes, "; "))
	return r
}

func (f Finding) record(name, last string, values ...benchfmt.Value) *benchfmt.Result {
	full := name
	for _, part := range []string{f.Setting.Name, last} {
		if part != "" {
			full += "/" + part
		}
	}
	r := &benchfmt.Result{Name: benchfmt.Name(full), Iters: 1, Values: values}
	set(r, "study", CliffStudy)
	return r
}

func set(r *benchfmt.Result, key, value string) {
	if value = strings.Join(strings.Fields(value), " "); value != "" {
		r.Config = append(r.Config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
	}
}

// Done returns the name of the setting whose finding a record completes; not ok for any
// other record, and for that of a search that failed.
func Done(r *benchfmt.Result) (setting string, ok bool) {
	name := string(r.Name)
	if r.GetConfig("failed") != "" {
		return "", false
	}
	if name == "CliffSearch" {
		return "", true
	}
	return strings.CutPrefix(name, "CliffSearch/")
}
