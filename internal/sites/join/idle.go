package join

import "memcost/internal/gotool/escape"

// idle adds the sites that did not allocate: what the compiler puts on the heap, certainly or
// perhaps, and the calls of which it says nothing.
func (a *analysis) idle() {
	called := map[place]bool{}
	for _, c := range a.inside {
		if len(c.lines) == 0 {
			continue
		}
		outer := c.lines[len(c.lines)-1]
		if c.diag >= 0 {
			key := place{pkg: c.pkg, diag: c.diag, boxes: c.boxes}
			called[place{pkg: c.pkg, diag: c.diag}] = true
			if p := a.asked[c.pkg]; p != nil {
				g := a.site(p, key)
				g.targets[c.target], g.method = true, g.method || c.method
				if len(g.chain) == 0 && len(c.lines) > 1 {
					g.chain = c.lines
				}
			}
			continue
		}
		p := a.asked[outer.pkg]
		if p == nil {
			continue
		}
		own := c.lines[0]
		for _, l := range c.lines { // the innermost of the user's
			if own = l; a.asked[l.pkg] != nil {
				break
			}
		}
		if a.contradicted(own.pkg, own.file, own.line, c.target) != nil {
			a.report.Join.Contradicted++
		}
		if c.lines[0].pkg == own.pkg {
			key := place{pkg: own.pkg, diag: -1, fn: own.fn, file: own.file, line: own.line, target: c.target}
			a.site(p, key).targets[c.target] = true
		}
	}
	for i := range a.in.Packages {
		a.idleDiagnostics(&a.in.Packages[i], called)
	}
}

func (a *analysis) idleDiagnostics(p *Asked, called map[place]bool) {
	d := a.packages[p.Path]
	for i := range d.sites {
		x := &d.sites[i]
		key := place{pkg: p.Path, diag: i}
		if x.Static || !x.Kind.Heap() && !x.Diagnostic.Conditional() || a.sites[key] != nil {
			continue
		}
		if a.sites[place{pkg: p.Path, diag: i, boxes: true}] != nil {
			continue
		}
		if p.Program != nil && !called[key] {
			if x.Certain() && x.Kind != escape.ZeroCopy {
				a.report.Join.NoCall++
			}
			continue
		}
		a.site(p, key)
	}
}
