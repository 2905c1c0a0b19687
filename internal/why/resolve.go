package why

import (
	"memcost/internal/alloccalls"
	"memcost/internal/escape"
)

// A match is what explains an instruction that allocates.
type match struct {
	pkg    string // whose diagnostic it is, "" if there is none
	diag   int
	frame  int    // index into the frames of the instruction
	target string // the runtime's function, "" if it is not known
	lines  []line // the frames
}

// A resolver finds the diagnostic of each instruction that allocates, and the same one each
// time that it is asked.
type resolver struct {
	packages map[string]*diagnostics // by import path
	known    map[*alloccalls.Program]map[uint64]match
	taken    map[takenAt]map[int]bool
}

// takenAt is a line in a function: another instance of the function has the diagnostics once
// more.
type takenAt struct {
	program *alloccalls.Program
	fn, pkg string
	lineOf
}

func newResolver() *resolver {
	return &resolver{packages: map[string]*diagnostics{}, known: map[*alloccalls.Program]map[uint64]match{},
		taken: map[takenAt]map[int]bool{}}
}

// call resolves a call in the binary.
func (r *resolver) call(p *alloccalls.Program, c alloccalls.Call) match {
	if m, ok := r.known[p][c.Return]; ok {
		return m
	}
	m := r.find(p, c.Target, chainOf(c))
	if r.known[p] == nil {
		r.known[p] = map[uint64]match{}
	}
	r.known[p][c.Return] = m
	return m
}

// sample resolves the instruction at the leaf of a stack. The profile's frames are used where
// the binary is not at hand, or has no debug information.
func (r *resolver) sample(p *alloccalls.Program, s stack) match {
	if p != nil {
		if c, ok := p.CallAt(s.ret); ok {
			if len(c.Chain) < s.inLeaf {
				c.Chain = framesOf(s.lines[:s.inLeaf])
			}
			return r.call(p, c)
		}
	}
	return r.find(p, "", s.lines[:s.inLeaf])
}

func framesOf(lines []line) []alloccalls.Frame {
	out := make([]alloccalls.Frame, len(lines))
	for i, l := range lines {
		out[i] = alloccalls.Frame{Func: l.fn, File: l.file, Line: l.line}
	}
	return out
}

// find looks for the diagnostic where the compiler prints it: at the line of the function
// whose machine code it is, into which the rest was inlined; else at the lines of the inlined
// functions, from the outside to the inside.
func (r *resolver) find(p *alloccalls.Program, target string, lines []line) match {
	m := match{diag: -1, target: target, lines: lines}
	if len(lines) == 0 {
		return m
	}
	outer := lines[len(lines)-1]
	for i := len(lines) - 1; i >= 0; i-- {
		l := lines[i]
		d := r.packages[l.pkg]
		on := d.on(l.file, l.line)
		if len(on) == 0 {
			continue
		}
		at := takenAt{p, outer.fn, l.pkg, lineOf{base(l.file), l.line}}
		if r.taken[at] == nil {
			r.taken[at] = map[int]bool{}
		}
		if best := choose(d, on, target, r.taken[at]); best >= 0 {
			r.taken[at][best] = true
			m.pkg, m.diag, m.frame = l.pkg, best, i
			return m
		}
	}
	return m
}

// contradicted returns the statement that something does not escape, at a line where the binary
// allocates something of that kind.
func (r *resolver) contradicted(pkg, file string, line int, target string) *escape.Site {
	d := r.packages[pkg]
	for _, i := range d.on(file, line) {
		x := &d.sites[i]
		if x.Kind != escape.DoesNotEscape {
			continue
		}
		as := *x
		as.Kind = escape.EscapesToHeap
		if fit(target, &as) == 4 {
			return x
		}
	}
	return nil
}
