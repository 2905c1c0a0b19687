package count

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/binary"
	"memcost/internal/gotool/escape"
)

// A Given is a memory profile that the user has taken, and the program it was taken of.
type Given struct {
	Name    string // of the file of the profile
	Binary  string
	Profile *profile.Profile // with addresses as the program was linked
	Go      string           // version that the program was built with: "go1.26.8"
	Path    string           // import path of its main package
	Module  string           // path of its module
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
	if column(g.Profile, "alloc_objects") >= 0 && column(g.Profile, "alloc_space") >= 0 {
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
// names. It moves the addresses of a program that is loaded elsewhere than it was linked for.
func (g *Given) fit() error {
	f, err := os.Open(g.Binary)
	if err != nil {
		return err
	}
	defer f.Close()
	program, err := binary.OpenSymbols(f)
	if err != nil {
		return fmt.Errorf("%s: %w", g.Binary, err)
	}
	g.packages = map[string]bool{}
	for _, fn := range program.Funcs() {
		g.packages[packageOf(fn.Name)] = true
	}
	wrong, all := 0, 0
	example := ""
	for _, l := range g.Profile.Location {
		if program.PIE && l.Mapping != nil {
			l.Address += program.Base - (l.Mapping.Start - l.Mapping.Offset)
		}
		if len(l.Line) == 0 || l.Line[len(l.Line)-1].Function == nil {
			continue
		}
		all++
		name := l.Line[len(l.Line)-1].Function.Name
		fn := program.At(l.Address)
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
	function, _, _ = strings.Cut(function, "[")
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	if dot < 0 {
		return function
	}
	return function[:slash+dot]
}
