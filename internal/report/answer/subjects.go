package answer

import (
	"cmp"
	"slices"

	"memcost/internal/measure/plan"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// Options say what a Front is computed with.
type Options struct {
	// Shipped are the studies of this program. They say which of them a run left out, and have
	// the sentences of runs of an older version, whose claims are the same.
	Shipped []*language.Study
}

// computing is one call of Of.
type computing struct {
	answers  []*result.Answer
	names    []string
	options  Options
	subjects []subject
}

// A subject is a study or package of a run, by the first answer that has it.
type subject struct {
	run, index int
	*result.Study
	study *language.Study // what it claims and shows; an empty one where that is not known
	side  string          // its first configuration
	ships bool
	cpp   bool // its cases are of C++
}

// find lists the studies: those of the axis first, of the others those of here before what only
// other runs have.
func (x *computing) find() {
	for run, a := range x.answers {
		for i := range a.Studies {
			s := &a.Studies[i]
			if slices.ContainsFunc(x.subjects, func(o subject) bool { return o.Name == s.Name }) {
				continue
			}
			sub := subject{run: run, index: i, Study: s, study: s.Study, cpp: inCPP(a, s.Name)}
			if sub.study == nil {
				sub.study = &language.Study{Name: s.Name}
			}
			x.ofProgram(&sub)
			sub.side = firstSide(s)
			x.subjects = append(x.subjects, sub)
		}
	}
	slices.SortStableFunc(x.subjects, before)
}

// inCPP reports whether a run's study or package is a program of C++.
func inCPP(a *result.Answer, name string) bool {
	return a.Question != nil && slices.ContainsFunc(a.Question.Plan.Studies, func(s plan.Study) bool {
		return s.Name == name && s.Kind() == plan.GoogleBenchmark
	})
}

// ofProgram gives a study of an older run the sentences that this program has for it. The
// claims are the run's own: a sentence is used only where its claim is the same.
func (x *computing) ofProgram(s *subject) {
	i := slices.IndexFunc(x.options.Shipped, func(st *language.Study) bool { return st.Name == s.Name })
	if i < 0 {
		return
	}
	now := x.options.Shipped[i]
	s.ships = true
	if !isEmpty(s.study) {
		return
	}
	st := *now
	st.Claims = s.study.Claims
	for _, c := range now.Claims {
		was := claimOf(&st, c.ID)
		if was == nil || was.Source != c.Source {
			st.Front.Say = without(st.Front.Say, c.ID)
			st.Front.Advise = slices.DeleteFunc(slices.Clone(st.Front.Advise), func(a adviceText) bool {
				id, _ := a.Verdict()
				return id == c.ID
			})
		}
	}
	s.study = &st
}

// before orders studies: first those that measure the operation of the axis itself, then those with
// curves that stand in for it, then those with the largest effect; what is undecided stands last.
func before(a, b subject) int {
	rank := func(s subject) int {
		axis := s.study.Front.Axis
		if len(axis) > 0 && !axis[0].StandIn {
			return -1000
		}
		return -len(axis)
	}
	weight := func(s subject) float64 {
		if v, _ := answering(s); s.ships && isDecided(v) {
			return effect(v)
		}
		return -1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(weight(b), weight(a)))
}

// firstArm returns the configuration that is spoken of.
func firstSide(s *result.Study) string {
	for _, c := range s.Claims {
		for _, v := range c.Verdicts {
			if !v.Published {
				return v.Data
			}
		}
	}
	if len(s.Cases) > 0 {
		return s.Cases[0].Side
	}
	return ""
}
