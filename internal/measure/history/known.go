package history

import "slices"

// known is what the steps that were measured say.
type known struct {
	bad    map[int]string               // points that failed, with the reason
	built  map[int]bool                 // points that were measured
	ids    []ID                         // in the order in which they were found
	direct map[ID]map[[2]int]Comparison // of points that were compared
	absent map[Benchmark]map[int]bool   // points without the benchmark
	asked  map[[2]int][]*Step           // steps without a failure in which both are neighbours
	splits map[[2]int][]*Step           // steps without a failure from one to the other, by way of a third
	failed map[[2]int]int               // steps from one to the other in which a point failed
}

func learn(steps []Step) *known {
	k := &known{bad: map[int]string{}, built: map[int]bool{}, direct: map[ID]map[[2]int]Comparison{},
		absent: map[Benchmark]map[int]bool{}, asked: map[[2]int][]*Step{}, splits: map[[2]int][]*Step{},
		failed: map[[2]int]int{}}
	for i := range steps {
		if s := &steps[i]; s.Done && len(s.Points) > 1 {
			k.add(s)
		}
	}
	return k
}

func (k *known) add(s *Step) {
	ends := [2]int{s.Points[0], s.Points[len(s.Points)-1]}
	for _, f := range s.Failed {
		k.bad[f.Point] = f.Reason
	}
	if len(s.Failed) > 0 {
		k.failed[ends]++
		return
	}
	for i, p := range s.Points {
		k.built[p] = true
		if i > 0 {
			pair := [2]int{s.Points[i-1], p}
			k.asked[pair] = append(k.asked[pair], s)
		}
	}
	if len(s.Points) == 3 {
		k.splits[ends] = append(k.splits[ends], s)
		k.unmeasured(s)
	}
	for _, a := range s.Absent {
		if k.absent[a.Benchmark] == nil {
			k.absent[a.Benchmark] = map[int]bool{}
		}
		k.absent[a.Benchmark][a.Point] = true
	}
	for _, c := range s.Comparisons {
		if k.direct[c.ID] == nil {
			k.direct[c.ID] = map[[2]int]Comparison{}
			k.ids = append(k.ids, c.ID)
		}
		k.direct[c.ID][[2]int{c.From, c.To}] = c
	}
}

// unmeasured notes the benchmarks that a step was made for and that have no figure in it: another
// point is tried for them.
func (k *known) unmeasured(s *Step) {
	lost := 0
	for _, b := range s.Benchmarks {
		if slices.ContainsFunc(s.Comparisons, func(c Comparison) bool { return c.Benchmark == b }) {
			continue
		}
		lost++
		if k.absent[b] == nil {
			k.absent[b] = map[int]bool{}
		}
		k.absent[b][s.Points[1]] = true
	}
	if lost > 0 && lost == len(s.Benchmarks) {
		k.failed[[2]int{s.Points[0], s.Points[2]}]++
	}
}

// has reports whether a step measured a benchmark: all steps that name none do.
func (s *Step) has(b Benchmark) bool {
	return len(s.Benchmarks) == 0 || slices.Contains(s.Benchmarks, b)
}

// wasAsked reports whether a benchmark was compared at two points, whatever came of it.
func (k *known) wasAsked(b Benchmark, p, q int) bool {
	return slices.ContainsFunc(k.asked[[2]int{p, q}], func(s *Step) bool { return s.has(b) })
}

// split returns the point between two at which a benchmark was measured beside both, or −1.
func (k *known) split(b Benchmark, p, q int) int {
	for _, s := range k.splits[[2]int{p, q}] {
		if s.has(b) && !k.absent[b][s.Points[1]] {
			return s.Points[1]
		}
	}
	return -1
}

// usable reports whether a benchmark can be measured at a point, as far as is known.
func (k *known) usable(b Benchmark, p int) bool {
	_, bad := k.bad[p]
	return !bad && !k.absent[b][p] && !k.absent[Benchmark{Package: b.Package}][p]
}

// benchmarks are those that any step compared or found absent, each once.
func (k *known) benchmarks() []Benchmark {
	var out []Benchmark
	for _, id := range k.ids {
		if !slices.Contains(out, id.Benchmark) {
			out = append(out, id.Benchmark)
		}
	}
	for b := range k.absent {
		if b.Name != "" && !slices.Contains(out, b) { // without a name it is the package
			out = append(out, b)
		}
	}
	slices.SortFunc(out, compareBenchmarks)
	return out
}
