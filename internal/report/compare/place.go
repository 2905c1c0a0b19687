package compare

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// A Place finds the file and line of a benchmark, with slashes and from the root of the
// repository; false where it is not known.
type Place func(study, benchmark string) (file string, line int, ok bool)

// base returns the name of a benchmark's function without "Benchmark".
func base(benchmark string) string {
	name, _, sub := strings.Cut(benchmark, "/")
	if !sub { // the number of CPUs stands behind the last part
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			if _, err := strconv.Atoi(name[i+1:]); err == nil {
				name = name[:i]
			}
		}
	}
	return name
}

// In returns the places of the benchmarks of the module that a folder belongs to: their
// packages are called by their import paths. Files are read once, when they are first asked
// for.
func In(dir string) Place {
	module, root := moduleOf(dir)
	repository := above(dir, ".git")
	if repository == "" {
		repository = root
	}
	lines := map[string]map[string]at{} // by package, then by function
	return func(study, benchmark string) (string, int, bool) {
		if module == "" || study != module && !strings.HasPrefix(study, module+"/") {
			return "", 0, false
		}
		if lines[study] == nil {
			lines[study] = functions(filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(study, module))))
		}
		found, ok := lines[study]["Benchmark"+base(benchmark)]
		if !ok {
			return "", 0, false
		}
		file, err := filepath.Rel(repository, found.file)
		if err != nil {
			return "", 0, false
		}
		return path.Clean(filepath.ToSlash(file)), found.line, true
	}
}

type at struct {
	file string
	line int
}

// functions returns where the functions of a folder's test files are.
func functions(dir string) map[string]at {
	out := map[string]at{}
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // an annotation without a place is better than none
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				out[fn.Name.Name] = at{file, fset.Position(fn.Pos()).Line}
			}
		}
	}
	return out
}

// moduleOf returns the path and the folder of the module that a folder belongs to.
func moduleOf(dir string) (module, root string) {
	root = above(dir, "go.mod")
	if root == "" {
		return "", ""
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", ""
	}
	return modfile.ModulePath(text), root
}

// above returns the folder that has an entry of the name: dir itself or one above it; "" where
// none has.
func above(dir, name string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
