package search

import (
	"fmt"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Keys of a record's configuration, beside "study" and "toolchain".
const (
	keyHow    = "how"
	keyNote   = "note"
	keyFailed = "failed"
)

// Study is the name of the study that the records belong to.
const Study = "limits"

// Result returns the row as a record in the Go benchmark format: a case
// BenchmarkLimit/what=… with one figure. A row without a value is a record with the unit
// "failed", as in a run folder.
func (r Row) Result() *benchfmt.Result {
	res := &benchfmt.Result{Name: benchfmt.Name("Limit/" + r.Name), Iters: 1}
	set := func(key, value string) {
		if value = strings.Join(strings.Fields(value), " "); value != "" {
			res.Config = append(res.Config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	set("study", Study)
	set("toolchain", r.Version)
	set(keyHow, r.How)
	set(keyNote, r.Note)
	set(keyFailed, r.Failed)
	res.Values = []benchfmt.Value{{Value: r.Value, Unit: r.Unit}}
	if r.Failed != "" {
		res.Values = []benchfmt.Value{{Value: 1, Unit: keyFailed}}
	}
	return res
}

// FromResult returns the row of a record that Result made. Of a row that failed the unit
// is lost.
func FromResult(res *benchfmt.Result) (Row, error) {
	name, ok := strings.CutPrefix(string(res.Name), "Limit/")
	if !ok || len(res.Values) != 1 || res.GetConfig("toolchain") == "" {
		return Row{}, fmt.Errorf("reading a record of memcost limits: Benchmark%s with %d figures and toolchain %q "+
			"is not one", res.Name, len(res.Values), res.GetConfig("toolchain"))
	}
	r := Row{
		Name: name, Version: res.GetConfig("toolchain"), Value: res.Values[0].Value, Unit: res.Values[0].Unit,
		How: res.GetConfig(keyHow), Note: res.GetConfig(keyNote), Failed: res.GetConfig(keyFailed),
	}
	if r.Failed != "" {
		r.Value, r.Unit = 0, ""
	}
	return r, nil
}
