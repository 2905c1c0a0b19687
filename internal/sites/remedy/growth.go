package remedy

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"memcost/internal/base/units"
	"memcost/internal/sites"
)

// A grown is a slice that append grows in a loop, and its declaration as empty.
type grown struct {
	name     string
	object   types.Object
	decl     ast.Stmt
	kind     string // the slice's type as it is written
	isNil    bool   // declared without a value
	block    ast.Node
	index    int  // of decl in the block
	loop     loop // the one around the append that stands in the same function
	straight bool // append is reached once in each turn of the loop
}

// growth proposes to make a slice with its capacity: the final length where it is evident, else
// the one that was seen.
func growth(s *source, site *sites.Site) (proposal, bool) {
	for _, p := range found[*ast.CallExpr](s, site.Line) {
		g, ok := s.grown(p)
		if !ok {
			continue
		}
		length, evident := s.length(g)
		title, check := "preallocate with the final length", fmt.Sprintf(
			"%s has room for len(%s) elements at once: see that most of them are used", g.name, length)
		if evident {
			length = "len(" + length + ")"
		} else {
			n, ok := s.seen(g, site)
			if !ok {
				continue
			}
			length, title = fmt.Sprint(n), "preallocate with the capacity that was seen"
			check = fmt.Sprintf("%d elements are what most of the objects had room for (%s) in what was measured: see "+
				"that other callers need about as many", n, units.ExactBytes(float64(site.Sizes[0].Bytes)))
		}
		if g.isNil {
			check += fmt.Sprintf("; where nothing is appended, %s is now empty instead of nil (JSON: [] instead of "+
				"null)", g.name)
		}
		return proposal{title: title, check: check, changes: []change{s.replace(g.decl,
			fmt.Sprintf("%s := make(%s, 0, %s)", g.name, g.kind, length))}}, true
	}
	return proposal{}, false
}

// grown finds the slice and its declaration for a call of append: x = append(x, …).
func (s *source) grown(p path) (g grown, ok bool) {
	call := p.last().(*ast.CallExpr)
	if !s.builtin(call.Fun, "append") || len(call.Args) < 2 || len(p) < 3 {
		return g, false
	}
	g.object = s.object(call.Args[0])
	to, isAssign := p[len(p)-2].(*ast.AssignStmt)
	if g.object == nil || !isAssign || to.Tok != token.ASSIGN || len(to.Lhs) != 1 || len(to.Rhs) != 1 ||
		s.object(to.Lhs[0]) != g.object {
		return g, false
	}
	g.name = g.object.Name()
	body := p.body()
	if body == nil || !within(body, g.object.Pos()) || !s.declared(&g, body) || s.nilMatters(g, body) {
		return g, false
	}
	loops := p.loops()
	for i, l := range loops {
		if within(l.stmt, g.object.Pos()) {
			break
		}
		g.loop = l
		g.straight = i == 0 && len(call.Args) == 2 && !call.Ellipsis.IsValid() && p[len(p)-3] == ast.Node(l.body)
	}
	return g, g.loop.stmt != nil && s.quiet(g)
}

// declared finds the declaration of a slice as empty: var x []T, x := []T{}, x := make([]T, 0).
func (s *source) declared(g *grown, body *ast.BlockStmt) bool {
	for n := range ast.Preorder(body) {
		for i, stmt := range list(n) {
			if !within(stmt, g.object.Pos()) {
				continue
			}
			if x, isNil, ok := s.empty(stmt, g.object); ok {
				g.decl, g.block, g.index, g.kind, g.isNil = stmt, n, i, s.code(x), isNil
				return true
			}
		}
	}
	return false
}

// empty returns the type of the slice that a statement declares, and nothing else.
func (s *source) empty(stmt ast.Stmt, o types.Object) (kind ast.Expr, isNil, ok bool) {
	kind, value, tok := s.declares(stmt, o)
	switch x := value.(type) {
	case nil:
		return kind, true, tok == token.VAR && s.isSlice(kind)
	case *ast.CompositeLit:
		return x.Type, false, tok == token.DEFINE && len(x.Elts) == 0 && s.isSlice(x.Type)
	case *ast.CallExpr:
		if tok == token.DEFINE {
			return s.madeEmpty(x)
		}
	}
	return nil, false, false
}

func (s *source) madeEmpty(x *ast.CallExpr) (kind ast.Expr, isNil, ok bool) {
	if !s.builtin(x.Fun, "make") || len(x.Args) != 2 || !s.isSlice(x.Args[0]) {
		return nil, false, false
	}
	zero, isLit := x.Args[1].(*ast.BasicLit)
	return x.Args[0], false, isLit && zero.Value == "0"
}

