package join

import (
	"path"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"memcost/internal/gotool/binary"
	"memcost/internal/gotool/escape"
	symbols "memcost/internal/gotool/profile"
)

// A line is a frame of a stack.
type line struct {
	fn, file string
	line     int
	pkg      string // as it is asked for
}

// A stack is that of a sample without the runtime's frames at its leaf, leaf first.
type stack struct {
	lines  []line
	inLeaf int    // how many are of the instruction that allocates: inlined functions, and that which contains it
	ret    uint64 // the address after that instruction
}

// shift returns by how much the addresses of a profile are above those of the program.
func (p *Asked) shift(prof *profile.Profile) uint64 {
	if p.Program == nil {
		return 0
	}
	return p.Program.Shift(prof)
}

// stackOf reads a sample, whose addresses are above those of the program by shift. main is the import
// path of the program's main package. passed is told each frame of the runtime that is left out.
func stackOf(s *profile.Sample, shift uint64, main string, passed func(function string)) stack {
	var out stack
	for _, at := range s.Location {
		fresh := len(out.lines) == 0
		for _, l := range at.Line {
			if l.Function == nil {
				continue
			}
			x := line{fn: l.Function.Name, file: l.Function.Filename, line: int(l.Line)}
			if len(out.lines) == 0 && runtimes(x.fn) {
				if passed != nil {
					passed(x.fn)
				}
				continue
			}
			x.pkg = packageOf(x.fn, x.file, main)
			out.lines = append(out.lines, x)
		}
		if fresh && len(out.lines) > 0 {
			out.inLeaf, out.ret = len(out.lines), at.Address-shift+1
		}
	}
	return out
}

// note notes the functions of a stack: they were executed.
func (a *analysis) note(s stack) {
	for _, l := range s.lines {
		_, fn := split(l.fn)
		a.executed[executed(l.pkg, binary.Generic(fn))] = true
	}
}

// executed is the key of a function that ran.
func executed(pkg, function string) string { return pkg + " " + escape.PlainName(function) }

// chainOf returns the frames of a call in the binary as those of a stack.
func chainOf(c binary.Call, main string) []line {
	out := make([]line, len(c.Chain))
	for i, f := range c.Chain {
		out[i] = line{fn: f.Func, file: f.File, line: f.Line, pkg: packageOf(f.Func, f.File, main)}
	}
	return out
}

// allocating are the beginnings of the names of the runtime's functions in which a program is
// when it allocates: also when it clears and copies what it got (runtime/malloc.go, slice.go,
// string.go, iface.go, mgcmark.go of Go 1.13 to 1.27).
var allocating = []string{"runtime.mallocgc", "runtime.newobject", "runtime.newarray", "runtime.makeslice",
	"runtime.growslice", "runtime.rawstring", "runtime.rawbyteslice", "runtime.rawruneslice", "runtime.moveSlice",
	"runtime.makechan", "runtime.makemap", "runtime.convT", "runtime.concatstring", "runtime.concatbyte",
	"runtime.slicebytetostring", "runtime.stringtoslice", "runtime.slicerunetostring",
	"internal/runtime/maps.newobject", "internal/runtime/maps.newarray"}

// assisting are those in which it collects, before it may allocate.
var assisting = []string{"runtime.gcAssistAlloc", "runtime.deductAssistCredit"}

// collecting are those of the background collector.
var collecting = []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge"}

func beginsWith(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// diagnostics are what the compiler says of one package, by line. The files of a package lie in
// one folder, so that the last part of a file's path is enough.
type diagnostics struct {
	sites  []escape.Site
	byLine map[lineOf][]int // indexes into sites
	known  bool             // the compiler was asked
}

type lineOf struct {
	base string
	line int
}

// read indexes a package's diagnostics. Those of the external tests belong to it, too.
func read(d Described, pkg string) *diagnostics {
	out := &diagnostics{byLine: map[lineOf][]int{}, known: d.Log != nil}
	out.sites = escape.All(d.Log, d.Source, pkg)
	for i, s := range out.sites {
		at := lineOf{Base(s.File), s.Line}
		out.byLine[at] = append(out.byLine[at], i)
	}
	return out
}

func (d *diagnostics) on(file string, line int) []int {
	if d == nil {
		return nil
	}
	return d.byLine[lineOf{Base(file), line}]
}

// Base is the last part of a path: the files of a package lie in one folder, whatever the
// compiler and the linker put before their names.
func Base(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// split cuts a function's name into the import path of its package and the rest. The linker
// writes a dot in the last part of a path as %2e.
func split(function string) (pkg, fn string) {
	pkg, fn = symbols.SplitName(function)
	return strings.ReplaceAll(pkg, "%2e", "."), fn
}

// packageOf returns the package of a function as it is asked for: that of its external tests is the
// package itself, and "main" the one with that import path. What cgo generates is in no package:
// the line that calls it is meant.
func packageOf(function, file, main string) string {
	pkg, _ := split(function)
	switch {
	case Base(file) == "_cgo_gotypes.go":
		return "cgo"
	case pkg == "main" && main != "":
		return main
	}
	return strings.TrimSuffix(pkg, "_test")
}

// runtimes reports whether a function is the runtime's, of which heap profiles leave out the
// frames where an object is made.
func runtimes(function string) bool {
	return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "internal/runtime/") ||
		slices.Contains(linked, function)
}

// linked are functions of the runtime that have names in other packages (go:linkname).
var linked = []string{"internal/bytealg.MakeNoZero", "strings.makeNoZero", "reflect.unsafe_New",
	"reflect.unsafe_NewArray", "internal/reflectlite.unsafe_New", "reflect.growslice", "reflect.makechan",
	"reflect.makemap", "reflect.mapassign", "reflect.mapassign0", "reflect.mapassign_faststr",
	"reflect.mapassign_faststr0", "reflect.mapclone", "maps.clone", "time.newTimer", "sync.runtime_registerPoolCleanup"}
