package diff

import (
	"memcost/internal/sites"
)

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
		out = append(out, Benchmark{Package: o.Package, Name: o.Name, Objects: t.count(o.Objects, n.Objects),
			Bytes: t.bytes(o.Bytes, n.Bytes, each), Time: pairShare(o.Time, n.Time)})
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
		out.Objects.Old, out.Bytes.Old, out.Time.Old = finite(b.Objects), finite(b.Bytes), whole(b.Time)
	} else {
		out.Objects.New, out.Bytes.New, out.Time.New = finite(b.Objects), finite(b.Bytes), whole(b.Time)
	}
	return out
}
