package claim

import (
	"fmt"
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/study/language"
)

// viewWarnings returns what is wrong with the tables and pictures of a study that has
// these cases: in the user's packages each column without a case, and a key of rows that no
// case has; in shipped studies, whose columns may be of an allocator that is missing here,
// these only where no column has a case.
func viewWarnings(st *language.Study, shipped bool, cases []*benchfmt.Result) []string {
	v := newSelected(cases)
	var out []string
	for _, t := range st.Tabulated() {
		var missing []string
		for _, c := range t.Columns {
			if w := v.missing(c); w != "" {
				missing = append(missing, fmt.Sprintf("%s: column %s: %s", c.Pos, c.Header, w))
			}
		}
		if shipped && len(missing) < len(t.Columns) {
			continue
		}
		if out = append(out, missing...); !slices.Contains(v.keys, t.By) {
			out = append(out, fmt.Sprintf("%s: by = %q: no benchmark has this key%s", t.Pos, t.By, near(t.By, v.keys)))
		}
	}
	return askedDistinct(out)
}

// A selected holds the cases of a suite, to find what selectors miss.
type selected struct {
	cases []*benchfmt.Result
	names []string // of their benchmarks
	keys  []string // of their names and of their configuration
}

func newSelected(cases []*benchfmt.Result) *selected {
	v := &selected{cases: cases, keys: []string{"gomaxprocs"}} // a name without -N ran on one processor
	for _, x := range cases {
		v.names = append(v.names, string(x.Name.Base()))
		for _, kv := range language.Keys(x.Name) {
			v.keys = append(v.keys, kv.Key)
		}
		for _, c := range x.Config {
			v.keys = append(v.keys, c.Key)
		}
	}
	v.names, v.keys = askedDistinct(v.names), askedDistinct(v.keys)
	return v
}

// missing returns why a column has no case, or "".
func (v *selected) missing(c language.Column) string {
	for _, sel := range []language.Selector{c.Num, c.Den} {
		if sel.IsZero() || slices.ContainsFunc(v.cases, sel.Match) {
			continue
		}
		if sel.Scope != "" && !slices.Contains(v.names, sel.Scope) {
			return fmt.Sprintf("there is no benchmark %q%s", sel.Scope, near(sel.Scope, v.names))
		}
		for _, key := range sel.Keys() {
			if key != "" && key[0] != '.' && !slices.Contains(v.keys, key) {
				return fmt.Sprintf("no benchmark matches %q: none has the key %s%s", sel, key, near(key, v.keys))
			}
		}
		return fmt.Sprintf("no benchmark matches %q", sel)
	}
	return ""
}

// near returns the question for the nearest known word, or "".
func near(word string, known []string) string {
	if n := hint.Nearest(word, known); n != "" {
		return ": did you mean " + n + "?"
	}
	return ""
}
