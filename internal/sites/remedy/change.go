package remedy

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

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
