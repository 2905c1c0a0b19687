// Package memcost_test holds the repository to its own rules: who may import
// whom, who may start processes, and how the files look.
package memcost_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// A floor is a line of the import table: folders whose packages stand together.
type floor struct {
	folders string // a folder stands for all packages below it that have no line of their own
	why     string
	only    string // what it may import, where that is less than all floors below it
	pure    bool   // no clock, no environment, no process: what comes out follows from what goes in
}

// floors is the import table, from the bottom up: a package imports packages of earlier lines, and of
// its own line as far as Go lets it, which refuses circles. A new room needs no entry where its floor
// has one. To move a line is a decision, with its reason here.
var floors = []floor{
	{folders: "internal/testkit", why: "what tests share: it imports nothing of ours"},
	{folders: "internal/base", why: "words and tools that know nothing of the product"},
	{folders: "study", why: "plain benchmarks that work without memcost", only: "study"},
	{folders: "internal/document", why: "what is shown, as blocks: renderers need no more", pure: true},
	{folders: "internal/exchange", why: "the formats of other tools, as samples", pure: true},
	{folders: "internal/machine", why: "what the machine is, whether it is fit, who else measures on it, and what its processes hold"},
	{folders: "internal/gotool/binary internal/gotool/escape internal/gotool/exectrace internal/gotool/profile " +
		"internal/gotool/stacklog", why: "readers of what Go's tools write: a file in, a struct out", pure: true},
	{folders: "internal/gotool", why: "versions of Go, and what they build"},
	{folders: "internal/study", why: "what a study claims and shows", pure: true},
	{folders: "internal/method", why: "numbers in, intervals out", pure: true},
	{folders: "internal/measure/store internal/measure/certificate internal/measure/plan",
		why: "what a run folder holds: claims and answers are computed from it, and sides are named in it"},
	{folders: "internal/method/claim", why: "verdicts on the cases of a plan", pure: true},
	{folders: "published", why: "figures that other people published, with the claims on them"},
	{folders: "internal/gotool/source internal/malloc",
		why: "what the sides of a comparison are, and how each is made"},
	{folders: "internal/report", why: "what there is to say, computed from a run folder, and its blocks", pure: true},
	{folders: "internal/measure", why: "sessions: they take samples, and end when their answer is there"},
	{folders: "internal/sites", why: "what was counted, joined into sites, and its blocks", pure: true},
	{folders: "internal/sites/count internal/sites/remedy internal/sites/explain",
		why: "memcost why: builds, counts and prices"},
	{folders: "internal/fleet", why: "plans that many machines measure, with the session of one"},
	{folders: "internal/show/terminal internal/show/markdown internal/show/html",
		why: "they draw blocks and compute nothing", only: "internal/base internal/document", pure: true},
	{folders: "internal/show", why: "output that is no document yet"},
	{folders: "internal/cli", why: "one file a command: flags, one call down, one call to show"},
	{folders: "cmd scripts", why: "the doors"},
	{folders: "bench", why: "what the method reaches: a module of its own, which the program must not need"},
}

// floorOf is the line of the table with the longest folder that holds a package, or -1.
func floorOf(dir string) int {
	at, longest := -1, 0
	for i, f := range floors {
		for _, folder := range strings.Fields(f.folders) {
			if len(folder) > longest && below(dir, folder) {
				at, longest = i, len(folder)
			}
		}
	}
	return at
}

func below(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

// source is a parsed Go file of the repository.
type source struct {
	path string // slash-separated, from the root
	text []byte
	file *ast.File
}

func (s source) imports() []string {
	var out []string
	for _, i := range s.file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		out = append(out, p)
	}
	return out
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// parsed are all Go files outside testdata, each read once for all tests.
var parsed = sync.OnceValues(func() (out []source, err error) {
	err = fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." &&
			(d.Name() == "testdata" || d.Name() == "results" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || path.Ext(p) != ".go":
			return nil
		}
		text, err := os.ReadFile(filepath.FromSlash(p))
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(files, p, text, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, source{p, text, f})
		return nil
	})
	return out, err
})

// files has the positions in what is parsed.
var files = token.NewFileSet()

func sources(t *testing.T) []source {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestImportsPointDown(t *testing.T) {
	for _, s := range sources(t) {
		dir := path.Dir(s.path)
		if s.test() || dir == "." {
			continue
		}
		at := floorOf(dir)
		if at < 0 {
			t.Errorf("%s stands on no floor of the table in all_test.go", s.path)
			continue
		}
		for _, imp := range s.imports() {
			ours, ok := strings.CutPrefix(imp, "memcost/")
			if !ok {
				continue
			}
			if to := floorOf(ours); to > at {
				t.Errorf("%s (%s) imports %s (%s), which stands above it: see the table in all_test.go",
					s.path, floors[at].why, imp, floors[to].why)
			}
			if only := strings.Fields(floors[at].only); len(only) > 0 &&
				!slices.ContainsFunc(only, func(folder string) bool { return below(ours, folder) }) {
				t.Errorf("%s (%s) imports %s, and may import %s alone", s.path, floors[at].why, imp, only)
			}
		}
	}
}

// What only certain packages may do.
func TestOnlyTheyMay(t *testing.T) {
	for _, rule := range []struct{ imports, only, why string }{
		{"os/exec", "internal/base/proc internal/testkit internal/show/pagetest",
			"proc alone starts processes, and tests their programs"},
		{"memcost/internal/testkit", "internal/show/pagetest", "it is for tests"},
		{"github.com/spf13/cobra", "internal/cli", "the command line is cli's"},
		{"github.com/jedib0t/go-pretty/v6/table", "internal/show", "tables are laid out by renderers"},
		{"github.com/schollz/progressbar/v3", "internal/cli", "the terminal is cli's"},
	} {
		for _, s := range sources(t) {
			if !s.test() && slices.Contains(s.imports(), rule.imports) &&
				!slices.ContainsFunc(strings.Fields(rule.only), func(folder string) bool {
					return below(path.Dir(s.path), folder)
				}) {
				t.Errorf("%s imports %s: %s", s.path, rule.imports, rule.why)
			}
		}
	}
}

// Analysis takes readers and numbers: no clock, no environment, no process.
func TestAnalysisIsPure(t *testing.T) {
	refused := []string{"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.NewTimer",
		"os.Getenv", "os.Environ", "os.LookupEnv", "os.ExpandEnv", "os.Hostname"}
	for _, s := range sources(t) {
		dir := path.Dir(s.path)
		at := floorOf(dir)
		if s.test() || at < 0 || !floors[at].pure {
			continue
		}
		if slices.Contains(s.imports(), "memcost/internal/base/proc") {
			t.Errorf("%s imports proc, which starts processes: %s is pure", s.path, dir)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(refused, x.Name+"."+sel.Sel.Name) {
					t.Errorf("%s uses %s.%s: %s is pure", s.path, x.Name, sel.Sel.Name, dir)
				}
			}
			return true
		})
	}
}

