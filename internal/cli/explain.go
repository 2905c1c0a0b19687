package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/escape"
	"memcost/internal/plan"
)

// explain joins the cases with what the compiler said, when it built the very binary
// that is timed, about the functions that a study names for them.
func (s *session) explain() {
	q := s.question
	for i := range q.Builds {
		b := &q.Builds[i]
		x := s.suites[b.Suite]
		if len(x.Study.Explains) == 0 || x.Study.CPP {
			continue
		}
		key := [2]int{b.Arm, b.Suite}
		arm := q.Plan.Arms[b.Arm]
		reasons, without, err := s.reasons(x.Study, b.Suite, arm.Toolchain, s.binaries[key].Diagnostics, s.sources[key])
		if err != nil {
			s.warn("%s on %s: the compiler's reasons are not shown: %v", x.Name, arm.Name, err)
			continue
		}
		if len(without) > 0 {
			s.warn("%s on %s: the compiler's reasons are not shown for %s: what their study names for them is not in this build", x.Name, arm.Name, strings.Join(without, ", "))
		}
		b.Reasons = reasons
	}
}

// reasons are those of each case of a suite; without are the cases whose functions this
// toolchain did not compile.
func (s *session) reasons(st *catalog.Study, suite int, toolchain string, diagnostics []byte, source fs.FS) (out map[string][]plan.Reason, without []string, err error) {
	if len(diagnostics) == 0 {
		return nil, nil, fmt.Errorf("there is no output of the compiler")
	}
	log, err := escape.ReadLog(bytes.NewReader(diagnostics))
	if err != nil {
		return nil, nil, err
	}
	src, err := escape.SourceOf(source, ".")
	if err != nil {
		return nil, nil, err
	}
	src.Go = toolchain
	out = map[string][]plan.Reason{}
	for _, c := range s.question.Plan.Cases {
		if c.Suite != suite {
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
		sites, err := escape.Sites(log, src, "", compact(names)...)
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

// reasonsOf words the sites that cost something: what is on the heap, and what may be.
func reasonsOf(sites []escape.Site) []plan.Reason {
	out := []plan.Reason{} // the compiler was asked, and there may be nothing to say
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
