package plan

import "slices"

// Only returns the question of the named studies and packages alone, whose samples are read without
// those of the others: their cases, comparisons and builds are numbered anew. The question itself is
// not changed.
func (q *Question) Only(names ...string) *Question {
	x := *q
	p, old := &x.Plan, &q.Plan
	p.Suites, p.Cases, p.Parts, p.Missing, x.Builds = nil, nil, nil, nil, nil
	suites := renumbered(len(old.Suites), func(i int) bool { return slices.Contains(names, old.Suites[i].Name) })
	cases := renumbered(len(old.Cases), func(i int) bool { return suites[old.Cases[i].Suite] >= 0 })
	groups := map[int]int{}
	for i, s := range old.Suites {
		if suites[i] >= 0 {
			p.Suites = append(p.Suites, s)
		}
	}
	for i, c := range old.Cases {
		if cases[i] < 0 {
			continue
		}
		g, known := groups[c.Group]
		if !known {
			g = len(groups)
			groups[c.Group] = g
			p.share(old, c.Group, g)
		}
		c.Suite, c.Group = suites[c.Suite], g
		p.Cases = append(p.Cases, c)
	}
	p.Pairs = nil
	for _, pair := range old.Pairs {
		if a, b := cases[pair[0]], cases[pair[1]]; a >= 0 && b >= 0 {
			p.Pairs = append(p.Pairs, [2]int{a, b})
		}
	}
	p.Doubles, p.Suspects = numbersOf(old.Doubles, cases), numbersOf(old.Suspects, cases)
	p.ToFull, p.NotReached = leftOf(old.ToFull, suites), leftOf(old.NotReached, suites)
	p.Failures = nil
	for _, f := range old.Failures {
		if f.Suite = suites[f.Suite]; f.Suite >= 0 {
			p.Failures = append(p.Failures, f)
		}
	}
	for _, b := range q.Builds {
		if b.Suite = suites[b.Suite]; b.Suite >= 0 {
			x.Builds = append(x.Builds, b)
		}
	}
	return &x
}

// share gives the shard of a comparison of another plan to one of this plan.
func (p *Plan) share(from *Plan, was, is int) {
	if slices.Contains(from.Missing, was) {
		p.Missing = append(p.Missing, is)
	}
	switch {
	case from.Parts != nil:
		p.Parts = append(p.Parts, from.Parts[was])
	case from.Options.Shards > 1:
		p.Parts = append(p.Parts, was%from.Options.Shards+1)
	}
}

// renumbered returns the new number of each of n things, of which some are kept; -1 for the others.
func renumbered(n int, keep func(int) bool) []int {
	out, next := make([]int, n), 0
	for i := range out {
		out[i] = -1
		if keep(i) {
			out[i] = next
			next++
		}
	}
	return out
}

func numbersOf(old, numbers []int) []int {
	var out []int
	for _, i := range old {
		if numbers[i] >= 0 {
			out = append(out, numbers[i])
		}
	}
	return out
}

func leftOf(old []Left, suites []int) []Left {
	var out []Left
	for _, l := range old {
		if l.Suite = suites[l.Suite]; l.Suite >= 0 {
			out = append(out, l)
		}
	}
	return out
}
