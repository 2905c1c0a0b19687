package diff

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"memcost/internal/sites"
)

// site returns a certain heap allocation that makes so many objects of 32 bytes in the first
// benchmark.
func site(function, expr, cause string, line int, objects float64) sites.Site {
	s := sites.Site{ID: function + "|" + expr + "|" + cause, Class: sites.CertainHeap, Package: "m/p", Function: function,
		Expr: expr, Cause: sites.Cause{Key: cause, Words: "it is " + cause}, File: "p.go", Line: line, Text: "use(" +
			expr + ")"}
	if objects > 0 {
		s.Costs = []sites.Cost{{Objects: objects, Bytes: 32 * objects}}
	} else {
		s.Class, s.Would = sites.NeverExecuted, sites.CertainHeap
	}
	return s
}

// bare returns a site of which neither the line nor the expression is known.
func bare(function, cause string, line int) sites.Site {
	s := site(function, "", cause, line, 1)
	s.Text = ""
	return s
}

// calls returns a site at which a function of another package allocates.
func calls(via string, line int) sites.Site {
	s := site("F", "", "fmt", line, 1)
	s.ID, s.Text, s.Callee = "F/fmt/"+via, "use("+via+"())", &sites.Callee{Via: via}
	return s
}

// literal returns a site at one place, in a function literal of which the source line is not known.
func literal(function string) sites.Site {
	s := site(function, "x", "store", 3, 1)
	s.Text = ""
	return s
}

// again returns a site of one source line, whose expression is named as given.
func again(expr string, line int) sites.Site {
	s := site("F", expr, "store", line, 1)
	s.Text = "return &T{}"
	return s
}

// reportOf returns a report with a benchmark of 1,000 operations that allocates at the sites.
func reportOf(all ...sites.Site) *sites.Report {
	b := sites.Benchmark{Package: "m/p", Name: "Decode", N: 1000}
	for _, s := range all {
		for _, c := range s.Costs {
			b.Objects, b.Bytes = b.Objects+c.Objects, b.Bytes+c.Bytes
		}
	}
	return &sites.Report{Go: "go1.26.8", Platform: "linux/amd64", Mode: "benchmarks", Benchmarks: []sites.Benchmark{b},
		Sites: all}
}

