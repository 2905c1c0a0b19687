package escape

import (
	"go/ast"
	"go/types"
	"slices"
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

type classifier struct {
	d     Diagnostic
	steps []Step
	src   *Source
}

// last returns the last step that names an expression, the one that reaches the end.
func (c classifier) last() Step {
	for _, s := range slices.Backward(c.steps) {
		if s.To == "" {
			return s
		}
	}
	return Step{}
}

// end returns the destination of the flow: "{heap}", "~r0", "best", "{storage for x}".
func (c classifier) end() string {
	for _, s := range slices.Backward(c.steps) {
		if s.To != "" {
			return s.To
		}
	}
	return ""
}

func (c classifier) hasReason(reason string) bool {
	return slices.ContainsFunc(c.steps, func(s Step) bool { return s.Reason == reason })
}

func (c classifier) through(location string) bool {
	return slices.ContainsFunc(c.steps, func(s Step) bool { return s.To == location })
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

// A Cause is why something is allocated on the heap, in the terms in which it is
// cured. It is decided by Classify.
type Cause int

// The causes. Uncategorised is the zero value: an explanation that matches no rule.
const (
	Uncategorised   Cause = iota
	ReturnedPointer       // its address is returned
	Boxing                // a value is put into an interface
	FormatArgument        // an argument of fmt, log or a function like them
	ClosureCapture        // a function literal that outlives the function, or what it captures
	GoStatement           // what a go statement starts or captures
	DeferInLoop           // the record or function of a defer in a loop
	StoredPointer         // its address is stored in a global or a heap object
	MapPut                // its address is stored in a map, or is its key
	ChannelSend           // its address is sent on a channel
	IndirectCall          // handed to a function value or an interface's method
	Reflection            // handed to package reflect
	UnsafePointer         // its address becomes a number
	MethodValue           // a method is made a function with its receiver bound
	TooLarge              // larger, or stricter aligned, than the stack allows
	VariableMake          // a make whose size is not a constant
	AppendGrowth          // what append grows into
	SliceLiteral          // a slice literal that outlives the function
	MapLiteral            // a map, made by a literal or by make
	TextConversion        // string to bytes or runes, or back
	Concatenation         // strings put together
	OutlivesLoop          // its address is used after the iteration of a loop
	KeptParameter         // handed to a function that keeps its parameter: the caller's variable pays
	PanicArgument         // an argument of panic
	numCauses
)

// causeTexts holds, for each cause, its key (also in reports and JSON), the cause in
// plain words, and the usual fix.
var causeTexts = [numCauses][3]string{
	Uncategorised: {"uncategorised", "for a reason that memcost does not know", "read the flow"},
	ReturnedPointer: {"returned-pointer", "its address is returned",
		"return it by value, fill the caller's buffer, or make the constructor small enough to be inlined"},
	Boxing: {"boxing", "a value is put into an interface",
		"use the concrete type or a type parameter, or box a pointer that exists anyway"},
	FormatArgument: {"fmt", "it is an argument for formatting",
		"use strconv and Append functions; for log lines, ask for the level first"},
	ClosureCapture: {"closure", "a function literal outlives the function, or captures this by reference",
		"hand it to the function as an argument, or do not assign to it after the capture"},
	GoStatement: {"go-statement", "a go statement needs it after the function may have returned",
		"hand values to a goroutine that runs already"},
	DeferInLoop: {"defer-loop", "a defer in a loop has no place in the frame",
		"move the loop's body into a function of its own"},
	StoredPointer: {"store", "its address is stored in a global or in something on the heap",
		"store the value itself"},
	MapPut: {"map-put", "its address is stored in a map, as value or key",
		"use values and concrete keys in the map"},
	ChannelSend: {"channel-send", "its address is sent on a channel", "send the value"},
	IndirectCall: {"indirect-call", "it is handed to a function value or to an interface's method, which might " +
		"keep it", "call the concrete function, or build with a profile so that the compiler does (PGO)"},
	Reflection: {"reflect", "it is handed to reflection", "write the code for the type, or generate it"},
	UnsafePointer: {"unsafe", "its address becomes a number, which the compiler cannot follow",
		"hand over an unsafe.Pointer, or keep the variable alive elsewhere"},
	MethodValue: {"method-value", "a method value binds its receiver",
		"call the method directly, or pass the receiver"},
	TooLarge: {"too-large", "it is too large, or too strictly aligned, for the stack",
		"use a smaller block, an explicit array variable where its limit is higher, or keep one block for reuse"},
	VariableMake: {"variable-make", "its size is known only at run time",
		"take an array of the largest size, or hand a buffer in"},
	AppendGrowth: {"append-growth", "append makes a larger block when the old one is full",
		"make it with the capacity that measurements show"},
	SliceLiteral: {"slice-literal", "a slice literal outlives the function", "use an array, or make it once outside"},
	MapLiteral:   {"map-literal", "a new map outlives the function", "make it once outside, or use a switch"},
	TextConversion: {"text-conversion", "a conversion between string and bytes or runes copies the text",
		"stay with one of them: Append functions, a kept buffer"},
	Concatenation: {"concat", "a new string is made of several",
		"append to a kept buffer, or use a strings.Builder with Grow"},
	OutlivesLoop: {"outlives-loop", "its address outlives the turn of the loop in which it is declared",
		"declare it outside the loop, or keep a copy"},
	KeptParameter: {"leaking-param", "a function keeps this parameter, or hands it to one that does",
		"let that function copy what it keeps"},
	PanicArgument: {"panic", "it is the argument of a panic",
		"none needed: it costs nothing unless the program panics"},
}

// String returns the key of the cause: "returned-pointer".
func (c Cause) String() string { return c.text(0) }

// Words returns the cause as a plain clause: "its address is returned".
func (c Cause) Words() string { return c.text(1) }

// Fix returns the usual advice; its benefit has to be measured.
func (c Cause) Fix() string { return c.text(2) }

func (c Cause) text(i int) string {
	if c < 0 || c >= numCauses {
		c = Uncategorised
	}
	return causeTexts[c][i]
}
