package escape

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A use is how the source uses a value: the reason in the compiler's own words for it,
// and the call that it is passed to.
type use struct {
	reason string
	call   *ast.CallExpr
}

// useOf climbs from an expression to the statement or call that takes its value.
func (s *Source) useOf(e *entry) use { return useWithin(s, e, 8) }

// useWithin does the work of useOf through at most vars variables: assignments may form
// cycles.
func useWithin(s *Source, e *entry, vars int) use {
	for p := e.parent; p != nil; e, p = p, p.parent {
		switch n := p.node.(type) {
		case *ast.CompositeLit:
			if _, ok := p.parent.node.(*ast.UnaryExpr); ok || !isStruct(s.info, n) {
				return use{reason: "store"} // in the object or the block that the literal makes
			}
		case *ast.ParenExpr, *ast.UnaryExpr, *ast.SliceExpr, *ast.SelectorExpr, *ast.IndexExpr:
		case *ast.KeyValueExpr:
			if isMapLiteral(s.info, p.parent) {
				return use{reason: "map literal value"}
			}
		case *ast.CallExpr:
			if u, ok := useInCall(s, n, p, e); ok {
				return u
			}
		case *ast.ReturnStmt:
			return use{reason: "return"}
		case *ast.SendStmt:
			return use{reason: "send"}
		case *ast.AssignStmt:
			return useInAssign(s, n, e, p, vars)
		case *ast.ValueSpec:
			if p.parent != nil && p.parent.parent != nil {
				if _, ok := p.parent.parent.node.(*ast.File); ok {
					return use{reason: "store"}
				}
			}
			for i, x := range n.Values {
				if x == e.node && i < len(n.Names) {
					return follow(s, s.info.Defs[n.Names[i]], p, vars)
				}
			}
			return use{reason: "assign"}
		case ast.Stmt, ast.Decl:
			return use{}
		}
	}
	return use{}
}

func useInCall(s *Source, call *ast.CallExpr, at, from *entry) (use, bool) {
	if at.parent != nil {
		switch at.parent.node.(type) {
		case *ast.GoStmt:
			return use{reason: "go", call: call}, true
		case *ast.DeferStmt:
			return use{reason: "defer", call: call}, true
		}
	}
	if from.node == call.Fun {
		return use{reason: "called", call: call}, true
	}
	switch tv := s.info.Types[call.Fun]; {
	case tv.IsType():
		return use{}, false // a conversion hands the value on
	case tv.IsBuiltin() && !isNamed(call.Fun, "append", "panic"):
		return use{}, true // len and cap and copy keep nothing
	}
	if isNamed(call.Fun, "append") && !from.isFirst(call) {
		return use{reason: "store"}, true
	}
	return use{reason: "call parameter", call: call}, true
}

func isNamed(x ast.Expr, names ...string) bool {
	id, ok := x.(*ast.Ident)
	return ok && slices.Contains(names, id.Name)
}

func (e *entry) isFirst(call *ast.CallExpr) bool { return len(call.Args) > 0 && call.Args[0] == e.node }

func useInAssign(s *Source, n *ast.AssignStmt, from, at *entry, vars int) use {
	i := 0
	for j, x := range n.Rhs {
		if x == from.node {
			i = j
		}
	}
	if i >= len(n.Lhs) {
		return use{reason: "assign"}
	}
	switch to := n.Lhs[i].(type) {
	case *ast.IndexExpr:
		if isMap(s.info, to.X) || from.node == to.Index {
			return use{reason: "map put"}
		}
		return use{reason: "store"}
	case *ast.SelectorExpr, *ast.StarExpr:
		return use{reason: "store"}
	case *ast.Ident:
		v, ok := s.info.Uses[to].(*types.Var)
		if !ok {
			return follow(s, s.info.Defs[to], at, vars)
		}
		if v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
			return use{reason: "store"}
		}
		if outOfLoop(from, v.Pos()) {
			return use{reason: "outlives loop"}
		}
		return follow(s, v, at, vars)
	}
	return use{reason: "assign"}
}

