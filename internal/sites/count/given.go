package count

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/binary"
	"memcost/internal/gotool/escape"
	symbols "memcost/internal/gotool/profile"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/sites"
	"memcost/internal/sites/join"
)

// A Given is a memory profile that the user has taken, and the program it was taken of.
type Given struct {
	Name    string // of the file of the profile
	Binary  string
	Profile *profile.Profile
	Go      string // version that the program was built with: "go1.26.8"
	Path    string // import path of its main package
	Module  string // path of its module
	// Flags and Env are those that it was built with, as far as it says: tags, PGO, CGO_ENABLED.
	Flags, Env []string
	Warnings   []string

	packages map[string]bool // those that the program holds, as its functions are named
}

// ReadGiven reads a memory profile and its program. It is an error if the profile is of another
// program, or of something else than memory.
func ReadGiven(profilePath, binaryPath string) (*Given, error) {
	g := &Given{Name: profilePath, Binary: binaryPath}
	f, err := os.Open(profilePath)
	if err != nil {
		return nil, fmt.Errorf("reading the profile: %w", err)
	}
	defer f.Close()
	if g.Profile, err = profile.Parse(f); err != nil {
		return nil, hint.With("it is written by runtime/pprof, or by go test -memprofile",
			fmt.Errorf("reading the profile %s: %w", profilePath, err))
	}
	if err := g.checkKind(); err != nil {
		return nil, err
	}
	if err := g.readBuild(); err != nil {
		return nil, err
	}
	return g, g.fit()
}

// checkKind refuses what is no memory profile.
func (g *Given) checkKind() error {
	if sites.Column(g.Profile, "alloc_objects") >= 0 && sites.Column(g.Profile, "alloc_space") >= 0 {
		if g.Profile.Period > 1 {
			g.Warnings = append(g.Warnings, fmt.Sprintf("%s was sampled every %d bytes: its counts are estimates, and "+
				"objects under 16 bytes are counted too low", g.Name, g.Profile.Period))
		}
		return nil
	}
	var kinds []string
	for _, t := range g.Profile.SampleType {
		kinds = append(kinds, t.Type)
	}
	what := strings.Join(kinds, ", ")
	if slices.Contains(kinds, "cpu") {
		what = "CPU time (" + what + ")"
	}
	return hint.Usage("take a memory profile: go test -memprofile FILE, or /debug/pprof/allocs of a server",
		"reading the profile %s: it is of %s, not of allocated memory", g.Name, what)
}

// platform are the settings that choose what is compiled, and for what.
var platform = []string{"CGO_ENABLED", "GOEXPERIMENT", "GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64"}

// readBuild reads how the program was built.
func (g *Given) readBuild() error {
	info, err := buildinfo.ReadFile(g.Binary)
	if err != nil {
		return hint.With("--binary names the program, or the test binary, that wrote the profile",
			fmt.Errorf("reading how %s was built: %w", g.Binary, err))
	}
	g.Go, _, _ = strings.Cut(info.GoVersion, " ")
	g.Path, g.Module = strings.TrimSuffix(info.Path, ".test"), info.Main.Path
	for _, s := range info.Settings {
		switch {
		case s.Value == "":
		case slices.Contains([]string{"-tags", "-gcflags", "-race", "-msan", "-asan", "-pgo"}, s.Key):
			g.Flags = append(g.Flags, s.Key+"="+s.Value)
		case slices.Contains(platform, s.Key):
			g.Env = append(g.Env, s.Key+"="+s.Value)
		}
	}
	g.Flags = slices.DeleteFunc(g.Flags, g.missing)
	return nil
}

// missing reports that a profile for PGO is not on this machine.
func (g *Given) missing(flag string) bool {
	file, ok := strings.CutPrefix(flag, "-pgo=")
	if !ok {
		return false
	}
	if _, err := os.Stat(file); err == nil {
		return false
	}
	g.Warnings = append(g.Warnings, fmt.Sprintf("%s was built with the profile %s, which is not here: the compiler "+
		"may say something else of functions that it inlined", g.Binary, file))
	return true
}

// fit checks that the profile is of the program: each of its addresses is in the function that it
// names.
func (g *Given) fit() error {
	f, err := os.Open(g.Binary)
	if err != nil {
		return err
	}
	defer f.Close()
	program, err := binary.Open(f)
	if err != nil {
		return fmt.Errorf("%s: %w", g.Binary, err)
	}
	g.packages = map[string]bool{}
	for _, fn := range program.Funcs() {
		g.packages[packageOf(fn.Name)] = true
	}
	wrong, all, shift := 0, 0, program.Shift(g.Profile)
	example := ""
	for _, l := range g.Profile.Location {
		if len(l.Line) == 0 || l.Line[len(l.Line)-1].Function == nil {
			continue
		}
		all++
		name := l.Line[len(l.Line)-1].Function.Name
		fn := program.At(l.Address - shift)
		if fn == nil || !same(fn.Name, name) {
			wrong++
			example = fmt.Sprintf("%#x is not in %s", l.Address, name)
		}
	}
	if wrong > all/100 || all == 0 {
		return hint.Usage("--binary names the very file that ran: a program that was built again differs",
			"%s is not a profile of %s: %d of %d addresses do not fit: %s", g.Name, g.Binary, wrong, all, example)
	}
	return nil
}

// same reports whether a function of the program is the one that a profile names, where type
// arguments are "[...]". A profile leaves out the methods that the compiler makes around others:
// then it names one with the same last part.
func same(function, inProfile string) bool {
	function, inProfile = escape.PlainName(function), escape.PlainName(inProfile)
	return function == inProfile || path.Ext(strings.TrimSuffix(function, "-fm")) == path.Ext(inProfile)
}

// packageOf returns the package in the name of a function, as the linker writes it.
func packageOf(function string) string {
	pkg, _ := symbols.SplitName(function)
	return pkg
}

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
	src, err := escape.SourceOf(os.DirFS(p.Dir), ".")
	if src == nil || err != nil && len(src.Funcs) == 0 {
		return []string{fmt.Sprintf("the source of %s cannot be read: %v", p.ImportPath, err)}
	}
	wrong, all, example := 0, 0, ""
	for _, l := range g.Profile.Location {
		for _, line := range l.Line {
			if line.Function == nil || packageOf(line.Function.Name) != packageName(p, g) {
				continue
			}
			all++
			if !within(src.Funcs, line.Function.Name, line.Function.Filename, int(line.Line)) {
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
