package remedy

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
)

// A source is one file with its syntax tree and the types that the file alone shows: those of
// other files and of imported packages are unknown, and nothing is proposed that depends on
// them.
type source struct {
	text   []byte
	file   *ast.File
	fset   *token.FileSet
	info   *types.Info
	errors int // of checking the file alone
}

// unknown imports nothing: go/types then takes what a package has for unknown, without an error.
type unknown struct{}

func (unknown) Import(string) (*types.Package, error) {
	return nil, errors.New("packages are not read")
}

// parse reads a file; it is not ok where the file does not parse.
func parse(text []byte) (s *source, ok bool) {
	s = &source{text: text, fset: token.NewFileSet(), info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Scopes: map[ast.Node]*types.Scope{}}}
	var err error
	s.file, err = parser.ParseFile(s.fset, "x.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	conf := types.Config{Importer: unknown{}, FakeImportC: true, Error: func(err error) {
		if !strings.HasPrefix(err.(types.Error).Msg, "could not import") {
			s.errors++
		}
	}}
	_, _ = conf.Check(s.file.Name.Name, s.fset, []*ast.File{s.file}, s.info)
	return s, true
}

// at returns the offset of a position in the text.
func (s *source) at(p token.Pos) int { return s.fset.PositionFor(p, false).Offset }

func (s *source) line(p token.Pos) int { return s.fset.PositionFor(p, false).Line }

// code returns the text of a node.
func (s *source) code(n ast.Node) string { return string(s.text[s.at(n.Pos()):s.at(n.End())]) }

// indent returns the blanks that the line of a node begins with; it is not ok where the node is
// not the first on its line.
func (s *source) indent(n ast.Node) (blanks string, ok bool) {
	end := s.at(n.Pos())
	from := end
	for from > 0 && s.text[from-1] != '\n' {
		if from--; s.text[from] != ' ' && s.text[from] != '\t' {
			return "", false
		}
	}
	return string(s.text[from:end]), true
}

// object returns what an identifier stands for, nil for another expression.
func (s *source) object(x ast.Expr) types.Object {
	id, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	if o := s.info.Uses[id]; o != nil {
		return o
	}
	return s.info.Defs[id]
}

// typeOf returns the type of an expression, nil where it is not known.
func (s *source) typeOf(x ast.Expr) types.Type {
	t := s.info.TypeOf(x)
	if t == nil || t == types.Typ[types.Invalid] {
		return nil
	}
	return t
}

// is reports whether an expression is of a basic type itself, or a constant that becomes it.
func (s *source) is(x ast.Expr, kind types.BasicKind) bool {
	t := s.typeOf(x)
	return t != nil && types.Identical(types.Default(t), types.Typ[kind])
}

// isBytes reports whether an expression is a []byte, of no name of its own.
func (s *source) isBytes(x ast.Expr) bool {
	t := s.typeOf(x)
	return t != nil && types.Identical(t, types.NewSlice(types.Typ[types.Byte]))
}

// builtin reports whether an expression names a builtin function or type: "append", "string".
func (s *source) builtin(x ast.Expr, name string) bool {
	o := s.object(x)
	return o != nil && o.Name() == name && o.Parent() == types.Universe
}

// imported reports whether x is name of the imported package: fmt.Sprintf.
func (s *source) imported(x ast.Expr, path, name string) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	pkg, ok := s.object(sel.X).(*types.PkgName)
	return ok && pkg.Imported().Path() == path
}

// uses lists where an object is named within a node.
func (s *source) uses(o types.Object, in ast.Node) []*ast.Ident {
	var out []*ast.Ident
	ast.Inspect(in, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (s.info.Uses[id] == o || s.info.Defs[id] == o) {
			out = append(out, id)
		}
		return true
	})
	return out
}

// changed reports whether an object may be assigned to within a node: it stands to the left of
// an assignment, its address is taken, or a function literal there names it.
func (s *source) changed(o types.Object, in ast.Node) bool {
	found := false
	assigned := func(x ast.Expr) { found = found || x != nil && s.object(base(x)) == o }
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				assigned(x)
			}
		case *ast.IncDecStmt:
			assigned(n.X)
		case *ast.RangeStmt:
			assigned(n.Key)
			assigned(n.Value)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				assigned(n.X)
			}
		case *ast.FuncLit:
			found = found || len(s.uses(o, n)) > 0
		}
		return !found
	})
	return found
}

// base returns what an assignment to x changes a part of: a of a.b[i].c.
func base(x ast.Expr) ast.Expr {
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.SliceExpr:
			x = y.X
		case *ast.SelectorExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		default:
			return x
		}
	}
}

// global reports whether a variable is the package's.
func (s *source) global(o types.Object) bool {
	return o.Parent() != nil && o.Parent().Parent() == types.Universe
}