// isSlice reports whether a type as it is written is a slice: as []T, whatever T is, or of a
// name that this file explains.
func (s *source) isSlice(x ast.Expr) bool {
	if a, ok := x.(*ast.ArrayType); ok {
		return a.Len == nil
	}
	t := s.typeOf(x)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// nilMatters reports whether a function asks if the slice is nil.
func (s *source) nilMatters(g grown, body *ast.BlockStmt) bool {
	for n := range ast.Preorder(body) {
		b, ok := n.(*ast.BinaryExpr)
		if ok && (b.Op == token.EQL || b.Op == token.NEQ) && (s.object(b.X) == g.object || s.object(b.Y) == g.object) {
			return g.isNil
		}
	}
	return false
}

// quiet reports whether nothing names the slice between its declaration and the loop.
func (s *source) quiet(g grown) bool {
	for _, stmt := range list(g.block)[g.index+1:] {
		if within(stmt, g.loop.stmt.Pos()) {
			return stmt == g.loop.stmt || nested(stmt)
		}
		if len(s.uses(g.object, stmt)) > 0 {
			return false
		}
	}
	return false
}

// nested reports whether a statement only holds others, so that what it does before the loop
// inside it cannot have grown the slice often.
func nested(stmt ast.Stmt) bool {
	switch stmt.(type) {
	case *ast.IfStmt, *ast.BlockStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// length returns what the loop runs through once, where the slice gets an element in each turn:
// a variable that nothing changes after the slice is declared.
func (s *source) length(g grown) (over string, ok bool) {
	if !g.straight || g.loop.parent != g.block {
		return "", false
	}
	x := s.ranged(g.loop.stmt)
	if x == nil {
		return "", false
	}
	root, simple := s.root(x)
	if root == nil || root.Pos() > g.decl.Pos() && !s.global(root) {
		return "", false
	}
	if !simple && list(g.block)[g.index+1] != g.loop.stmt {
		return "", false // what stands between may ask whether there is anything to follow
	}
	for _, stmt := range list(g.block)[g.index+1:] {
		if s.changed(root, stmt) {
			return "", false
		}
		if stmt == g.loop.stmt {
			return s.code(x), true
		}
	}
	return "", false
}

// ranged returns what a loop goes through: for … range x, or for i := 0; i < len(x); i++.
func (s *source) ranged(stmt ast.Stmt) ast.Expr {
	switch l := stmt.(type) {
	case *ast.RangeStmt:
		t := s.typeOf(l.X)
		if t == nil {
			return nil
		}
		switch t.Underlying().(type) {
		case *types.Slice, *types.Array, *types.Map:
			return l.X
		}
	case *ast.ForStmt:
		return s.counted(l)
	}
	return nil
}

func (s *source) counted(l *ast.ForStmt) ast.Expr {
	first, ok := l.Init.(*ast.AssignStmt)
	if !ok || len(first.Lhs) != 1 || s.code(first.Rhs[0]) != "0" {
		return nil
	}
	i := s.object(first.Lhs[0])
	cond, ok := l.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.LSS || s.object(cond.X) != i || i == nil {
		return nil
	}
	step, ok := l.Post.(*ast.IncDecStmt)
	if !ok || step.Tok != token.INC || s.object(step.X) != i || s.changed(i, l.Body) {
		return nil
	}
	size, ok := cond.Y.(*ast.CallExpr)
	if !ok || !s.builtin(size.Fun, "len") || s.typeOf(size.Args[0]) == nil {
		return nil
	}
	if _, ok := s.typeOf(size.Args[0]).Underlying().(*types.Slice); !ok {
		return nil
	}
	return size.Args[0]
}

// root returns the variable that an expression of names and dots begins with; simple is a name
// alone.
func (s *source) root(x ast.Expr) (o types.Object, simple bool) {
	simple = true
	for {
		sel, ok := x.(*ast.SelectorExpr)
		if !ok {
			v, _ := s.object(x).(*types.Var)
			if v == nil {
				return nil, false
			}
			return v, simple
		}
		x, simple = sel.X, false
	}
}

// A class dominates where it has most of the objects, and is large enough for its capacity to
// mean something.
const (
	dominates = 0.5
	largeFrom = 256
)

// seen returns the elements for which most of a site's objects had room.
func (s *source) seen(g grown, site *sites.Site) (n int64, ok bool) {
	if len(site.Sizes) == 0 || site.Sizes[0].Objects <= dominates || site.Sizes[0].Bytes < largeFrom {
		return 0, false
	}
	slice, isSlice := g.object.Type().Underlying().(*types.Slice)
	if !isSlice {
		return 0, false
	}
	basic, isBasic := slice.Elem().Underlying().(*types.Basic)
	if _, isPointer := slice.Elem().(*types.Pointer); !isPointer && (!isBasic || basic.Kind() == types.Invalid) {
		return 0, false
	}
	n = site.Sizes[0].Bytes / types.SizesFor("gc", "amd64").Sizeof(slice.Elem())
	return n, n > 1
}
