package remedy

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"memcost/internal/sites"
)

// hoisted proposes to make a slice once before a loop and to clear it in each turn, where
// nothing in the loop keeps it.
func hoisted(s *source, site *sites.Site) (proposal, bool) {
	for _, p := range found[*ast.AssignStmt](s, site.Line) {
		a := p.last().(*ast.AssignStmt)
		loops := p.loops()
		if a.Tok != token.DEFINE || len(a.Lhs) != 1 || len(a.Rhs) != 1 || len(loops) == 0 {
			continue
		}
		l, o := loops[0], s.object(a.Lhs[0])
		zero, ok := s.constantMake(a.Rhs[0], l)
		if !ok || o == nil || l.parent == nil || p[len(p)-2] != ast.Node(l.body) || s.kept(o, l.body) ||
			s.nameTaken(o, l) {
			continue
		}
		blanks, first := s.indent(l.stmt)
		inner, alone := s.indent(a)
		if !first || !alone {
			continue
		}
		clear := fmt.Sprintf("for i := range %s {\n%s\t%s[i] = %s\n%s}", o.Name(), inner, o.Name(), zero, inner)
		return proposal{title: "make it once before the loop", changes: []change{s.before(l.stmt, blanks, s.code(a)),
			s.replace(a, clear)}, check: fmt.Sprintf("%s is now made even where the loop does nothing, and each turn "+
			"clears it: leave that out where every element is written before it is read", o.Name())}, true
	}
	return proposal{}, false
}

// constantMake returns the zero element of a make([]T, n) whose n no turn of the loop changes.
func (s *source) constantMake(x ast.Expr, l loop) (zero string, ok bool) {
	call, isCall := x.(*ast.CallExpr)
	if !isCall || !s.builtin(call.Fun, "make") || len(call.Args) != 2 {
		return "", false
	}
	kind, isArray := call.Args[0].(*ast.ArrayType)
	if !isArray || kind.Len != nil || !s.fixed(call.Args[1], l) {
		return "", false
	}
	return s.zero(kind.Elt)
}

// zero returns how the zero value of a type is written, of those where a constant says it.
func (s *source) zero(x ast.Expr) (text string, ok bool) {
	if _, pointer := x.(*ast.StarExpr); pointer {
		return "nil", true
	}
	t := s.typeOf(x)
	if t == nil {
		return "", false
	}
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
		return "", false
	case b.Info()&types.IsNumeric != 0:
		return "0", true
	case b.Info()&types.IsString != 0:
		return `""`, true
	case b.Info()&types.IsBoolean != 0:
		return "false", true
	}
	return "", false
}

// fixed reports whether a length is the same in every turn, and cannot be negative unless the
// first make would panic, too: a constant, or the length of a variable from outside.
func (s *source) fixed(x ast.Expr, l loop) bool {
	if s.info.Types[x].Value != nil {
		return true
	}
	if call, ok := x.(*ast.CallExpr); ok && s.builtin(call.Fun, "len") && len(call.Args) == 1 {
		x = call.Args[0]
	}
	o, ok := s.object(x).(*types.Var)
	return ok && !s.global(o) && !within(l.stmt, o.Pos()) && !s.changed(o, l.stmt)
}

// kept reports whether a slice may be used after the turn: it may only be indexed, ranged over,
// measured, copied, and converted to a string.
func (s *source) kept(o types.Object, body *ast.BlockStmt) bool {
	harmless := 1 // the declaration
	use := func(x ast.Expr) {
		if slice, ok := x.(*ast.SliceExpr); ok {
			x = slice.X
		}
		if s.object(x) == o {
			harmless++
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				return false
			}
		case *ast.SliceExpr:
			if s.object(n.X) == o { // counted by what it is handed to
				return true
			}
		case *ast.IndexExpr:
			if s.object(n.X) == o {
				harmless++
			}
		case *ast.RangeStmt:
			use(n.X)
		case *ast.CallExpr:
			if slices.ContainsFunc([]string{"len", "cap", "copy", "string"}, func(name string) bool {
				return s.builtin(n.Fun, name)
			}) {
				for _, x := range n.Args {
					use(x)
				}
			}
		}
		return true
	})
	return harmless != len(s.uses(o, body))
}

// nameTaken reports whether the name of a variable stands for something else around the loop.
func (s *source) nameTaken(o types.Object, l loop) bool {
	for id, other := range s.info.Uses {
		if id.Name == o.Name() && other != o {
			return true
		}
	}
	for id, other := range s.info.Defs {
		if id.Name == o.Name() && other != o && within(l.parent, id.Pos()) {
			return true
		}
	}
	return false
}
