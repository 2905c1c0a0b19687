package compare

import (
	"slices"
	"testing"

	"memcost/internal/measure/plan"
)

// A side of a program under several allocators that prints something else, or fails, is in no
// verdict; output that varies by itself is not compared.
func TestWrongOutput(t *testing.T) {
	alloc := func(varies bool) func(*plan.Question) {
		return func(q *plan.Question) { q.Comparison.Alloc = &plan.Alloc{Varies: varies, Own: "main"} }
	}
	prints := func(on ...string) func(int, int) (string, string) {
		return func(side, round int) (string, string) {
			if round == 7 {
				return on[side], "output-hash"
			}
			return "11", "output-hash"
		}
	}
	for _, c := range []struct {
		name   string
		change func(*plan.Question)
		what   planted
		want   string // why the second side is invalid
	}{
		{"the same", alloc(false), planted{own: prints("11", "11")}, ""},
		{"once another", alloc(false), planted{own: prints("11", "12")},
			"feature: it prints something else than under main"},
		{"the baseline varies", alloc(false), planted{own: prints("12", "11")}, ""},
		{"it varies by itself", alloc(true), planted{own: prints("11", "12")}, ""},
		{"it crashes", alloc(false), planted{failedOn: 1}, "feature: it failed in 14 of 40 processes: exit status 2"},
		{"another command's", nil, planted{own: prints("11", "12")}, ""},
	} {
		c.what.name, c.what.ratio, c.what.noise = "Command", 2, 0.01
		r := report(t, run(t, 3, 40, c.change, c.what))
		got := r.Benchmarks[0].Invalid
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s: invalid are %q, want %q", c.name, got, c.want)
		}
		_, x := change(t, r, "Command", Time)
		if (x.Verdict == Invalid) != (c.want != "") {
			t.Errorf("%s: the verdict on time is %s", c.name, x.Verdict)
		}
	}
}
