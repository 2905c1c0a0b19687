package escape

import (
	"slices"
	"strings"
)

// The lines of -m=2 that are not about escape, as the sources of cmd/compile in Go 1.13
// to 1.27 print them.
var (
	asidePrefixes = []string{
		"inlining call to ", "cannot inline escaping closure variable ", "cannot inline re-assigned closure variable ",
		"devirtualizing ", "partially devirtualizing ", "cannot devirtualize ", "failed to devirtualize ",
		"should not PGO devirtualize ", "PGO devirtualizing ", "imprecise interface call",
		"unreferenced closure ", "leaking closure reference ",
		"index bounds check elided", "expr is unknown to bloop pass",
	}
	asideInfixes = []string{
		" ignoring self-assignment in ", " capturing by ref: ", " capturing by value: ",
		" considered 'big'; reducing max cost",
	}
	asideSuffixes = []string{
		" is unsafe uintptr", " as escaping uintptr", " as escaping ...uintptr",
		" will be kept alive", repeatedCycle,
	}
)

// repeatedCycle ends a line with "cannot inline f into g" at a call, which is no verdict
// on f.
const repeatedCycle = ": repeated recursive cycle"

func isAside(msg string) bool {
	says := func(test func(s, sub string) bool) func(string) bool {
		return func(sub string) bool { return test(msg, sub) }
	}
	return slices.ContainsFunc(asidePrefixes, says(strings.HasPrefix)) ||
		slices.ContainsFunc(asideInfixes, says(strings.Contains)) ||
		slices.ContainsFunc(asideSuffixes, says(strings.HasSuffix))
}

// terminal keeps a message if it is a terminal statement.
func (rd *reader) terminal(msg string, at rawPos) bool {
	d, ok := parseMessage(msg)
	if !ok {
		return false
	}
	p := rd.pos(at)
	d.Package, d.File, d.Line, d.Col = rd.pkg, p.file, p.line, p.col
	rd.nameFunc(&d)
	k := key{pos{d.File, d.Line, d.Col}, d.Message}
	if d.Line == 0 {
		k.message += " in " + d.Func // without a position only the function distinguishes two
	}
	if !rd.seen[k] {
		rd.seen[k] = true
		rd.log.Diagnostics = append(rd.log.Diagnostics, d)
	}
	return true
}

// parseMessage understands one terminal statement, without its position.
func parseMessage(msg string) (d Diagnostic, ok bool) {
	d.Message = msg
	switch {
	case cutPrefix(msg, "moved to heap: ", &d.Subject):
		d.Kind = MovedToHeap
	case cutPrefix(msg, "leaking param content: ", &d.Subject):
		d.Kind = LeakingParamContent
	case cutPrefix(msg, "leaking param: ", &d.Subject):
		d.Kind = LeakingParam
		if p, to, ok := strings.Cut(d.Subject, " to result "); ok {
			d.Kind, d.Subject = LeakingParamResult, p
			d.Result, _, _ = strings.Cut(to, " ")
		}
	case msg == "zero-copy string->[]byte conversion":
		d.Kind = ZeroCopy
	case cutPrefix(msg, "can inline ", &d.Subject):
		return canInline(d), true
	case cutPrefix(msg, "cannot inline ", &d.Subject) && !isAside(msg):
		d.Kind = Compiled
		d.Func, d.Subject, _ = strings.Cut(d.Subject, ": ")
	case cutSuffix(msg, " escapes to heap", &d.Subject):
		d.Kind = EscapesToHeap
	case cutSuffix(msg, " does not escape", &d.Subject):
		d.Kind = DoesNotEscape
	}
	return d, d.Kind != 0
}

// canInline reads "f with cost 5 as: func() { ... }"; Go 1.13 gives no cost.
func canInline(d Diagnostic) Diagnostic {
	d.Kind = Compiled
	head, _, _ := strings.Cut(d.Subject, " as: ")
	d.Func, d.Subject, _ = strings.Cut(head, " with ")
	d.Message = "can inline " + head
	return d
}

func cutPrefix(s, prefix string, rest *string) bool {
	after, ok := strings.CutPrefix(s, prefix)
	if ok {
		*rest = after
	}
	return ok
}

func cutSuffix(s, suffix string, rest *string) bool {
	before, ok := strings.CutSuffix(s, suffix)
	if ok {
		*rest = before
	}
	return ok
}

// nameFunc finds the function of a diagnostic, from the explanation before it or, in
// Go 1.13, from "F x does not escape" where F is a function of the package. A diagnostic
// without a position gets that of the first step of its explanation.
func (rd *reader) nameFunc(d *Diagnostic) {
	switch {
	case d.Kind == Compiled:
		rd.compiled[PlainName(d.Func)] = true
	case d.Line == 0:
		if q := rd.adrift[d.Subject]; len(q) > 0 {
			d.Func, d.File, d.Line, d.Col, d.flow = q[0].fn, q[0].file, q[0].line, q[0].col, string(q[0].flow)
			rd.adrift[d.Subject] = q[1:]
		}
	default:
		if e := rd.explainedBy(d); e != nil {
			d.Func = e.fn
			if d.Kind != DoesNotEscape {
				d.flow = string(e.flow)
			}
		}
	}
	if d.Kind != DoesNotEscape || d.Func != "" {
		return
	}
	fn, subject, ok := strings.Cut(d.Subject, " ")
	if ok && rd.compiled[PlainName(fn)] {
		d.Func, d.Subject = fn, subject
	}
}