// One door: the program ends in main and nowhere else.
func TestOneExit(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || s.path == "cmd/memcost/main.go" || s.path == "scripts/dist/main.go" ||
			below(s.path, "bench") {
			continue
		}
		if bytes.Contains(s.text, []byte("os.Exit(")) || bytes.Contains(s.text, []byte("log.Fatal")) {
			t.Errorf("%s ends the program: return an error instead", s.path)
		}
	}
}

func TestFormatted(t *testing.T) {
	for _, s := range sources(t) {
		if want, err := format.Source(s.text); err != nil || !bytes.Equal(want, s.text) {
			t.Errorf("%s is not gofmt-ed", s.path)
		}
	}
}

// Each go.mod names the modules that are imported, and no other, as go mod tidy would leave it; go mod
// tidy itself downloads what no build needs.
func TestModulesAreTidy(t *testing.T) {
	for _, folder := range []string{".", "bench"} {
		file := path.Join(folder, "go.mod")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		mod, err := modfile.Parse(file, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		imported := map[string]bool{} // by module
		for _, s := range sources(t) {
			if below(s.path, "bench") != (folder == "bench") {
				continue
			}
			for _, imp := range s.imports() {
				longest := ""
				for _, r := range mod.Require {
					if below(imp, r.Mod.Path) && len(r.Mod.Path) > len(longest) {
						longest = r.Mod.Path
					}
				}
				imported[longest] = true
			}
		}
		for _, r := range mod.Require {
			if imported[r.Mod.Path] == r.Indirect {
				t.Errorf("%s: %s is imported: %v, and marked as indirect: %v; run go mod tidy", file, r.Mod.Path,
					imported[r.Mod.Path], r.Indirect)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		dir := path.Dir(s.path)
		documented[dir] = documented[dir] || s.file.Doc != nil
	}
	for _, dir := range slices.Sorted(maps.Keys(documented)) {
		if !documented[dir] {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

// CONTRIBUTING has a row for each door of internal.
func TestFloorsAreNamed(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	doors, err := os.ReadDir("internal")
	if err != nil {
		t.Fatal(err)
	}
	for _, door := range doors {
		if !bytes.Contains(text, []byte("\n| `"+door.Name()+"`")) && !bytes.Contains(text, []byte("\n| `"+door.Name()+"/")) {
			t.Errorf("CONTRIBUTING's table of floors does not name internal/%s", door.Name())
		}
	}
}

var openEnd = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)

func TestNothingIsLeftOpenInTheCode(t *testing.T) {
	for _, s := range sources(t) {
		if m := openEnd.Find(s.text); m != nil && s.path != "all_test.go" {
			t.Errorf("%s holds a %s: finish it, or file an issue", s.path, m)
		}
	}
}

// The links between the documents lead somewhere.
func TestLinksLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	docs, _ := filepath.Glob("docs/*.md")
	more, _ := filepath.Glob("docs/*/*.md")
	for _, doc := range slices.Concat([]string{"README.md", "CONTRIBUTING.md"}, docs, more) {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			if to := string(m[1]); !strings.Contains(to, "://") {
				if _, err := os.Stat(filepath.Join(filepath.Dir(doc), to)); err != nil {
					t.Errorf("%s links to %s, which is not there", doc, to)
				}
			}
		}
	}
}

// memcost compiles for the platforms that it claims: its packages are type-checked for each, and those
// that they import as far as their declarations go. make test-long builds the programs.
func TestCompilesElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks for three platforms")
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, platform := range []string{"linux/arm64", "darwin/arm64", "windows/amd64"} {
		t.Run(platform, func(t *testing.T) {
			goos, goarch, _ := strings.Cut(platform, "/")
			env := append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
			if os.Getenv("MEMCOST_LONG") != "" {
				command(t, env, "go", "build", "-o", os.DevNull, "./cmd/memcost")
				return
			}
			all, err := packages.Load(&packages.Config{
				Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
					packages.NeedDeps | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes,
				Env: env,
				ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
					f, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
					if err == nil && !strings.HasPrefix(name, root+string(filepath.Separator)) {
						for _, d := range f.Decls {
							if fn, ok := d.(*ast.FuncDecl); ok {
								fn.Body = nil
							}
						}
					}
					return f, err
				},
			}, "./cmd/...", "./internal/...")
			if err != nil {
				t.Fatal(err)
			}
			if len(all) < 20 {
				t.Errorf("only %d packages", len(all))
			}
			for _, p := range all {
				for _, err := range p.Errors {
					t.Error(err)
				}
			}
		})
	}
}
