package result

import (
	"reflect"
	"strings"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/report/figures"
)

// What is not explained by the compiler is the runtime's as soon as there is any of it,
// beside the few objects of the process itself.
func TestReasonsWithoutWords(t *testing.T) {
	const runtime, nothing = "allocated by the runtime, not reported by the compiler", "no heap allocation"
	for _, tt := range []struct {
		allocs figures.Number
		n      int
		want   string
	}{
		{0, 1e6, nothing}, {0.336, 1e6, runtime}, {0.02, 1e6, runtime}, {1, 1e6, runtime}, {0.001, 1e6, nothing},
		{0.5, 10, nothing}, // five objects in all
		{2, 10, runtime},
	} {
		c := Case{Metrics: map[string]figures.Number{"allocs/op": tt.allocs}, Iterations: tt.n,
			Reasons: []plan.Reason{}}
		if got := c.ReasonRows(); len(got) != 1 || got[0].Cause != tt.want {
			t.Errorf("%v allocs/op in %d iterations: %+v, want %q", tt.allocs, tt.n, got, tt.want)
		}
	}
	reached := []plan.Reason{{Heap: true, Says: "x"}, {Says: "append"}}
	for allocs, want := range map[figures.Number]int{0: 1, 1: 2} {
		c := Case{Metrics: map[string]figures.Number{"allocs/op": allocs}, Iterations: 1e6, Reasons: reached}
		if got := c.ReasonRows(); len(got) != want {
			t.Errorf("%v allocs/op beside a heap allocation and a conditional one: %+v", allocs, got)
		}
		c.Reasons = reached[:1]
		if got := c.ReasonRows(); len(got) != 1 || strings.Contains(got[0].Cause, "not reached") != (allocs == 0) {
			t.Errorf("%v allocs/op beside a heap allocation: %+v", allocs, got)
		}
	}
	if got := (&Case{}).ReasonRows(); got != nil {
		t.Errorf("of a case that nobody explains: %+v", got)
	}
}

// Cases of which different things are said on different sides are told apart.
func TestReasonGroups(t *testing.T) {
	a, err := Read("testdata/arms", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range a.Studies[0].ReasonGroups() {
		got = append(got, strings.Join(append([]string{g.Case, g.Allocated, g.Rows[0].Cause}, g.Sides...), "|"))
	}
	want := []string{
		"Smaug/place=heap/size=1024-2|1|its address is returned|go1.26.8|go1.27.4",
		"Smaug/place=heap/size=4096-2|1|its address is returned|go1.26.8",
		"Smaug/place=heap/size=4096-2|1|allocated by the runtime, not reported by the compiler|go1.27.4",
		"Smaug/place=stack/size=1024-2|0|no heap allocation|go1.26.8",
		"Smaug/place=stack/size=1024-2|0|append makes a larger block when the old one is full " +
			"(conditional)|go1.27.4",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("groups\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
