package escape

import (
	"go/ast"
	"strings"
)

type classifier struct {
	d     Diagnostic
	steps []Step
	src   *Source
}

// last returns the last step that names an expression, the one that reaches the end.
func (c classifier) last() Step {
	for i := len(c.steps) - 1; i >= 0; i-- {
		if c.steps[i].To == "" {
			return c.steps[i]
		}
	}
	return Step{}
}

// end returns the destination of the flow: "{heap}", "~r0", "best", "{storage for x}".
func (c classifier) end() string {
	for i := len(c.steps) - 1; i >= 0; i-- {
		if c.steps[i].To != "" {
			return c.steps[i].To
		}
	}
	return ""
}

func (c classifier) hasReason(reason string) bool {
	for _, s := range c.steps {
		if s.Reason == reason {
			return true
		}
	}
	return false
}

func (c classifier) through(location string) bool {
	for _, s := range c.steps {
		if s.To == location {
			return true
		}
	}
	return false
}

// constantMake reports whether the last argument of a make is a number; the compiler has
// put the values of constants in by then, in Go 1.13 only some.
func constantMake(subject string) bool {
	_, n, _ := cutLast(strings.TrimSuffix(subject, ")"), ", ")
	return n != "" && strings.Trim(n, "0123456789<*+ ") == ""
}

// constantMake reports whether the sizes of a make are constant. It asks the source,
// too, because they may be named constants.
func (c classifier) constantMake() bool {
	if constantMake(c.d.Subject) {
		return true
	}
	if c.src == nil {
		return false
	}
	e := c.src.expression(c.d)
	if e == nil {
		return false
	}
	call, ok := e.node.(*ast.CallExpr)
	return ok && len(call.Args) > 1 && c.src.info.Types[call.Args[len(call.Args)-1]].Value != nil
}
