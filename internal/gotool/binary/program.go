package binary

import (
	"debug/buildinfo"
	"io"
	"net/url"
	"strings"
)

// A Program is an executable file of Go. It is not for several goroutines at once.
type Program struct {
	file   *File
	built  *buildinfo.BuildInfo // nil where the program does not say
	chains *chains              // nil until somebody asks, see chain
	broken error                // why there are none
	names  map[uint64]string    // of the functions, by their first address
	wanted map[uint64]bool      // first addresses of those that allocate
	short  bool                 // the names of generic functions have "[...]" for the types
}

// Open reads a program's functions: a file of ELF, Mach-O or PE, stripped or not, of any Go
// version from 1.13 on. Its machine code and debug information are read when they are
// asked for, so that r must stay open.
func Open(r io.ReaderAt) (*Program, error) {
	file, err := OpenSymbols(r)
	if err != nil {
		return nil, err
	}
	p := &Program{file: file, names: map[uint64]string{}, wanted: map[uint64]bool{}}
	if built, err := buildinfo.Read(r); err == nil {
		p.built = built
	}
	for _, f := range file.Funcs() {
		p.names[f.Entry] = f.Name
		p.short = p.short || strings.Contains(f.Name, "[...]")
		if find(f.Name) != nil {
			p.wanted[f.Entry] = true
		}
	}
	return p, nil
}

// Partial says what is not known of the program, a sentence each.
func (p *Program) Partial() []string {
	var out []string
	switch p.file.Arch {
	case "amd64", "arm64":
	default:
		out = append(out, "The calls in the program cannot be read: it is neither for amd64 nor for arm64.")
	}
	switch {
	case !p.file.Debug:
		out = append(out, "The program has no debug information: calls in inlined functions have the line, "+
			"but not the name of the function that was inlined (build without -ldflags=-w or -s).")
	case p.broken != nil:
		out = append(out, "The debug information of the program cannot be read ("+p.broken.Error()+
			"): the names of inlined functions are not known.")
	}
	return out
}

// GoVersion returns the version of Go that built the program, "" where it does not say.
func (p *Program) GoVersion() string {
	if p.built == nil {
		return ""
	}
	return p.built.GoVersion
}

// ModulePath returns the path of the main module, "" where the program does not say.
func (p *Program) ModulePath() string {
	if p.built == nil {
		return ""
	}
	return p.built.Main.Path
}

// Setting returns a setting of the build ("-gcflags", "CGO_ENABLED", "GOARCH"), "" where the
// program does not say.
func (p *Program) Setting(key string) string {
	if p.built == nil {
		return ""
	}
	for _, s := range p.built.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// Function returns the function whose machine code has the address, and the file and line
// that the instruction comes from; "" if there is none.
func (p *Program) Function(pc uint64) (name, file string, line int) { return p.file.Line(pc) }

// PackageOf returns the import path of a function's package: of "a.b/c%2ed.(*T[...]).m" it
// is "a.b/c.d".
func PackageOf(function string) string {
	path, _, _ := strings.Cut(function, "[") // types have paths of their own
	slash := strings.LastIndexByte(path, '/') + 1
	dot := strings.IndexByte(path[slash:], '.')
	if dot < 0 {
		return ""
	}
	path = path[:slash+dot]
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}
