package join

import (
	"path"
	"slices"
	"strings"

	"memcost/internal/gotool/escape"
	"memcost/internal/gotool/profile"
)

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
		at := lineOf{base(s.File), s.Line}
		out.byLine[at] = append(out.byLine[at], i)
	}
	return out
}

func (d *diagnostics) on(file string, line int) []int {
	if d == nil {
		return nil
	}
	return d.byLine[lineOf{base(file), line}]
}

func base(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// split cuts a function's name into the import path of its package and the rest. The linker
// writes a dot in the last part of a path as %2e.
func split(function string) (pkg, fn string) {
	pkg, fn = profile.SplitName(function)
	return strings.ReplaceAll(pkg, "%2e", "."), fn
}

// packageOf returns the package of a function as it is asked for: that of its external tests is the
// package itself, and "main" the one with that import path. What cgo generates is in no package:
// the line that calls it is meant.
func packageOf(function, file, main string) string {
	pkg, _ := split(function)
	switch {
	case base(file) == "_cgo_gotypes.go":
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
