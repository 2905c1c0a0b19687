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
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed is the import table. Facts import no other package of memcost but units;
// everything else imports downwards. A new import is a decision: it is made here, with
// its reason.
var allowed = map[string][]string{
	// facts
	"internal/cache": {},
	"internal/hint":  {},
	"internal/proc":  {},
	// findings contain sizes
	"internal/machine":   {"internal/units"},
	"internal/stat":      {},
	"internal/kinds":     {"internal/stat"},
	"internal/store":     {"internal/hint"},
	"internal/benchname": {},
	"internal/saying":    {},
	"internal/catalog":   {"internal/benchname", "internal/hint", "internal/saying"}, // selectors may be names
	"internal/escape":    {},
	"internal/series":    {},
	"internal/exchange":  {},
	// functions and lines of a program, as alloccalls reads them
	"internal/symbols":    {"internal/hint"},
	"internal/stacklog":   {"internal/hint", "internal/symbols"},
	"internal/alloccalls": {"internal/hint", "internal/symbols"},
	"internal/profile":    {},
	"internal/exectrace":  {},
	"internal/units":      {},
	"study":               {},
	"published":           {"internal/claim", "internal/store"},
	// built on facts
	"internal/toolchain": {"internal/cache", "internal/hint", "internal/proc"},
	"internal/plan":      {"internal/catalog", "internal/certificate", "internal/machine"},
	"internal/latency":   {"internal/catalog", "internal/plan", "internal/units"},
	// what a comparison's arguments mean: the user's repository, sides, and the folder of each
	"internal/revision": {"internal/catalog", "internal/hint", "internal/proc"},
	"internal/side":     {"internal/catalog", "internal/hint"},
	"internal/sources": {
		"internal/cache", "internal/hint", "internal/plan", "internal/proc", "internal/revision", "internal/side",
		"internal/toolchain",
	},
	"internal/versions": {"internal/hint", "internal/toolchain", "published"}, // those that figures are published of
	"internal/reasons":  {"internal/catalog", "internal/escape", "internal/plan"},
	"internal/tracing":  {"internal/hint", "internal/proc", "internal/run", "internal/toolchain"},
	// it reads the size of the caches and its own CPU time
	"internal/load":    {"internal/hint", "internal/machine", "internal/proc", "internal/units"},
	"internal/pairing": {"internal/benchname", "internal/catalog", "internal/series"},
	"internal/claim": {
		"internal/catalog", "internal/kinds", "internal/pairing", "internal/series", "internal/stat", "internal/units",
	},
	// it tries sizes, with a program that the caller provides
	"internal/cliffs": {"internal/proc"},
	// it runs compilers and children; the caller provides the toolchains
	"internal/limits": {"internal/escape", "internal/hint", "internal/proc", "internal/units"},
	// what was proved about a machine, which runs quote
	"internal/certificate": {"internal/hint", "internal/machine", "internal/stat", "internal/units"},
	// built on those: it takes samples as a run does, of cases of its own
	"internal/certify": {
		"internal/certificate", "internal/claim", "internal/hint", "internal/load", "internal/machine", "internal/plan",
		"internal/proc", "internal/sample", "internal/series", "internal/stat", "internal/store", "internal/toolchain",
		"study",
	},
	"internal/pattern": {"internal/plan"},
	// when a run ends: numbers in, numbers out
	"internal/forecast": {},
	"internal/sample": {
		"internal/catalog", "internal/claim", "internal/ending", "internal/exchange", "internal/forecast",
		"internal/hint", "internal/load", "internal/machine",
		"internal/pattern", "internal/plan", "internal/proc", "internal/series", "internal/stat", "internal/store",
	},
	// what is asked of a run, held to the cases that there are
	"internal/asked": {
		"internal/catalog", "internal/claim", "internal/hint", "internal/pairing", "internal/plan", "internal/series",
		"internal/stat",
	},
	"internal/figures": {"internal/catalog", "internal/series", "internal/units"},
	// results of a study's program that was run by hand
	"internal/board": {"internal/series"},
	"internal/result": {
		"internal/board", "internal/catalog", "internal/certificate", "internal/claim", "internal/evidence",
		"internal/exchange", "internal/exectrace", "internal/figures", "internal/latency", "internal/machine",
		"internal/pairing", "internal/plan", "internal/profile", "internal/series", "internal/stat", "internal/store",
		"internal/units",
	},
	"internal/stacks": {
		"internal/hint", "internal/plan", "internal/proc", "internal/result", "internal/stacklog", "internal/store",
		"internal/toolchain", "study",
	},
	// what memcost why is told: built and run, then joined in why
	"internal/count": {
		"internal/escape", "internal/hint", "internal/pattern", "internal/proc", "internal/symbols",
		"internal/toolchain", "internal/why",
	},
	// in a line, how a process ended that gave no result
	"internal/ending": {"internal/proc"},
	// runs a small program under an allocator
	"internal/alloccheck": {"internal/proc"},
	// tries settings of malloc, of a plan or of a comparison
	"internal/settings": {
		"internal/alloccheck", "internal/allocator", "internal/catalog", "internal/hint", "internal/machine",
		"internal/plan", "internal/proc", "internal/units",
	},
	// further programs of a study in C++
	"internal/preset": {
		"internal/catalog", "internal/hint", "internal/plan", "internal/proc", "internal/toolchain", "study",
	},
	// settings of malloc are variants of its study
	"internal/allocator": {"internal/catalog", "internal/hint", "internal/store"},
	// does the work of memcost run, without the command line
	"internal/run": {
		"internal/allocator", "internal/asked", "internal/cache", "internal/catalog", "internal/certificate",
		"internal/claim", "internal/cliffs",
		"internal/escape", "internal/exectrace", "internal/hint", "internal/latency", "internal/limits",
		"internal/machine", "internal/pattern", "internal/plan", "internal/preset", "internal/proc",
		"internal/profile", "internal/reasons", "internal/result", "internal/sample", "internal/series",
		"internal/settings", "internal/side", "internal/sources", "internal/stacks", "internal/store",
		"internal/toolchain", "internal/versions", "published", "study",
	},
	// comparisons of what needs no building; it shares the tools of a run
	"internal/commands": {
		"internal/allocator", "internal/catalog", "internal/certificate", "internal/claim", "internal/hint",
		"internal/machine", "internal/pattern", "internal/plan", "internal/proc", "internal/result", "internal/run",
		"internal/sample", "internal/series", "internal/serverload", "internal/settings", "internal/stat",
		"internal/store", "internal/units", "study",
	},
	// what a program and a library have to do with malloc, and what the loader wrote
	"internal/elfmalloc": {},
	// a server for as long as its load takes
	"internal/serverload": {"internal/proc"},
	// does the work of memcost alloc, without the command line
	"internal/alloc": {
		"internal/allocator", "internal/commands", "internal/elfmalloc", "internal/hint", "internal/mallocprofile",
		"internal/plan", "internal/proc", "internal/run", "internal/sample", "internal/settings", "internal/units",
	},
	// what a comparison of allocators says, as data; and as text
	"internal/allocreport": {
		"internal/compare", "internal/figures", "internal/plan", "internal/result", "internal/series", "internal/units",
	},
	"internal/alloctext": {"internal/allocreport", "internal/plan", "internal/text", "internal/units"},
	// what allocating costs on this machine: it runs the pairs of the study escape
	"internal/price": {"internal/proc", "internal/toolchain", "internal/why", "study"},
	// it builds a preloaded library, and reads the files that it writes
	"internal/mallocprofile": {"internal/cache", "internal/elfmalloc", "internal/hint", "internal/proc"},
	// what a profile of malloc means: pure
	"internal/mallocuse": {"internal/mallocprofile", "internal/stat", "internal/units"},
	"internal/usetext":   {"internal/mallocprofile", "internal/mallocuse", "internal/text", "internal/units"},
	// memcost alloc --profile, without its flags
	"internal/profiling": {
		"internal/front", "internal/hint", "internal/mallocprofile", "internal/mallocuse", "internal/proc",
		"internal/usetext",
	},
	// several answers beside each other
	"internal/compare": {
		"internal/catalog", "internal/claim", "internal/figures", "internal/plan", "internal/result",
		"internal/series", "internal/stat", "internal/units",
	},
	// what a comparison must not show for a change to pass
	"internal/gate": {"internal/compare", "internal/hint", "internal/series", "internal/units"},
	// what the source allows, held to a report of memcost why
	"internal/budget": {"internal/alloccalls", "internal/escape", "internal/hint", "internal/why"},
	// renders a comparison for GitHub, at the lines of the user's files, which it reads
	"internal/annotate": {"internal/compare", "internal/gate"},
	// what fixes of sites would save, and edits of their source
	"internal/remedy": {"internal/units", "internal/why"},
	// the sites of memcost why in the formats of other tools, and two reports beside each other
	"internal/sitefile": {"internal/annotate", "internal/hint", "internal/units", "internal/why"},
	"internal/sitediff": {"internal/escape", "internal/units", "internal/why"},
	"internal/difftext": {"internal/escape", "internal/sitediff", "internal/text", "internal/units", "internal/why"},
	// which points of a history to compare, and what the comparisons say; and the steps of a search
	"internal/history": {"internal/figures", "internal/plan", "internal/units"},
	"internal/bisect": {
		"internal/compare", "internal/figures", "internal/hint", "internal/history", "internal/plan", "internal/result",
		"internal/revision", "internal/run", "internal/sample", "internal/side", "internal/store", "internal/units",
		"internal/versions",
	},
	// renderers: results in, text or HTML out
	"internal/evidence": {
		"internal/catalog", "internal/claim", "internal/pairing", "internal/plan", "internal/series", "internal/stat",
		"internal/units",
	},
	"internal/text": {
		"internal/certificate", "internal/claim", "internal/compare", "internal/exectrace", "internal/figures",
		"internal/history",
		"internal/latency",
		"internal/machine", "internal/plan", "internal/profile", "internal/result", "internal/stacklog",
		"internal/units",
	},
	"internal/acrossmachines": {
		"internal/catalog", "internal/claim", "internal/figures", "internal/kinds", "internal/plan", "internal/result",
		"internal/series", "internal/stat", "internal/units",
	},
	"internal/answer": {
		"internal/acrossmachines", "internal/catalog", "internal/claim", "internal/compare", "internal/figures",
		"internal/machine",
		"internal/plan", "internal/result", "internal/saying", "internal/units",
	},
	// what a reader meets first, as text: its tables of cases are those of the answers
	"internal/fronttext": {
		"internal/acrossmachines", "internal/answer", "internal/claim", "internal/compare", "internal/figures",
		"internal/result", "internal/text",
		"internal/units",
	},
	// texts that are fit for a page
	"internal/printable":    {"internal/text"},
	"internal/machinespage": {"internal/acrossmachines", "internal/figures", "internal/units"},
	"internal/page": {
		"internal/allocreport", "internal/answer", "internal/catalog", "internal/compare", "internal/evidence",
		"internal/exectrace",
		"internal/figures",
		"internal/history",
		"internal/latency", "internal/machine", "internal/machinespage", "internal/plan", "internal/printable",
		"internal/profile",
		"internal/result", "internal/stacklog", "internal/text",
		"internal/units",
	},
	"internal/whytext": {"internal/hint", "internal/text", "internal/units", "internal/why"},
	// the page of memcost why has the style of the others, and the words of the text
	"internal/whypage": {
		"internal/page", "internal/printable", "internal/text", "internal/units", "internal/why", "internal/whytext",
	},
	// the page of a comparison: the style of the page of a report, and the words of difftext
	"internal/diffpage": {
		"internal/difftext", "internal/page", "internal/printable", "internal/sitediff", "internal/units",
		"internal/why", "internal/whypage",
	},
	// what the tests of the pages share
	"internal/pagetest": {},
	"internal/newstudy": {"internal/hint"},
	// how far a run is and what it has decided, in words
	"internal/progress": {
		"internal/answer", "internal/catalog", "internal/claim", "internal/figures", "internal/result",
		"internal/sample",
		"internal/units",
	},
	// what the commands share
	"internal/front": {
		"internal/allocreport", "internal/alloctext",
		"internal/answer", "internal/asked", "internal/catalog", "internal/certify", "internal/commands",
		"internal/compare", "internal/exchange", "internal/exclusive", "internal/fronttext", "internal/hint", "internal/page",
		"internal/plan", "internal/proc", "internal/progress", "internal/result", "internal/run", "internal/sample",
		"internal/store", "internal/text", "internal/units", "published", "study",
	},
	// the command memcost compare, and what others show of its comparisons
	"internal/comparing": {
		"internal/annotate", "internal/bisect", "internal/claim", "internal/commands", "internal/compare",
		"internal/front", "internal/gate", "internal/hint", "internal/page", "internal/plan", "internal/proc",
		"internal/result", "internal/revision", "internal/run", "internal/sample", "internal/side", "internal/store",
		"internal/text", "internal/units",
	},
	"internal/allocating": {
		"internal/alloc", "internal/allocator", "internal/commands", "internal/front", "internal/hint", "internal/plan",
		"internal/profiling", "internal/sample",
	},
	// one plan on many machines: its file, the place where shards meet, and how they are joined
	"internal/planfile": {"internal/catalog", "internal/hint", "internal/plan"},
	"internal/place":    {"internal/hint"},
	"internal/join":     {"internal/plan", "internal/series", "internal/units"},
	// plans, measures shards as a run does, and brings them to the place and back
	"internal/fleet": {
		"internal/hint", "internal/join", "internal/machine", "internal/place", "internal/plan", "internal/planfile",
		"internal/run", "internal/sample", "internal/sources", "internal/store", "internal/units",
	},
	// samples as Parquet, and a folder of such files
	"internal/packfile": {"internal/series"},
	"internal/pack":     {"internal/hint", "internal/packfile", "internal/plan", "internal/series"},
	// the command memcost pack: it packs run folders and places, and computes answers as report does
	"internal/packing": {
		"internal/fleet", "internal/front", "internal/hint", "internal/join", "internal/pack", "internal/plan",
		"internal/result", "internal/series", "internal/sharing", "internal/store", "internal/units",
	},
	// what the commands say of shared plans
	"internal/sharing": {
		"internal/fleet", "internal/front", "internal/hint", "internal/place", "internal/plan", "internal/planfile",
		"internal/run", "internal/store", "internal/text", "internal/units",
	},
	// the lock that keeps two measurements of one machine apart
	"internal/exclusive": {},
	// jobs for schedulers, as text; the command that starts them
	"internal/jobs": {"internal/hint"},
	"internal/submitting": {
		"internal/fleet", "internal/front", "internal/hint", "internal/jobs", "internal/place", "internal/planfile",
		"internal/proc", "internal/sharing", "internal/units",
	},
	// joins what is known of allocations: it is pure, and reads no files
	"internal/why": {"internal/alloccalls", "internal/escape", "internal/profile", "internal/units"},
	// what memcost why does, without the command line
	"internal/explain": {
		"internal/alloccalls", "internal/budget", "internal/count", "internal/escape", "internal/hint",
		"internal/price", "internal/remedy", "internal/run", "internal/sources", "internal/store", "internal/toolchain",
		"internal/why",
	},
	// the command line: it may use every package, and only the programs import it
	"internal/cli": {
		"internal/allocating", "internal/allocator", "internal/budget", "internal/cache", "internal/catalog",
		"internal/certificate", "internal/certify", "internal/commands", "internal/compare", "internal/comparing",
		"internal/count", "internal/diffpage", "internal/difftext",
		"internal/exchange",
		"internal/exectrace", "internal/explain", "internal/fleet", "internal/front", "internal/gate", "internal/hint",
		"internal/latency", "internal/machine", "internal/newstudy", "internal/pack",
		"internal/packing", "internal/page", "internal/plan",
		"internal/planfile", "internal/proc", "internal/result", "internal/run",
		"internal/sample", "internal/series", "internal/sharing", "internal/side", "internal/sitediff",
		"internal/sitefile",
		"internal/stacks",
		"internal/store", "internal/submitting",
		"internal/text", "internal/toolchain", "internal/tracing", "internal/units", "internal/why",
		"internal/whypage", "internal/whytext", "published",
	},
	// the load is the program itself, run again, and so is what launches commands
	"cmd/memcost":  {"internal/cli", "internal/load", "internal/proc"},
	"scripts/dist": {"internal/cli", "internal/proc"},
}

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

