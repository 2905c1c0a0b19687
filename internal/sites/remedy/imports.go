package remedy

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// An importing looks after the imports of a file.
type importing struct{ *source }

// edited makes the changes, drops imports that are no longer used, and imports a package where
// need is not "". It is not ok where the result has faults that the file did not have.
func (s *source) edited(changes []change, need string) (text []byte, ok bool) {
	if need != "" && !(importing{s}).imports(need) && (importing{s}).taken(need) {
		return nil, false
	}
	now, ok := s.with(changes)
	if !ok {
		return nil, false
	}
	if now, ok = now.with(importing{s}.unused(now)); !ok {
		return nil, false
	}
	if need != "" && !(importing{now}).imports(need) {
		c, ok := importing{now}.added(need)
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
func (s importing) imports(pkg string) bool {
	return slices.ContainsFunc(s.file.Imports, func(i *ast.ImportSpec) bool {
		return i.Name == nil && i.Path.Value == strconv.Quote(pkg)
	})
}

// taken reports whether the name of a package stands for something else in the file.
func (s importing) taken(name string) bool {
	found := false
	ast.Inspect(s.file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// added returns the change that imports a package of the standard library, in the order of
// the first group of imports.
func (s importing) added(pkg string) (c change, ok bool) {
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
func (s importing) cgo(g *ast.GenDecl) bool {
	spec, ok := g.Specs[0].(*ast.ImportSpec)
	return ok && spec.Path.Value == `"C"`
}

// grouped puts an import into a list between brackets.
func (s importing) grouped(g *ast.GenDecl, quoted string) (c change, ok bool) {
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
func (s importing) unused(now *source) []change {
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
		if err != nil || spec.Name != nil || !used(s.source, path) || used(now, path) {
			continue
		}
		out = append(out, importing{now}.dropped(spec))
	}
	return out
}

// dropped removes an import with its line, and its declaration where it is alone.
func (s importing) dropped(spec *ast.ImportSpec) change {
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
