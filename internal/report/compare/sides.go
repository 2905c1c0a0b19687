package compare

import (
	"slices"
	"strings"

	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// A Study is the same study in several answers, or a study that one answer has.
type Study struct {
	Name  string
	Sides []*StudySide
}

// A StudySide is one answer's side of a comparison: its cases, on one side.
type StudySide struct {
	Answer int // its index
	Study  *result.Study
	cases  []*result.Case

	byName  map[string]*result.Case
	byShort map[string][]*result.Case // without the GOMAXPROCS suffix
}

func newSide(answer int, s *result.Study) *StudySide {
	x := &StudySide{Answer: answer, Study: s, byName: map[string]*result.Case{}, byShort: map[string][]*result.Case{}}
	for i := range s.Cases {
		c := &s.Cases[i]
		if c.Side != s.Cases[0].Side || x.byName[c.Name] != nil {
			continue
		}
		x.cases = append(x.cases, c)
		x.byName[c.Name] = c
		short := figures.TrimProcs(c.Name)
		x.byShort[short] = append(x.byShort[short], c)
	}
	return x
}

// find returns the same case of another side: the one of that name; else the
// only one that differs in the number of CPUs alone.
func (x *StudySide) find(c *result.Case, from *StudySide) *result.Case {
	if same := x.byName[c.Name]; same != nil {
		return same
	}
	short := figures.TrimProcs(c.Name)
	if mine, theirs := x.byShort[short], from.byShort[short]; len(mine) == 1 && len(theirs) == 1 {
		return mine[0]
	}
	return nil
}

func (x *StudySide) overlaps(y *StudySide) bool {
	return slices.ContainsFunc(x.cases, func(c *result.Case) bool { return y.find(c, x) != nil })
}

// Studies puts the studies of the answers together: those of one name, and
// those of files that name none, when they have cases in common. An answer has a
// study once, so that two of its studies are never the same.
func Studies(answers []*result.Answer) []Study {
	var shared []Study
	for i, a := range answers {
		for j := range a.Studies {
			x := newSide(i, &a.Studies[j])
			free := func(s Study) bool { return s.Sides[len(s.Sides)-1].Answer != i }
			at := slices.IndexFunc(shared, func(s Study) bool { return free(s) && s.named(x) })
			if at < 0 {
				at = slices.IndexFunc(shared, func(s Study) bool {
					return free(s) && s.nameless(x) && s.Sides[0].overlaps(x)
				})
			}
			if at < 0 {
				shared = append(shared, Study{Sides: []*StudySide{x}})
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
func (s Study) named(x *StudySide) bool {
	return slices.ContainsFunc(s.Sides, func(y *StudySide) bool {
		return !x.Study.Unnamed && !y.Study.Unnamed && x.Study.Name == y.Study.Name
	})
}

// nameless reports whether x, or every side, has no name of its own.
func (s Study) nameless(x *StudySide) bool {
	return x.Study.Unnamed || !slices.ContainsFunc(s.Sides, func(y *StudySide) bool { return !y.Study.Unnamed })
}

// name returns what the study is called.
func (s Study) name() string {
	for _, x := range s.Sides {
		if !x.Study.Unnamed {
			return x.Study.Name
		}
	}
	return s.Sides[0].Study.Name
}

// Says returns what is known of the source of a side: "1be2ab7 2026-11-20, modified: Use a
// pool".
func (s Side) Says() string {
	if s.Source == nil || s.Kind != OfSource {
		return ""
	}
	say := s.Source.Short()
	if !s.Source.Date.IsZero() {
		say += " " + s.Source.Date.Format("2006-01-02")
	}
	if s.Source.Modified {
		say = strings.TrimSpace(say + ", modified")
	}
	if s.Source.Subject != "" {
		say += ": " + s.Source.Subject
	}
	return strings.TrimSpace(strings.TrimPrefix(say, ", "))
}
