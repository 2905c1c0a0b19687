package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// answer returns the answer of all that was measured: that of the study whose operation is the
// one of the axis, else of one with curves, else of the first that is decided.
func (x *computing) answer() []Sentence {
	for _, s := range x.subjects {
		v, id := answering(s)
		if s.run == 0 && isDecided(v) && !v.Busy {
			answer, _ := sentences(s)
			out := append([]Sentence{answer}, second(s, id)...)
			if agree := x.agreement(s, id, v); agree != "" {
				out = append(out, language.Plain(agree))
			}
			return x.withFailed(out)
		}
	}
	return x.withFailed(x.open())
}

// second returns the next answer that is decided of a study that measures the operation of the axis:
// the stack is not the only choice that one has beside the heap.
func second(s subject, first string) []Sentence {
	if axis := s.study.Front.Axis; len(axis) == 0 || axis[0].StandIn {
		return nil
	}
	for _, id := range s.study.Answer {
		if v := verdict(judged(s.Study, id)); id != first && isDecided(v) && !v.Busy {
			return []Sentence{Said(s.study, id, v)}
		}
	}
	return nil
}

// withFailed adds that cases failed.
func (x *computing) withFailed(out []Sentence) []Sentence {
	if says := x.failed(); says != nil {
		return append(out, says)
	}
	return out
}

// open returns what is said where no study's question has an answer: what the figures of the
// first one show, behind the words that the run decides nothing where that is so. A package
// without claims has nothing to decide.
func (x *computing) open() []Sentence {
	var out []Sentence
	claims, decided := 0, 0
	for _, s := range x.subjects {
		if s.run == 0 {
			t := tally(s.Study)
			claims, decided = claims+t.All(), decided+t.Hold+t.Fail
		}
	}
	if decided == 0 && claims > 0 || len(x.subjects) == 0 {
		out = append(out, language.Plain("This run decides nothing yet."))
	}
	for _, s := range x.subjects {
		if answer, _ := sentences(s); answer != nil && s.run == 0 {
			return append(out, answer)
		}
	}
	if (len(out) == 0 || len(x.subjects) == 1) && len(x.own()) == 0 {
		return append(out, unanswered(x.subjects[0]))
	}
	return out
}

// releases says how the cases of further configurations differ from the first; "" of one.
func (x *computing) releases() string {
	a := x.answers[0]
	if len(a.Sides) < 2 {
		return ""
	}
	counts, all := map[claim.Difference]int{}, 0
	for _, s := range a.Studies {
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
	say := fmt.Sprintf("Against %s, of %s %d changed, %d are equivalent and %d undecided.", a.Sides[0].Name,
		units.Plural(all, "case"), counts[claim.Changed], counts[claim.Equivalent], counts[claim.Open])
	if r, err := compare.OfRun(a); err == nil {
		for side := 1; side < len(r.Sides); side++ {
			if memory := r.MetricSays(side, series.UnitRSS); memory != "" {
				say += " " + figures.Upper(memory)
			}
		}
	}
	return say
}

// leftOut lists the shipped studies that a run of several does not have.
func (x *computing) leftOut() []LeftOut {
	const few = 3 // who asks for a study or two knows that there are others
	ships := 0
	for _, s := range x.subjects {
		if s.ships {
			ships++
		}
	}
	if ships < few {
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
	undecided, left := 0, 0
	for _, s := range x.subjects {
		if s.run == 0 {
			undecided, left = undecided+tally(s.Study).Undecided, left+leftToFull(s)
		}
	}
	if does := moreBy(undecided, left, f.Tally.NotTested); does != "" && here.Options.Profile == "quick" &&
		slices.ContainsFunc(x.subjects, shipped) {
		out = append(out, Next{Command: x.fullCommand(), Does: does})
	}
	switch {
	case undecided == 0 && (f.Tally.Hold+f.Tally.Fail > 0 || f.Tally.All() == 0):
	case here.Question != nil && (here.Question.Joined != "" || here.Question.Attempt != nil):
		out = append(out, Next{Command: "memcost run --plan plan.json --shard i/n --to PLACE",
			Does: "adds an attempt at a shard of the plan"})
	default:
		out = append(out, Next{Command: begunBy(here) + " --resume " + here.Dir, Does: "goes on with this run"})
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

// moreBy says what the full profile does for claims that are undecided here, or left to it.
func moreBy(undecided, left, untested int) string {
	var does []string
	if undecided > 0 {
		does = append(does, fmt.Sprintf("may decide the %d undecided", undecided))
	}
	switch {
	case left > 0 && left < untested:
		does = append(does, fmt.Sprintf("tests %d of the %d not tested", left, untested))
	case left > 0:
		does = append(does, fmt.Sprintf("tests the %d not tested", left))
	}
	return strings.Join(does, ", ")
}

// begunBy returns the command that began a run, and goes on with it.
func begunBy(a *result.Answer) string {
	if a.Question != nil && a.Question.Comparison != nil {
		return "memcost compare"
	}
	return "memcost run"
}

func shipped(s subject) bool { return s.ships }
