// This part of the package finds out which functions benchmarks may reach, from names alone: every name that a function
// mentions is one that it may call, whatever it stands for, and every exported method of a type that is mentioned may be
// called through an interface. So a function that is said not to be reached is not; one that is not said may not be either.

package source

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A declared is what a package declares under a name.
type declared struct {
	name     string // without its type
	of       string // the type of a method
	what     string // what it says, without comments
	file     string // by its path from the root, with slashes
	mentions []string
	isFunc   bool
	starts   bool // it runs at the program's start
}

// called returns how people write a function of a package's folder.
func (d *declared) called() string {
	dir := filepath.ToSlash(filepath.Dir(d.file))
	dir = dir[strings.LastIndex(dir, "/")+1:] + "."
	if dir == ".." {
		dir = ""
	}
	if d.of != "" {
		return dir + d.of + "." + d.name
	}
	return dir + d.name
}

// declares reads what a file of Go declares; nothing of one that cannot be read, or is none.
func declares(root, name string) (out []*declared) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	rel, err := filepath.Rel(root, name)
	if err != nil {
		rel = name
	}
	add := func(n ast.Node, d declared, parts ...ast.Node) { // its own name is no mention
		words, _ := tokens(text[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset])
		d.what, d.file = string(words), filepath.ToSlash(rel)
		for _, part := range parts {
			ast.Inspect(part, func(n ast.Node) bool {
				if id, is := n.(*ast.Ident); is {
					d.mentions = append(d.mentions, id.Name)
				}
				return true
			})
		}
		out = append(out, &d)
	}
	for _, decl := range f.Decls {
		switch x := decl.(type) {
		case *ast.FuncDecl:
			d := declared{name: x.Name.Name, isFunc: true, starts: x.Recv == nil && (x.Name.Name == "init" || x.Name.Name == "TestMain")}
			parts := []ast.Node{x.Type}
			if x.Recv != nil && len(x.Recv.List) > 0 {
				d.of = receiver(x.Recv.List[0].Type)
				parts = append(parts, x.Recv)
			}
			if x.Body != nil {
				parts = append(parts, x.Body)
			}
			add(x, d, parts...)
		case *ast.GenDecl:
			for _, spec := range x.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add(s, declared{name: s.Name.Name}, s.Type)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						var parts []ast.Node
						if s.Type != nil {
							parts = append(parts, s.Type)
						}
						for _, value := range s.Values {
							parts = append(parts, value)
						}
						add(s, declared{name: id.Name, starts: id.Name == "_"}, parts...)
					}
				}
			}
		}
	}
	return out
}

// receiver returns the name of a receiver's type.
func receiver(x ast.Expr) string {
	switch t := x.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// all lists what the test binaries of some packages are made of, other than what lies in the module cache.
func (p *program) all(packages []string) (out []*declared) {
	seen := map[string]bool{}
	for _, pkg := range packages {
		for _, path := range p.parts[pkg+".test"].Deps {
			part := p.parts[path]
			if part.Standard || p.kept(part) {
				continue
			}
			for _, name := range slices.Concat(part.GoFiles, part.CgoFiles) {
				if file := filepath.Join(part.Dir, name); !seen[file] {
					seen[file] = true
					out = append(out, declares(p.root, file)...)
				}
			}
		}
	}
	return out
}

// reached returns what benchmarks may reach of what is declared.
func reached(all []*declared, benchmark func(name string) bool) map[*declared]bool {
	byName, methods := map[string][]*declared{}, map[string][]*declared{}
	var next []*declared
	for _, d := range all {
		byName[d.name] = append(byName[d.name], d)
		if d.of != "" && ast.IsExported(d.name) {
			methods[d.of] = append(methods[d.of], d)
		}
		if d.starts || d.isFunc && d.of == "" && strings.HasSuffix(d.file, "_test.go") && strings.HasPrefix(d.name, "Benchmark") &&
			benchmark(d.name) {
			next = append(next, d)
		}
	}
	out, mentioned := map[*declared]bool{}, map[string]bool{}
	for len(next) > 0 {
		d := next[len(next)-1]
		next = next[:len(next)-1]
		if out[d] {
			continue
		}
		out[d] = true
		for _, name := range d.mentions {
			if !mentioned[name] {
				mentioned[name] = true
				next = append(append(next, byName[name]...), methods[name]...)
			}
		}
	}
	return out
}

// changes returns the functions of the code under test that are new or say something else on the second of two sides,
// and were built for this system.
func changes(a, b string) (out []*declared) {
	if a == b {
		return nil
	}
	before := map[string]bool{} // by folder, name and what it says
	var after []*declared
	key := func(d *declared) string {
		return filepath.Dir(d.file) + "\x00" + d.of + "\x00" + d.name + "\x00" + d.what
	}
	_ = filepath.WalkDir(b, func(name string, e os.DirEntry, err error) error {
		if err != nil {
			return nil //nolint // what cannot be read is in no program
		}
		rel, _ := filepath.Rel(b, name)
		base := e.Name()
		if e.IsDir() {
			_, nested := os.Stat(filepath.Join(name, "go.mod"))
			if rel != "." && (base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' || nested == nil) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(base) != ".go" || strings.HasSuffix(base, "_test.go") || !e.Type().IsRegular() {
			return nil
		}
		if same, err := equal(filepath.Join(a, rel), name, 0); err == nil && same {
			return nil
		}
		if built, err := build.Default.MatchFile(filepath.Dir(name), base); err != nil || !built {
			return nil
		}
		after = append(after, declares(b, name)...)
		return nil
	})
	folders := map[string]bool{}
	for _, d := range after {
		if dir := filepath.Dir(d.file); !folders[dir] { // a function may have moved from another file
			folders[dir] = true
			files, _ := filepath.Glob(filepath.Join(a, dir, "*.go"))
			for _, name := range files {
				for _, d := range declares(a, name) {
					before[key(d)] = true
				}
			}
		}
	}
	for _, d := range after {
		if d.isFunc && !before[key(d)] {
			out = append(out, d)
		}
	}
	return out
}

// unreached names the functions that changed from the first of two sides to the second and that no benchmark of some
// packages reaches, in their order.
func unreached(both [2]*program, packages []string, benchmark func(string) bool) (out []string) {
	changed := changes(both[0].root, both[1].root)
	if len(changed) == 0 {
		return nil
	}
	all := both[1].all(packages)
	may := reached(all, benchmark)
	where := map[string]bool{}
	for d := range may {
		where[d.file+"\x00"+d.of+"\x00"+d.name] = true
	}
	for _, d := range changed {
		if !where[d.file+"\x00"+d.of+"\x00"+d.name] && !slices.Contains(out, d.called()) {
			out = append(out, d.called())
		}
	}
	slices.Sort(out)
	return out
}

// testsReached leaves those of a package's test files in which something differs that a benchmark reaches.
func testsReached(both [2]*program, pkg string, files []string, benchmark func(string) bool) (out []string) {
	var may [2]map[string]string // by file and name, what is reached on each side
	for i, p := range both {
		may[i] = map[string]string{}
		for d := range reached(p.all([]string{pkg}), benchmark) {
			if slices.Contains(files, d.file) {
				may[i][d.file+"\x00"+d.of+"\x00"+d.name] += d.what
			}
		}
	}
	for _, name := range files {
		if slices.ContainsFunc(keys(may[0], may[1]), func(k string) bool {
			return strings.HasPrefix(k, name+"\x00") && may[0][k] != may[1][k]
		}) {
			out = append(out, name)
		}
	}
	return out
}
