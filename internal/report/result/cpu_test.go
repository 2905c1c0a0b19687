package result

import (
	"slices"
	"strings"
	"testing"

	"memcost/internal/report/figures"
)

// The CPU time stands beside the time where one side of a ratio allocates and the other does not, and
// nowhere else.
func TestCPUBesideTime(t *testing.T) {
	for _, tt := range []struct {
		what       string
		edit       func(cs []bench)
		column     bool
		elsewhere  bool
		heap, cpus float64 // CPU time of the heap per op over its time; the ratio of CPU times over that of times
	}{
		{"the collector on another core", func([]bench) {}, true, true, 1.7, 1.7},
		{"the same as the time", func([]bench) {}, true, false, 1.02, 1.02},
		{"both allocate", func(cs []bench) {
			for i := range cs {
				cs[i].allocs = 1
			}
		}, false, false, 1.7, 0},
		{"an op in a thousand is the runtime's", func(cs []bench) {
			for i := range cs {
				cs[i].allocs = max(cs[i].allocs, 0.001)
			}
		}, true, true, 1.7, 1.7},
		{"not measured", func(cs []bench) {
			for i := range cs {
				cs[i].cpu = 0
			}
		}, false, false, 1, 0},
	} {
		x := runs()["healthy"]
		x.noise, x.directives = 0.003, slices.Clone(x.directives)
		for i := range x.cases {
			x.cases[i].cpu = x.cases[i].sec
			if x.cases[i].allocs > 0 {
				x.cases[i].cpu *= tt.heap
			}
		}
		tt.edit(x.cases)
		for i, d := range x.directives {
			if d.Verb == "expect" { // a broken expectation would be another reason for no figure
				x.directives[i] = directive("expect", "place:heap B/op >= 0")
			}
		}
		dir := t.TempDir()
		x.write(t, dir)
		a, err := Read(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := a.Studies[0]
		at := slices.Index(s.Tables[0].Columns, "CPU, heap/stack")
		if (at > 0) != tt.column {
			t.Errorf("%s: columns %q", tt.what, s.Tables[0].Columns)
		}
		says := s.Answer[0].Sentence()
		if got := strings.Contains(says, "times in CPU time"); got != tt.column {
			t.Errorf("%s: %s", tt.what, says)
		}
		if got := strings.Contains(says, "the collector works on another core"); got != tt.elsewhere {
			t.Errorf("%s: %s", tt.what, says)
		}
		forest := s.Pictures[slices.IndexFunc(s.Pictures, func(p figures.Picture) bool { return p.Kind == "forest" })]
		if got := slices.Contains(forest.Columns, "CPU, heap/stack"); got != tt.column {
			t.Errorf("%s: the picture has %q", tt.what, forest.Columns)
		}
		if !tt.column {
			continue
		}
		if says := forest.Sentence(); strings.Contains(says, "CPU") { // one finding: the column shows the other
			t.Errorf("%s: %s", tt.what, says)
		}
		for _, r := range s.Tables[0].Rows {
			wall, cpu := r.Cells[at-1], r.Cells[at]
			if got := float64(cpu.Value / wall.Value); got < tt.cpus*0.99 || got > tt.cpus*1.01 || !cpu.Bounded() {
				t.Errorf("%s, %s: CPU %v over time %v is %.3g, want %g", tt.what, r.Label, cpu, wall, got, tt.cpus)
			}
		}
	}
}
