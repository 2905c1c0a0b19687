package escape

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// funcLiteral distinguishes the literals of go and defer statements from the others.
// Since Go 1.17 the compiler wraps their calls in literals of its own.
func (c classifier) funcLiteral() Cause {
	if c.src == nil {
		return ClosureCapture
	}
	var by string
	for _, e := range c.src.onLine(c.d.File, c.d.Line) {
		switch e.node.(type) {
		case *ast.GoStmt:
			by = "go"
		case *ast.DeferStmt:
			by = "defer"
		case *ast.FuncLit:
			if e.col == c.d.Col && c.src.useOf(e).reason != "called" {
				by = startedBy(e)
			}
		}
	}
	switch by {
	case "go":
		return GoStatement
	case "defer":
		return DeferInLoop
	}
	return ClosureCapture
}

// startedBy returns the same as spawned for a literal that is called by the statement
// itself, "" for one that is passed to the called function.
func startedBy(e *entry) string {
	if call, ok := e.parent.node.(*ast.CallExpr); ok && call.Fun == e.node {
		return spawned(e)
	}
	return ""
}

// isConcatenation reports whether a sum is one of strings, as it is unless the source
// shows otherwise: a sum of numbers is boxed.
func (c classifier) isConcatenation() bool {
	subject := c.d.Subject
	if c.src != nil {
		if e := c.src.expression(c.d); e != nil {
			if t, ok := c.src.info.TypeOf(e.node.(ast.Expr)).(*types.Basic); ok && t.Info()&types.IsNumeric != 0 {
				return false
			}
		}
	}
	return strings.Contains(subject, " + ") && !strings.HasPrefix(subject, "make(") &&
		!strings.HasPrefix(subject, "&") && !isLiteral(subject)
}

func (c classifier) isMethodValue() bool {
	if c.src == nil || !strings.Contains(c.d.Subject, ".") {
		return false
	}
	e := c.src.expression(c.d)
	if e == nil {
		return false
	}
	sel, ok := e.node.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if known := c.src.info.Selections[sel]; known != nil {
		return known.Kind() == types.MethodVal
	}
	return false
}

// isBoxing reports whether an expression can be on the heap only because of an
// interface: it allocates nothing itself.
func (c classifier) isBoxing() bool {
	subject := c.d.Subject
	switch {
	case strings.HasPrefix(subject, "&"), strings.HasPrefix(subject, "new("), strings.HasPrefix(subject, "make("),
		subject == "... argument":
		return false
	case isLiteral(subject):
		return !strings.HasPrefix(subject, "[]") && !strings.HasPrefix(subject, "composite ")
	}
	return true
}

// boxedFor looks a boxed value's use up where there is no flow.
func (c classifier) boxedFor() Cause {
	if e := c.src.expression(c.d); e != nil {
		if u := c.src.useOf(e); u.reason == "call parameter" {
			if cause := calleeCause(types.ExprString(u.call.Fun), true); cause != Uncategorised {
				return cause
			}
		}
	}
	return Boxing
}

// bySource returns the cause for output without a flow, that of Go 1.13.
func (c classifier) bySource() Cause {
	if c.src == nil || len(c.steps) > 0 {
		return Uncategorised
	}
	var u use
	if c.d.Kind == MovedToHeap {
		var literal *entry
		u, literal = c.src.capture(c.d)
		if u.reason == "" && literal == nil && len(c.src.variable(c.d)) > 0 {
			return TooLarge
		}
		if literal != nil && (u.reason == "" || u.reason == "assign") {
			if startedBy(literal) == "go" {
				return GoStatement
			}
			return ClosureCapture
		}
	} else if isReflectPanic(c.d) {
		return PanicArgument
	} else if e := c.src.expression(c.d); e != nil {
		if call, ok := e.node.(*ast.CallExpr); ok && c.d.Subject == "... argument" {
			u = use{reason: "call parameter", call: call}
		} else {
			u = c.src.useOf(e)
		}
	}
	switch u.reason {
	case "call parameter":
		if cause := calleeCause(types.ExprString(u.call.Fun), c.d.Subject == "... argument"); cause != Uncategorised {
			return cause
		}
		if strings.Contains(types.ExprString(u.call), "uintptr(unsafe.Pointer(") {
			return UnsafePointer
		}
		if c.src.indirect(u.call) {
			return IndirectCall
		}
		return KeptParameter
	case "called":
		return KeptParameter
	case "map put", "map literal value":
		return MapPut
	}
	if u.reason == "assign" && strings.HasPrefix(c.d.Subject, "make([]") {
		return TooLarge // a constant size, and no use that makes it escape
	}
	return map[string]Cause{
		"return": ReturnedPointer, "send": ChannelSend, "store": StoredPointer, "outlives loop": OutlivesLoop,
		"go": GoStatement, "defer": DeferInLoop, "assign": StoredPointer,
	}[u.reason]
}