// sources are all Go files outside testdata.
func sources(t *testing.T) (*token.FileSet, []source) {
	t.Helper()
	fset := token.NewFileSet()
	var out []source
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "results" || p != "." &&
			strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || path.Ext(p) != ".go":
			return nil
		}
		text, err := os.ReadFile(filepath.FromSlash(p))
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, p, text, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, source{p, text, f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fset, out
}

func TestImportsPointDown(t *testing.T) {
	_, all := sources(t)
	seen := map[string]bool{}
	for _, s := range all {
		dir := path.Dir(s.path)
		if s.test() || dir == "." || strings.HasPrefix(dir, "study/") || strings.HasPrefix(dir, "bench/") {
			continue
		}
		may, known := allowed[dir]
		if !known {
			t.Errorf("%s: package %s is not in the import table of all_test.go", s.path, dir)
			continue
		}
		seen[dir] = true
		for _, imp := range s.imports() {
			if ours, ok := strings.CutPrefix(imp, "memcost/"); ok && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s: a new arrow; see the import table in all_test.go", s.path, imp)
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(allowed)) {
		if !seen[dir] {
			t.Errorf("the import table names %s, which does not exist", dir)
		}
	}
}

// What only certain packages may do.
func TestOnlyTheyMay(t *testing.T) {
	_, all := sources(t)
	for _, rule := range []struct {
		imports string
		only    []string
		why     string
	}{
		// pagetest looks for Chromium
		{"os/exec", []string{"internal/proc", "internal/pagetest"}, "proc alone starts processes"},
		{"github.com/spf13/cobra", []string{"internal/allocating", "internal/cli", "internal/comparing",
			"internal/front", "internal/packing", "internal/sharing", "internal/submitting"},
			"the command line is cli's"},
		{"github.com/jedib0t/go-pretty/v6/table", []string{"internal/text"}, "tables are laid out in text"},
		{"github.com/schollz/progressbar/v3", []string{"internal/front"}, "the terminal is front's"},
	} {
		for _, s := range all {
			if !s.test() && slices.Contains(s.imports(), rule.imports) &&
				!slices.Contains(rule.only, path.Dir(s.path)) {
				t.Errorf("%s imports %s: %s", s.path, rule.imports, rule.why)
			}
		}
	}
}

// Analysis packages take readers and numbers: no clock, no environment.
func TestAnalysisIsPure(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		dir := path.Dir(s.path)
		if s.test() || !slices.Contains([]string{"internal/stat", "internal/catalog", "internal/escape",
			"internal/stacklog", "internal/series", "internal/claim", "internal/plan", "internal/result",
			"internal/exectrace", "internal/profile", "internal/text", "internal/units", "internal/sitefile",
			"internal/sitediff", "internal/difftext", "internal/diffpage", "internal/mallocuse",
			"internal/usetext", "internal/planfile", "internal/join", "internal/jobs"}, dir) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok {
				switch call := x.Name + "." + sel.Sel.Name; call {
				case "time.Now", "time.Since", "os.Getenv", "os.Environ", "os.LookupEnv":
					t.Errorf("%s calls %s: %s is pure", s.path, call, dir)
				}
			}
			return true
		})
	}
}

