// Package join joins what the compiler says of allocations, what a profile counted, and the calls
// in the binary, into one list of sites, ranked by what they cost. It starts nothing and reads no
// files but those it is given.
package join

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"memcost/internal/base/units"
	"memcost/internal/gotool/binary"
	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
)

// Analyse joins what is known of the packages that were asked for: it charges what each
// benchmark allocated to sites, says why each allocates, and ranks them. See Report.
//
// A site's rank is by the mean, over the benchmarks that allocate, of its share of the CPU time where
// that was measured, else of its share of the bytes (see Report.ByCPU).
func Analyse(in Input) (*sites.Report, error) {
	if len(in.Packages) == 0 {
		return nil, fmt.Errorf("explaining allocations: no package was asked for")
	}
	a := &analysis{in: in, resolver: newResolver(), asked: map[string]*Asked{}, sites: map[place]*gathered{},
		folders: map[string]string{}, executed: map[string]bool{},
		files:  files{dir: in.ModuleDir, read: in.Read, texts: map[string]text{}},
		report: &sites.Report{Go: in.Go, Platform: in.Platform, Mode: in.Mode, Exact: in.Exact, Warnings: in.Warnings}}
	for i := range in.Packages {
		p := &in.Packages[i]
		a.asked[p.Path], a.folders[p.Path] = p, p.Dir
		if p.Main {
			a.main = p.Path
		}
		a.packages[p.Path] = read(p.Described, p.Path)
		a.report.Packages = append(a.report.Packages, sites.Package{Path: p.Path, Dir: p.Dir, Partial: p.Partial})
	}
	if err := a.calls(); err != nil {
		return nil, err
	}
	a.dependencies()
	for i := range in.Packages {
		for j := range in.Packages[i].Measured {
			a.measured(&in.Packages[i], &in.Packages[i].Measured[j])
		}
	}
	a.idle()
	a.finish()
	return a.report, nil
}

// calls resolves the calls in the packages that were asked for, in the order of their
// addresses, so that it does not depend on what ran.
func (a *analysis) calls() error {
	for i := range a.in.Packages {
		p := &a.in.Packages[i]
		if p.Program == nil {
			continue
		}
		found, err := p.Program.Calls(func(pkg string) bool {
			return strings.TrimSuffix(pkg, "_test") == p.Path || p.Main && pkg == "main"
		})
		if err != nil {
			return fmt.Errorf("reading the binary of %s: %w", p.Path, err)
		}
		for _, c := range found {
			a.inside = append(a.inside, ownCall{c, a.call(p.Program, c)})
		}
	}
	return nil
}