func isAppend(subject string) bool {
	return subject == "append" || strings.HasPrefix(subject, "append(")
}

// isResult reports whether a location is the compiler's name for an unnamed result: ~r0,
// ~R0.
func isResult(location string) bool {
	return strings.HasPrefix(location, "~r") || strings.HasPrefix(location, "~R")
}

// isLiteral reports whether a subject is "T{...}", "T{}" or, up to Go 1.16, "T literal".
func isLiteral(subject string) bool {
	return strings.HasSuffix(subject, " literal") && subject != "func literal" || strings.HasSuffix(subject, "}") &&
		strings.Contains(subject, "{")
}

func isTextConversion(subject string) bool {
	for _, to := range []string{"string(", "[]byte(", "[]rune(", "([]byte)(", "([]rune)(", "(string)("} {
		if strings.HasPrefix(subject, to) {
			return true
		}
	}
	return false
}

// speaksOf reports whether a subject, as the compiler prints it, can have the form of x.
func speaksOf(subject string, x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.FuncLit:
		return subject == "func literal"
	case *ast.CompositeLit:
		return !strings.HasPrefix(subject, "&") && isLiteral(subject)
	case *ast.UnaryExpr:
		if _, ok := x.X.(*ast.CompositeLit); ok {
			return x.Op == token.AND && strings.HasPrefix(subject, "&") && isLiteral(subject)
		}
	case *ast.CallExpr:
		name, _, _ := strings.Cut(subject, "(")
		id, ok := x.Fun.(*ast.Ident)
		if ok && id.Name == name && (name == "make" || name == "new" || name == "append") {
			return true
		}
		if subject == "... argument" {
			return true
		}
	}
	return plainExpr(types.ExprString(x)) == plainExpr(subject)
}

// isInlined reports whether a subject may come from the body of a function that was
// inlined at the call x: "&errors.errorString literal". An expression on the line itself
// takes precedence.
func isInlined(subject string, x ast.Expr) bool {
	_, ok := x.(*ast.CallExpr)
	return ok && isLiteral(subject) && strings.HasPrefix(subject, "&")
}

var exprNoise = strings.NewReplacer(" ", "", "(", "", ")", "")

func plainExpr(s string) string { return exprNoise.Replace(s) }

// isReflectPanic reports whether a diagnostic is about a value that inlined methods of
// reflect.Value make for panic, and for nothing else.
func isReflectPanic(d Diagnostic) bool { return strings.HasPrefix(d.Subject, "&reflect.ValueError") }

func abs(n int) int { return max(n, -n) }

// under returns the type that an expression's type is made of, nil where that is not known.
func under(info *types.Info, x ast.Expr) types.Type {
	if t := info.TypeOf(x); t != nil {
		return t.Underlying()
	}
	return nil
}

func isStruct(info *types.Info, x ast.Expr) bool {
	switch under(info, x).(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

func isMap(info *types.Info, x ast.Expr) bool {
	_, ok := under(info, x).(*types.Map)
	return ok
}

func isMapLiteral(info *types.Info, e *entry) bool {
	if e == nil {
		return false
	}
	lit, ok := e.node.(*ast.CompositeLit)
	return ok && isMap(info, lit)
}

// isPointer reports whether a value is stored in an interface without a copy: it is a
// pointer already.
func isPointer(info *types.Info, x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
	default:
		return false // what makes one, as make does
	}
	switch u := under(info, x).(type) {
	case *types.Pointer, *types.Map, *types.Chan:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// captures reports whether a function literal uses variables of the functions around it.
func captures(info *types.Info, lit *ast.FuncLit) bool {
	for n := range ast.Preorder(lit) {
		id, ok := n.(*ast.Ident)
		if !ok {
			continue
		}
		v, ok := info.Uses[id].(*types.Var)
		if ok && !v.IsField() && v.Pkg() != nil && v.Parent() != v.Pkg().Scope() &&
			(v.Pos() < lit.Pos() || v.Pos() > lit.End()) {
			return true
		}
	}
	return false
}

func namesResult(fn *ast.FuncDecl, name string) bool {
	if fn == nil || fn.Type.Results == nil {
		return false
	}
	for _, field := range fn.Type.Results.List {
		for _, id := range field.Names {
			if id.Name == name {
				return true
			}
		}
	}
	return false
}
