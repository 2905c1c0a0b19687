package binary

import (
	"net/url"

	"github.com/google/pprof/profile"

	symbols "memcost/internal/gotool/profile"
)

// Partial says what is not known of the program, a sentence each.
func (p *Program) Partial() []string {
	var out []string
	if _, known := machines[p.Arch]; !known {
		out = append(out, "The calls in the program cannot be read: it is neither for amd64 nor for arm64.")
	}
	switch {
	case !p.Debug:
		out = append(out, "The program has no debug information: calls in inlined functions have the line, "+
			"but not the name of the function that was inlined (build without -ldflags=-w or -s).")
	case p.broken != nil:
		out = append(out, "The debug information of the program cannot be read ("+p.broken.Error()+
			"): the names of inlined functions are not known.")
	}
	return out
}

// Shift returns by how much the addresses of a profile are above those of the program: 0
// unless it is position independent (-buildmode=pie, the default on macOS and Windows).
// Line, At and CallAt take the address of a location less this. The runtime writes the mapping
// of the program first.
func (p *Program) Shift(prof *profile.Profile) uint64 {
	if !p.PIE || len(prof.Mapping) == 0 || prof.Mapping[0].Start == 0 {
		return 0
	}
	m := prof.Mapping[0]
	return m.Start - m.Offset - p.base
}

// PackageOf returns the import path of a function's package: of "a.b/c%2ed.(*T[...]).m" it
// is "a.b/c.d".
func PackageOf(function string) string {
	path, _ := symbols.SplitName(function)
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}