// follow returns the first use, other than an assignment, of a local variable to which a
// value was assigned. A result is used by the caller.
func follow(s *Source, v types.Object, from *entry, vars int) use {
	if v == nil || vars == 0 {
		return use{reason: "assign"}
	}
	fn := from.function()
	if namesResult(fn, v.Name()) {
		return use{reason: "return"}
	}
	for _, e := range s.usesOf(v, from.file) {
		switch p := e.parent.node.(type) {
		case *ast.ReturnStmt, *ast.SendStmt, *ast.CallExpr, *ast.SliceExpr, *ast.CompositeLit, *ast.KeyValueExpr:
			if u := useWithin(s, e, vars-1); u.reason != "assign" && u.reason != "" {
				return u
			}
		case *ast.AssignStmt:
			if i := slices.Index(p.Rhs, e.node.(ast.Expr)); i >= 0 && i < len(p.Lhs) {
				if _, local := p.Lhs[i].(*ast.Ident); !local {
					return useInAssign(s, p, e, e.parent, vars-1)
				}
			}
		}
	}
	return use{reason: "assign"}
}

// outOfLoop reports whether e is inside a loop that does not contain pos.
func outOfLoop(e *entry, pos token.Pos) bool {
	for ; e != nil; e = e.parent {
		switch e.node.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if pos < e.node.Pos() || pos > e.node.End() {
				return true
			}
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		}
	}
	return false
}

// inLoop reports whether a diagnostic's line is inside a loop.
func (s *Source) inLoop(d Diagnostic) bool {
	for _, e := range s.onLine(d.File, d.Line) {
		if outOfLoop(e, token.NoPos) {
			return true
		}
	}
	return false
}

// spawned returns the statement by which the function literal or call at e is started:
// "go", "defer", or "" for neither.
func spawned(e *entry) string {
	for ; e != nil; e = e.parent {
		switch e.node.(type) {
		case *ast.GoStmt:
			return "go"
		case *ast.DeferStmt:
			return "defer"
		case *ast.BlockStmt, *ast.FuncDecl:
			return ""
		}
	}
	return ""
}

// capture returns how a variable that d reports as "moved to heap" first escapes: by its
// address, or captured by a function literal. Go 1.13 prints no more than this.
//
// A variable that does neither is on the heap for its size alone.
func (s *Source) capture(d Diagnostic) (u use, literal *entry) {
	for _, e := range s.variable(d) {
		if lit := e.literalBelow(d.Line); lit != nil {
			literal = lit
			continue
		}
		p := e.parent
		for p != nil && (isNode[*ast.SelectorExpr](p) || isNode[*ast.IndexExpr](p) || isNode[*ast.ParenExpr](p)) {
			p = p.parent
		}
		if p == nil {
			continue
		}
		if call := s.byReceiver(e); call != nil {
			u = use{reason: "call parameter", call: call}
			continue
		}
		addr, ok := p.node.(*ast.UnaryExpr)
		if ok && addr.Op == token.AND || isNode[*ast.SliceExpr](p) {
			if got := s.useOf(p); u.reason == "" || u.reason == "assign" {
				u = got
			}
		}
	}
	return u, literal
}

// byReceiver returns the call of a pointer's method on a variable: v.keep() takes &v.
func (s *Source) byReceiver(e *entry) *ast.CallExpr {
	sel, ok := e.parent.node.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	known := s.info.Selections[sel]
	if known == nil || known.Kind() != types.MethodVal {
		return nil
	}
	recv := known.Obj().Type().(*types.Signature).Recv()
	if _, ok := recv.Type().(*types.Pointer); !ok {
		return nil
	}
	call, _ := e.parent.parent.node.(*ast.CallExpr)
	return call
}

// variable lists the uses of the variable that d names, within the function around it.
func (s *Source) variable(d Diagnostic) []*entry {
	var uses []*entry
	for _, e := range s.onLine(d.File, d.Line) {
		id, ok := e.node.(*ast.Ident)
		if !ok || id.Name != d.Subject {
			continue
		}
		obj := s.info.Defs[id]
		if obj == nil {
			continue
		}
		uses = append(uses, s.usesOf(obj, e.file)...)
	}
	return uses
}

// usesOf lists where an object is used in a file, in order.
func (s *Source) usesOf(obj types.Object, file string) []*entry {
	var uses []*entry
	for _, at := range s.lines[file] {
		for _, u := range at {
			if id, ok := u.node.(*ast.Ident); ok && s.info.Uses[id] == obj {
				uses = append(uses, u)
			}
		}
	}
	slices.SortFunc(uses, func(a, b *entry) int { return int(a.node.Pos() - b.node.Pos()) })
	return uses
}

// literalBelow returns the function literal that contains e, if it begins at or after a
// line.
func (e *entry) literalBelow(line int) *entry {
	for ; e != nil; e = e.parent {
		if isNode[*ast.FuncLit](e) && e.line >= line {
			return e
		}
	}
	return nil
}
