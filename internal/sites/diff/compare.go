package diff

import (
	"cmp"
	"math"
	"slices"

	"memcost/internal/sites"
)

// Compare says what became of the sites of a report in another one. A change of cost is stated
// where counts differ by more than counting can be wrong, and where intervals are apart.
func Compare(old, new *sites.Report) Diff {
	c := &comparison{old: old, new: new}
	d := Diff{Notes: notes(old, new), Sites: []Change{}}
	d.Old, d.New = sides(old, new)
	d.Benchmarks = c.benchmarks()
	for _, p := range match(old.Sites, new.Sites).pairs {
		d.Sites = append(d.Sites, c.change(p))
	}
	sortChanges(d.Sites)
	d.Counts = count(d.Sites)
	d.Says = says(&d)
	return d
}

// CompareAll compares each report with the first.
func CompareAll(reports ...*sites.Report) []Diff {
	var out []Diff
	for _, r := range reports[min(1, len(reports)):] {
		out = append(out, Compare(reports[0], r))
	}
	return out
}

// sides returns what the reports are of.
func sides(old, new *sites.Report) (a, b Side) {
	side := func(name string, r *sites.Report) Side {
		switch {
		case old.Revision != new.Revision:
			name = cmp.Or(r.Revision, "the working tree")
		case old.Go != new.Go && old.Go != "" && new.Go != "":
			name = r.Go
		}
		return Side{name, r.Go, r.Platform, r.Revision, r.Mode, r.Exact}
	}
	return side("old", old), side("new", new)
}

// notes says what limits a comparison.
func notes(old, new *sites.Report) []string {
	out := []string{}
	if estimated(old) || estimated(new) {
		out = append(out, "Objects of less than 16 bytes share blocks, and a profile does not say whose each is: "+
			"changes of such sites that this can explain are not stated. With --exact they are counted.")
	}
	if old.Mode != new.Mode {
		out = append(out, "One side is of "+modeWords(old.Mode)+", the other of "+modeWords(new.Mode)+
			": their costs are not compared.")
	}
	if old.Platform != new.Platform {
		out = append(out, "One side is of "+old.Platform+", the other of "+new.Platform+".")
	}
	return out
}

func estimated(r *sites.Report) bool {
	return slices.ContainsFunc(r.Sites, func(s sites.Site) bool {
		return slices.ContainsFunc(s.Costs, func(c sites.Cost) bool { return c.Estimated })
	})
}

func modeWords(mode string) string {
	switch mode {
	case "static":
		return "what the compiler says alone"
	case "profile":
		return "a profile"
	}
	return cmp.Or(mode, "nothing that was run")
}

// change says what became of a site.
func (c *comparison) change(p couple) Change {
	x := Change{Old: place(p.old), New: place(p.new), Probably: p.probably, Costs: c.costs(p.old, p.new)}
	switch {
	case p.new == nil:
		x.Kind, x.Idle = Gone, c.idle(p.old, x.Costs)
	case p.old == nil:
		x.Kind, x.Idle = New, c.idle(p.new, x.Costs)
	case slices.ContainsFunc(x.Costs, CostChange.Any):
		x.Kind = Changed
	case p.old.Line != p.new.Line || p.old.File != p.new.File || function(p.old) != function(p.new) ||
		p.old.Package != p.new.Package:
		x.Kind = Moved
	default:
		x.Kind = Same
	}
	return x
}

// idle reports whether a site on one side only is of no account: it allocated in no benchmark
// of both sides. Where nothing was measured, what certainly allocates is of account.
func (c *comparison) idle(s *sites.Site, costs []CostChange) bool {
	if len(c.both) == 0 && len(c.old.Benchmarks)+len(c.new.Benchmarks) == 0 {
		return s.Class != sites.CertainHeap
	}
	return !slices.ContainsFunc(costs, func(x CostChange) bool { return x.Objects.Changed || x.Bytes.Changed })
}

func place(s *sites.Site) *Place {
	if s == nil {
		return nil
	}
	return &Place{s.ID, s.Class, s.Cause, s.Advice, s.Package, s.Function, s.File, s.Line, s.Text, s.Expr}
}

var kindOrder = map[Kind]int{Gone: 0, New: 1, Changed: 2, Moved: 3, Same: 4}

// sortChanges sorts by kind, then by how much changed, then by place.
func sortChanges(all []Change) {
	top := func(c Change) float64 {
		if len(c.Costs) == 0 || c.Idle {
			return 0
		}
		return weight(c.Costs[0])
	}
	slices.SortStableFunc(all, func(a, b Change) int {
		p, q := a.Place(), b.Place()
		return cmp.Or(cmp.Compare(kindOrder[a.Kind], kindOrder[b.Kind]), cmp.Compare(top(b), top(a)),
			cmp.Compare(p.Package, q.Package), cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line),
			cmp.Compare(p.ID, q.ID))
	})
}

// A comparison is two reports, and the benchmarks that both have.
type comparison struct {
	old, new *sites.Report
	both     []both
}

// A both is a benchmark of both sides.
type both struct {
	old, new int     // index into the benchmarks of each
	shared   float64 // see tolerance
}

