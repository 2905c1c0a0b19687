package claim

import (
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/study/language"
)

// aboutNothing returns the error of a claim that is about none of the suites, with the
// nearest names that there are.
func aboutNothing(text string, c language.Claim, suites []AskedStudy) error {
	for _, sel := range []language.Selector{c.Num, c.Den} {
		if sel.IsZero() || len(with(sel, suites, false)) > 0 {
			continue
		}
		if left := with(sel, suites, true); len(left) > 0 {
			return hint.Usage("--full measures them, and so does -b with their names",
				"%s %q: the quick profile leaves out the cases of %s that match %s", Flag, text,
				strings.Join(left, ", "), sel)
		}
		return hint.Usage(nearest(sel, suites), "%s %q: no benchmark of %s matches %s", Flag, text, names(suites), sel)
	}
	return hint.Usage("a ratio compares benchmarks of one study or package",
		"%s %q: its two sides are in different packages: %s in %s, %s in %s", Flag, text, c.Num,
		strings.Join(with(c.Num, suites, false), ", "), c.Den, strings.Join(with(c.Den, suites, false), ", "))
}

func names(suites []AskedStudy) string {
	const most = 3
	if len(suites) > most {
		return "what is to be run"
	}
	var out []string
	for _, s := range suites {
		out = append(out, s.Name)
	}
	return strings.Join(out, ", ")
}

// with returns the names of the suites in which a selector matches a case: of those that
// will be measured, or of those that are left to the full profile.
func with(sel language.Selector, suites []AskedStudy, left bool) []string {
	var out []string
	for _, s := range suites {
		of := s.Cases
		if left {
			of = s.Left
		}
		for _, cases := range of {
			for _, c := range cases {
				if sel.Match(c.Result) {
					out = append(out, s.Name)
				}
			}
		}
	}
	return askedDistinct(out)
}

// mostValues is how many values of a key are listed.
const mostValues = 20

// nearest advises which benchmarks may be meant by a selector that matches none.
func nearest(sel language.Selector, suites []AskedStudy) string {
	var tops, all []string // benchmarks, and every beginning of their names
	why := ""
	for _, s := range suites {
		for _, r := range s.all() {
			name := withoutProcs(r)
			top, _, _ := strings.Cut(name, "/")
			tops = append(tops, top)
			for i, ch := range name + "/" {
				if ch == '/' {
					all = append(all, name[:i])
				}
			}
		}
		w := newSelected(s.all()).missing(language.Column{Num: sel})
		if why == "" && strings.Contains(w, "did you mean") {
			why = w
		}
	}
	tops, all = askedDistinct(tops), askedDistinct(all)
	if sel.Plain() != nil {
		word, _, _ := strings.Cut(sel.String(), " ")
		if near := hint.Nearest(strings.TrimPrefix(word, "Benchmark"), all); near != "" {
			return "did you mean " + near + "?"
		}
	} else if why != "" {
		return why
	}
	for _, s := range suites {
		for _, cases := range s.Cases {
			for _, key := range sel.Keys() {
				if vs := values(cases, key); len(vs) > 0 && len(vs) <= mostValues {
					return "the values of " + key + " are " + strings.Join(vs, ", ")
				}
			}
		}
	}
	const most = 12
	more := ""
	if len(tops) > most {
		tops, more = tops[:most], " …"
	}
	slices.Sort(tops)
	return "the benchmarks are " + strings.Join(tops, ", ") + more + "; memcost run -n lists all cases, and -b may " +
		"have left some out"
}

func withoutProcs(r *benchfmt.Result) string {
	_, parts := r.Name.Parts()
	if n := len(parts); n > 0 && parts[n-1][0] == '-' {
		return strings.TrimSuffix(string(r.Name.Full()), string(parts[n-1]))
	}
	return string(r.Name.Full())
}
