// Package remedy says what may be done about allocation sites: what the usual fix would save,
// as an estimate from prices that were measured, and the exact edit of the source where the
// syntax tree shows that it is safe enough. It applies nothing.
package remedy

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"memcost/internal/sites"
)

// Edits fills the Edit of the sites of a report for which the file alone shows, by its syntax
// tree and the types that it declares, that a change is safe and removes allocations:
//
//   - append in a loop: make the slice with the final length, or with the capacity that was seen;
//   - fmt.Sprintf and fmt.Sprint of a single number, string or error: strconv, or the text itself;
//   - a string that grows in a loop: strings.Builder;
//   - a conversion between string and []byte in a call that has a variant for the other type;
//   - a make in a loop whose slice no turn keeps: once before the loop.
//
// It reads one file at a time, so that a change which callers in other files would see (a result
// by value instead of by pointer) is not proposed. There is none for generated files, nor for
// sites that did not allocate. read returns the contents of a file by its absolute path; a file
// that cannot be read or parsed has no edits. An edit stands alone: those of two sites may be
// of the same lines.
func Edits(r *sites.Report, read func(path string) ([]byte, error)) {
	files := map[string]*source{}
	for i := range r.Sites {
		s := &r.Sites[i]
		s.Edit = nil
		if s.Class.Idle() || s.Generated || s.Line <= 0 {
			continue
		}
		f, known := files[s.Path]
		if !known {
			if text, err := read(s.Path); err == nil {
				f, _ = parse(text)
			}
			files[s.Path] = f
		}
		if f != nil {
			s.Edit = f.edit(s)
		}
	}
}

// edit returns the first proposal for a site that leaves a file without new faults.
func (s *source) edit(site *sites.Site) *sites.Edit {
	try, known := proposers[site.Cause.Key]
	if !known || site.Callee != nil { // its cause is of another package's code
		try = []proposer{formatted}
	}
	for _, propose := range try {
		p, ok := propose(s, site)
		if !ok {
			continue
		}
		text, ok := s.edited(p.changes, p.need)
		if !ok {
			continue
		}
		return &sites.Edit{Title: p.title, Diff: unified(site.File, s.text, text), Check: p.check}
	}
	return nil
}

// A proposer proposes an edit for a site of a file; it is not ok where it has none.
type proposer func(*source, *sites.Site) (p proposal, ok bool)

// proposers are what is tried for a cause; others are formatted alone.
var proposers = map[string][]proposer{
	"append-growth": {growth}, "moved-slice": {growth},
	"concat":          {concatenated},
	"text-conversion": {converted, formatted},
	"variable-make":   {hoisted, formatted}, "too-large": {hoisted, formatted},
}

// A proposal is an edit before it is a diff.
type proposal struct {
	title, check string
	changes      []change
	need         string // package of the standard library that the new text needs; "" if none
}

// A change replaces a part of a text.
type change struct {
	from, to int // offsets
	text     string
}

// replace replaces a node.
func (s *source) replace(n ast.Node, text string) change {
	return change{s.at(n.Pos()), s.at(n.End()), text}
}

// before puts lines before the line of a node that is the first on it.
func (s *source) before(n ast.Node, blanks, lines string) change {
	at := s.at(n.Pos())
	return change{at, at, strings.ReplaceAll(lines, "\n", "\n"+blanks) + "\n" + blanks}
}

// after puts lines behind the last line of a node; it is not ok where more follows on that line.
func (s *source) after(n ast.Node, blanks, lines string) (c change, ok bool) {
	at := s.at(n.End())
	if at < len(s.text) && s.text[at] != '\n' {
		return change{}, false
	}
	return change{at, at, "\n" + blanks + strings.ReplaceAll(lines, "\n", "\n"+blanks)}, true
}

// apply makes changes, and returns the new text; it is not ok where two of them overlap.
func apply(text []byte, changes []change) (out []byte, ok bool) {
	slices.SortStableFunc(changes, func(a, b change) int { return a.from - b.from })
	done := 0
	for _, c := range changes {
		if c.from < done {
			return nil, false
		}
		out = append(append(out, text[done:c.from]...), c.text...)
		done = c.to
	}
	return append(out, text[done:]...), true
}

// unified returns the difference of two texts of a file, as git apply and patch -p1 read it.
func unified(name string, old, new []byte) string {
	out := string(diff.Diff("a/"+name, old, "b/"+name, new))
	_, rest, _ := strings.Cut(out, "\n") // the line "diff a/x b/x", which says nothing more
	return rest
}
