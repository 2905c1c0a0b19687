package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/store"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// A usage holds the time of a run's processes by use, in seconds.
type usage struct {
	samples   int
	loops     float64              // inside benchmark loops
	processes float64              // from start to end
	perCase   map[string][]float64 // what a process took beside its loop, by case
}

// readUsage reads the samples of a run folder.
func readUsage(dir string) (*usage, error) {
	u := &usage{perCase: map[string][]float64{}}
	warnings, err := store.ReadSamples(dir, func(r *benchfmt.Result) error { u.add(r); return nil })
	if err == nil && len(warnings) > 0 {
		err = fmt.Errorf("reading the samples of %s: %w", dir, warnings[0])
	}
	if err == nil && u.samples == 0 {
		err = fmt.Errorf("reading the samples of %s: there are none", dir)
	}
	return u, err
}

// add takes a sample. A process that failed counts as time outside of loops.
func (u *usage) add(r *benchfmt.Result) {
	wall, ok := r.Value(series.UnitWall)
	if !ok {
		return
	}
	sec, _ := r.Value("sec/op")
	loop := sec * float64(r.Iters)
	name := string(r.Name)
	u.samples++
	u.loops += loop
	u.processes += wall
	u.perCase[name] = append(u.perCase[name], wall-loop)
}

// An overhead is the time of the processes of a case outside their loops.
type overhead struct {
	name   string
	median float64 // seconds a process
	share  float64 // of all that the run's processes take beside their loops
}

// overheads returns the cases, the costliest first.
func (u *usage) overheads() []overhead {
	var out []overhead
	for _, name := range slices.Sorted(maps.Keys(u.perCase)) {
		sum := 0.0
		for _, x := range u.perCase[name] {
			sum += x
		}
		out = append(out, overhead{name, stat.Median(u.perCase[name]), sum / (u.processes - u.loops)})
	}
	slices.SortStableFunc(out, func(a, b overhead) int { return cmp.Compare(b.median, a.median) })
	return out
}

// overheadTable shows the costliest cases, the middle one and the cheapest.
func overheadTable(os []overhead) string {
	rows := [][]string{{"beside the loop", "median of a process", "share of all such time"}}
	row := func(rank string, o overhead) {
		rows = append(rows, []string{rank + strings.TrimSpace(o.name), seconds(o.median), percent(o.share)})
	}
	for _, o := range os[:min(5, len(os))] {
		row("", o)
	}
	if len(os) > 6 {
		row("the middle case: ", os[len(os)/2])
		row("the cheapest: ", os[len(os)-1])
	}
	return table(rows)
}
