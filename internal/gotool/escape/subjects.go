package escape

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

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
