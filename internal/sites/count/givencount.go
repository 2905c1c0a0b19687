package count

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/escape"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/sites/join"
)

// Count returns the packages that o names and the program holds, with what the compiler says of
// them. The profile is one; it stands with the first package. o.Toolchain is to be that
// of g.Go.
func (g *Given) Count(ctx context.Context, b *toolchain.Builder, o Options) ([]Counted, error) {
	tc, err := b.Outside(o.Toolchain)
	if err != nil {
		return nil, err
	}
	o.Toolchain = tc
	o.Flags, o.Env = slices.Concat(g.Flags, o.Flags), slices.Concat(g.Env, o.Env)
	pkgs, err := Packages(ctx, b, o)
	if err != nil {
		return nil, err
	}
	var paths []string
	pkgs = slices.DeleteFunc(pkgs, func(p toolchain.Package) bool { return !g.packages[packageName(p, g)] })
	for _, p := range pkgs {
		paths = append(paths, p.ImportPath)
	}
	if len(pkgs) == 0 {
		return nil, hint.Usage("name packages of the module "+g.Module+", from its folder", "%s holds no function "+
			"of %s", g.Binary, strings.Join(o.Patterns, " "))
	}
	said, broken, err := b.Describe(ctx, tc, o.Dir, o.Flags, o.Env, paths)
	if err != nil {
		return nil, err
	}
	var all []Counted
	for _, p := range pkgs {
		c := Counted{Package: p, Toolchain: tc, Binary: g.Binary, Diagnostics: said[p.ImportPath].Diagnostics, asked: o,
			builder: b, Warnings: g.compare(p)}
		all = append(all, c)
	}
	first := &all[0]
	first.Warnings = slices.Concat(g.Warnings, broken, first.Warnings)
	if tc.Version != g.Go {
		first.Warnings = append(first.Warnings, fmt.Sprintf("%s was built with %s, and the compiler that was asked is "+
			"%s: they may differ in what they put on the heap", g.Binary, g.Go, tc.Version))
	}
	first.Measured = []join.Measured{{Name: filepath.Base(g.Name), N: 1, Memory: g.Profile}}
	return all, nil
}

// compare returns a sentence where lines of the profile do not lie in the functions that it names:
// the source is not that of the program.
func (g *Given) compare(p toolchain.Package) []string {
	funcs, err := escape.FuncsOf(os.DirFS(p.Dir), ".")
	if err != nil && len(funcs) == 0 {
		return []string{fmt.Sprintf("the source of %s cannot be read: %v", p.ImportPath, err)}
	}
	wrong, all, example := 0, 0, ""
	for _, l := range g.Profile.Location {
		for _, line := range l.Line {
			if line.Function == nil || packageOf(line.Function.Name) != packageName(p, g) {
				continue
			}
			all++
			if !within(funcs, line.Function.Name, line.Function.Filename, int(line.Line)) {
				wrong++
				example = fmt.Sprintf("line %d is not in %s", line.Line, line.Function.Name)
			}
		}
	}
	if wrong == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the source of %s is not what %s was built of: %d of %d lines in the profile are not "+
		"in the function that it names (%s), so that sites may be wrong", p.ImportPath, g.Binary, wrong, all, example)}
}

// packageName is how the linker writes a package: with other dots in the last element.
func packageName(p toolchain.Package, g *Given) string {
	if p.Name == "main" && p.ImportPath == g.Path {
		return "main"
	}
	slash := strings.LastIndexByte(p.ImportPath, '/') + 1
	return p.ImportPath[:slash] + strings.ReplaceAll(p.ImportPath[slash:], ".", "%2e")
}

// within reports whether the source has the function, or the one that a function literal is in, at
// a line. Literals outside of all functions, and what the compiler makes, are nowhere.
func within(funcs escape.Funcs, function, file string, line int) bool {
	name := escape.PlainName(strings.TrimPrefix(function, packageOf(function)+"."))
	for {
		for _, r := range funcs.Lookup(name) {
			if filepath.Base(r.File) == filepath.Base(file) && r.From <= line && line <= r.To {
				return true
			}
		}
		dot := strings.LastIndexByte(name, '.')
		if dot < 0 {
			return name == "init" || strings.HasPrefix(name, "glob")
		}
		name = name[:dot]
	}
}
