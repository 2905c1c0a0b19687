package memcost_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// What a package, a type and a line may hold. STYLE: a package is a room, not a
// shelf; a type with more methods is two things.
const (
	mostLines   = 3500
	mostMethods = 20
	mostColumns = 120
)

// report fails for each line that breaks a rule, folder by folder.
func report(t *testing.T, broken map[string][]string) {
	t.Helper()
	for _, dir := range slices.Sorted(maps.Keys(broken)) {
		for _, line := range broken[dir] {
			t.Error(line)
		}
	}
}

// loaded are the packages of the program and of bench, type-checked for
// linux/amd64, by their folder.
func loaded(t *testing.T) map[string]*packages.Package {
	t.Helper()
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile,
		Env: append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"),
	}
	all, err := packages.Load(config, "./internal/...", "./cmd/...", "./bench/...", "./scripts/...")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*packages.Package{}
	for _, p := range all {
		if len(p.Errors) > 0 {
			t.Fatalf("%s: %v", p.PkgPath, p.Errors[0])
		}
		out[strings.TrimPrefix(p.PkgPath, "memcost/")] = p
	}
	return out
}

// arrows holds, for each file of a package, the files whose names it uses, with
// those names.
type arrows map[string]map[string][]string

// arrowsOf reads the arrows between the files of a package: a file uses another
// when it names a package-level name, a method or a field that the other defines.
func arrowsOf(p *packages.Package) arrows {
	out := arrows{}
	for _, file := range p.Syntax {
		from := filepath.Base(p.Fset.Position(file.Pos()).Filename)
		out[from] = map[string][]string{}
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := p.TypesInfo.Uses[id]
			if used == nil || used.Pkg() != p.Types || !used.Pos().IsValid() {
				return true
			}
			to := filepath.Base(p.Fset.Position(used.Pos()).Filename)
			if to != from && !slices.Contains(out[from][to], used.Name()) {
				out[from][to] = append(out[from][to], used.Name())
			}
			return true
		})
	}
	return out
}

// reaches are the files that can be reached from a file.
func (a arrows) reaches(from string) map[string]bool {
	seen := map[string]bool{}
	todo := []string{from}
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for to := range a[last] {
			if !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return seen
}

// cycles describes each group of files that use each other in a ring: every
// arrow inside the group, with the names that make it.
func (a arrows) cycles() []string {
	reach := map[string]map[string]bool{}
	for file := range a {
		reach[file] = a.reaches(file)
	}
	var out []string
	done := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(a)) {
		if done[file] || !reach[file][file] {
			continue
		}
		var ring []string
		for _, other := range slices.Sorted(maps.Keys(reach[file])) {
			if reach[other][file] {
				ring = append(ring, other)
				done[other] = true
			}
		}
		out = append(out, a.describe(ring))
	}
	return out
}

func (a arrows) describe(ring []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s use each other in a ring:", strings.Join(ring, ", "))
	for _, from := range ring {
		for _, to := range ring {
			if names := a[from][to]; len(names) > 0 {
				fmt.Fprintf(&b, "\n\t%s -> %s: %s", from, to, strings.Join(slices.Sorted(slices.Values(names)), ", "))
			}
		}
	}
	return b.String()
}

// Inside a package files call downwards: no ring of files that use each other's
// names, methods or fields. Mend one by moving a function to the file where it
// belongs, or by joining files that are one thing.
func TestFilesPointDown(t *testing.T) {
	broken := map[string][]string{}
	for dir, p := range loaded(t) {
		for _, ring := range arrowsOf(p).cycles() {
			broken[dir] = append(broken[dir], dir+": "+ring)
		}
	}
	report(t, broken)
}

// No type does so much that it needs more than 20 methods; those of embedded
// types count with the type that declares them.
func TestTypesAreSmall(t *testing.T) {
	broken := map[string][]string{}
	for dir, p := range loaded(t) {
		for _, name := range p.Types.Scope().Names() {
			named, ok := p.Types.Scope().Lookup(name).Type().(*types.Named)
			if ok && named.Obj().Name() == name && named.NumMethods() > mostMethods {
				broken[dir] = append(broken[dir], fmt.Sprintf("%s: type %s has %d methods, more than %d", dir, name,
					named.NumMethods(), mostMethods))
			}
		}
	}
	report(t, broken)
}

func TestPackagesAreRooms(t *testing.T) {
	_, all := sources(t)
	lines := map[string]int{}
	for _, s := range all {
		if !s.test() {
			lines[path.Dir(s.path)] += strings.Count(string(s.text), "\n")
		}
	}
	broken := map[string][]string{}
	for dir, n := range lines {
		if n > mostLines {
			broken[dir] = []string{fmt.Sprintf("%s has %d lines of Go, more than %d: it holds two things", dir, n,
				mostLines)}
		}
	}
	report(t, broken)
}

// handWritten are the sources in which people write lines: Go, C++ and
// JavaScript outside testdata, without what a tool made.
func handWritten(t *testing.T) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"testdata", "results", "bin", "dist", "node_modules"}, d.Name()) ||
			p != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || strings.Contains(p, ".min."):
			return nil
		}
		if slices.Contains([]string{".go", ".cpp", ".cc", ".h", ".js", ".mjs"}, path.Ext(p)) {
			out = append(out, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A line fits a window of 120 columns, where a tab takes four. What a Go test
// holds between backquotes is data, and stays as it was captured.
func TestLinesFit(t *testing.T) {
	broken := map[string][]string{}
	for _, file := range handWritten(t) {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		quoted := false
		for i, line := range strings.Split(string(text), "\n") {
			data := quoted || strings.Contains(line, "`")
			quoted = quoted != (strings.Count(line, "`")%2 == 1)
			if data && strings.HasSuffix(file, "_test.go") {
				continue
			}
			if columns := len([]rune(strings.ReplaceAll(line, "\t", "    "))); columns > mostColumns {
				dir := path.Dir(file)
				broken[dir] = append(broken[dir], fmt.Sprintf("%s:%d: %d columns, more than %d", file, i+1, columns,
					mostColumns))
			}
		}
	}
	report(t, broken)
}

// CONTRIBUTING's table of rooms names each package that the import table has.
func TestRoomsAreNamed(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	rooms := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || !strings.Contains(cells[1], "`") {
			continue
		}
		parts := strings.Split(cells[1], "`")
		for i := 1; i < len(parts); i += 2 {
			name := strings.TrimSuffix(parts[i], "/")
			if !strings.Contains(name, "/") && allowedHas("internal/"+name) {
				name = "internal/" + name
			}
			rooms[name] = true
			if strings.HasPrefix(name, "internal/") && !allowedHas(name) {
				t.Errorf("CONTRIBUTING names %s, which is not in the import table of all_test.go", name)
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(allowed)) {
		if !rooms[dir] {
			t.Errorf("CONTRIBUTING's table of rooms does not name %s", dir)
		}
	}
}

func allowedHas(dir string) bool { _, ok := allowed[dir]; return ok }
