package result

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"memcost/internal/claim"
)

// A Versus is what several answers say of the same cases, the first of them
// against each further one.
//
// They were not measured side by side: the ratios are those of independent
// samples, and hold for the machines as they were.
type Versus struct {
	Suite string
	Table Table // a column of times for each answer, then one of ratios for each further one
	// Picture has one set for each further answer's first arm.
	Picture Picture
	Runs    []int // the answer of each of the picture's sets
	Parts   []Part
}

// A Part is a suite of one of the answers.
type Part struct {
	Answer int
	Suite  string // as that answer calls it
}

// Compare compares the suites that at least two answers have, each by its first
// arm there. Suites are the same when they have one name; those of files that
// name none, when they have cases in common.
func Compare(answers []*Answer) []Versus {
	var out []Versus
	names := labels(answers)
	for _, g := range sameSuites(answers) {
		g = slices.DeleteFunc(g, func(x *party) bool { return len(x.cases) == 0 })
		if len(g) < 2 {
			continue
		}
		if v, ok := g.versus(names); ok {
			out = append(out, v)
		}
	}
	return out
}

// A party is one answer's part in a comparison: its cases, on one arm.
type party struct {
	answer int
	suite  *Suite
	cases  []*Case

	byName  map[string]*Case
	byShort map[string][]*Case // without the GOMAXPROCS suffix
}

func newParty(answer int, s *Suite) *party {
	x := &party{answer: answer, suite: s, byName: map[string]*Case{}, byShort: map[string][]*Case{}}
	for i := range s.Cases {
		c := &s.Cases[i]
		if c.Arm != s.Cases[0].Arm || x.byName[c.Name] != nil {
			continue
		}
		x.cases = append(x.cases, c)
		x.byName[c.Name] = c
		short := trimProcs(c.Name)
		x.byShort[short] = append(x.byShort[short], c)
	}
	return x
}

// find returns the same case of another party: the one of that name; else the
// only one that differs in the number of CPUs alone.
func (x *party) find(c *Case, from *party) *Case {
	if same := x.byName[c.Name]; same != nil {
		return same
	}
	short := trimProcs(c.Name)
	if mine, theirs := x.byShort[short], from.byShort[short]; len(mine) == 1 && len(theirs) == 1 {
		return mine[0]
	}
	return nil
}

// A group is the same suite in several answers.
type group []*party

// sameSuites puts the suites of the answers together. An answer has a suite once,
// so that two of its suites are never the same.
func sameSuites(answers []*Answer) []group {
	var groups []group
	for i, a := range answers {
		for j := range a.Suites {
			x := newParty(i, &a.Suites[j])
			free := func(g group) bool { return g[len(g)-1].answer != i }
			at := slices.IndexFunc(groups, func(g group) bool {
				return free(g) && slices.ContainsFunc(g, func(y *party) bool {
					return !x.suite.unnamed && !y.suite.unnamed && x.suite.Name == y.suite.Name
				})
			})
			if at < 0 {
				at = slices.IndexFunc(groups, func(g group) bool {
					return free(g) && (x.suite.unnamed || !slices.ContainsFunc(g, func(y *party) bool { return !y.suite.unnamed })) && g[0].overlaps(x)
				})
			}
			if at < 0 {
				groups = append(groups, group{x})
				continue
			}
			groups[at] = append(groups[at], x)
		}
	}
	return groups
}

func (x *party) overlaps(y *party) bool {
	return slices.ContainsFunc(x.cases, func(c *Case) bool { return y.find(c, x) != nil })
}

// name is what the group's suite is called.
func (g group) name() string {
	for _, x := range g {
		if !x.suite.unnamed {
			return x.suite.Name
		}
	}
	return g[0].suite.Name
}

// labels name the answers among each other: by the last element of their path,
// with the folder where that is the same.
func labels(answers []*Answer) []string {
	out := make([]string, len(answers))
	for i, a := range answers {
		out[i] = filepath.Base(a.Dir)
		for _, b := range answers {
			if a != b && filepath.Base(b.Dir) == filepath.Base(a.Dir) {
				out[i] = fmt.Sprintf("%s in %s", filepath.Base(a.Dir), cmp.Or(filepath.Dir(a.Dir), "."))
			}
		}
	}
	for i := range out {
		if n := slices.Index(out, out[i]); n < i {
			out[i] += fmt.Sprintf(" (%d)", i+1)
		}
	}
	return out
}

// figure is a case's time, as it stands in a comparison.
func (c *Case) figure() Figure {
	switch {
	case c == nil:
		return noFigure
	case len(c.Invalid) > 0:
		f := noFigure
		f.Note = claim.InvalidNote
		return f
	}
	return c.Time
}
