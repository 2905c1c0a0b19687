package escape

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Advice returns what usually helps at this very expression, "" where nothing is known to: Fix is
// the advice for a cause, and what is returned to a caller or boxed on its way cannot follow each
// of it. No advice is better than a wrong one, so that where the source does not show how a value
// is used there is none.
func Advice(d Diagnostic, cause Cause, src *Source) string {
	c := classifier{d: d, steps: d.Flow(), src: src}
	if advise := advisers[cause]; advise != nil {
		return advise(c)
	}
	switch cause {
	case GoStatement, DeferInLoop, UnsafePointer, MethodValue, TooLarge, AppendGrowth, PanicArgument:
		return cause.Fix()
	}
	return ""
}

// advisers are for the causes whose usual fix depends on the expression.
var advisers = map[Cause]func(classifier) string{
	ReturnedPointer: func(c classifier) string {
		switch {
		case strings.HasPrefix(c.d.Subject, "make([]"):
			return "let the caller hand in a slice to fill"
		case c.isObject() && !c.boxedOnTheWay():
			return ReturnedPointer.Fix()
		}
		return ""
	},
	StoredPointer: func(c classifier) string {
		into := []string{"appended to slice", "slice-literal-element", "array literal element"}
		if c.isObject() && !c.boxedOnTheWay() && slices.ContainsFunc(into, c.hasReason) {
			return "keep values in the slice instead of pointers to them"
		}
		return ""
	},
	MapPut:      objects(MapPut.Fix),
	ChannelSend: objects(ChannelSend.Fix),
	IndirectCall: func(c classifier) string {
		if isLiteral(c.d.Subject) && !strings.HasPrefix(c.d.Subject, "&") || c.d.Subject == "func literal" {
			return ""
		}
		return IndirectCall.Fix()
	},
	KeptParameter: func(c classifier) string {
		if call := c.callee(); c.isObject() && call != nil && c.src.ours(call) {
			return KeptParameter.Fix()
		}
		return ""
	},
	FormatArgument: func(c classifier) string {
		for _, s := range c.steps {
			if s.Reason == "call parameter" {
				return FormatAdvice(calleeOf(s.Expr))
			}
		}
		return ""
	},
	ClosureCapture: func(c classifier) string {
		if c.d.Kind == MovedToHeap {
			return "hand it to the function literal as an argument, or do not assign to it after the capture"
		}
		return ""
	},
	VariableMake: func(c classifier) string {
		switch c.usedFor() {
		case "return":
			return "let the caller hand in a slice to fill"
		case "call parameter", "assign":
			return VariableMake.Fix()
		}
		if c.d.Kind == DoesNotEscape {
			return VariableMake.Fix()
		}
		return ""
	},
	SliceLiteral: constantLiteral,
	MapLiteral:   constantLiteral,
	TextConversion: func(c classifier) string {
		if u := c.usedFor(); c.d.Kind == DoesNotEscape || u == "call parameter" {
			return TextConversion.Fix()
		}
		return ""
	},
	Concatenation: func(c classifier) string {
		if c.src == nil {
			return ""
		}
		for _, e := range c.src.onLine(c.d.File, c.d.Line) {
			if a, ok := e.node.(*ast.AssignStmt); ok && grows(a) && outOfLoop(e, token.NoPos) {
				return "use a strings.Builder with Grow"
			}
		}
		return ""
	},
}

// FormatAdvice returns what usually helps where a function of fmt or log, as it is called, allocates; ""
// where nothing is known to: an error is not made by strconv.
func FormatAdvice(callee string) string {
	pkg, name, _ := cutLast(callee, ".")
	switch {
	case pkg == "log" || strings.HasSuffix(pkg, "slog"):
		return "ask for the level first"
	case pkg == "fmt" && (strings.HasPrefix(name, "Sprint") || strings.HasPrefix(name, "Fprint") ||
		strings.HasPrefix(name, "Append")):
		return "use strconv and Append functions"
	}
	return ""
}

// objects gives advice where an object of its own is pointed to, and not one that an interface holds.
func objects(fix func() string) func(classifier) string {
	return func(c classifier) string {
		if c.isObject() && !c.boxedOnTheWay() {
			return fix()
		}
		return ""
	}
}

// constantLiteral gives advice for a literal that is the same each time and only handed to a call.
func constantLiteral(c classifier) string {
	if c.src == nil || c.usedFor() != "call parameter" {
		return ""
	}
	lit, ok := c.src.expression(c.d).node.(*ast.CompositeLit)
	if !ok || len(lit.Elts) == 0 {
		return ""
	}
	constant := func(x ast.Expr) bool { return c.src.info.Types[x].Value != nil }
	for _, x := range lit.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok && constant(kv.Value) || constant(x) {
			continue
		}
		return ""
	}
	return "make it once outside, if the function does not change it"
}

// isObject reports whether d speaks of a variable, or of what & or new makes.
func (c classifier) isObject() bool {
	return c.d.Kind == MovedToHeap || strings.HasPrefix(c.d.Subject, "&") || strings.HasPrefix(c.d.Subject, "new(")
}

func (c classifier) boxedOnTheWay() bool {
	return slices.ContainsFunc(c.steps, func(s Step) bool { return strings.HasPrefix(s.Reason, "interface-converted") })
}

// usedFor returns how the source uses the expression, "" where that is not known.
func (c classifier) usedFor() string {
	if c.src == nil {
		return ""
	}
	e := c.src.expression(c.d)
	if e == nil {
		return ""
	}
	return c.src.useOf(e).reason
}

// callee returns the call to whose parameter the value flows, nil where that is not known.
func (c classifier) callee() *ast.CallExpr {
	if c.src == nil {
		return nil
	}
	for _, s := range slices.Backward(c.steps) {
		if s.Reason == "call parameter" {
			return c.src.callAt(s)
		}
	}
	return nil
}

// ours reports whether a call is of a function of this package.
func (s *Source) ours(call *ast.CallExpr) bool {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		_, isFunc := s.info.Uses[fun].(*types.Func)
		return isFunc
	case *ast.SelectorExpr:
		sel := s.info.Selections[fun]
		return sel != nil && sel.Kind() == types.MethodVal && !types.IsInterface(sel.Recv()) && sel.Obj().Pkg() != nil
	}
	return false
}

// grows reports whether a statement adds to the text of a variable: s += x, or s = s + x.
func grows(a *ast.AssignStmt) bool {
	if a.Tok == token.ADD_ASSIGN {
		return true
	}
	if a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return false
	}
	x := a.Rhs[0]
	for {
		b, ok := x.(*ast.BinaryExpr)
		if !ok || b.Op != token.ADD {
			return types.ExprString(x) == types.ExprString(a.Lhs[0]) && x != a.Rhs[0]
		}
		x = b.X
	}
}
