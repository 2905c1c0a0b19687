package remedy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"memcost/internal/sites"
)

// converted proposes, for a conversion between string and []byte in a call, the variant of the
// call that takes the other type.
func converted(s *source, site *sites.Site) (proposal, bool) {
	for _, p := range found[*ast.CallExpr](s, site.Line) {
		call := p.last().(*ast.CallExpr)
		for _, try := range []func(*ast.CallExpr) ([]change, string, string){s.writer, s.searched} {
			if changes, title, need := try(call); changes != nil {
				return proposal{title: title, changes: changes, need: need,
					check: "nothing else: the callee is handed the same bytes, and keeps none of them"}, true
			}
		}
	}
	return proposal{}, false
}

// converts returns what a conversion converts: bytes says whether to []byte or to string.
func (s *source) converts(x ast.Expr) (inner ast.Expr, bytes bool) {
	call, ok := x.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil, false
	}
	if s.builtin(call.Fun, "string") && s.isBytes(call.Args[0]) {
		return call.Args[0], false
	}
	to, ok := call.Fun.(*ast.ArrayType)
	if ok && to.Len == nil && s.builtin(to.Elt, "byte") && s.is(call.Args[0], types.String) {
		return call.Args[0], true
	}
	return nil, false
}

// writer is Write([]byte(s)) and WriteString(string(b)) of the types that have both.
func (s *source) writer(call *ast.CallExpr) (changes []change, title, need string) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) != 1 || !s.writesBoth(sel.X) {
		return nil, "", ""
	}
	x, bytes := s.converts(call.Args[0])
	other := map[string]string{"Write": "WriteString", "WriteString": "Write"}[sel.Sel.Name]
	if x == nil || other == "" || bytes != (sel.Sel.Name == "Write") {
		return nil, "", ""
	}
	return []change{s.replace(sel.Sel, other), s.replace(call.Args[0], s.code(x))}, "use " + other, ""
}

// both are types with the methods Write and WriteString that do the same.
var both = [][2]string{{"bytes", "Buffer"}, {"strings", "Builder"}, {"bufio", "Writer"}, {"bufio", "ReadWriter"},
	{"os", "File"}}

// writesBoth reports whether a variable is declared in this file as one of those types, or a
// pointer to it.
func (s *source) writesBoth(x ast.Expr) bool {
	o := s.object(x)
	if o == nil {
		return false
	}
	kind := s.writtenType(o)
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	return kind != nil && slices.ContainsFunc(both, func(t [2]string) bool { return s.imported(kind, t[0], t[1]) })
}

// writtenType returns the type that the declaration of a variable writes out, nil if it has
// none: var b bytes.Buffer, func (b *bytes.Buffer), b := &bytes.Buffer{}, b := new(bytes.Buffer).
func (s *source) writtenType(o types.Object) (kind ast.Expr) {
	for n := range ast.Preorder(s.file) {
		switch n := n.(type) {
		case *ast.Field:
			if s.defines(n.Names, o) {
				kind = n.Type
			}
		case *ast.ValueSpec:
			if s.defines(n.Names, o) {
				if kind = n.Type; kind == nil && len(n.Values) == len(n.Names) && len(n.Names) == 1 {
					kind = s.made(n.Values[0])
				}
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == 1 && len(n.Rhs) == 1 && s.object(n.Lhs[0]) == o &&
				n.Lhs[0].Pos() == o.Pos() {
				kind = s.made(n.Rhs[0])
			}
		}
		if kind != nil {
			return kind
		}
	}
	return nil
}

func (s *source) defines(names []*ast.Ident, o types.Object) bool {
	return slices.ContainsFunc(names, func(id *ast.Ident) bool { return s.info.Defs[id] == o })
}

// made returns the type of a value that says its type.
func (s *source) made(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return s.made(x.X)
		}
	case *ast.CompositeLit:
		return x.Type
	case *ast.CallExpr:
		if s.builtin(x.Fun, "new") && len(x.Args) == 1 {
			return x.Args[0]
		}
	}
	return nil
}

// searches are functions of package strings that package bytes has too, of two texts.
var searches = []string{"Contains", "Count", "EqualFold", "HasPrefix", "HasSuffix", "Index", "LastIndex"}

// searched is strings.Contains(string(b), "x"), and others like it: package bytes has the same.
func (s *source) searched(call *ast.CallExpr) (changes []change, title, need string) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) != 2 || !slices.Contains(searches, sel.Sel.Name) ||
		!s.imported(call.Fun, "strings", sel.Sel.Name) {
		return nil, "", ""
	}
	changes = []change{s.replace(sel.X, "bytes")}
	some := false
	for _, arg := range call.Args {
		if x, bytes := s.converts(arg); x != nil && !bytes {
			changes = append(changes, s.replace(arg, s.code(x)))
			some = true
			continue
		}
		text, isText := arg.(*ast.BasicLit)
		if !isText || len(text.Value) > 32 { // of which the compiler keeps a copy in the frame
			return nil, "", ""
		}
		changes = append(changes, s.replace(arg, "[]byte("+text.Value+")"))
	}
	if !some {
		return nil, "", ""
	}
	return changes, "use bytes." + sel.Sel.Name, "bytes"
}
