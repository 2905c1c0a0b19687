package why

// A place is the key of a site.
type place struct {
	pkg  string // whose file it is in
	diag int    // of that package, -1 where the compiler says nothing
	// Without a diagnostic:
	fn, file string
	line     int
	target   string // the runtime's function; "" of what allocates outside
	via      string // the function outside that the line calls
}

// A gathered is a site with what was counted.
type gathered struct {
	place
	site  Site
	in    *Asked
	diags *diagnostics // those of the package, nil without a diagnostic
	share float64      // by which it is ranked
	// by benchmark
	tallies map[int]*tally
	sizes   map[int64]float64 // objects by their size
	leaves  map[leaf]*tally   // of what allocates outside
	matches map[leaf]match
	chain   []line
	targets map[string]bool
	cpu     map[int]*cpuShares
	costs   []Cost
}

// A tally is what was counted.
type tally struct {
	objects, bytes float64
	tiny           float64 // objects of 16 bytes that may be blocks which small objects share
	estimated      bool
}

func (g *gathered) objects() (sum float64) {
	for _, t := range g.tallies {
		sum += t.objects
	}
	return sum
}

// A leaf is a line outside of the packages that were asked for.
type leaf struct {
	fn, file, pkg string
	line          int
	target        string
	through       string // the function on the way to it that has an owner, see owners
}

// charge returns the site of a stack, and whether the stack was charged at all: nothing is where
// no frame is of a package that was asked for.
func (a *analysis) charge(p *Asked, s stack, m match) (g *gathered, own int) {
	own = a.own(s)
	if own < 0 {
		return nil, own
	}
	at := s.lines[own]
	key := place{pkg: at.pkg, diag: -1, fn: at.fn, file: at.file, line: at.line, target: m.target}
	switch {
	case own < s.inLeaf && m.diag >= 0 && a.asked[m.pkg] != nil:
		key = place{pkg: m.pkg, diag: m.diag}
	case own == 0:
	default:
		key.target, key.via = "", s.lines[own-1].fn
	}
	return a.site(p, key), own
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
