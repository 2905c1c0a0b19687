package result

import (
	"reflect"
	"strings"
	"testing"

	"memcost/internal/plan"
)

// What is not explained by the compiler is the runtime's as soon as there is any of it,
// beside the few objects of the process itself.
func TestReasonsWithoutWords(t *testing.T) {
	const runtime, nothing = "made by the runtime: the compiler has no word for it", "nothing is"
	for _, tt := range []struct {
		allocs Number
		n      int
		want   string
	}{
		{0, 1e6, nothing}, {0.336, 1e6, runtime}, {0.02, 1e6, runtime}, {1, 1e6, runtime}, {0.001, 1e6, nothing},
		{0.5, 10, nothing}, // five objects in all
		{2, 10, runtime},
	} {
		c := Case{Metrics: map[string]Number{"allocs/op": tt.allocs}, Iterations: tt.n, Reasons: []plan.Reason{}}
		if got := c.ReasonRows(); len(got) != 1 || got[0].Cause != tt.want {
			t.Errorf("%v allocs/op in %d iterations: %+v, want %q", tt.allocs, tt.n, got, tt.want)
		}
	}
	if got := (&Case{}).ReasonRows(); got != nil {
		t.Errorf("of a case that nobody explains: %+v", got)
	}
}

// The first arm's reasons are printed in full, and of the others what differs.
func TestReasonsOfSeveralArms(t *testing.T) {
	a, err := Read("testdata/arms", Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, first, _ := strings.Cut(render(t, a, Style{}), reasonsTitle)
	first, second, found := strings.Cut(first, "go1.27.4: as with go1.26.8, but")
	if !found {
		t.Fatalf("the second arm is not compared with the first:\n%s", first)
	}
	second, _, _ = strings.Cut(second, "\n\n")
	for text, want := range map[string][2]int{ // of the first, of the second
		"place=heap/size=1024": {1, 0}, "place=stack/size=1024": {1, 1}, "place=heap/size=4096": {1, 1},
		"~R0": {2, 0}, "~r0": {0, 0}, "(it depends on the run)": {1, 1}, "nothing is": {1, 0}, "made by the runtime": {0, 1}, "return it by value": {0, 0},
	} {
		if got := [2]int{strings.Count(first, text), strings.Count(second, text)}; got != want {
			t.Errorf("%q: %d times, want %d, in\n%s\nand\n%s", text, got, want, first, second)
		}
	}
	long := render(t, a, Style{Long: true})
	for _, want := range []string{"usual fix: return it by value", "from return ~R0 (return)", "from return ~r0 (return)"} {
		if !strings.Contains(long, want) {
			t.Errorf("with --long there is no %q", want)
		}
	}
	var got []string
	for _, g := range a.Suites[0].ReasonGroups() {
		got = append(got, strings.Join(append([]string{g.Case, g.Allocated, g.Rows[0].Cause}, g.Arms...), "|"))
	}
	want := []string{
		"Smaug/place=heap/size=1024-2|1|its address is returned|go1.26.8|go1.27.4",
		"Smaug/place=heap/size=4096-2|1|its address is returned|go1.26.8",
		"Smaug/place=heap/size=4096-2|1|made by the runtime: the compiler has no word for it|go1.27.4",
		"Smaug/place=stack/size=1024-2|0|nothing is|go1.26.8",
		"Smaug/place=stack/size=1024-2|0|append makes a larger block when the old one is full (it depends on the run)|go1.27.4",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("groups\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