// dependencies reads what the compiler says of the other packages in which something was
// allocated.
func (a *analysis) dependencies() {
	if a.in.Dependencies == nil {
		return
	}
	wanted := map[string]bool{}
	for _, p := range a.in.Packages {
		for _, m := range p.Measured {
			if m.Memory == nil {
				continue
			}
			for _, s := range m.Memory.Sample {
				st := stackOf(s, 0, a.main, nil)
				if own := a.own(st); own < 0 || own == 0 && a.asked[st.lines[0].pkg] != nil {
					continue
				}
				for _, l := range st.lines[:st.inLeaf] {
					if l.pkg != "" && a.asked[l.pkg] == nil {
						wanted[l.pkg] = true
					}
				}
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	paths := slices.Sorted(maps.Keys(wanted))
	for path, d := range a.in.Dependencies(paths) {
		a.packages[path] = read(d, path)
		a.folders[path] = d.Dir
	}
}

// measured charges what a benchmark allocated.
func (a *analysis) measured(p *Asked, m *Measured) {
	r := a.report
	n := max(float64(m.N), 1)
	b := sites.Benchmark{Package: p.Path, Name: m.Name, N: m.N, Objects: float64(m.Mallocs) / n, Bytes: float64(m.Bytes) / n,
		Time: sites.Mean(m.Time)}
	if m.Err != nil {
		b.Failed = m.Err.Error()
	}
	index := len(r.Benchmarks)
	if m.Memory != nil {
		c := &counting{analysis: a, p: p, bench: index, n: n, charged: make([]*gathered, len(m.Memory.Sample))}
		a.ran = true
		c.count(m.Memory)
		if !a.in.Exact && m.Tiny > 0 {
			c.shareOut(float64(m.Tiny) / n)
		}
		if m.AsItIs > 0 {
			c.takeBack(b.Bytes - m.AsItIs)
			b.Bytes = m.AsItIs
		}
		b.Counted, b.Other, b.OtherBytes = c.all.objects, c.other.objects, c.other.bytes
		if m.Mallocs == 0 {
			b.Objects, b.Bytes = c.all.objects, c.all.bytes
		}
		a.counted = append(a.counted, c)
	}
	for i := range m.Again {
		x := &m.Again[i]
		b.Again = append(b.Again, sites.Amount{Objects: float64(x.Mallocs) / max(float64(x.N), 1),
			Bytes: float64(x.Bytes) / max(float64(x.N), 1)})
		a.countAgain(p, index, x, i)
	}
	r.Benchmarks = append(r.Benchmarks, b)
	if len(m.CPU) > 0 {
		a.shares(p, index, m)
	}
}

// finish orders the sites and fills what needs all of them.
func (a *analysis) finish() {
	r := a.report
	all := slices.Collect(maps.Values(a.sites))
	for _, g := range all {
		a.describe(g)
		part := r.PartOf(&g.site)
		if g.share, g.bytes = part.Bytes, part.Bytes; r.ByCPU() {
			g.share = part.CPU
		}
	}
	r.Join.Uncategorised = a.uncategorised
	warnOfSmall(&a.in, r)
	slices.SortStableFunc(all, func(x, y *gathered) int {
		return cmp.Or(cmp.Compare(y.share, x.share), cmp.Compare(y.bytes, x.bytes), cmp.Compare(y.objects(), x.objects()),
			cmp.Compare(x.site.File, y.site.File), cmp.Compare(x.site.Line, y.site.Line),
			cmp.Compare(x.site.Col, y.site.Col), cmp.Compare(x.place.target+x.place.via, y.place.target+y.place.via))
	})
	index := map[*gathered]int{}
	for i, g := range all {
		if g.objects() > 0 {
			g.site.Rank = i + 1
		}
		index[g] = i
		r.Sites = append(r.Sites, g.site)
	}
	identify(r.Sites)
	a.profiles(index)
	slices.SortFunc(r.Join.Unmatched, func(x, y sites.Unmatched) int {
		return cmp.Or(cmp.Compare(y.Objects, x.Objects), cmp.Compare(x.Function, y.Function),
			cmp.Compare(x.Line, y.Line))
	})
}

// muchSmall is the share of small objects from which a report warns that its counts are estimates.
const muchSmall = 0.05

// warnOfSmall says where the counts of sites are estimates.
func warnOfSmall(in *Input, r *sites.Report) {
	if in.Exact {
		return
	}
	some, ran := 0, 0
	for _, p := range in.Packages {
		for _, m := range p.Measured {
			if m.Mallocs > 0 {
				ran++
			}
			if float64(m.Tiny) > muchSmall*float64(m.Mallocs) {
				some++
			}
		}
	}
	if some > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("in %d of %s many objects are smaller than 16 bytes: counts with "+
			"\u2248 are estimates, and sites without a count may have made some of them; --exact counts each one", some,
			units.Plural(ran, "benchmark")))
	}
}

// An Input is what Analyse joins.
type Input struct {
	Go, Platform, Mode string // as in Report
	Exact              bool
	ModuleDir          string // folder that Site.File is relative to
	Packages           []Asked
	// Mine reports whether a package that was not asked for is the user's all the same, of the
	// same module: what it allocates is charged to its own lines. nil knows none.
	Mine func(pkg string) bool
	// Dependencies returns what the compiler says of packages that were not asked for, by
	// import path. It is called once, with those in which something was allocated. One that
	// is missing in the answer is not known; nil knows none.
	Dependencies func(paths []string) map[string]Described
	// Read returns the contents of a source file, by its absolute path; nil leaves source lines out.
	Read     func(path string) ([]byte, error)
	Warnings []string
}

// An Asked is one package that was asked for, with its binary and what was measured of it.
type Asked struct {
	Path string // import path
	Described
	// Program is the test binary that ran, nil if there is none.
	Program  *binary.Program
	Main     bool // Program is this package itself, and calls it main
	Measured []Measured
	Partial  []string // what is not known, and why: a sentence each
}

// A Described is a package with what the compiler says of it.
type Described struct {
	Dir    string         // of its source
	Log    *escape.Log    // nil where it is not known
	Source *escape.Source // nil where it cannot be read
}

// A Measured is one benchmark (or test, or a profile that was given) and what was counted.
type Measured struct {
	Name string // "Decode/size=4096", without "Benchmark"; a test's whole name
	N    int64  // timed operations in Memory, over all passes; 1 of a test or a profile

	// Memory holds what the timed part allocated, record by record (alloc_objects and
	// alloc_space, of rate 1 where memcost took it).
	Memory *profile.Profile
	// The runtime's own counters over the same part: objects, of them those that shared a
	// block of 16 bytes with others (a memory profile does not see them, unless counting is
	// exact), and bytes. 0 where they are not known.
	Mallocs, Tiny, Bytes uint64
	// AsItIs is how many bytes an operation makes where objects share blocks, of a count that is exact: there they do not.
	AsItIs float64
	Again  []Measured // the same code, counted again

	Time []float64          // seconds per operation, of each run under the CPU profiler
	CPU  []*profile.Profile // of the same runs
	Err  error              // why there is nothing
}

// analysis is one Analyse under way.
type analysis struct {
	*resolver
	in            Input
	asked         map[string]*Asked // by import path
	folders       map[string]string // of the packages whose diagnostics are known, by import path
	inside        []ownCall         // the calls in the packages that were asked for
	sites         map[place]*gathered
	counted       []*counting
	files         files
	uncategorised float64
	report        *sites.Report
	ran           bool            // something was counted
	executed      map[string]bool // functions of which there is a count or a sample, see executed
}

// An ownCall is a call in the binary, of a package that was asked for.
type ownCall struct {
	call binary.Call
	match
}

// A place is the key of a site.
type place struct {
	pkg  string // whose file it is in
	diag int    // of that package, -1 where the compiler says nothing
	// boxes: what the diagnostic speaks of is put into an interface, after it was made
	boxes bool
	// Without a diagnostic:
	fn, file string
	line     int
	target   string // the runtime's function; "" of what allocates outside
	via      string // the function outside that the line calls
}

// A gathered is a site with what was counted.
type gathered struct {
	place
	site  sites.Site
	in    *Asked
	diags *diagnostics // those of the package, nil without a diagnostic
	share float64      // by which it is ranked
	bytes float64      // its share of the bytes, where that is another
	// by benchmark
	tallies map[int]*tally
	sizes   map[int64]float64 // objects by their size
	leaves  map[leaf]*tally   // of what allocates outside
	matches map[leaf]match
	chain   []line
	targets map[string]bool
	method  bool // see match
	cpu     map[int]*cpuShares
	costs   []sites.Cost
}

// A tally is what was counted.
type tally struct {
	objects, bytes float64
	tiny           float64 // objects of 16 bytes that may be blocks which small objects share
	estimated      bool
	shared         float64        // objects of less than 16 bytes that were added by estimate
	joined         float64        // bytes that exact counting added, and that were taken back
	again          []sites.Amount // the same code, counted again
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

// cpuShares are a site's shares of the CPU time of each run.
type cpuShares struct{ malloc, assist []float64 }

func (t *tally) add(x tally) {
	t.objects += x.objects
	t.bytes += x.bytes
	t.tiny += x.tiny
}

// own returns the first frame of a stack that is of one of the user's packages, -1 if there is
// none.
func (a *analysis) own(s stack) int {
	return slices.IndexFunc(s.lines, func(l line) bool { return a.mine(l.pkg) })
}

// mine reports whether a package is one of the user's: it was asked for, or is of the same module.
func (a *analysis) mine(pkg string) bool {
	return a.asked[pkg] != nil || pkg != "" && a.in.Mine != nil && a.in.Mine(pkg)
}

// counting is the heap profile of one benchmark, as it is charged.
type counting struct {
	*analysis
	p          *Asked
	bench      int
	n          float64
	memory     *profile.Profile
	charged    []*gathered // by sample
	all, other tally
}
