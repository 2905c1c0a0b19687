package answer

import (
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/result"
	"memcost/internal/units"
)

// Options say what a Front is computed with.
type Options struct {
	// Shipped are the studies of this program. They say which of them a run left out, and have
	// the sentences of runs of an older version, whose claims are the same.
	Shipped []*catalog.Study
}

// Of computes the front of answers, of which the first is here. There must be at least one.
func Of(answers []*result.Answer, o Options) *Front {
	x := &computing{answers: answers, names: result.Labels(answers), options: o}
	x.find()
	here := answers[0]
	f := &Front{Question: "What does memory cost here?", Machine: machineLine(here), Run: here.Dir,
		Studies: []Study{}, Advice: []Advice{}, Failing: []Failing{}, LeftOut: []LeftOut{}, Next: []Next{}}
	if !here.Created.IsZero() {
		f.Created = here.Created.Format("2006-01-02")
	}
	for _, a := range here.Arms {
		if a.Toolchain != "" && !slices.Contains(f.Tools, a.Toolchain) {
			f.Tools = append(f.Tools, a.Toolchain)
		}
	}
	if here.Busy != "" {
		f.Disturbed = "On a busy machine:"
	}
	for _, s := range x.subjects {
		f.Studies = append(f.Studies, x.card(s))
		f.Tally.Add(f.Studies[len(f.Studies)-1].Tally)
	}
	if len(f.Studies) == 1 && f.Studies[0].Ask != "" {
		f.Question = f.Studies[0].Ask
	}
	f.Answer = x.answer()
	f.Axis = x.axis()
	f.Advice = append(f.Advice, x.advice()...)
	f.Failing = append(f.Failing, x.failing()...)
	f.Trust = trust(here, x.subjects)
	f.LeftOut = append(f.LeftOut, x.leftOut()...)
	f.Releases = x.releases()
	f.Next = append(f.Next, x.next(f)...)
	return f
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
	run, suite int
	*result.Suite
	study *catalog.Study // what it claims and shows; an empty one where that is not known
	arm   string         // its first configuration
	ships bool
}

// find lists the studies: those of here first, then what only others have.
func (x *computing) find() {
	for run, a := range x.answers {
		for i := range a.Suites {
			s := &a.Suites[i]
			if slices.ContainsFunc(x.subjects, func(o subject) bool { return o.Name == s.Name }) {
				continue
			}
			sub := subject{run: run, suite: i, Suite: s, study: s.Study}
			if sub.study == nil {
				sub.study = &catalog.Study{Name: s.Name}
			}
			x.ofProgram(&sub)
			sub.arm = firstArm(s)
			x.subjects = append(x.subjects, sub)
		}
	}
}

// ofProgram gives a study of an older run the sentences that this program has for it. The
// claims are the run's own: a sentence is used only where its claim is the same.
func (x *computing) ofProgram(s *subject) {
	i := slices.IndexFunc(x.options.Shipped, func(st *catalog.Study) bool { return st.Name == s.Name })
	if i < 0 {
		return
	}
	now := x.options.Shipped[i]
	s.ships = true
	if !isEmpty(s.study) {
		return
	}
	st := *s.study
	st.Front, st.Means, st.Answer = now.Front, now.Means, now.Answer
	st.Question = now.Question
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

// firstArm returns the configuration that is spoken of.
func firstArm(s *result.Suite) string {
	for _, c := range s.Claims {
		for _, v := range c.Verdicts {
			if !v.Published {
				return v.Data
			}
		}
	}
	if len(s.Cases) > 0 {
		return s.Cases[0].Arm
	}
	return ""
}

// machineLine returns what the machine is, in a line.
func machineLine(a *result.Answer) string {
	if a.Kind == result.File {
		return a.MachineName()
	}
	m := a.Machine
	parts := []string{m.CPUModel, units.Plural(m.CPUs, "CPU"), units.Bytes(float64(m.MemoryBytes)), m.OS}
	if v := m.Virtualization; v != "" && v != "none" {
		parts = append(parts, "virtual ("+v+")")
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" || s == "0 B" || s == "0 CPUs" })
	return strings.Join(parts, ", ")
}
