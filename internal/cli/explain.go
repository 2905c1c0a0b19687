package cli

import (
	"bytes"
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
		reasons, err := s.reasons(x.Study, b.Suite, s.binaries[key].Diagnostics, s.sources[key])
		if err != nil {
			s.warn("%s on %s: the compiler's reasons are not shown: %v", x.Name, q.Plan.Arms[b.Arm].Name, err)
			continue
		}
		b.Reasons = reasons
	}
}

func (s *session) reasons(st *catalog.Study, suite int, diagnostics []byte, source fs.FS) (map[string][]plan.Reason, error) {
	if len(diagnostics) == 0 {
		return nil, fmt.Errorf("there is no output of the compiler")
	}
	log, err := escape.ReadLog(bytes.NewReader(diagnostics))
	if err != nil {
		return nil, err
	}
	src, err := escape.SourceOf(source, ".")
	if err != nil {
		return nil, err
	}
	out := map[string][]plan.Reason{}
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
		if err != nil {
			return nil, err
		}
		out[c.Name] = reasonsOf(sites)
	}
	return out, nil
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
