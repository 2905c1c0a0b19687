package remedy

import (
	"go/ast"
	"go/token"
)

// A path is a node with those around it, the file first.
type path []ast.Node

// found lists the nodes that begin on a line, each with its path.
func found[T ast.Node](s *source, line int) []path {
	var out []path
	var up path
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n == nil {
			up = up[:len(up)-1]
			return true
		}
		up = append(up, n)
		if _, ok := n.(T); ok && s.line(n.Pos()) == line {
			out = append(out, append(path(nil), up...))
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
	found := false
	ast.Inspect(l.body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && (b.Label != nil || b.Tok == token.GOTO) {
			found = true
		}
		return !found
	})
	return found
}

// within reports whether a position lies in a node.
func within(n ast.Node, p token.Pos) bool { return n.Pos() <= p && p < n.End() }
