package answer

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/across"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// Of computes the front of answers, of which the first is here. There must be at least one.
func Of(answers []*result.Answer, o Options) *Front {
	x := &computing{answers: answers, names: result.Labels(answers), options: o}
	x.find()
	here := answers[0]
	f := &Front{Question: "What does memory cost here?", Machine: machineLine(here), Run: here.Dir, Tools: []string{},
		Studies: []Study{}, Advice: []Advice{}, Failing: []Failing{}, LeftOut: []LeftOut{}, Next: []Next{}}
	if !here.Created.IsZero() {
		f.Created = here.Created.Format("2006-01-02")
	}
	f.Tools = tools(here)
	of := ""
	if len(answers) > 1 {
		in, _ := x.kind(all(len(answers)))
		of = figures.Upper(in) + " " + x.names[0]
		f.Whose = of + ":"
	}
	switch {
	case here.Busy != "" && of != "":
		f.Disturbed = of + ", where other programs ran:"
	case here.Busy != "":
		f.Disturbed = "On a busy machine:"
	}
	f.Incomplete = x.incomplete()
	f.Own = len(x.subjects) > 0 && !slices.ContainsFunc(x.subjects, shipped)
	for _, s := range x.subjects {
		f.Studies = append(f.Studies, x.card(s))
		f.Tally.Add(f.Studies[len(f.Studies)-1].Tally)
	}
	switch {
	case len(f.Studies) == 1 && f.Studies[0].Ask != "":
		f.Question = f.Studies[0].Ask
	case f.Own:
		f.Question = x.ofOwn()
	}
	f.Answer = append(x.own(), x.answer()...)
	f.Axis = x.axis()
	f.Extremes = x.extremes()
	f.Advice = append(f.Advice, x.advice()...)
	x.apart(f)
	f.Failing = append(f.Failing, x.failing()...)
	f.Trust = trust(here, x.subjects, f.Tally)
	f.LeftOut = append(f.LeftOut, x.leftOut()...)
	f.Releases = x.releases()
	f.Machines = across.Of(answers, x.names)
	f.Next = append(f.Next, x.next(f)...)
	return f
}

// incomplete says which of the answers lack cases, because shards of their plan are missing.
func (x *computing) incomplete() string {
	var lack []string
	for i, a := range x.answers {
		if a.Missing == 0 {
			continue
		}
		says := fmt.Sprintf("%d of %d cases", a.Missing, a.Planned)
		if len(x.answers) > 1 {
			says += " of " + x.names[i]
		}
		lack = append(lack, says)
	}
	if len(lack) == 0 {
		return ""
	}
	return "Not complete: " + several(lack) + " are in shards that are not here."
}

// all returns the indexes of so many.
func all(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// tools returns the toolchains and compilers of a run.
func tools(a *result.Answer) (out []string) {
	add := func(name string) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, x := range a.Sides {
		add(x.Toolchain)
	}
	if a.Question != nil {
		for _, s := range a.Question.Plan.Studies {
			if s.Beside != nil {
				add(s.Beside.Compiler)
			}
		}
	}
	return out
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
