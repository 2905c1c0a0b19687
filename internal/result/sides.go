package result

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"memcost/internal/claim"
)

// A SharedSuite is the same suite in several answers, or a suite that one answer has.
type SharedSuite struct {
	Name  string
	Sides []*Side
}

// A Side is one answer's side of a comparison: its cases, on one arm.
type Side struct {
	Answer int // its index
	Suite  *Suite
	cases  []*Case

	byName  map[string]*Case
	byShort map[string][]*Case // without the GOMAXPROCS suffix
}

func newSide(answer int, s *Suite) *Side {
	x := &Side{Answer: answer, Suite: s, byName: map[string]*Case{}, byShort: map[string][]*Case{}}
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

// find returns the same case of another side: the one of that name; else the
// only one that differs in the number of CPUs alone.
func (x *Side) find(c *Case, from *Side) *Case {
	if same := x.byName[c.Name]; same != nil {
		return same
	}
	short := trimProcs(c.Name)
	if mine, theirs := x.byShort[short], from.byShort[short]; len(mine) == 1 && len(theirs) == 1 {
		return mine[0]
	}
	return nil
}

func (x *Side) overlaps(y *Side) bool {
	return slices.ContainsFunc(x.cases, func(c *Case) bool { return y.find(c, x) != nil })
}

// SharedSuites puts the suites of the answers together: those of one name, and
// those of files that name none, when they have cases in common. An answer has a
// suite once, so that two of its suites are never the same.
func SharedSuites(answers []*Answer) []SharedSuite {
	var shared []SharedSuite
	for i, a := range answers {
		for j := range a.Suites {
			x := newSide(i, &a.Suites[j])
			free := func(s SharedSuite) bool { return s.Sides[len(s.Sides)-1].Answer != i }
			at := slices.IndexFunc(shared, func(s SharedSuite) bool { return free(s) && s.named(x) })
			if at < 0 {
				at = slices.IndexFunc(shared, func(s SharedSuite) bool {
					return free(s) && s.nameless(x) && s.Sides[0].overlaps(x)
				})
			}
			if at < 0 {
				shared = append(shared, SharedSuite{Sides: []*Side{x}})
				continue
			}
			shared[at].Sides = append(shared[at].Sides, x)
		}
	}
	for i := range shared {
		shared[i].Name = shared[i].name()
	}
	return shared
}

// named reports whether some side has the name of x.
func (s SharedSuite) named(x *Side) bool {
	return slices.ContainsFunc(s.Sides, func(y *Side) bool {
		return !x.Suite.unnamed && !y.Suite.unnamed && x.Suite.Name == y.Suite.Name
	})
}

// nameless reports whether x, or every side, has no name of its own.
func (s SharedSuite) nameless(x *Side) bool {
	return x.Suite.unnamed || !slices.ContainsFunc(s.Sides, func(y *Side) bool { return !y.Suite.unnamed })
}

// name returns what the suite is called.
func (s SharedSuite) name() string {
	for _, x := range s.Sides {
		if !x.Suite.unnamed {
			return x.Suite.Name
		}
	}
	return s.Sides[0].Suite.Name
}

// Labels name the answers among each other: by the last element of their path,
// with the folder where that is the same.
func Labels(answers []*Answer) []string {
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

// figure returns a case's time, as it stands in a comparison.
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
