// Package export writes the sites of a sites.Report, and budgets that are exceeded, in the
// formats of other tools: SARIF, annotations of GitHub Actions, and profiles with labels for
// pprof.
package export

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"memcost/internal/sites"
)

// Options say where the files of a report are.
type Options struct {
	Version string // of memcost
	Folder  string // the module's folder in the repository, with slashes; "" is the repository's root
	Root    string // the module's folder on this machine
	// ReadFile returns a source file, from which columns are counted in UTF-16 code units;
	// nil, or an error, leaves columns out where they are not certain.
	ReadFile func(path string) ([]byte, error)
}

// A Finding is what was found about a budget in the source.
type Finding struct {
	Note              bool // the budget is not exceeded: it may be, or nothing is known
	Package, Function string
	File, Path        string // as in why.Site
	Line, Col         int    // as in why.Site
	Says              string // a sentence
}

// broken returns the findings, budgets that are exceeded before notes.
func broken(findings []Finding) []Finding {
	exceeded := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Note })
	notes := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return !f.Note })
	return append(exceeded, notes...)
}

// inRepository returns the path of a file from the repository's root; false if it is outside
// of the module.
func (o Options) inRepository(file string) (string, bool) {
	if file == "" || absolute(file) {
		return "", false
	}
	return path.Join(o.Folder, file), true
}

// absolute reports whether a path with slashes is absolute, of this system or of Windows.
func absolute(file string) bool {
	return strings.HasPrefix(file, "/") || len(file) > 2 && file[1] == ':' && (file[2] == '/' || file[2] == '\\')
}

// onMachine returns the absolute path of a file, "" if it is not known.
func (o Options) onMachine(file, known string) string {
	switch {
	case known != "":
		return known
	case absolute(file):
		return file
	case file == "" || o.Root == "":
		return ""
	}
	return filepath.Join(o.Root, filepath.FromSlash(file))
}

// byCost returns the sites, those that cost most first, then those that cost nothing, as they
// are in the report.
func byCost(r *sites.Report) []*sites.Site {
	out := make([]*sites.Site, len(r.Sites))
	for i := range r.Sites {
		out[i] = &r.Sites[i]
	}
	last := len(out) + 1
	rank := func(s *sites.Site) int {
		if s.Rank <= 0 {
			return last
		}
		return s.Rank
	}
	slices.SortStableFunc(out, func(a, b *sites.Site) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// share returns the largest share that a site has of the bytes or the objects of a benchmark.
func share(r *sites.Report, s *sites.Site) float64 {
	most := 0.0
	for _, c := range s.Costs {
		if c.Benchmark < 0 || c.Benchmark >= len(r.Benchmarks) {
			continue
		}
		b := r.Benchmarks[c.Benchmark]
		most = max(most, part(c.Bytes, b.Bytes), part(c.Objects, b.Objects))
	}
	return most
}

// part returns a share of a whole, 0 where the whole is not known.
func part(of, whole float64) float64 {
	if !(whole > 0) || !(of > 0) {
		return 0
	}
	return min(of/whole, 1)
}

// muchShare is the share of a benchmark's bytes or objects from which a certain heap
// allocation is a warning; everything else is a note.
const muchShare = 0.1

// warns reports whether a site is worth a warning: it certainly allocates, and much.
func warns(r *sites.Report, s *sites.Site) bool {
	return s.Class == sites.CertainHeap && share(r, s) >= muchShare
}

// A span is a part of a line in UTF-16 code units from 0, as SARIF counts with
// this columnKind.
type span struct{ from, to int }

// spanOf returns where an expression stands in a line: at the column, in bytes from 1. Where
// the expression is not written there as the compiler writes it, the span goes to the end of
// the line, and without a column it is the whole line but for the spaces around it.
func spanOf(line string, column int, expr string) span {
	from := len(line) - len(strings.TrimLeft(line, " \t"))
	to := len(strings.TrimRight(line, " \t"))
	if column > 0 && column <= len(line) {
		from = column - 1
		for from > 0 && !utf8.RuneStart(line[from]) {
			from--
		}
		if expr != "" && strings.HasPrefix(line[from:], expr) {
			to = from + len(expr)
		}
	}
	to = max(to, from)
	return span{units16(line[:from]), units16(line[:to])}
}

// units16 returns how many UTF-16 code units a text has; a byte that is no text is one, as it
// is where it is shown as U+FFFD.
func units16(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// ascii reports whether a text has no character of more than one byte.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
