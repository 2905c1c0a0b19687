package answer

import (
	"slices"
	"strings"

	"memcost/internal/result"
	"memcost/internal/units"
)

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
