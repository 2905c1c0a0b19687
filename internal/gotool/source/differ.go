// This part of the package finds out how the test binaries of two sides differ, from the files that they
// are made of and read, without building them: neighbouring commits are often the same program.

package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
)

// A program is what the test binaries of a side's packages are made of.
type program struct {
	root  string                    // of the repository, as it lies for the side
	exact bool                      // the lines of the code count, too: a profile guides the compiler
	parts map[string]toolchain.Part // by import path
	files map[string]*file          // by path
}

// A file is what counts of one that a program is made of.
type file struct {
	hash     [sha256.Size]byte
	literals []string // strings in it, imports aside
}

// Differences says for each package how its test binary on the second of two sides differs from that on the
// first one, and which functions that changed are reached by no benchmark of those whose names bench matches. Packages that
// cannot be listed on both are left out: they are no programs yet.
func (s *Set) Differences(ctx context.Context, b *toolchain.Builder, sides [2]plan.Side, folders [2]Folder,
	tcs [2]toolchain.Toolchain, packages []string, bench string) (map[string]plan.Difference, []string, error) {
	var both [2]*program
	err := toolchain.Parallel(len(both), func(i int) (err error) {
		a := sides[i]
		parts, err := b.Parts(ctx, tcs[i], toolchain.Listing{Dir: folders[i].Dir, Patterns: packages,
			Flags: ListFlags(a.Flags), Env: folders[i].Env})
		if err != nil {
			return err
		}
		both[i] = &program{root: s.root(folders[i]), parts: map[string]toolchain.Part{}, files: map[string]*file{},
			exact: slices.ContainsFunc(a.Flags, func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-"), "pgo") })}
		for _, p := range parts {
			both[i].parts[p.ImportPath] = p
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	touched, err := differing(both[0].root, both[1].root)
	if err != nil {
		return nil, nil, err
	}
	built := slices.Equal(sides[0].Flags, sides[1].Flags) && slices.Equal(sides[0].Env, sides[1].Env) &&
		sides[0].Toolchain == sides[1].Toolchain
	out, benchmark := map[string]plan.Difference{}, named(bench)
	for _, pkg := range packages {
		if d, err := difference(both, pkg, touched); err != nil {
			return nil, nil, err
		} else if d != nil {
			d.Same = d.Same && built
			d.Tests = testsReached(both, pkg, d.Tests, benchmark)
			out[pkg] = *d
		}
	}
	if len(out) < len(packages) { // what of the others is reached is not known
		return out, nil, nil
	}
	return out, unreached(both, packages, benchmark), nil
}

// named returns which functions of benchmarks a pattern of -bench matches: more of them rather than fewer.
func named(bench string) func(string) bool {
	var all []*regexp.Regexp
	for _, one := range strings.Split(bench, "|") {
		first, _, _ := strings.Cut(one, "/")
		r, err := regexp.Compile(first)
		if err != nil {
			return func(string) bool { return true }
		}
		all = append(all, r)
	}
	return func(name string) bool {
		return slices.ContainsFunc(all, func(r *regexp.Regexp) bool { return r.MatchString(name) })
	}
}

// root returns where the files of the repository lie for a side; the folder itself where there is none.
func (s *Set) root(f Folder) string {
	switch {
	case f.root != "":
		return f.root
	case s.repo != nil:
		return s.repo.Root
	}
	return f.Dir
}

// difference compares the test binary of a package on both sides; nil where one side has none.
func difference(both [2]*program, pkg string, touched []string) (*plan.Difference, error) {
	d := &plan.Difference{Study: pkg, Same: true}
	var made [2]map[string]string // of what each is made: by what it is called, what it is
	for i, p := range both {
		if _, has := p.parts[pkg+".test"]; !has {
			return nil, nil
		}
		var err error
		if made[i], err = p.made(pkg); err != nil {
			return nil, err
		}
	}
	for _, what := range keys(made[0], made[1]) {
		if made[0][what] == made[1][what] {
			continue
		}
		d.Same = false
		name, kind, _ := strings.Cut(what, "\x00")
		switch kind {
		case embedded:
			d.Data = append(d.Data, name)
		case tests:
			d.Tests = append(d.Tests, name)
		}
	}
	for _, name := range touched {
		if both[0].reads(pkg, name) || both[1].reads(pkg, name) {
			d.Same = false
			if !slices.Contains(d.Data, name) {
				d.Data = append(d.Data, name)
			}
		}
	}
	slices.Sort(d.Data)
	return d, nil
}

// keys returns the keys of two maps, each once, in their order.
func keys(a, b map[string]string) (out []string) {
	for _, m := range []map[string]string{a, b} {
		for k := range m {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The kinds of files that are told apart.
const (
	tests    = "tests"    // of the package itself
	embedded = "embedded" // in the program
)

// made lists what the test binary of a package is made of.
func (p *program) made(pkg string) (map[string]string, error) {
	own := p.parts[pkg]
	out := map[string]string{}
	test := p.parts[pkg+".test"]
	out["GODEBUG"] = test.DefaultGODEBUG
	for _, path := range test.Deps {
		part := p.parts[path]
		if part.Standard {
			out[path] = ""
			continue
		}
		if m := part.Module; m != nil {
			out[path] = fmt.Sprint(m.Path, m.Version, m.GoVersion, m.Replace != nil)
		}
		if p.kept(part) {
			continue
		}
		for _, f := range all(part) {
			x, err := p.file(filepath.Join(part.Dir, f.name), f.code && !p.exact)
			if err != nil {
				return nil, err
			}
			kind := path // a package that was compiled for the test is another one
			switch {
			case f.embedded:
				kind = embedded
			case part.Dir == own.Dir && strings.HasSuffix(f.name, "_test.go"):
				kind = tests
			}
			out[p.below(filepath.Join(part.Dir, f.name))+"\x00"+kind] = string(x.hash[:])
		}
	}
	return out, nil
}

// kept reports whether a package lies in the module cache, where a version is always the same.
func (p *program) kept(part toolchain.Part) bool {
	m := part.Module
	if m == nil || strings.HasPrefix(part.Dir, p.root+string(filepath.Separator)) {
		return false
	}
	if m.Replace != nil {
		return m.Replace.Version != ""
	}
	return m.Version != ""
}

// below returns the path of a file from the root of the repository, with slashes.
func (p *program) below(name string) string {
	if rel, err := filepath.Rel(p.root, name); err == nil {
		return filepath.ToSlash(rel)
	}
	return name
}

// A fileOf is a file of a package.
type fileOf struct {
	name           string
	code, embedded bool // code is Go, in which comments that are no directives mean nothing
}

func all(part toolchain.Part) (out []fileOf) {
	for _, name := range part.GoFiles {
		out = append(out, fileOf{name, true, false})
	}
	for _, names := range [][]string{part.CgoFiles, part.CFiles, part.CXXFiles, part.MFiles, part.HFiles, part.FFiles,
		part.SFiles, part.SysoFiles} {
		for _, name := range names {
			out = append(out, fileOf{name, false, false})
		}
	}
	for _, name := range part.EmbedFiles {
		out = append(out, fileOf{name, false, true})
	}
	return out
}

// file reads a file that a program is made of.
func (p *program) file(name string, code bool) (*file, error) {
	if f, ok := p.files[name]; ok {
		return f, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f := &file{hash: sha256.Sum256(text)}
	if path.Ext(name) == ".go" {
		var words []byte
		if words, f.literals = tokens(text); code && words != nil {
			f.hash = sha256.Sum256(words)
		}
	}
	p.files[name] = f
	return f, nil
}

// tokens returns what a file of Go says to the compiler, and the strings in it that are no imports; nil
// where it is none.
func tokens(text []byte) (out []byte, literals []string) {
	var s scanner.Scanner
	set := token.NewFileSet()
	wrong := false
	s.Init(set.AddFile("", -1, len(text)), text, func(token.Position, string) { wrong = true }, scanner.ScanComments)
	imports, parenthesis := false, false
	end := []byte(token.SEMICOLON.String() + "\x00;\x00") // means nothing before the end of a block
	for {
		_, tok, lit := s.Scan()
		if tok == token.RBRACE || tok == token.RPAREN {
			out = bytes.TrimSuffix(out, end)
		}
		switch tok {
		case token.EOF:
			if wrong {
				return nil, literals
			}
			return out, literals
		case token.COMMENT:
			if !slices.ContainsFunc([]string{"//go:", "//line ", "/*line ", "//export ", "//extern "},
				func(d string) bool { return strings.HasPrefix(lit, d) }) {
				continue
			}
		case token.SEMICOLON:
			lit = ";" // or the end of a line
			imports = imports && parenthesis
		case token.IMPORT:
			imports, parenthesis = true, false
		case token.LPAREN:
			parenthesis = true
		case token.RPAREN:
			parenthesis = false
		case token.STRING:
			if text, err := strconv.Unquote(lit); err == nil && !imports {
				literals = append(literals, text)
			}
		}
		out = append(append(append(out, tok.String()...), 0), lit...)
		out = append(out, 0)
	}
}

// reads reports whether the tests of a package may read a file, by its path from the root of the repository:
// it is test data, or some string of the program names it, or a folder that it lies in.
func (p *program) reads(pkg, name string) bool {
	own := p.below(p.parts[pkg].Dir)
	in := func(dir, name string) bool { return dir == "." || name == dir || strings.HasPrefix(name, dir+"/") }
	dir, base := path.Split(name)
	if name == path.Join(own, "default.pgo") {
		return true
	}
	if owner, _, data := strings.Cut("/"+name, "/testdata/"); data && in(cmpDot(strings.TrimPrefix(owner, "/")), own) {
		return true
	}
	folders := slices.DeleteFunc(strings.Split(path.Clean(dir), "/"), func(s string) bool { return s == "testdata" || s == "." })
	for _, dep := range p.parts[pkg+".test"].Deps {
		part := p.parts[dep]
		if part.Standard || p.kept(part) {
			continue
		}
		for _, f := range part.GoFiles {
			x := p.files[filepath.Join(part.Dir, f)]
			if x == nil {
				continue
			}
			for _, l := range x.literals {
				switch {
				case strings.Contains(l, base), in(own, name) && (l == path.Ext(name) && l != "" || strings.Contains(l, "*"+path.Ext(name))):
					return true
				case l == "." || l == ".." || l == "./" || l == "../":
					if path.Clean(dir) == path.Join(own, l) {
						return true
					}
				case slices.ContainsFunc(strings.Split(l, "/"), func(s string) bool { return s != "" && slices.Contains(folders, s) }):
					return true
				}
			}
		}
	}
	return false
}

// cmpDot returns a folder, "." for the root.
func cmpDot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// differing lists the files, other than those of Go, that differ in two folders or stand in one alone, by
// their paths with slashes.
func differing(a, b string) (out []string, err error) {
	var walk func(dir string) error
	walk = func(dir string) error {
		var has [2]map[string]fs.DirEntry
		names := map[string]bool{}
		for i, root := range []string{a, b} {
			entries, err := os.ReadDir(filepath.Join(root, dir))
			if err != nil && !errors.Is(err, fs.ErrNotExist) && len(entries) == 0 {
				continue // what cannot be read is read by no test
			}
			has[i] = map[string]fs.DirEntry{}
			for _, e := range entries {
				has[i][e.Name()], names[e.Name()] = e, true
			}
		}
		for name := range names {
			x, y := has[0][name], has[1][name]
			at := filepath.Join(dir, name)
			switch {
			case name == ".git":
			case x != nil && x.IsDir() && (y == nil || y.IsDir()), x == nil && y.IsDir():
				if err := walk(at); err != nil {
					return err
				}
			case path.Ext(name) == ".go":
			case x == nil || y == nil || x.Type() != y.Type():
				out = append(out, filepath.ToSlash(at))
			default:
				same, err := equal(filepath.Join(a, at), filepath.Join(b, at), x.Type())
				if err != nil {
					return err
				}
				if !same {
					out = append(out, filepath.ToSlash(at))
				}
			}
		}
		return nil
	}
	if a == b {
		return nil, nil
	}
	err = walk(".")
	slices.Sort(out)
	return out, err
}

// equal reports whether two files hold the same, or are links to the same.
func equal(a, b string, kind fs.FileMode) (bool, error) {
	read := os.ReadFile
	if kind&fs.ModeSymlink != 0 {
		read = func(name string) ([]byte, error) {
			to, err := os.Readlink(name)
			return []byte(to), err
		}
	} else if kind != 0 {
		return true, nil
	} else if x, err := os.Stat(a); err != nil {
		return false, err
	} else if y, err := os.Stat(b); err != nil || x.Size() != y.Size() {
		return false, err
	}
	x, err := read(a)
	if err != nil {
		return false, err
	}
	y, err := read(b)
	return bytes.Equal(x, y), err
}