// One door: the program ends in main and nowhere else.
func TestOneExit(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		if s.test() || s.path == "cmd/memcost/main.go" || s.path == "scripts/dist/main.go" ||
			strings.HasPrefix(s.path, "bench/") {
			continue
		}
		if bytes.Contains(s.text, []byte("os.Exit(")) || bytes.Contains(s.text, []byte("log.Fatal")) {
			t.Errorf("%s ends the program: return an error instead", s.path)
		}
	}
}

func TestFormatted(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		if want, err := format.Source(s.text); err != nil || !bytes.Equal(want, s.text) {
			t.Errorf("%s is not gofmt-ed", s.path)
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	_, all := sources(t)
	documented := map[string]bool{}
	for _, s := range all {
		dir := path.Dir(s.path)
		documented[dir] = documented[dir] || s.file.Doc != nil
	}
	for _, dir := range slices.Sorted(maps.Keys(documented)) {
		if !documented[dir] {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

var openEnd = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)

func TestNothingIsLeftOpenInTheCode(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
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

// The platforms that memcost claims to build for.
func TestCrossCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for three platforms")
	}
	for _, platform := range []string{"linux/arm64", "darwin/arm64", "windows/amd64"} {
		t.Run(platform, func(t *testing.T) {
			goos, goarch, _ := strings.Cut(platform, "/")
			cmd := exec.Command("go", "build", "-o", os.DevNull, "./cmd/memcost")
			cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
