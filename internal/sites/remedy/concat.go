package remedy

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"memcost/internal/sites"
)

// concatenated proposes a strings.Builder for a local string that grows in a loop by s += x,
// and is read only behind the loop.
func concatenated(s *source, site *sites.Site) (proposal, bool) {
	for _, p := range found[*ast.AssignStmt](s, site.Line) {
		text, parts := s.grows(p.last().(*ast.AssignStmt))
		if text == nil {
			continue
		}
		if changes, ok := s.built(p, text); ok && len(parts) > 0 {
			return proposal{title: "use a strings.Builder", need: "strings", changes: changes,
				check: fmt.Sprintf("%s has its text only behind the loop: see that nothing reads it earlier, as after "+
					"a panic that is recovered; where the length is known, add a call of Grow", text.Name())}, true
		}
	}
	return proposal{}, false
}

// grows returns the string that a statement makes longer, and by what: s += a + b, or
// s = s + a + b.
func (s *source) grows(a *ast.AssignStmt) (text types.Object, parts []ast.Expr) {
	if len(a.Lhs) != 1 || len(a.Rhs) != 1 || !s.is(a.Lhs[0], types.String) {
		return nil, nil
	}
	v, ok := s.object(a.Lhs[0]).(*types.Var)
	if !ok || v.IsField() || s.global(v) {
		return nil, nil
	}
	parts = s.summands(a.Rhs[0])
	switch {
	case a.Tok == token.ADD_ASSIGN:
	case a.Tok == token.ASSIGN && len(parts) > 1 && s.object(parts[0]) == types.Object(v):
		parts = parts[1:]
	default:
		return nil, nil
	}
	for _, x := range parts {
		if len(s.uses(v, x)) > 0 || !s.is(x, types.String) {
			return nil, nil
		}
	}
	return v, parts
}

// summands returns the parts of a + b + c.
func (s *source) summands(x ast.Expr) []ast.Expr {
	if b, ok := x.(*ast.BinaryExpr); ok && b.Op == token.ADD && s.info.Types[x].Value == nil {
		return append(s.summands(b.X), s.summands(b.Y)...)
	}
	return []ast.Expr{x}
}

// built returns the changes for a text that grows in the outermost loop behind its declaration.
func (s *source) built(p path, text types.Object) (changes []change, ok bool) {
	var l loop
	for _, x := range p.loops() {
		if within(x.stmt, text.Pos()) {
			break
		}
		l = x
	}
	body := p.body()
	if l.parent == nil || l.leaves() || !within(body, text.Pos()) || s.escapes(text, body) {
		return nil, false
	}
	blanks, first := s.indent(l.stmt)
	name := s.fresh("built")
	if !first || name == "" {
		return nil, false
	}
	start := "var " + name + " strings.Builder"
	if !s.emptyText(text, l) {
		start += "\n" + name + ".WriteString(" + text.Name() + ")"
	}
	end, ok := s.after(l.stmt, blanks, text.Name()+" = "+name+".String()")
	if !ok {
		return nil, false
	}
	changes = []change{s.before(l.stmt, blanks, start), end}
	covered := 0
	for n := range ast.Preorder(l.stmt) {
		for _, stmt := range list(n) {
			a, isAssign := stmt.(*ast.AssignStmt)
			if !isAssign {
				continue
			}
			if o, parts := s.grows(a); o == text {
				covered += len(s.uses(text, a))
				changes = append(changes, s.replace(a, s.writes(a, name, parts)))
			}
		}
	}
	return changes, covered == len(s.uses(text, l.stmt))
}

// writes returns the calls that append the parts.
func (s *source) writes(a ast.Stmt, name string, parts []ast.Expr) string {
	var out []string
	for _, x := range parts {
		out = append(out, name+".WriteString("+s.code(x)+")")
	}
	if blanks, first := s.indent(a); first {
		return strings.Join(out, "\n"+blanks)
	}
	return strings.Join(out, "; ")
}

// escapes reports whether a variable is read elsewhere than where it stands: through a function
// literal, its address, or as a result with a name.
func (s *source) escapes(o types.Object, body *ast.BlockStmt) bool {
	for n := range ast.Preorder(body) {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op != token.AND {
				continue
			}
		case *ast.FuncLit, *ast.DeferStmt:
		default:
			continue
		}
		if len(s.uses(o, n)) > 0 {
			return true
		}
	}
	return false
}

// emptyText reports whether the statement right before the loop declares the text as "".
func (s *source) emptyText(o types.Object, l loop) bool {
	var before ast.Stmt
	for _, stmt := range list(l.parent) {
		if stmt == l.stmt {
			break
		}
		before = stmt
	}
	_, value, tok := s.declares(before, o)
	text, isText := value.(*ast.BasicLit)
	return tok == token.VAR || isText && text.Value == `""` && (tok == token.DEFINE || tok == token.ASSIGN)
}

// fresh returns a name that nothing in the file has.
func (s *source) fresh(name string) string {
	for _, suffix := range []string{"", "Text", "String"} {
		if !s.taken(name + suffix) {
			return name + suffix
		}
	}
	return ""
}
