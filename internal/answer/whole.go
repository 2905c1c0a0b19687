package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/compare"
	"memcost/internal/result"
	"memcost/internal/saying"
	"memcost/internal/units"
)

// answer returns the answer of all that was measured: that of the study whose operation is the
// one of the axis, else of one with curves, else of the first that is decided.
func (x *computing) answer() []Sentence {
	for _, s := range x.subjects {
		v, id := answering(s)
		if s.run == 0 && isDecided(v) && !v.Busy {
			answer, _ := sentences(s)
			out := []Sentence{answer}
			if agree := x.agreement(s, id, v); agree != "" {
				out = append(out, saying.Plain(agree))
			}
			return out
		}
	}
	if len(x.subjects) == 1 {
		if answer, _ := sentences(x.subjects[0]); answer != nil {
			return []Sentence{answer}
		}
	}
	return []Sentence{saying.Plain("This run decides nothing yet.")}
}

// agreement says whether other runs give the same verdict on a claim; "" of one run.
func (x *computing) agreement(s subject, id string, here *result.Verdict) string {
	var others []string
	n := 1
	for run := 1; run < len(x.answers); run++ {
		for i := range x.answers[run].Suites {
			o := &x.answers[run].Suites[i]
			v := verdict(judged(o, id))
			if o.Name != s.Name || v == nil {
				continue
			}
			if n++; v.Status != here.Status {
				others = append(others, fmt.Sprintf("%s: %s", x.names[run], v.Word()))
			}
		}
	}
	switch {
	case n == 1:
		return ""
	case len(others) == 0:
		return fmt.Sprintf("Claim %s %s in all %d runs.", id, here.Status, n)
	}
	return fmt.Sprintf("Claim %s %s in %d of %d runs, not in %s.", id, here.Status, n-len(others), n,
		strings.Join(others, "; "))
}

// releases says how the cases of further configurations differ from the first; "" of one.
func (x *computing) releases() string {
	a := x.answers[0]
	if len(a.Arms) < 2 {
		return ""
	}
	counts, all := map[string]int{}, 0
	for _, s := range a.Suites {
		for _, c := range s.Cases {
			if c.VsFirst != nil {
				counts[c.VsFirst.Difference]++
				all++
			}
		}
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("Against %s, of %s %d changed, %d are equivalent and %d undecided.", a.Arms[0].Name,
		units.Plural(all, "case"), counts[compare.Changed], counts[compare.Equivalent], counts[compare.Undecided])
}

// leftOut lists the shipped studies that a run of shipped studies does not have.
func (x *computing) leftOut() []LeftOut {
	if !slices.ContainsFunc(x.subjects, func(s subject) bool { return s.ships }) {
		return nil
	}
	var out []LeftOut
	for _, st := range x.options.Shipped {
		has := func(s subject) bool { return s.Name == st.Name }
		if !slices.ContainsFunc(x.subjects, has) {
			out = append(out, LeftOut{Study: st.Name, Command: cmp.Or(st.Command, "memcost run "+st.Name)})
		}
	}
	return out
}

// next lists the commands that say more.
func (x *computing) next(f *Front) []Next {
	here := x.answers[0]
	var out []Next
	if here.Kind != result.Run {
		return nil
	}
	undecided, untested := f.Tally.Undecided, f.Tally.NotTested
	if undecided+untested == 0 {
		return nil
	}
	if here.Options.Profile == "quick" && slices.ContainsFunc(x.subjects, shipped) {
		var does []string
		if undecided > 0 {
			does = append(does, fmt.Sprintf("decides more of the %d undecided", undecided))
		}
		if untested > 0 {
			does = append(does, fmt.Sprintf("tests more of the %d not tested", untested))
		}
		out = append(out, Next{Command: x.fullCommand(), Does: strings.Join(does, ", ")})
	}
	if undecided > 0 {
		out = append(out, Next{Command: "memcost run --resume " + here.Dir, Does: "goes on with this run"})
	}
	return out
}

// fullCommand returns the command that measures the studies of the run in full.
func (x *computing) fullCommand() string {
	var names []string
	for _, s := range x.subjects {
		if s.ships && s.run == 0 {
			names = append(names, s.Name)
		}
	}
	const few = 3
	if len(names) > few {
		return "memcost run --full"
	}
	return "memcost run " + strings.Join(names, " ") + " --full"
}

func shipped(s subject) bool { return s.ships }
