package join

import (
	"slices"

	"github.com/google/pprof/profile"

	"memcost/internal/gotool/binary"
	"memcost/internal/sites"
)

// analysis is one Analyse under way.
type analysis struct {
	*resolver
	in            Input
	asked         map[string]*Asked // by import path
	inside        []ownCall         // the calls in the packages that were asked for
	sites         map[place]*gathered
	counted       []*counting
	files         files
	uncategorised float64
	report        *sites.Report
	ran           bool // something was counted
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

// own returns the first frame of a stack that is of a package that was asked for, -1 if there
// is none.
func (a *analysis) own(s stack) int {
	return slices.IndexFunc(s.lines, func(l line) bool { return a.asked[l.pkg] != nil })
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
