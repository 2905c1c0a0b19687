package remedy

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
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

// declares returns the type or the value, as they are written, of a variable that a statement
// declares or assigns, and nothing else, and by which token; that of another statement is ILLEGAL.
func (s *source) declares(stmt ast.Stmt, o types.Object) (kind, value ast.Expr, tok token.Token) {
	switch d := stmt.(type) {
	case *ast.DeclStmt:
		g := d.Decl.(*ast.GenDecl)
		if g.Tok != token.VAR || len(g.Specs) != 1 {
			break
		}
		v := g.Specs[0].(*ast.ValueSpec)
		if len(v.Names) == 1 && s.info.Defs[v.Names[0]] == o && len(v.Values) == 0 {
			return v.Type, nil, token.VAR
		}
	case *ast.AssignStmt:
		if len(d.Lhs) == 1 && len(d.Rhs) == 1 && s.object(d.Lhs[0]) == o {
			return nil, d.Rhs[0], d.Tok
		}
	}
	return nil, nil, token.ILLEGAL
}

// uses lists where an object is named within a node.
func (s *source) uses(o types.Object, in ast.Node) []*ast.Ident {
	var out []*ast.Ident
	for n := range ast.Preorder(in) {
		if id, ok := n.(*ast.Ident); ok && (s.info.Uses[id] == o || s.info.Defs[id] == o) {
			out = append(out, id)
		}
	}
	return out
}

// changed reports whether an object may be assigned to within a node: it stands to the left of
// an assignment, its address is taken, or a function literal there names it.
func (s *source) changed(o types.Object, in ast.Node) bool {
	is := func(x ast.Expr) bool { return x != nil && s.object(base(x)) == o }
	for n := range ast.Preorder(in) {
		found := false
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = slices.ContainsFunc(n.Lhs, is)
		case *ast.IncDecStmt:
			found = is(n.X)
		case *ast.RangeStmt:
			found = is(n.Key) || is(n.Value)
		case *ast.UnaryExpr:
			found = n.Op == token.AND && is(n.X)
		case *ast.FuncLit:
			found = len(s.uses(o, n)) > 0
		}
		if found {
			return true
		}
	}
	return false
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

// A path is a node with those around it, the file first.
type path []ast.Node

// found lists the nodes that begin on a line, each with its path.
func found[T ast.Node](s *source, line int) []path {
	var out []path
	ast.PreorderStack(s.file, nil, func(n ast.Node, around []ast.Node) bool {
		if _, ok := n.(T); ok && s.line(n.Pos()) == line {
			out = append(out, append(slices.Clone(around), n))
		}
		return true
	})
	return out
}

// last returns the node itself.
func (p path) last() ast.Node { return p[len(p)-1] }

// body returns the body of the innermost function around the node, nil outside of functions.
func (p path) body() *ast.BlockStmt {
	for i := len(p) - 1; i >= 0; i-- {
		switch f := p[i].(type) {
		case *ast.FuncLit:
			return f.Body
		case *ast.FuncDecl:
			return f.Body
		}
	}
	return nil
}

// list returns the statements of a block or of a clause.
func list(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// A loop is a for statement with its place.
type loop struct {
	stmt   ast.Stmt // *ast.ForStmt or *ast.RangeStmt
	body   *ast.BlockStmt
	parent ast.Node // the block that it stands in, nil where it has a label
	up     int      // index into the path
}

// loops lists the loops around the node inside its function, the innermost first.
func (p path) loops() []loop {
	var out []loop
	for i := len(p) - 2; i > 0; i-- {
		var body *ast.BlockStmt
		switch n := p[i].(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return out
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			body = n.Body
		}
		if body == nil || p[i+1] != ast.Node(body) {
			continue
		}
		l := loop{stmt: p[i].(ast.Stmt), body: body, up: i}
		if list(p[i-1]) != nil {
			l.parent = p[i-1]
		}
		out = append(out, l)
	}
	return out
}

// leaves reports whether a loop may be left by a label or a goto.
func (l loop) leaves() bool {
	for n := range ast.Preorder(l.body) {
		if b, ok := n.(*ast.BranchStmt); ok && (b.Label != nil || b.Tok == token.GOTO) {
			return true
		}
	}
	return false
}

// within reports whether a position lies in a node.
func within(n ast.Node, p token.Pos) bool { return n.Pos() <= p && p < n.End() }

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
		c, ok := now.added(need)
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

// taken reports whether something in the file has a name.
func (s *source) taken(name string) bool {
	for n := range ast.Preorder(s.file) {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			return true
		}
	}
	return false
}

// added returns the change that imports a package of the standard library, in the order of
// the first group of imports.
func (s *source) added(pkg string) (c change, ok bool) {
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
