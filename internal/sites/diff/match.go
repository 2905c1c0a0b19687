package diff

import (
	"cmp"
	"slices"
	"strconv"

	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
)

// A matcher pairs the sites of two reports.
type matcher struct {
	old, new []*sites.Site // not paired yet, by file and line
	pairs    []couple
	compared int // pairs of sites that were looked at: what takes time
}

// match pairs the sites: first by identity, then by what else they have in common.
func match(old, new []sites.Site) *matcher {
	m := &matcher{old: byPlace(old), new: byPlace(new)}
	m.by("", identity)
	m.by("", func(s *sites.Site) string { return key(s.Package, s.ID) })
	m.by("the expression is written otherwise", inFunction)
	m.by("the cause is another", whateverCause)
	m.by("the function is named anew", func(s *sites.Site) string { return named(s, s.Package) })
	m.by("the function is named anew", samePlace)
	m.by("the package is another", func(s *sites.Site) string { return named(s, function(s)) })
	m.near("the expression was edited")
	for _, s := range m.old {
		m.pairs = append(m.pairs, couple{old: s})
	}
	for _, s := range m.new {
		m.pairs = append(m.pairs, couple{new: s})
	}
	return m
}

// identity is what a site is recognised by, without the number of several that are alike.
func identity(s *sites.Site) string { return key(s.Package, function(s), s.Expr, s.Cause.Key, via(s)) }

// function returns the name of a site's function, which some versions of the compiler write
// without the receiver's star.
func function(s *sites.Site) string { return escape.PlainName(s.Function) }

// via returns what the line calls that allocates on its behalf.
func via(s *sites.Site) string {
	if s.Callee == nil {
		return ""
	}
	return s.Callee.Via
}

// inFunction is a key of a source line in a function: the compilers of two Go versions may name
// an expression in it differently. It is "" where the line is not known.
func inFunction(s *sites.Site) string {
	if s.Text == "" {
		return ""
	}
	return key(s.Package, function(s), s.Cause.Key, s.Text)
}

// whateverCause is a key of what is written at a site; "" where that is not known.
func whateverCause(s *sites.Site) string {
	if s.Text == "" && s.Expr == "" {
		return ""
	}
	return key(s.Package, function(s), s.Expr, s.Text)
}

// samePlace is a key of what stands at the same line of the same file: two Go versions may name
// a function literal differently.
func samePlace(s *sites.Site) string {
	if s.Expr == "" {
		return ""
	}
	return key(s.Package, s.File, strconv.Itoa(s.Line), s.Expr, s.Cause.Key, via(s))
}

// named returns a key of what is written at a site; "" where that is not known.
func named(s *sites.Site, in string) string {
	if s.Text == "" {
		return ""
	}
	return key(in, s.Expr, s.Cause.Key, s.Text)
}

// key joins parts in which no zero byte stands.
func key(parts ...string) string {
	out := ""
	for _, p := range parts {
		out += p + "\x00"
	}
	return out
}

func byPlace(of []sites.Site) []*sites.Site {
	out := make([]*sites.Site, len(of))
	for i := range of {
		out[i] = &of[i]
	}
	slices.SortStableFunc(out, func(a, b *sites.Site) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col))
	})
	return out
}

// by pairs sites with the same key. Those whose key is "" stay. Where several have a key, they
// are aligned; without a certain identity only if there are as many on both sides.
func (m *matcher) by(probably string, key func(*sites.Site) string) {
	news := map[string][]*sites.Site{}
	for _, s := range m.new {
		if k := key(s); k != "" {
			news[k] = append(news[k], s)
		}
	}
	olds, order := map[string][]*sites.Site{}, []string{}
	for _, s := range m.old {
		if k := key(s); k != "" && len(news[k]) > 0 {
			if olds[k] == nil {
				order = append(order, k)
			}
			olds[k] = append(olds[k], s)
		}
	}
	var found []couple
	for _, k := range order {
		if probably == "" || len(olds[k]) == len(news[k]) {
			found = append(found, m.align(olds[k], news[k])...)
		}
	}
	m.take(found, probably)
}

