package remedy

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
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

// edited makes the changes, drops imports that are no longer used, and imports a package where
// need is not "". It is not ok where the result has faults that the file did not have.
func (s *source) edited(changes []change, need string) (text []byte, ok bool) {
	if need != "" && !s.imports(need) && s.taken(need) {
		return nil, false
	}
	now, ok := s.with(changes)
	if !ok {
		return nil, false
	}
	if now, ok = now.with(s.unused(now)); !ok {
		return nil, false
	}
	if need != "" && !now.imports(need) {
		c, ok := now.importing(need)
		if !ok {
			return nil, false
		}
		if now, ok = now.with([]change{c}); !ok {
			return nil, false
		}
	}
	return now.text, now.errors <= s.errors
}

// with returns the file with changes; it is not ok where they overlap, or it does not parse.
func (s *source) with(changes []change) (now *source, ok bool) {
	text, ok := apply(s.text, changes)
	if !ok {
		return nil, false
	}
	return parse(text)
}

// imports reports whether the file has a package under its own name.
func (s *source) imports(pkg string) bool {
	return slices.ContainsFunc(s.file.Imports, func(i *ast.ImportSpec) bool {
		return i.Name == nil && i.Path.Value == strconv.Quote(pkg)
	})
}

// taken reports whether the name of a package stands for something else in the file.
func (s *source) taken(name string) bool {
	found := false
	ast.Inspect(s.file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// importing returns the change that imports a package of the standard library, in the order of
// the first group of imports.
func (s *source) importing(pkg string) (c change, ok bool) {
	quoted := strconv.Quote(pkg)
	for _, d := range s.file.Decls {
		g, isImport := d.(*ast.GenDecl)
		if !isImport || g.Tok != token.IMPORT || len(g.Specs) == 0 || s.cgo(g) {
			continue
		}
		if g.Lparen.IsValid() {
			return s.grouped(g, quoted)
		}
		both := []string{s.code(g.Specs[0]), quoted}
		if slices.Sort(both); g.Specs[0].(*ast.ImportSpec).Name != nil {
			both = []string{quoted, s.code(g.Specs[0])}
		}
		return s.replace(g, "import (\n\t"+strings.Join(both, "\n\t")+"\n)"), true
	}
	at := s.at(s.file.Name.End())
	return change{at, at, "\n\nimport " + quoted}, true
}

// cgo reports whether a declaration imports "C": the comment over it is a program.
func (s *source) cgo(g *ast.GenDecl) bool {
	spec, ok := g.Specs[0].(*ast.ImportSpec)
	return ok && spec.Path.Value == `"C"`
}

// grouped puts an import into a list between brackets.
func (s *source) grouped(g *ast.GenDecl, quoted string) (c change, ok bool) {
	last := g.Specs[0]
	for i, x := range g.Specs {
		spec := x.(*ast.ImportSpec)
		if i > 0 && s.line(spec.Pos()) > s.line(g.Specs[i-1].End())+1 {
			break // the next group
		}
		if spec.Path.Value > quoted && spec.Doc == nil {
			blanks, ok := s.indent(spec)
			return s.before(spec, blanks, quoted), ok
		}
		last = x
	}
	blanks, ok := s.indent(last)
	if !ok {
		return change{}, false
	}
	return s.after(last, blanks, quoted)
}

// unused returns the changes that drop imports of the changed file which the file used before.
func (s *source) unused(now *source) []change {
	used := func(x *source, path string) bool {
		for _, o := range x.info.Uses {
			if p, ok := o.(*types.PkgName); ok && p.Imported().Path() == path {
				return true
			}
		}
		return false
	}
	var out []change
	for _, spec := range now.file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || spec.Name != nil || !used(s, path) || used(now, path) {
			continue
		}
		out = append(out, now.dropped(spec))
	}
	return out
}

// dropped removes an import with its line, and its declaration where it is alone.
func (s *source) dropped(spec *ast.ImportSpec) change {
	var n ast.Node = spec
	for _, d := range s.file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && len(g.Specs) == 1 && g.Specs[0] == ast.Spec(spec) {
			n = g
		}
	}
	from, to := s.at(n.Pos()), s.at(n.End())
	for from > 0 && (s.text[from-1] == ' ' || s.text[from-1] == '\t') {
		from--
	}
	if to < len(s.text) && s.text[to] == '\n' {
		to++
	}
	if _, whole := n.(*ast.GenDecl); whole && bytes.HasPrefix(s.text[to:], []byte("\n")) &&
		bytes.HasSuffix(s.text[:from], []byte("\n\n")) {
		to++ // one blank line is enough
	}
	return change{from, to, ""}
}

// unified returns the difference of two texts of a file, as git apply and patch -p1 read it.
func unified(name string, old, new []byte) string {
	out := string(diff.Diff("a/"+name, old, "b/"+name, new))
	_, rest, _ := strings.Cut(out, "\n") // the line "diff a/x b/x", which says nothing more
	return rest
}
