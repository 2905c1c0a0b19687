package compare

import (
	"testing"

	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
)

// ratio is a figure with its verdict: "faster", "same" or another word for undecided.
func ratio(v, lo, hi float64, verdict claim.Difference) Figure {
	f := figures.NoFigure()
	f.Value, f.Lo, f.Hi = figures.Number(v), figures.Number(lo), figures.Number(hi)
	return Figure{Value: f, Ratio: f, Verdict: verdict}
}

var (
	lessF  = ratio(0.93, 0.91, 0.95, Changed)
	muchF  = ratio(0.8, 0.79, 0.81, Changed)
	moreF  = ratio(1.09, 1.08, 1.1, Changed)
	sameF  = ratio(1, 0.99, 1.01, Equivalent)
	openF  = ratio(0.97, 0.9, 1.04, Undecided)
	absent = Figure{}
)

func TestSentence(t *testing.T) {
	type x = Allocator
	for _, c := range []struct {
		all  []Allocator
		want string
	}{
		{nil, "Nothing can be said: no allocator beside glibc has a figure."},
		{[]x{{Name: "a", Invalid: "it died of SIGSEGV", CPU: muchF}},
			"Nothing can be said: no allocator beside glibc has a figure."},
		{[]x{{Name: "a", CPU: lessF, Wall: lessF, Memory: moreF}},
			"a takes 0.93 [0.91, 0.95] times the CPU time of glibc and 1.09 [1.08, 1.10] times its memory."},
		{[]x{{Name: "a", CPU: lessF, Memory: sameF}, {Name: "b", CPU: muchF, Memory: openF},
			{Name: "c", Invalid: "exit status 1", CPU: ratio(0.1, 0.1, 0.1, Changed)}},
			"b takes 0.80 [0.79, 0.81] times the CPU time of glibc; whether it takes more memory is undecided."},
		{[]x{{Name: "a", CPU: lessF, Memory: sameF}},
			"a takes 0.93 [0.91, 0.95] times the CPU time of glibc and as much memory, within 3%."},
		{[]x{{Name: "a", CPU: moreF, Wall: lessF, Memory: absent}},
			"a takes 0.93 [0.91, 0.95] times the wall time of glibc."},
		{[]x{{Name: "a", CPU: moreF, Wall: moreF, Memory: moreF}, {Name: "b", CPU: sameF, Wall: sameF, Memory: moreF}},
			"Stay with glibc: none is faster, all take more memory."},
		{[]x{{Name: "a", CPU: moreF, Wall: moreF, Memory: moreF}},
			"Stay with glibc: a is not faster, and takes more memory."},
		{[]x{{Name: "a", CPU: moreF, Wall: moreF, Memory: muchF}, {Name: "b", CPU: sameF, Wall: sameF, Memory: lessF}},
			"Stay with glibc: none is faster. a takes 0.80 [0.79, 0.81] times its memory."},
		{[]x{{Name: "a", CPU: openF, Wall: sameF, Memory: moreF}, {Name: "b", CPU: moreF, Wall: moreF, Memory: moreF}},
			"None is known to be faster than glibc; of a that is undecided."},
	} {
		r := &AllocReport{Own: "glibc", Margin: 0.03, Allocators: append([]Allocator{{Name: "glibc"}}, c.all...)}
		if got := r.sentence(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		x    Allocator
		want string
	}{
		{Allocator{CPU: moreF, Wall: moreF, Memory: moreF}, "more time and memory"},
		{Allocator{CPU: lessF, Wall: openF, Memory: moreF}, "less CPU time, more memory, wall time undecided"},
		{Allocator{CPU: openF, Wall: openF, Memory: sameF}, "same memory, time undecided"},
		{Allocator{CPU: openF, Wall: openF, Memory: openF}, "time and memory undecided"},
		{Allocator{}, "not tested: it has no figure"},
	} {
		if got := c.x.verdict(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestOf(t *testing.T) {
	r := &AllocReport{Own: "glibc", Allocators: []Allocator{{}, {Name: "a", CPU: moreF}, {Name: "b", CPU: moreF},
		{Name: "c", CPU: openF}, {Name: "d", CPU: lessF, Invalid: "x"}}}
	cpu := func(x Allocator) Figure { return x.CPU }
	want := "a and b take more CPU time than glibc; of c that is undecided"
	if got := r.Of("CPU time", cpu); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Allocators = r.Allocators[3:4]
	r.Allocators = append([]Allocator{{}}, r.Allocators...)
	want = "It is undecided whether c takes more or less CPU time than glibc"
	if got := r.Of("CPU time", cpu); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
