package alloccalls

import (
	"debug/gosym"
)

// chain returns where an instruction of a function comes from, innermost first.
func (p *Program) chain(f *gosym.Func, pc uint64) []Frame {
	_, file, line := p.file.Line(pc)
	at := Frame{Func: generic(f.Name), File: file, Line: line}
	if p.chains == nil && p.broken == nil && p.file.Debug {
		p.chains, p.broken = readChains(p.file)
	}
	if p.chains == nil {
		return []Frame{at}
	}
	inlined, err := p.chains.at(f.Entry, pc)
	if err != nil {
		p.broken, p.chains = err, nil
		return []Frame{at}
	}
	var out []Frame
	for _, in := range inlined { // the innermost first
		out = append(out, Frame{Func: in.name, File: at.File, Line: at.Line})
		at.File, at.Line = in.file, in.line
	}
	return append(out, at)
}
