package result

import (
	"slices"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
)

func TestSpans(t *testing.T) {
	names := []string{"go1.13", "go1.14", "go1.15", "go1.16"}
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"a", "a", "a", "a"}, "a"},
		{[]string{"a", "a", "b", "b"}, "a to go1.14; b from go1.15"},
		{[]string{"a", "b", "b", "a"}, "a to go1.13; b go1.14 to go1.15; a from go1.16"},
		{[]string{"a", "b", "c", "c"}, "a to go1.13; b with go1.14; c from go1.15"},
		{[]string{"", "a", "", "a"}, "a"},
		{[]string{"", "", "", ""}, ""},
	} {
		if got := figures.History(figures.Spans(names, c.texts)); got != c.want {
			t.Errorf("%q: %q, want %q", c.texts, got, c.want)
		}
	}
}

// A column for each release is no help where there are many: oldest first, and
// only of toolchains as they are.
func TestByRelease(t *testing.T) {
	sides := func(names ...string) []plan.Side {
		var out []plan.Side
		for _, n := range names {
			out = append(out, plan.Side{Name: n, Toolchain: n})
		}
		return out
	}
	a := &Answer{Sides: sides("go1.27.4", "go1.9", "go1.13.15", "go1.24.13")}
	if got := a.ByRelease(); !slices.Equal(got, []int{1, 2, 3, 0}) {
		t.Errorf("order %v", got)
	}
	a.Sides[0].Name = "go1.27.4 GOGC=off"
	if got := a.ByRelease(); got != nil {
		t.Errorf("with a setting: %v", got)
	}
	a.Sides = sides("go1.26.8", "go1.27.4")
	if got := a.ByRelease(); got != nil {
		t.Errorf("two: %v", got)
	}
}

func TestReleases(t *testing.T) {
	a := &Answer{}
	c := &Claim{}
	for _, x := range []struct {
		version, status string
		value           figures.Number
	}{{"go1.27.4", "fails", 128}, {"go1.13.15", "holds", 1024}, {"go1.20.14", "holds", 1024},
		{"go1.23.12", "fails", 256}} {
		a.Sides = append(a.Sides, plan.Side{Name: x.version, Toolchain: x.version})
		f := figures.NoFigure()
		f.Value, f.Unit = x.value, "bytes"
		c.Verdicts = append(c.Verdicts, Verdict{Data: x.version, Status: claim.Status(x.status), Says: x.status,
			Deciding: &Element{Figure: f}})
	}
	c.Verdicts = append(c.Verdicts, Verdict{Data: "someone", Published: true, Status: "holds"})
	want := []figures.Span{ // by two figures
		{First: "go1.13.15", Last: "go1.20.14", Text: "holds (1 KiB)"},
		{First: "go1.23.12", Last: "go1.27.4", Text: "fails"}}
	if got := a.Releases(c); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
