package escape

import (
	"go/ast"
	"go/types"
	"strings"
)

// Classify returns the cause of a diagnostic, from its message, its flow and, where it
// helps, the source. src may be nil: then a diagnostic of Go 1.13, which gives no flow,
// is classified only where the message is enough, and calls count as direct ones.
//
// The cause of a parameter that leaks is KeptParameter. A value that stays on the stack
// has none, except one that may allocate all the same: see Conditional.
func Classify(d Diagnostic, src *Source) Cause {
	switch d.Kind {
	case MovedToHeap, EscapesToHeap:
	case LeakingParam, LeakingParamContent, LeakingParamResult:
		return KeptParameter
	case DoesNotEscape:
		return conditionalCause(d)
	default:
		return Uncategorised
	}
	c := classifier{d: d, steps: d.Flow(), src: src}
	for _, rule := range []func() Cause{c.byReason, c.byCallee, c.bySubject, c.byEnd, c.bySource} {
		if cause := rule(); cause != Uncategorised {
			return cause
		}
	}
	return Uncategorised
}

// Conditional reports whether the compiler leaves the decision to the run: an append
// allocates only when the block is full, and from Go 1.25 on a make with a variable
// size that does not escape only when it is over 32 bytes.
func (d Diagnostic) Conditional() bool {
	switch d.Kind {
	case EscapesToHeap:
		return isAppend(d.Subject)
	case DoesNotEscape:
		return conditionalCause(d) != Uncategorised
	}
	return false
}

func conditionalCause(d Diagnostic) Cause {
	switch {
	case isAppend(d.Subject):
		return AppendGrowth
	case strings.HasPrefix(d.Subject, "make([]") && !constantMake(d.Subject):
		return VariableMake
	}
	return Uncategorised
}

// byReason returns the cause where some step of the flow decides it.
func (c classifier) byReason() Cause {
	for _, s := range c.steps {
		switch {
		case s.Reason == "too large for stack", s.Reason == "too aligned for stack":
			return TooLarge
		case s.Reason == "non-constant size", s.Reason == "zero-sized element":
			if c.constantMake() { // Go 1.14 and 1.15 give a large constant this reason, too
				return TooLarge
			}
			return VariableMake
		case s.Reason == "//go:uintptrescapes", s.Reason == "reflect.Header.Data",
			s.Reason == "conversion to unsafe.Pointer",
			s.Reason == "call parameter" && strings.Contains(s.Expr, "uintptr(unsafe.Pointer("):
			return UnsafePointer
		case strings.HasPrefix(s.To, "reflect."):
			return Reflection
		}
	}
	return Uncategorised
}

// byCallee returns the cause of a value passed to a function whose arguments have a fix
// of their own.
func (c classifier) byCallee() Cause {
	for _, s := range c.steps {
		if s.Reason != "call parameter" && !strings.HasPrefix(s.To, "fmt.") && !strings.HasPrefix(s.To, "log.") {
			continue
		}
		// The slice of further arguments is no argument for formatting: what is boxed into it is.
		variadic := c.d.Subject != "... argument" && (strings.Contains(s.Expr, "... argument") ||
			c.through("{storage for ... argument}"))
		if cause := calleeCause(calleeOf(s.Expr), variadic); cause != Uncategorised {
			return cause
		}
		if strings.HasPrefix(s.To, "fmt.") || strings.HasPrefix(s.To, "log.") {
			return FormatArgument
		}
	}
	return Uncategorised
}

// bySubject returns the cause of an expression that allocates whatever its value is used
// for.
func (c classifier) bySubject() Cause {
	if c.d.Kind == MovedToHeap {
		return Uncategorised
	}
	subject := c.d.Subject
	switch {
	case isAppend(subject):
		return AppendGrowth
	case subject == "func literal":
		return c.funcLiteral()
	case strings.HasPrefix(subject, "map[") && isLiteral(subject), strings.HasPrefix(subject, "make(map["):
		return MapLiteral
	case strings.HasPrefix(subject, "[]") && isLiteral(subject):
		return SliceLiteral
	case strings.HasPrefix(subject, "make([]") && len(c.steps) == 0 && !c.constantMake():
		return VariableMake
	case isTextConversion(subject):
		return TextConversion
	case c.isConcatenation():
		return Concatenation
	case c.isMethodValue():
		return MethodValue
	case c.isBoxing():
		if c.src != nil && len(c.steps) == 0 {
			return c.boxedFor()
		}
		return Boxing
	}
	return Uncategorised
}

// byEnd decides by the step that reaches the flow's end.
func (c classifier) byEnd() Cause {
	if len(c.steps) == 0 {
		return Uncategorised
	}
	last, end := c.last(), c.end()
	switch {
	case last.Reason == "captured by a closure", last.Reason == "reference" && c.hasReason("captured by a closure"):
		return c.captured(last)
	case c.hasReason("captured by a closure") && end != "{heap}":
		return ClosureCapture
	case last.Reason == "send":
		return ChannelSend
	case strings.HasPrefix(last.Reason, "key of map put"), strings.HasPrefix(last.Reason, "map literal "):
		return MapPut
	case last.Reason == "receiver in indirect call", last.Reason == "callee operand":
		return IndirectCall
	case last.Reason == "call parameter":
		return c.call(last)
	case last.Reason == "return", isResult(end), c.src != nil && namesResult(c.src.functionAt(c.d), end):
		return ReturnedPointer
	case end == "{heap}" && strings.HasPrefix(last.Reason, "assign"):
		return c.assigned(last)
	case end == "{heap}", strings.HasPrefix(end, "{storage for "):
		return StoredPointer
	case end == "{temp}", end != "":
		// Something else in the function, which outlives it: because it is declared outside
		// the loop, or because it is on the heap itself.
		if c.src == nil || c.src.inLoop(c.d) {
			return OutlivesLoop
		}
		return StoredPointer
	}
	return Uncategorised
}

// captured reports whether the literal that captures is started by a go statement.
func (c classifier) captured(last Step) Cause {
	if c.src != nil {
		for _, e := range c.src.onLine(last.File, last.Line) {
			for up := e; up != nil; up = up.parent {
				if isNode[*ast.FuncLit](up) && up.line >= c.d.Line && startedBy(up) == "go" {
					return GoStatement
				}
			}
		}
	}
	return ClosureCapture
}

func (c classifier) call(last Step) Cause {
	if calleeOf(last.Expr) == "append" {
		return StoredPointer
	}
	if c.src != nil {
		if call := c.src.callAt(last); call != nil && c.src.indirect(call) {
			return IndirectCall
		}
	}
	return KeptParameter
}

// assigned distinguishes a map's element from other places on the heap.
func (c classifier) assigned(last Step) Cause {
	if c.src == nil {
		return StoredPointer
	}
	for _, e := range c.src.onLine(last.File, last.Line) {
		n, ok := e.node.(*ast.AssignStmt)
		if !ok {
			continue
		}
		for _, to := range n.Lhs {
			if x, ok := to.(*ast.IndexExpr); ok && isMap(c.src.info, x.X) &&
				strings.HasPrefix(plainExpr(last.Expr), plainExpr(types.ExprString(x))) {
				return MapPut
			}
		}
	}
	return StoredPointer
}