// benchmarks pairs the benchmarks by package and name.
func (c *comparison) benchmarks() []Benchmark {
	news := map[string]int{}
	for i, b := range c.new.Benchmarks {
		news[key(b.Package, b.Name)] = i
	}
	sharedOld, sharedNew := sharedOut(c.old), sharedOut(c.new)
	rareOld, rareNew := rareBytes(c.old), rareBytes(c.new)
	var out, only []Benchmark
	used := map[int]bool{}
	for i, o := range c.old.Benchmarks {
		j, known := news[key(o.Package, o.Name)]
		if !known || used[j] || c.old.Mode != c.new.Mode {
			only = append(only, one(o, "old", o.Failed))
			continue
		}
		used[j] = true
		n := c.new.Benchmarks[j]
		switch {
		case o.Failed != "" && n.Failed != "":
			only = append(only, Benchmark{Package: n.Package, Name: n.Name, Only: "neither", Why: n.Failed})
			continue
		case o.Failed != "":
			only = append(only, one(n, "new", o.Failed))
			continue
		case n.Failed != "":
			only = append(only, one(o, "old", n.Failed))
			continue
		}
		c.both = append(c.both, both{i, j, sharedOld[i] + sharedNew[j]})
		t := newTolerance()
		t.rare = max(rareOld[i], rareNew[j])
		each := max(perObject(sites.Cost{Objects: o.Objects, Bytes: o.Bytes}), perObject(sites.Cost{Objects: n.Objects,
			Bytes: n.Bytes}))
		out = append(out, Benchmark{Package: o.Package, Name: o.Name, Objects: t.count(objectsOf(o.Objects, o.Again),
			objectsOf(n.Objects, n.Again)), Bytes: t.bytes(bytesOf(o.Bytes, o.Again), bytesOf(n.Bytes, n.Again), each),
			Time: pairShare(o.Time, n.Time)})
	}
	for j, n := range c.new.Benchmarks {
		if !used[j] {
			only = append(only, one(n, "new", n.Failed))
		}
	}
	return append(append([]Benchmark{}, out...), only...)
}

// one returns a benchmark that has figures on one side only.
func one(b sites.Benchmark, only, failed string) Benchmark {
	out := Benchmark{Package: b.Package, Name: b.Name, Only: only, Why: failed}
	if only == "old" {
		out.Objects.Old, out.Bytes.Old, out.Time.Old = sites.Finite(b.Objects), sites.Finite(b.Bytes), whole(b.Time)
	} else {
		out.Objects.New, out.Bytes.New, out.Time.New = sites.Finite(b.Objects), sites.Finite(b.Bytes), whole(b.Time)
	}
	return out
}

// costs returns what a site costs in the benchmarks of both sides; either site may be nil.
func (c *comparison) costs(old, new *sites.Site) []CostChange {
	out := []CostChange{}
	olds, news := costsOf(old), costsOf(new)
	for i, b := range c.both {
		o, inOld := olds[b.old]
		n, inNew := news[b.new]
		if !inOld && !inNew {
			continue
		}
		t := newTolerance()
		if old != nil && new != nil && (o.Estimated || n.Estimated) {
			t.shared = b.shared
		}
		x := CostChange{Benchmark: i, Objects: t.count(objectsOf(o.Objects, o.Again), objectsOf(n.Objects, n.Again)),
			Bytes: t.bytes(bytesOf(o.Bytes, o.Again), bytesOf(n.Bytes, n.Again), max(perObject(o), perObject(n)))}
		if inOld && inNew {
			x.Share = shares(o.Share, n.Share, c.old.Benchmarks[b.old].Time, c.new.Benchmarks[b.new].Time)
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b CostChange) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(b.Bytes.New, a.Bytes.New))
	})
	return out
}

// shares returns shares of CPU time. A share also changes with the rest of the benchmark: it is
// said to have changed only if its part of the time per operation did, too, as far as times are
// known.
func shares(old, new, oldTime, newTime sites.Interval) PairShare {
	p := pairShare(old, new)
	p.Changed = p.Changed && max(p.Old.Value, p.New.Value) >= sites.LeastShare
	if oldTime.Runs > 1 && newTime.Runs > 1 {
		part := pairShare(product(old, oldTime), product(new, newTime))
		p.Changed = p.Changed && part.Changed && (part.New.Value > part.Old.Value) == (new.Value > old.Value)
	}
	return p
}

// product multiplies figures that are not negative; its interval is wider than it need be.
func product(a, b sites.Interval) sites.Interval {
	return sites.Interval{Value: a.Value * b.Value, Lo: max(a.Lo, 0) * max(b.Lo, 0), Hi: a.Hi * b.Hi,
		Runs: min(a.Runs, b.Runs)}
}

// weight says how much a change matters, to sort by: 0 if nothing changed.
func weight(c CostChange) float64 {
	w := 0.0
	if c.Bytes.Changed {
		w += math.Abs(c.Bytes.Delta())
	}
	if c.Objects.Changed {
		w += leastBlock * math.Abs(c.Objects.Delta())
	}
	return w
}

// leastBlock is what an object weighs beside its bytes.
const leastBlock = 16

// costsOf returns the costs of a site by benchmark.
func costsOf(s *sites.Site) map[int]sites.Cost {
	if s == nil || len(s.Costs) == 0 {
		return nil
	}
	out := make(map[int]sites.Cost, len(s.Costs))
	for _, c := range s.Costs {
		out[c.Benchmark] = c
	}
	return out
}
