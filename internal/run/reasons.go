package run

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/claim"
	"memcost/internal/escape"
	"memcost/internal/plan"
)

// explain joins the cases with what the compiler said, when it built the very binary that
// is timed, about the functions that a study names for them.
func (b *builds) explain(suites []claim.Suite) {
	q := b.Question
	for i := range q.Builds {
		built := &q.Builds[i]
		x := suites[built.Suite]
		if len(x.Study.Explains) == 0 || q.Plan.Suites[built.Suite].Kind() != plan.GoTest {
			continue
		}
		arm := q.Plan.Arms[built.Arm]
		reasons, without, err := b.reasons(x.Study, *built)
		if err != nil {
			b.warn("%s on %s: the compiler's reasons are not shown: %v", x.Name, arm.Name, err)
			continue
		}
		if len(without) > 0 {
			b.warn("%s on %s: the compiler's reasons are not shown for %s: what their study names for them is not "+
				"in this build",
				x.Name, arm.Name, strings.Join(without, ", "))
		}
		built.Reasons = reasons
	}
}

// reasons returns those of each case of a build; without are the cases whose functions this
// toolchain did not compile.
func (b *builds) reasons(st *catalog.Study, built plan.Build) (out map[string][]plan.Reason, without []string,
	err error) {
	bin := b.binaries[armSuite{built.Arm, built.Suite}]
	if len(bin.Diagnostics) == 0 {
		return nil, nil, errors.New("there is no output of the compiler")
	}
	log, err := escape.ReadLog(bytes.NewReader(bin.Diagnostics))
	if err != nil {
		return nil, nil, err
	}
	src, err := escape.SourceOf(bin.source, ".")
	if err != nil {
		return nil, nil, err
	}
	src.Go = b.Question.Plan.Arms[built.Arm].Toolchain
	out = map[string][]plan.Reason{}
	for _, c := range b.Question.Plan.Cases {
		if c.Suite != built.Suite {
			continue
		}
		var names []string
		for _, e := range st.Explains {
			for _, prefix := range e.Functions(&benchfmt.Result{Name: benchfmt.Name(c.Name)}) {
				names = append(names, src.Funcs.WithPrefix(prefix)...)
			}
		}
		if len(names) == 0 {
			continue
		}
		sites, err := escape.Sites(log, src, "", distinct(names)...)
		if errors.Is(err, escape.ErrNotCompiled) {
			without = append(without, c.Name)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		out[c.Name] = reasonsOf(sites)
	}
	return out, without, nil
}

// reasonsOf returns the reasons of the sites that cost something: heap allocations, and
// conditional ones.
func reasonsOf(sites []escape.Site) []plan.Reason {
	out := []plan.Reason{} // not nil: the compiler was asked, even if there are none
	for _, x := range sites {
		if x.Static || !x.Kind.Heap() && !x.Conditional() {
			continue
		}
		r := plan.Reason{Where: fmt.Sprintf("%s:%d", x.File, x.Line), Says: x.Message, Heap: x.Certain()}
		if x.Cause != escape.Uncategorised {
			r.Cause, r.Fix = x.Cause.Words(), x.Cause.Fix()
		}
		for _, step := range x.Steps {
			r.Flow = append(r.Flow, strings.TrimSpace(step.String()))
		}
		if !slices.ContainsFunc(out, func(o plan.Reason) bool { return o.Where == r.Where && o.Says == r.Says }) {
			out = append(out, r)
		}
	}
	return out
}