// kinds lists what became of the sites: "gone Decode:3".
func kinds(d Diff) string {
	var out []string
	for _, c := range d.Sites {
		s := fmt.Sprintf("%s %s:%d", c.Kind, c.Place().Function, c.Place().Line)
		if c.Probably != "" {
			s += "?"
		}
		if c.Idle {
			s += " idle"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		old, new    []sites.Site
		kinds, says string
	}{
		"nothing": {nil, nil, "",
			"There is no site that both sides have, and none that allocates in a benchmark of both."},
		"same": {[]sites.Site{site("F", "x", "store", 3, 2)}, []sites.Site{site("F", "x", "store", 3, 2)}, "same F:3",
			"No site is gone, new or changed: 1 site costs what it did."},
		"moved": {[]sites.Site{site("F", "x", "store", 3, 2)}, []sites.Site{site("F", "x", "store", 9, 2)}, "moved F:9",
			"No site is gone, new or changed: 1 site costs what it did, 1 at another place."},
		"gone and new": {[]sites.Site{site("F", "x", "store", 3, 2), site("F", "y", "store", 5, 3)},
			[]sites.Site{site("F", "y", "store", 5, 3), site("G", "z", "boxing", 50, 1)}, "gone F:3, new G:50, same F:5",
			"1 site is gone (-2 allocs/op of Decode), 1 is new (+1 allocs/op of Decode); " +
				"Decode allocates 4 instead of 5 objects."},
		"changed": {[]sites.Site{site("F", "x", "store", 3, 2), site("F", "y", "store", 5, 3)},
			[]sites.Site{site("F", "x", "store", 3, 1), site("F", "y", "store", 6, 4)}, "changed F:3, changed F:6",
			"1 site costs more, 1 costs less."},
		"no longer executed": {[]sites.Site{site("F", "x", "store", 3, 2)}, []sites.Site{site("F", "x", "store", 3, 0)},
			"changed F:3", "1 site costs less; Decode allocates 0 instead of 2 objects."},
		"never executed": {[]sites.Site{site("F", "x", "store", 3, 0), site("F", "y", "store", 5, 1)},
			[]sites.Site{site("F", "y", "store", 5, 1), site("F", "z", "boxing", 90, 0)},
			"gone F:3 idle, new F:90 idle, same F:5", "No site is gone, new or changed: 1 site costs what it did."},
		// What memory that is allocated once, or by chance, is per operation is no change.
		"rounding": {[]sites.Site{site("F", "x", "store", 3, 1), site("G", "y", "store", 4, 1000)},
			[]sites.Site{site("F", "x", "store", 3, 1.001), site("G", "y", "store", 4, 1003)}, "same F:3, same G:4",
			"No site is gone, new or changed: 2 sites cost what they did."},
		"function renamed": {[]sites.Site{site("F", "x", "store", 3, 1)}, []sites.Site{site("G", "x", "store", 3, 1)},
			"moved G:3?", "No site is gone, new or changed: 1 site costs what it did, 1 at another place."},
		"expression edited": {[]sites.Site{site("F", "x", "store", 3, 1), site("F", "y", "boxing", 30, 1)},
			[]sites.Site{site("F", "x", "store", 13, 1), site("F", "z", "boxing", 41, 1)}, "moved F:13, moved F:41?",
			"No site is gone, new or changed: 2 sites cost what they did, 2 at another place."},
		"literal named otherwise": {[]sites.Site{literal("F")}, []sites.Site{literal("F.func1")}, "moved F.func1:3?",
			"No site is gone, new or changed: 1 site costs what it did, 1 at another place."},
		"another callee": {[]sites.Site{calls("fmt.Sprint", 3)}, []sites.Site{calls("strconv.Itoa", 60)},
			"gone F:3, new F:60", "1 site is gone (-1 allocs/op of Decode), 1 is new (+1 allocs/op of Decode)."},
		"nothing known of the source": {[]sites.Site{bare("F", "store", 3)}, []sites.Site{bare("F", "boxing", 60)},
			"gone F:3, new F:60", "1 site is gone (-1 allocs/op of Decode), 1 is new (+1 allocs/op of Decode)."},
		"expression named otherwise": {[]sites.Site{again("~R0", 3)}, []sites.Site{again("~r0", 90)}, "moved F:90?",
			"No site is gone, new or changed: 1 site costs what it did, 1 at another place."},
		"another cause": {[]sites.Site{site("F", "x", "store", 3, 1)}, []sites.Site{site("F", "x", "boxing", 3, 1)},
			"same F:3?",
			"No site is gone, new or changed: 1 site costs what it did."},
	} {
		d := Compare(reportOf(c.old...), reportOf(c.new...))
		if got := kinds(d); got != c.kinds {
			t.Errorf("%s: %s; want %s", name, got, c.kinds)
		}
		if d.Says[0] != c.says {
			t.Errorf("%s: %q; want %q", name, d.Says[0], c.says)
		}
		if probably := strings.Contains(c.kinds, "?"); (len(d.Says) == 2) != probably ||
			(d.Counts.Probably > 0) != probably {
			t.Errorf("%s: %q", name, d.Says)
		}
	}
}

// Of several sites that are alike, the one that is gone is found by its line.
func TestAlike(t *testing.T) {
	var old, now []sites.Site
	for i := range 5 {
		s := site("F", "T{}", "boxing", 10*i+10, 1)
		s.ID += fmt.Sprint(i + 1)
		s.Text = fmt.Sprintf("use%d(T{})", i)
		old = append(old, s)
	}
	for i, s := range append(old[:1:1], old[2:]...) { // without the second
		s.ID = fmt.Sprintf("%s%d", strings.TrimRight(s.ID, "0123456789"), i+1)
		s.Line += 3
		now = append(now, s)
	}
	if got := kinds(Compare(reportOf(old...), reportOf(now...))); got !=
		"gone F:20, moved F:13, moved F:33, moved F:43, moved F:53" {
		t.Error(got)
	}
	if got := kinds(Compare(reportOf(now...), reportOf(old...))); got !=
		"new F:20, moved F:10, moved F:30, moved F:40, moved F:50" {
		t.Error(got)
	}
}

// Shares and times changed where their intervals are apart, and counts of small objects where
// sharing them out cannot explain the difference.
func TestTolerance(t *testing.T) {
	interval := func(lo, hi float64, runs int) sites.Interval {
		return sites.Interval{Value: (lo + hi) / 2, Lo: lo, Hi: hi, Runs: runs}
	}
	for _, c := range []struct {
		a, b sites.Interval
		want bool
	}{
		{interval(1, 2, 10), interval(3, 4, 10), true}, {interval(3, 4, 10), interval(1, 2, 10), true},
		{interval(1, 3, 10), interval(2, 4, 10), false}, {interval(1, 2, 1), interval(3, 4, 10), false},
		{interval(1, 2, 10), sites.Interval{}, false}, {interval(1, 2, 10), interval(3, math.Inf(1), 10), false},
	} {
		if got := pairShare(c.a, c.b).Changed; got != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
	for _, c := range []struct {
		old, new, shared float64
		want             bool
	}{
		{1, 2, 0, true}, {1, 1.2, 0.25, false}, {1, 1.2, 0, true}, {1, 2, 0.25, true}, {0, 0.005, 0, false},
		{0, 0.5, 0, true}, {5, 3, 0, true}, {1000, 1004, 0, false}, {0, 0, 0, false}, {math.NaN(), 0, 0, false},
	} {
		tolerance := newTolerance()
		tolerance.shared = c.shared
		if got := tolerance.count(objectsOf(c.old, nil), objectsOf(c.new, nil)).Changed; got != c.want {
			t.Errorf("%v to %v, shared %v: %v", c.old, c.new, c.shared, got)
		}
		if got := tolerance.bytes(bytesOf(16*c.old, nil), bytesOf(16*c.new, nil), 16).Changed; got != c.want {
			t.Errorf("bytes, %v to %v, shared %v: %v", c.old, c.new, c.shared, got)
		}
	}
}

// A buffer that grows over the whole run takes as many bytes per operation as it happens to:
// neither the site nor the benchmark changed.
func TestRareObjects(t *testing.T) {
	grows := func(bytes float64) sites.Site {
		s := site("F", "buf", "append-growth", 3, 1)
		s.Costs = []sites.Cost{{Objects: 1e-5, Bytes: bytes}}
		return s
	}
	other := site("G", "x", "store", 9, 1)
	d := Compare(reportOf(grows(834), other), reportOf(grows(979), other))
	if kinds(d) != "same F:3, same G:9" || d.Benchmarks[0].Bytes.Changed {
		t.Errorf("%s, %+v", kinds(d), d.Benchmarks)
	}
}

// Counts of the same code differ where a pool warms up: what differs no more than that between two
// sources is no change, and one object more is.
func TestCountedAgain(t *testing.T) {
	warms := func(objects float64, again ...float64) *sites.Report {
		s := site("F", "buf", "pool-refill", 3, objects)
		r := reportOf(s)
		b, c := &r.Benchmarks[0], &r.Sites[0].Costs[0]
		for _, x := range again {
			c.Again = append(c.Again, sites.Amount{Objects: x, Bytes: 32 * x})
		}
		b.Again = c.Again
		return r
	}
	for name, x := range map[string]struct {
		old, now *sites.Report
		worse    int
	}{
		"the same code":  {warms(0.0012, 0.0285, 0.0251), warms(0.031, 0.0012, 0.0258), 0},
		"apart":          {warms(0.0100, 0.0185, 0.0111), warms(0.032, 0.0290, 0.0350), 0},
		"one more":       {warms(0.0012, 0.0285, 0.0251), warms(1.02, 1.0012, 1.0258), 1},
		"one less":       {warms(1.0012, 1.0285, 1.0251), warms(0.031, 0.0012, 0.0258), 0},
		"not once again": {warms(0.0012), warms(0.0412), 1},
	} {
		d := Compare(x.old, x.now)
		if got := Worse(d); len(got) != x.worse {
			t.Errorf("%s: %q, %+v", name, got, d.Benchmarks[0].Objects)
		}
	}
}

// Two sites that make an object of 8 bytes each share blocks: which of them opens the blocks
// differs from run to run, and is no change. One that is gone is gone.
func TestSharedBlocks(t *testing.T) {
	small := func(expr string, line int, objects, bytes float64) sites.Site {
		s := site("F", expr, "boxing", line, 1)
		s.Costs = []sites.Cost{{Objects: objects, Bytes: bytes, Estimated: true}}
		return s
	}
	old := reportOf(small("x", 3, 2, 16), small("y", 30, 0.001, 0.008))
	now := reportOf(small("x", 3, 1, 8), small("y", 30, 1, 8))
	d := Compare(old, now)
	if kinds(d) != "same F:3, same F:30" || len(d.Notes) != 1 || len(Worse(d)) != 0 {
		t.Errorf("%s, %q", kinds(d), d.Notes)
	}
	now.Sites = now.Sites[:1]
	if d := Compare(old, now); d.Counts.Gone != 0 || d.Counts.Idle != 1 {
		t.Errorf("what is next to nothing: %+v", d.Counts)
	}
	old.Sites[1].Costs[0].Objects, old.Sites[1].Costs[0].Bytes = 1, 8
	if d := Compare(old, now); d.Counts.Gone != 1 {
		t.Errorf("gone: %+v", d.Counts)
	}
}

// A share that changed alone changes the site, but closes no gate.
func TestShareAlone(t *testing.T) {
	old, now := site("F", "x", "store", 3, 2), site("F", "x", "store", 3, 2)
	old.Costs[0].Share = sites.Interval{Value: .1, Lo: .09, Hi: .11, Runs: 10}
	now.Costs = []sites.Cost{{Objects: 2, Bytes: 64, Share: sites.Interval{Value: .2, Lo: .19, Hi: .21, Runs: 10}}}
	d := Compare(reportOf(old), reportOf(now))
	if kinds(d) != "changed F:3" || d.Counts.More != 1 || len(Worse(d)) != 0 {
		t.Errorf("%s, %+v, %q", kinds(d), d.Counts, Worse(d))
	}
	// Of half the time, twice the share is the same.
	a, b := reportOf(old), reportOf(now)
	a.Benchmarks[0].Time = sites.Interval{Value: 2e-6, Lo: 1.9e-6, Hi: 2.1e-6, Runs: 10}
	b.Benchmarks[0].Time = sites.Interval{Value: 1e-6, Lo: 0.9e-6, Hi: 1.1e-6, Runs: 10}
	if d := Compare(a, b); kinds(d) != "same F:3" {
		t.Errorf("%s, %+v", kinds(d), d.Counts)
	}
	b.Benchmarks[0].Time = a.Benchmarks[0].Time
	tiny := site("F", "x", "store", 3, 2)
	tiny.Costs[0].Share = sites.Interval{Value: 1e-5, Lo: .9e-5, Hi: 1.1e-5, Runs: 10}
	less := tiny
	less.Costs = []sites.Cost{{Objects: 2, Bytes: 64, Share: sites.Interval{Value: 2e-6, Lo: 1e-6, Hi: 3e-6, Runs: 10}}}
	if d := Compare(reportOf(tiny), reportOf(less)); kinds(d) != "same F:3" {
		t.Errorf("next to nothing: %s", kinds(d))
	}
	if d := Compare(a, b); kinds(d) != "changed F:3" {
		t.Errorf("%s, %+v", kinds(d), d.Counts)
	}
}

func TestWorse(t *testing.T) {
	old := reportOf(site("F", "x", "store", 3, 2), site("G", "y", "store", 5, 3), site("H", "z", "store", 7, 3))
	now := reportOf(site("F", "x", "store", 3, 3), site("G", "y", "store", 5, 2), site("I", "n", "boxing", 70, 4),
		site("J", "m", "boxing", 80, 0))
	got := strings.Join(Worse(Compare(old, now)), "\n")
	want := "New: I at p.go:70 allocates 4 allocs/op, 128 B of Decode: it is boxing.\n" +
		"More: F at p.go:3 allocates 3 instead of 2 objects and 96 B instead of 64 B per operation of Decode."
	if got != want {
		t.Errorf("%s; want %s", got, want)
	}
	// With less in all, nothing is worse: what is new replaced something.
	fewer := reportOf(site("F", "x", "store", 3, 3), site("I", "n", "boxing", 70, 4))
	if w := Worse(Compare(old, fewer)); len(w) != 0 {
		t.Errorf("7 objects instead of 8: %q", w)
	}
	// More in all closes the gate, whether or not a site shows it.
	more := reportOf(site("F", "x", "store", 3, 2), site("G", "y", "store", 5, 3), site("H", "z", "store", 7, 3))
	more.Benchmarks[0].Objects++
	if w := Worse(Compare(old, more)); len(w) != 1 ||
		w[0] != "More: Decode allocates 9 instead of 8 objects per operation, at sites that cannot be told apart." {
		t.Errorf("9 objects instead of 8: %q", w)
	}
	if w := Worse(Compare(old, old)); len(w) != 0 {
		t.Errorf("a report is worse than itself: %q", w)
	}
	static := func(r *sites.Report) *sites.Report {
		r.Mode, r.Benchmarks = "static", nil
		for i := range r.Sites {
			r.Sites[i].Costs, r.Sites[i].Class = nil, sites.CertainHeap
		}
		return r
	}
	if w := Worse(Compare(static(old), static(now))); len(w) != 2 ||
		w[0] != "New: I at p.go:70 allocates whenever it is reached: it is boxing." {
		t.Errorf("static: %q", w)
	}
}

// Benchmarks on one side only are listed, and their sites are not compared.
func TestBenchmarksOnOneSide(t *testing.T) {
	old, now := reportOf(site("F", "x", "store", 3, 2)), reportOf(site("F", "x", "store", 3, 2))
	extra := site("G", "y", "store", 5, 9)
	extra.Costs[0].Benchmark = 1
	now.Sites = append(now.Sites, extra)
	now.Benchmarks = append(now.Benchmarks, sites.Benchmark{Package: "m/p", Name: "Encode", N: 10, Objects: 9})
	old.Benchmarks = append(old.Benchmarks, sites.Benchmark{Package: "m/p", Name: "Broken", Failed: "panic: x"},
		sites.Benchmark{Package: "m/q", Name: "Decode", N: 10},
		sites.Benchmark{Package: "m/p", Name: "Lost", Failed: "exit 1"})
	now.Benchmarks = append(now.Benchmarks, sites.Benchmark{Package: "m/p", Name: "Broken", N: 10, Objects: 1},
		sites.Benchmark{Package: "m/p", Name: "Lost", Failed: "exit 2"})
	d := Compare(old, now)
	if got := kinds(d); got != "new G:5 idle, same F:3" {
		t.Error(got)
	}
	var only []string
	for _, b := range d.Benchmarks {
		only = append(only, b.Package+"."+b.Name+" "+b.Only+" "+b.Why)
	}
	if got := strings.Join(only, ", "); got != "m/p.Decode  , m/p.Broken new panic: x, m/q.Decode old , "+
		"m/p.Lost neither exit 2, m/p.Encode new " {
		t.Error(got)
	}
}

func TestCompareAll(t *testing.T) {
	var all []*sites.Report
	for _, v := range []string{"go1.24.13", "go1.26.8", "go1.27.4"} {
		r := reportOf(site("F", "x", "store", 3, 2))
		r.Go = v
		all = append(all, r)
	}
	all[2].Platform = "linux/arm64"
	d := CompareAll(all...)
	if len(d) != 2 || d[0].Old.Name != "go1.24.13" || d[1].New.Name != "go1.27.4" || len(d[1].Notes) != 1 {
		t.Errorf("%+v", d)
	}
	if len(CompareAll()) != 0 || len(CompareAll(all[0])) != 0 {
		t.Error("nothing is compared with nothing")
	}
	a, b := reportOf(), reportOf()
	a.Revision = "1be2ab7"
	if d := Compare(a, b); d.Old.Name != "1be2ab7" || d.New.Name != "the working tree" {
		t.Errorf("%+v, %+v", d.Old, d.New)
	}
}

// Each site is in the answer once, whatever the reports hold.
func TestEverySiteOnce(t *testing.T) {
	old, now := many(3000, 0), many(3000, 7)
	for name, d := range map[string]Diff{"many": Compare(old, now), "against itself": Compare(old, old),
		"against nothing": Compare(old, &sites.Report{}), "nothing": Compare(&sites.Report{}, now)} {
		olds, news := 0, 0
		for _, c := range d.Sites {
			if c.Old != nil {
				olds++
			}
			if c.New != nil {
				news++
			}
		}
		if want := map[string][2]int{"many": {3000, 3000}, "against itself": {3000, 3000}, "against nothing": {3000, 0},
			"nothing": {0, 3000}}[name]; [2]int{olds, news} != want {
			t.Errorf("%s: %d and %d sites", name, olds, news)
		}
		if text, err := json.Marshal(d); err != nil || strings.Contains(string(text), ":null,\"counts") {
			t.Errorf("%s: %v", name, err)
		}
	}
	d := Compare(old, old)
	if d.Counts.Same != 3000 || d.Counts.Probably != 0 {
		t.Errorf("%+v", d.Counts)
	}
}

// many returns a report of sites of which many are alike; a shift moves lines and renames some.
func many(n, shift int) *sites.Report {
	var sites []sites.Site
	for i := range n {
		s := site(fmt.Sprintf("F%d", i/50), fmt.Sprintf("x%d", i%7), "store", i+shift, 1)
		s.ID += fmt.Sprint(i)
		if shift > 0 && i%11 == 0 {
			s.Expr, s.ID, s.Text = "edited", fmt.Sprint("e", i), "edited"
		}
		if shift > 0 && i%500 < 50 {
			s.Function += "Renamed"
		}
		s.Costs[0].Objects = math.Inf(i % 2)
		sites = append(sites, s)
	}
	r := reportOf(sites...)
	r.Benchmarks[0].Objects = math.NaN()
	return r
}

// The pairs of sites that are looked at grow with the number of sites, not with its square.
func TestManySites(t *testing.T) {
	compared := func(n int) int {
		m := match(many(n, 0).Sites, many(n, 7).Sites)
		for _, p := range m.pairs {
			if p.old != nil && p.new != nil {
				m.compared++
			}
		}
		return m.compared
	}
	small, large := compared(2000), compared(20_000)
	t.Logf("of 2,000 sites %d pairs, of 20,000 %d", small, large)
	if small < 1000 || large > 12*small {
		t.Errorf("of ten times as many sites %d pairs were looked at, and not some %d", large, 10*small)
	}
}

func FuzzCompare(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03"), []byte("\x05\x01\x02"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		make := func(text []byte) []sites.Site {
			var out []sites.Site
			for i, c := range text[:min(len(text), 60)] {
				out = append(out, site(string('F'+rune(c&1)), string('x'+rune(c>>1&1)), string('a'+rune(c>>2&1)),
					i*int(c>>5),
					float64(c>>3&3)))
			}
			return out
		}
		olds, news := make(a), make(b)
		d := Compare(reportOf(olds...), reportOf(news...))
		n := [2]int{}
		for _, c := range d.Sites {
			if c.Old != nil {
				n[0]++
			}
			if c.New != nil {
				n[1]++
			}
		}
		if n != [2]int{len(olds), len(news)} {
			t.Errorf("%v of %d and %d", n, len(olds), len(news))
		}
		if !slices.Equal(a, b) {
			return
		}
		if d.Counts.Gone+d.Counts.New+d.Counts.More+d.Counts.Less+d.Counts.Mixed+d.Counts.Probably > 0 {
			t.Errorf("a report differs from itself: %+v", d.Counts)
		}
	})
}

