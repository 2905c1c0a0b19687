package diffpage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"memcost/internal/sites"
	"memcost/internal/sites/diff"
)

func report(t testing.TB) *sites.Report {
	t.Helper()
	text, err := os.ReadFile("../whytext/testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	r := &sites.Report{}
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// reports are of two revisions: from the first to the second a slice is preallocated, and an
// encoder is rewritten, which made something else allocate.
func reports(t testing.TB) (old, now *sites.Report) {
	t.Helper()
	old, now = report(t), report(t)
	old.Revision, now.Revision = "v1.2.0", "4f5c1d2"
	times := func(r *sites.Report, decode, encode float64) {
		for i, v := range []float64{decode, encode} {
			r.Benchmarks[i].Time = sites.Interval{Value: v, Lo: v * .98, Hi: v * 1.02, Runs: 10}
		}
	}
	times(old, 31e-6, 1.9e-6)
	times(now, 27e-6, 1.91e-6)
	values := &now.Sites[1]
	values.Line += 3
	values.Costs[0].Objects, values.Costs[0].Bytes = 64, 1536
	now.Benchmarks[0].Objects, now.Benchmarks[0].Bytes = 454-128-0.5, 14912-2048+120
	now.Sites[2].Line += 3
	s := now.Sites[4]
	s.ID, s.Line, s.Expr, s.Text = "5f0c2d81a6b3", 71, "[]byte(s)", "w.Write([]byte(s))"
	s.Cause = sites.Cause{Key: "conversion", Words: "a string is copied into a slice", Fix: "use io.WriteString."}
	s.Costs = []sites.Cost{{Benchmark: 1, Objects: 1, Bytes: 48}}
	now.Benchmarks[1].Objects, now.Benchmarks[1].Bytes = 15-4-1+1, 392-208-16+48
	now.Sites = append(append(now.Sites[:3:3], now.Sites[4]), now.Sites[6:]...)
	now.Sites = append(now.Sites, s)
	now.Benchmarks = append(now.Benchmarks, sites.Benchmark{Package: "example.com/codec", Name: "Stream", N: 10,
		Objects: 3, Bytes: 96})
	return old, now
}

func diffs(t testing.TB) []diff.Diff {
	t.Helper()
	old, now := reports(t)
	return diff.CompareAll(old, now)
}

// many are two reports with n sites each that changed.
func many(t testing.TB, n int) []diff.Diff {
	t.Helper()
	fill := func(r *sites.Report, by float64) {
		one := r.Sites[:10]
		var out []sites.Site
		for i := range n {
			s := one[i%10]
			s.ID, s.Function, s.Expr = fmt.Sprintf("%012x", i), fmt.Sprintf("Function%d", i), fmt.Sprint("x", i)
			s.Costs = []sites.Cost{{Objects: by * float64(n-i), Bytes: 16 * by * float64(n-i)}}
			out = append(out, s)
		}
		r.Sites = out
		r.Benchmarks[0].Objects, r.Benchmarks[0].Bytes = 0, 0
		for _, s := range out {
			r.Benchmarks[0].Objects += s.Costs[0].Objects
			r.Benchmarks[0].Bytes += s.Costs[0].Bytes
		}
	}
	old, now := report(t), report(t)
	fill(old, 1)
	fill(now, 2)
	return diff.CompareAll(old, now)
}

func render(t testing.TB, all []diff.Diff, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, all, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
