package escape

import (
	"go/ast"
	"go/types"
	"go/version"
	"slices"
	"strings"
)

// stdInterfaces are the interfaces of other packages that calls go through most. The
// types of other packages are not read, so their names must do.
var stdInterfaces = map[string]bool{
	"error": true, "any": true, "io.Writer": true, "io.Reader": true, "io.ReadWriter": true, "io.Closer": true,
	"io.ReadCloser":  true,
	"io.WriteCloser": true, "io.ReaderAt": true, "io.WriterAt": true, "io.Seeker": true, "io.ReadSeeker": true,
	"io.StringWriter": true,
	"io.ByteReader":   true, "io.ByteWriter": true, "context.Context": true, "http.ResponseWriter": true,
	"http.Handler":      true,
	"http.RoundTripper": true, "net.Conn": true, "net.Listener": true, "hash.Hash": true, "sort.Interface": true,
	"fs.FS":        true,
	"fmt.Stringer": true, "fmt.State": true, "testing.TB": true, "reflect.Type": true, "json.Marshaler": true,
	"transform.Transformer": true,
}

// indirect reports whether a call goes through a function value or an interface, as far
// as this package's source shows.
func (s *Source) indirect(call *ast.CallExpr) bool {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		_, isVar := s.info.Uses[fun].(*types.Var)
		return isVar
	case *ast.SelectorExpr:
		if sel := s.info.Selections[fun]; sel != nil {
			_, isParam := types.Unalias(sel.Recv()).(*types.TypeParam)
			return sel.Kind() == types.FieldVal || isParam || types.IsInterface(sel.Recv())
		}
		return stdInterfaces[s.declaredType(fun.X)]
	case *ast.CallExpr:
		return true // what a call returned
	}
	return false
}

// declaredType returns the type in the declaration of a variable or a field:
// "io.Writer".
func (s *Source) declaredType(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if obj := s.info.Uses[x]; obj != nil {
			return s.named[obj.Pos()]
		}
	case *ast.SelectorExpr:
		if sel := s.info.Selections[x]; sel != nil {
			return s.named[sel.Obj().Pos()]
		}
	}
	return ""
}

// static reports whether what d calls escaping needs no object at run time.
func (s *Source) static(d Diagnostic) bool {
	if d.Kind != EscapesToHeap || isAppend(d.Subject) {
		return false
	}
	if strings.HasPrefix(d.Subject, `"`) && !strings.Contains(d.Subject, `" + `) {
		return true
	}
	e := s.expression(d)
	if e == nil {
		return false
	}
	switch x := e.node.(type) {
	case *ast.FuncLit:
		return d.Subject == "func literal" && !captures(s.info, x)
	case *ast.CallExpr:
		lit, ok := x.Fun.(*ast.FuncLit)
		return ok && d.Subject == "func literal" && (!captures(s.info, lit) || s.calledInPlace(e)) || !ok &&
			speaksOf(d.Subject, x) && s.info.Types[x].Value != nil
	case *ast.CompositeLit, *ast.UnaryExpr:
		return false
	case ast.Expr:
		return speaksOf(d.Subject, x) && (s.info.Types[x].Value != nil || isPointer(s.info, x))
	}
	return false
}

// calledInPlace reports whether a literal whose call is a go or defer statement is made a
// plain function with more arguments, as up to Go 1.16 (transformclosure in
// cmd/compile/internal/gc/closure.go, 1.13 to 1.16): there is no object then.
func (s *Source) calledInPlace(call *entry) bool {
	switch call.parent.node.(type) {
	case *ast.GoStmt, *ast.DeferStmt:
		return s.Go != "" && version.Compare(s.Go, "go1.17") < 0
	}
	return false
}

// inPanic reports whether an argument of panic is made where panic is called, and not
// before: then no step of its flow assigns it. Go 1.13, which gives no flow, reports
// panic's arguments only where reflect makes them.
func inPanic(d Diagnostic, flow []Step) bool {
	if len(flow) == 0 {
		return isReflectPanic(d)
	}
	return !slices.ContainsFunc(flow, func(x Step) bool { return strings.HasPrefix(x.Reason, "assign") })
}

// callAt finds the call on a step's line whose text begins as the step's does.
func (s *Source) callAt(step Step) *ast.CallExpr {
	var best *ast.CallExpr
	bestOff := 1 << 30
	name := plainExpr(calleeOf(step.Expr))
	for _, e := range s.onLine(step.File, step.Line) {
		call, ok := e.node.(*ast.CallExpr)
		if !ok || plainExpr(types.ExprString(call.Fun)) != name &&
			!strings.HasSuffix(name, "."+types.ExprString(call.Fun)) {
			continue
		}
		if off := abs(e.col - step.Col); off < bestOff {
			best, bestOff = call, off
		}
	}
	return best
}

// calleeOf returns what is called in "a.f(x)(y)": the text before the first parenthesis
// that opens an argument list, "a.f". A method on a pointer, "(*T).m(x)", begins with
// one.
func calleeOf(expr string) string {
	depth := 0
	for i, r := range expr {
		switch r {
		case '(':
			if depth == 0 && i > 0 && !strings.HasPrefix(expr[i:], "(*") {
				return expr[:i]
			}
			depth++
		case ')':
			depth--
		}
	}
	return expr
}

// calleeCause takes a function's name as it is printed: "fmt.Fprintf", "panic".
func calleeCause(callee string, variadic bool) Cause {
	pkg, name, qualified := cutLast(callee, ".")
	if !qualified {
		name = callee
	}
	switch {
	case callee == "panic", callee == "throw":
		return PanicArgument
	case qualified && (pkg == "fmt" || pkg == "log" || pkg == "slog"):
		return FormatArgument
	case qualified && pkg == "reflect":
		return Reflection
	case variadic && formats(name):
		return FormatArgument
	}
	return Uncategorised
}

// formats reports whether a function is named like those that format, as in
// (*testing.common).Errorf and many loggers.
func formats(name string) bool {
	for _, word := range []string{"Log", "Print", "Sprint", "Fprint", "Error", "Fatal", "Warn", "Info", "Debug",
		"Panic", "Skip"} {
		if len(name) >= len(word) && strings.EqualFold(name[:len(word)], word) {
			return true
		}
	}
	return strings.HasSuffix(name, "f") && len(name) > 3
}