// What a benchmark changed by is what its sites changed by, and a rest that is stated.
func TestEffects(t *testing.T) {
	old := reportOf(site("F", "x", "store", 3, 2), site("G", "y", "store", 5, 10), site("H", "z", "store", 7, 1))
	now := reportOf(site("F", "x", "store", 3, 1), site("H", "z", "store", 7, 1), site("K", "w", "boxing", 90, 4))
	now.Benchmarks[0].Objects += 3 // not at a site
	now.Benchmarks[0].Bytes += 100
	old.Benchmarks = append(old.Benchmarks, sites.Benchmark{Package: "m/p", Name: "Gone", N: 1, Objects: 3})
	d := Compare(old, now)
	effects, rest := d.effects(0)
	var got []string
	for _, e := range effects {
		got = append(got, fmt.Sprintf("%s %g %g", d.Sites[e.Site].Place().Function, e.Objects, e.Bytes))
	}
	if s := strings.Join(got, ", "); s != "G -10 -320, K 4 128, F -1 -32" || rest.Objects != 3 || rest.Bytes != 100 {
		t.Errorf("%s, rest %+v", s, rest)
	}
	now.Benchmarks[0].Objects -= 2.999
	d = Compare(old, now)
	if _, rest := d.effects(0); rest.Objects != 0 {
		t.Errorf("a rest of a thousandth: %+v", rest)
	}
	if effects, rest := d.effects(1); len(effects) > 0 || rest != (Effect{}) {
		t.Errorf("a benchmark of one side: %+v, %+v", effects, rest)
	}
}
