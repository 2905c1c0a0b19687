// Package escape reads the Go compiler's diagnostics on escape analysis, the text of
// -gcflags=-m=2 from Go 1.13 on, and reports which functions allocate on the heap.
//
// Versions differ in wording, columns and detail. The reader looks for the parts of a
// line and never asks for a version: an unknown line is counted, and text that cannot be
// read at all is an error, because a guard that reads nothing must not report that
// nothing escapes.
package escape

import (
	"fmt"
	"strings"
)

// Kind is the statement that a diagnostic makes.
type Kind int

// The kinds of diagnostics. "Does not escape" is not "does not allocate": a make with
// a variable size, append and map growth, and channels allocate at run time.
const (
	MovedToHeap         Kind = iota + 1 // moved to heap: x
	EscapesToHeap                       // X escapes to heap
	DoesNotEscape                       // X does not escape
	LeakingParam                        // leaking param: p
	LeakingParamResult                  // leaking param: p to result ~r0 level=0
	LeakingParamContent                 // leaking param content: p
	ZeroCopy                            // zero-copy string->[]byte conversion
	// Compiled is the compiler's verdict on inlining a function ("can inline f",
	// "cannot inline f"): not about escape, but proof that f was compiled.
	Compiled
)

var kindNames = map[Kind]string{
	MovedToHeap: "moved to heap", EscapesToHeap: "escapes to heap", DoesNotEscape: "does not escape",
	LeakingParam: "leaking param", LeakingParamResult: "leaking param to result",
	LeakingParamContent: "leaking param content", ZeroCopy: "zero-copy conversion", Compiled: "compiled",
}

func (k Kind) String() string { return kindNames[k] }

// Heap reports whether the kind states a heap allocation.
func (k Kind) Heap() bool { return k == MovedToHeap || k == EscapesToHeap }

// A Diagnostic is one terminal statement of the compiler; Flow explains it.
type Diagnostic struct {
	// Package is the import path in the "# package" header above the line, with "
	// [x.test]" where the compiler adds it.
	Package string
	// File is the path as printed. For hidden variables, such as those of a range over a
	// function, the compiler gives no position: then it is that of the first step of the
	// flow that explains the diagnostic, or "" and Line 0 when there is none.
	File      string
	Line, Col int // Col counts bytes from 1; 0 where the compiler gives none
	Kind      Kind
	Subject   string // the variable, parameter or expression; for Compiled the reason or cost
	// Func is the function as the compiler writes it, "(*T[go.shape.int]).M", where it
	// names one: for Compiled in every version, for escapes from Go 1.25 on, and for
	// "does not escape" in Go 1.13.
	Func string
	// Message is the line without its position; that of Compiled is cut before the
	// function's body.
	Message string
	Result  string // of LeakingParamResult: the result, "~r0"

	flow string // the lines of the explanation, without their positions
}

// A Step is one line of an explanation. A flow states that a value reaches To, and the
// steps after it by which expressions: "flow: ~r0 ← &b", "from &b (address-of) at
// a.go:3:9", "from return &b (return) at a.go:3:2".
type Step struct {
	To, Of       string // of a flow: "~r0", "{heap}", "{storage for x}"; "&b"
	Expr, Reason string // of a step: "return &b", "return"
	File         string // of a step, as printed
	Line, Col    int
}

func (s Step) String() string {
	if s.To != "" {
		return "flow: " + s.To + " ← " + s.Of
	}
	return fmt.Sprintf("from %s (%s) at %s:%d:%d", s.Expr, s.Reason, s.File, s.Line, s.Col)
}

// Flow returns how the value reaches the heap, in the compiler's order: from the value
// outwards. Go 1.13 gives none, and no Go gives one for "does not escape".
func (d Diagnostic) Flow() []Step {
	var steps []Step
	for _, line := range strings.Split(d.flow, "\n") {
		if flow, ok := strings.CutPrefix(line, "  flow: "); ok {
			flow = strings.TrimSuffix(flow, ":")
			to, of, ok := strings.Cut(flow, " ← ")
			if !ok { // " = " up to Go 1.24
				to, of, _ = strings.Cut(flow, " = ")
			}
			steps = append(steps, Step{To: to, Of: of})
		} else if from, ok := strings.CutPrefix(line, "    from "); ok {
			expr, _, _ := cutLast(from, " at ")
			s := Step{Expr: strings.TrimSuffix(expr, ")")}
			s.Expr, s.Reason, _ = cutLast(s.Expr, " (")
			p := stepPos([]byte(line))
			s.File, s.Line, s.Col = p.file, p.line, p.col
			steps = append(steps, s)
		}
	}
	return steps
}

func (d Diagnostic) String() string {
	if d.File == "" {
		return d.Message
	}
	if d.Col == 0 {
		return fmt.Sprintf("%s:%d: %s", d.File, d.Line, d.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Col, d.Message)
}
