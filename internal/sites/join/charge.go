package join

// charge returns the site of a stack, and whether the stack was charged at all: nothing is where
// no frame is of a package that was asked for.
func (a *analysis) charge(p *Asked, s stack, m match) (g *gathered, own int) {
	key, own := placeOf(a, s, m)
	if own < 0 {
		return nil, own
	}
	return a.site(p, key), own
}

// placeOf returns where the site of a stack is, and which of its frames is of a package that was
// asked for, -1 if none is.
func placeOf(a *analysis, s stack, m match) (key place, own int) {
	own = a.own(s)
	if own < 0 {
		return key, own
	}
	at := s.lines[own]
	key = place{pkg: at.pkg, diag: -1, fn: at.fn, file: at.file, line: at.line, target: m.target}
	if own < s.inLeaf && m.diag >= 0 && a.asked[m.pkg] != nil {
		key = place{pkg: m.pkg, diag: m.diag}
	} else if own > 0 {
		key.target, key.via = "", s.lines[own-1].fn
	}
	return key, own
}

func (a *analysis) site(p *Asked, key place) *gathered {
	g := a.sites[key]
	if g == nil {
		g = &gathered{place: key, in: p, tallies: map[int]*tally{}, sizes: map[int64]float64{},
			leaves: map[leaf]*tally{}, matches: map[leaf]match{}, targets: map[string]bool{}, cpu: map[int]*cpuShares{}}
		if key.diag >= 0 {
			g.diags = a.packages[key.pkg]
		}
		a.sites[key] = g
	}
	return g
}
