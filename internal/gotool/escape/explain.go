package escape

import (
	"bytes"
	"strings"
)

// explain reads the head of an explanation: "x escapes to heap in F:", where versions
// before 1.25 leave out " in F", or "parameter p leaks to ~r0 for F with derefs=0:".
func (rd *reader) explain(head string, at rawPos) bool {
	e, ok := parseHead(strings.TrimSuffix(head, ":"))
	if !ok {
		return false
	}
	rd.open = e
	if at.line == 0 {
		rd.adrift[e.subject] = append(rd.adrift[e.subject], e)
		return true
	}
	p := rd.pos(at)
	k := key{p, e.subject}
	for _, old := range rd.explained[k] {
		if old.to == e.to && old.fn == e.fn {
			rd.open = &explanation{} // printed before: Go 1.14 to 1.16 print many explanations twice
			return true
		}
	}
	rd.explained[k] = append(rd.explained[k], e)
	if few := rd.explainedAt[p]; len(few) < 8 {
		rd.explainedAt[p] = append(few, e)
	}
	if e.subject == "func literal" && e.to == "" {
		e.at = p
		rd.heads = append(rd.heads, e)
	}
	return true
}

// wrappers makes diagnostics of what the package's text only explains: since Go 1.17 the
// calls of go and defer statements are wrapped in function literals, for which there is
// a head and a flow, but no terminal line (escape.finish in cmd/compile leaves it out).
// In a loop such a literal is an object on the heap all the same.
func (rd *reader) wrappers() {
	for _, e := range rd.heads {
		d := Diagnostic{Package: rd.pkg, File: e.at.file, Line: e.at.line, Col: e.at.col, Kind: EscapesToHeap,
			Subject: e.subject, Func: e.fn, Message: e.subject + " escapes to heap", flow: string(e.flow)}
		if k := (key{e.at, d.Message}); !rd.seen[k] {
			rd.seen[k] = true
			rd.log.Diagnostics = append(rd.log.Diagnostics, d)
		}
	}
}

func parseHead(head string) (*explanation, bool) {
	e := &explanation{}
	if before, after, ok := cutLast(head, " escapes to heap"); ok && (after == "" || strings.HasPrefix(after, " in ")) {
		e.subject, e.fn = before, strings.TrimPrefix(after, " in ")
		return e, true
	}
	before, _, ok := cutLast(head, " with derefs=")
	if !ok || !strings.HasPrefix(before, "parameter ") {
		return nil, false
	}
	e.subject, e.to, _ = strings.Cut(strings.TrimPrefix(before, "parameter "), " leaks to ")
	if strings.HasPrefix(e.to, "{") { // "{heap} for F", "{storage for x} for F"
		var end string
		if e.to, end, ok = strings.Cut(e.to, "} for "); ok {
			e.to, e.fn = e.to+"}", end
		}
	} else {
		e.to, e.fn, _ = strings.Cut(e.to, " for ")
	}
	return e, true
}

// step takes in a line of a flow.
func (rd *reader) step(line []byte) bool {
	switch {
	case bytes.HasPrefix(line, []byte("  flow: ")), bytes.HasPrefix(line, []byte("    from ")) &&
		bytes.Contains(line, []byte(") at ")):
	case bytes.HasPrefix(line, []byte("  warning: truncated explanation ")):
		return true
	default:
		return false
	}
	e := rd.open
	if e == nil {
		return true // without a head, the line explains no value
	}
	if e.line == 0 {
		e.pos = stepPos(line)
	}
	from := len(e.flow)
	e.flow = append(append(e.flow, line...), '\n')
	for i, c := range e.flow[from : len(e.flow)-1] {
		if c == '\n' { // a literal's own lines
			e.flow[from+i] = ' '
		}
	}
	return true
}

// explainedBy returns the explanation of a diagnostic with a position: that of its
// subject, else any at the position, because versions shorten the subject of the two
// differently ("append" for "append(s, x)").
func (rd *reader) explainedBy(d *Diagnostic) *explanation {
	var best *explanation
	rank := 0
	p := pos{d.File, d.Line, d.Col}
	found := rd.explained[key{p, d.Subject}]
	if len(found) == 0 {
		found = rd.explainedAt[p]
	}
	for _, e := range found {
		r := 1
		param := d.Kind == LeakingParam || d.Kind == LeakingParamResult || d.Kind == LeakingParamContent
		if param == (e.to != "") {
			r += 4
		}
		if e.to != "" && e.to == d.Result {
			r += 8
		}
		if r > rank {
			best, rank = e, r
		}
	}
	return best
}
