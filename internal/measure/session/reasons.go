// This part of the package looks up what the compiler said of functions when it built the very binary
// that is timed: what it put on the heap in them, and why.

package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/gotool/escape"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// Of returns the reasons for each case of a study; without are the cases whose functions this
// toolchain did not compile, and unknown the names that are of no function in the package.
func Of(st *language.Study, cases []plan.Case, toolchain string, diagnostics []byte, source fs.FS) (
	out map[string][]plan.Reason, without, unknown []string, err error) {
	if len(diagnostics) == 0 {
		return nil, nil, nil, errors.New("there is no output of the compiler")
	}
	log, err := escape.ReadLog(bytes.NewReader(diagnostics))
	if err != nil {
		return nil, nil, nil, err
	}
	src, err := escape.SourceOf(source, ".")
	if err != nil {
		return nil, nil, nil, err
	}
	src.Go = toolchain
	out = map[string][]plan.Reason{}
	for _, c := range cases {
		var names []string
		for _, e := range st.Explains {
			for _, prefix := range e.Functions(&benchfmt.Result{Name: benchfmt.Name(c.Name)}) {
				found := src.Funcs.WithPrefix(prefix)
				if len(found) == 0 {
					unknown = append(unknown, prefix)
				}
				names = append(names, found...)
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
			return nil, nil, nil, err
		}
		out[c.Name] = reasonsOf(sites)
	}
	return out, without, distinct(unknown), nil
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

// HeapUse looks up, for each function that an expectation names, what the compiler put on
// the heap in it.
func HeapUse(st *language.Study, diagnostics []byte, source fs.FS) (map[string][]string, error) {
	var names []string
	for _, e := range st.Expects {
		names = append(names, e.Funcs...)
	}
	if len(names) == 0 {
		return nil, nil
	}
	log, err := escape.ReadLog(bytes.NewReader(diagnostics))
	if err != nil {
		return nil, err
	}
	src, err := escape.SourceOf(source, ".")
	if err != nil {
		return nil, err
	}
	heap := map[string][]string{}
	for _, fn := range distinct(names) {
		heap[fn] = []string{}
		lines, err := escape.HeapLines(log.Diagnostics, src.Funcs, fn)
		if err != nil {
			return nil, err
		}
		for _, d := range lines {
			heap[fn] = append(heap[fn], d.String())
		}
	}
	return heap, nil
}

// distinct drops repeated names, and keeps the order.
func distinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