// take moves what was found out of the lists.
func (m *matcher) take(found []couple, probably string) {
	if len(found) == 0 {
		return
	}
	taken := make(map[*sites.Site]bool, 2*len(found))
	for _, p := range found {
		taken[p.old], taken[p.new] = true, true
		p.probably = probably
		m.pairs = append(m.pairs, p)
	}
	left := func(s *sites.Site) bool { return taken[s] }
	m.old, m.new = slices.DeleteFunc(m.old, left), slices.DeleteFunc(m.new, left)
}

// farthest is how many lines an edited expression may be from where it is expected.
const farthest = 2

// near pairs sites of the same function, cause and callee that stand where the sites around them let
// expect it.
func (m *matcher) near(probably string) {
	moved := m.shifts()
	in := func(s *sites.Site) string { return key(s.Package, function(s), s.Cause.Key, via(s)) }
	news := map[string][]*sites.Site{}
	for _, s := range m.new {
		news[in(s)] = append(news[in(s)], s)
	}
	var found []couple
	for _, s := range m.old {
		all := news[in(s)]
		expected := s.Line + moved[key(s.Package, function(s))]
		m.compared += len(all)
		at := nearest(all, expected)
		if at < 0 {
			continue
		}
		found = append(found, couple{old: s, new: all[at]})
		news[in(s)] = slices.Delete(all, at, at+1)
	}
	m.take(found, probably)
}

// shifts returns by how many lines each function moved: the median of its pairs.
func (m *matcher) shifts() map[string]int {
	all := map[string][]int{}
	for _, p := range m.pairs {
		k := key(p.old.Package, function(p.old))
		all[k] = append(all[k], p.new.Line-p.old.Line)
	}
	out := make(map[string]int, len(all))
	for k, d := range all {
		slices.Sort(d)
		out[k] = d[len(d)/2]
	}
	return out
}

// nearest returns the index of the site nearest to a line, -1 if none is near.
func nearest(sites []*sites.Site, line int) int {
	best, least := -1, farthest+1
	for i, s := range sites {
		if d := max(s.Line-line, line-s.Line); d < least {
			best, least = i, d
		}
	}
	return best
}

// A couple is a site of either side that is the same; old or new is nil where there is none.
type couple struct {
	old, new *sites.Site
	probably string // why they are taken for the same although their identity differs
}

// mostAligned bounds the table of an alignment, in entries: of more sites that are alike, the
// first is paired with the first.
const mostAligned = 1 << 20

// align pairs sites that are alike, in the order in which they stand: as many pairs as there
// are sites on the smaller side, so that most pairs have the same source line. It is the
// alignment of two sequences by dynamic programming.
func (m *matcher) align(old, new []*sites.Site) []couple {
	if len(old) == len(new) || (len(old)+1)*(len(new)+1) > mostAligned {
		return inOrder(old, new)
	}
	m.compared += len(old) * len(new)
	best := scores(old, new)
	var out []couple
	i, j := 0, 0
	for i < len(old) && j < len(new) {
		switch here := best[i][j]; here {
		case best[i+1][j+1] + likeness(old[i], new[j]):
			out = append(out, couple{old: old[i], new: new[j]})
			i, j = i+1, j+1
		case best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return out
}

func inOrder(old, new []*sites.Site) []couple {
	var out []couple
	for i := range min(len(old), len(new)) {
		out = append(out, couple{old: old[i], new: new[i]})
	}
	return out
}

// scores returns the best sum of likenesses of what remains from each pair of indexes on.
func scores(old, new []*sites.Site) [][]int {
	best := make([][]int, len(old)+1)
	for i := range best {
		best[i] = make([]int, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1], best[i+1][j+1]+likeness(old[i], new[j]))
		}
	}
	return best
}

// likeness is larger the more two sites with the same identity have in common. Any pair is
// better than none.
func likeness(a, b *sites.Site) int {
	n := 100
	if a.Text == b.Text {
		n += 4
	}
	if len(a.Costs) > 0 == (len(b.Costs) > 0) {
		n += 2
	}
	if a.Line == b.Line {
		n++
	}
	return n
}
