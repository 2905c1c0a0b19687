package remedy

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"memcost/internal/sites"
)

// formatted proposes to write out what fmt.Sprintf or fmt.Sprint does with a single number,
// text or error.
func formatted(s *source, site *sites.Site) (proposal, bool) {
	for _, p := range found[*ast.CallExpr](s, site.Line) {
		call := p.last().(*ast.CallExpr)
		x, verb := s.single(call)
		if x == nil {
			continue
		}
		out, ok := s.written(p, x, verb)
		if !ok {
			continue
		}
		out.changes = []change{s.replace(call, out.changes[0].text)}
		return out, true
	}
	return proposal{}, false
}

// single returns the one argument of fmt.Sprintf("%v", x), or of fmt.Sprint(x), and its verb.
func (s *source) single(call *ast.CallExpr) (x ast.Expr, verb string) {
	if call.Ellipsis.IsValid() {
		return nil, ""
	}
	switch {
	case s.imported(call.Fun, "fmt", "Sprint") && len(call.Args) == 1:
		return call.Args[0], "%v"
	case s.imported(call.Fun, "fmt", "Sprintf") && len(call.Args) == 2:
		if v := s.info.Types[call.Args[0]].Value; v != nil && v.Kind() == constant.String {
			return call.Args[1], constant.StringVal(v)
		}
	}
	return nil, ""
}

// written returns what a single argument is as a text, without fmt.
func (s *source) written(p path, x ast.Expr, verb string) (out proposal, ok bool) {
	code := s.code(x)
	number, text := verb == "%d" || verb == "%v", verb == "%s" || verb == "%v"
	out.check = "nothing else: the text is the same"
	switch {
	case number && s.is(x, types.Int):
		out.title, out.need = "use strconv.Itoa", "strconv"
		code = "strconv.Itoa(" + code + ")"
	case number && s.is(x, types.Int64):
		out.title, out.need = "use strconv.FormatInt", "strconv"
		code = "strconv.FormatInt(" + code + ", 10)"
	case number && s.is(x, types.Uint64):
		out.title, out.need = "use strconv.FormatUint", "strconv"
		code = "strconv.FormatUint(" + code + ", 10)"
	case text && s.is(x, types.String) && s.info.Types[x].Value == nil:
		out.title = "use the string itself"
		out.check = "the string is shared now, not copied: see that it is no small part of a large one"
		if _, plain := x.(*ast.BinaryExpr); plain {
			code = "(" + code + ")"
		}
	case text && s.isError(x) && s.notNil(p, x):
		out.title = "use Error itself"
		out.check = fmt.Sprintf("fmt shows a panic in Error as text, and the method itself does not; %s is not nil "+
			"here", code)
		code += ".Error()"
	default:
		return proposal{}, false
	}
	out.changes = []change{{text: code}}
	return out, true
}

// isError reports whether an expression is a variable of type error.
func (s *source) isError(x ast.Expr) bool {
	o := s.object(x)
	return o != nil && types.Identical(o.Type(), types.Universe.Lookup("error").Type())
}

// notNil reports whether x stands in the body of if x != nil, and is not changed there.
func (s *source) notNil(p path, x ast.Expr) bool {
	o := s.object(x)
	for i := len(p) - 1; i > 0; i-- {
		switch n := p[i-1].(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		case *ast.IfStmt:
			cond, ok := n.Cond.(*ast.BinaryExpr)
			if ok && p[i] == ast.Node(n.Body) && cond.Op == token.NEQ && s.object(cond.X) == o &&
				s.builtin(cond.Y, "nil") && !s.changed(o, n.Body) {
				return true
			}
		}
	}
	return false
}
