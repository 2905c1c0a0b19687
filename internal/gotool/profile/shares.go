package profile

import (
	"cmp"
	"slices"

	"golang.org/x/perf/benchfmt"
)

// A Share is the part of a profile in one category.
type Share struct {
	Category Category
	Value    int64   // in the profile's Unit
	Share    float64 // of the profile's Total
}

// Shares returns each category's share of the samples, in the order of Categories,
// including categories without samples. The shares add up to 1.
//
// They are shares of CPU time only for a CPU profile: in a heap profile each sample is
// of the function that allocated, and the allocator is not on its stack. A share s of n
// Samples has a standard error of at least √(s(1−s)/n): samples of the same collection
// come together.
func (p *Profile) Shares() []Share {
	sums := map[Category]int64{}
	for _, s := range p.stacks {
		sums[category(s.frames)] += s.value
	}
	shares := make([]Share, len(Categories))
	for i, c := range Categories {
		shares[i] = Share{c, sums[c], float64(sums[c]) / float64(p.Total)}
	}
	return shares
}

// inRuntime are the categories that are functions of the runtime, called or not.
var inRuntime = []Category{GC, Alloc, Sched, Stack, Memory, Other}

// Records are the shares as a record in the Go benchmark format with that name,
// without "Benchmark" in front, and that configuration. Its units are
//
//	samples         how often the profiler looked
//	profile-sec     CPU time that they stand for (CPU profiles)
//	user-share      and so on, one for each category; they add up to 1
//	runtime-share   gc, alloc, sched, stack, memory and other
//	gc-sched-share  gc and sched
func (p *Profile) Records(name string, config ...benchfmt.Config) []*benchfmt.Result {
	res := &benchfmt.Result{Config: slices.Clone(config), Name: benchfmt.Name(name), Iters: 1}
	set := func(v float64, unit string) { res.Values = append(res.Values, benchfmt.Value{Value: v, Unit: unit}) }
	set(float64(p.Samples), "samples")
	if p.Unit == "nanoseconds" {
		set(float64(p.Total)/1e9, "profile-sec")
	}
	inside, gcSched := 0.0, 0.0
	for _, s := range p.Shares() {
		set(s.Share, string(s.Category)+"-share")
		if slices.Contains(inRuntime, s.Category) {
			inside += s.Share
		}
		if s.Category == GC || s.Category == Sched {
			gcSched += s.Share
		}
	}
	set(inside, "runtime-share")
	set(gcSched, "gc-sched-share")
	return []*benchfmt.Result{res}
}

// A Function holds the values of one function in a profile, in its Unit.
type Function struct {
	Name string
	Flat int64 // in the function itself
	Cum  int64 // in it and all that it called; a sample counts once however often it is on the stack
}

// Top returns the n functions with the largest Flat, or all of them if there are
// fewer or n is negative. Equal ones come in the order of Cum, then of their names.
func (p *Profile) Top(n int) []Function {
	all := map[string]*Function{}
	at := func(name string) *Function {
		if all[name] == nil {
			all[name] = &Function{Name: name}
		}
		return all[name]
	}
	for _, s := range p.stacks {
		at(s.frames[0].name).Flat += s.value
		seen := map[string]bool{}
		for _, f := range s.frames {
			if !seen[f.name] {
				seen[f.name] = true
				at(f.name).Cum += s.value
			}
		}
	}
	top := make([]Function, 0, len(all))
	for _, f := range all {
		top = append(top, *f)
	}
	slices.SortFunc(top, func(a, b Function) int {
		return cmp.Or(cmp.Compare(b.Flat, a.Flat), cmp.Compare(b.Cum, a.Cum), cmp.Compare(a.Name, b.Name))
	})
	if n >= 0 && n < len(top) {
		top = top[:n]
	}
	return top
}
