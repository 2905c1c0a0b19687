package diff

import (
	"cmp"
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
	for _, p := range match(old.Sites, new.Sites) {
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
	a = Side{"old", old.Go, old.Platform, old.Revision, old.Mode, old.Exact}
	b = Side{"new", new.Go, new.Platform, new.Revision, new.Mode, new.Exact}
	switch {
	case old.Revision != new.Revision:
		a.Name, b.Name = cmp.Or(old.Revision, "the working tree"), cmp.Or(new.Revision, "the working tree")
	case old.Go != new.Go && old.Go != "" && new.Go != "":
		a.Name, b.Name = old.Go, new.Go
	}
	return a, b
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
	return &Place{s.ID, s.Class, s.Cause, s.Package, s.Function, s.File, s.Line, s.Text, s.Expr}
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
