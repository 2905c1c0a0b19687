package language

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/scanner"
	gotoken "go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// ReadDir reads the study in one folder of fsys: the Go files of its package, those
// under build tags included, and its C++ files (.cc, .cpp, .h). A package without
// directives is a Study with benchmarks only. A Go package may have a C++ program beside it,
// in BesideDir.
//
// The error joins everything that is wrong in the folder: a *SyntaxError for each
// directive, and an error that starts "file:line:" for each file that is not
// understood. The Study holds what was understood all the same; it is nil only when
// the folder itself cannot be read.
func ReadDir(fsys fs.FS, dir string) (*Study, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("reading study folder %s: %w", dir, err)
	}
	f := folder{}
	show, errs := readShow(fsys, dir)
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); !e.IsDir() && languageOf(name) != 0 {
			errs = append(errs, f.read(fsys, name))
		}
	}
	// A C++ program keeps its sources in src, one beside Go benchmarks all that it has in cpp.
	sources, _ := fs.Glob(fsys, path.Join(dir, "src", "*"))
	beside, _ := fs.Glob(fsys, path.Join(dir, BesideDir, "CMakeLists.txt"))
	if f.packageName() != "" && len(beside) > 0 {
		f.beside = BesideDir
		more, _ := fs.Glob(fsys, path.Join(dir, BesideDir, "*"))
		sources = append(sources, more...)
	}
	for _, name := range sources {
		if languageOf(name) == 'c' {
			errs = append(errs, f.read(fsys, name))
		}
	}
	s, err := f.study(dir, show)
	return s, errors.Join(append(errs, err)...)
}

// read reads one source file.
func (f *folder) read(fsys fs.FS, name string) error {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return fmt.Errorf("%s:1: reading the study's source: %w", name, err)
	}
	if languageOf(name) == 'g' {
		return f.readGo(name, src)
	}
	f.readCPP(name, string(src))
	return nil
}

// readShow reads what is shown of a study: an empty Show where its folder has no such
// file.
func readShow(fsys fs.FS, dir string) (*Show, []error) {
	show := &Show{}
	var errs []error
	for _, name := range ShowFiles {
		file := path.Join(dir, name)
		src, err := fs.ReadFile(fsys, file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			errs = append(errs, fmt.Errorf("%s:1: reading what is shown of the study: %w", file, err))
			continue
		case show.File != "":
			msg := path.Base(show.File) + " stands beside it, and a folder has one of the two"
			errs = append(errs, &SyntaxError{Pos: Pos{file, 1}, Directive: name, Msg: msg, Form: "one file of them"})
			continue
		}
		if show, err = ReadShow(file, src); err != nil {
			errs = append(errs, err)
			show = &Show{File: file} // the parts that were read would cause further errors
		}
	}
	return show, errs
}

// ReadAll reads every direct sub-folder of fsys that has benchmarks or directives, and
// the folders below those that have a study.toml of their own (malloc/latency), sorted
// by name. The error joins those of all folders; the studies that were read are returned
// beside it.
func ReadAll(fsys fs.FS) ([]*Study, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("reading the folder of studies: %w", err)
	}
	var dirs []string
	var errs []error
	for _, e := range entries { // fs.ReadDir sorts
		n := e.Name()
		if !e.IsDir() || n[0] == '.' || n[0] == '_' || n == "testdata" || n == "vendor" {
			continue
		}
		below, err := fs.Glob(fsys, path.Join(n, "*", ShowFiles[0]))
		if err != nil {
			errs = append(errs, err)
		}
		dirs = append(dirs, n)
		for _, file := range below {
			dirs = append(dirs, path.Dir(file))
		}
	}
	// Every command that knows studies reads them all, while its user waits: in parallel.
	type read struct {
		study *Study
		err   error
	}
	all := make([]read, len(dirs))
	var wait sync.WaitGroup
	for i, dir := range dirs {
		wait.Go(func() { all[i].study, all[i].err = ReadDir(fsys, dir) })
	}
	wait.Wait()
	var studies []*Study
	for _, r := range all {
		if r.err != nil {
			errs = append(errs, r.err)
		}
		if s := r.study; s != nil && len(s.Benchmarks)+len(s.Directives) > 0 {
			studies = append(studies, s)
		}
	}
	return studies, errors.Join(errs...)
}

// languageOf returns 'g' for Go, 'c' for C++, and 0 for a file that a study is not read
// from; the go command leaves out the same names.
func languageOf(name string) byte {
	if base := path.Base(name); base[0] == '.' || base[0] == '_' {
		return 0
	}
	switch path.Ext(name) {
	case ".go":
		return 'g'
	case ".cc", ".cpp", ".h":
		return 'c'
	}
	return 0
}

func (f *folder) study(name string, show *Show) (*Study, error) {
	pkg := f.packageName()
	if name == "." && pkg != "" {
		name = pkg
	}
	var all file
	cppDoc := ""
	for _, x := range f.files {
		if x.pkg != "" && x.pkg != pkg {
			all.warnings = append(all.warnings, x.foreign(pkg)...)
			continue
		}
		if x.pkg == "" {
			cppDoc = cmp.Or(cppDoc, x.doc)
		} else {
			all.doc = cmp.Or(all.doc, x.doc)
		}
		if x.pkg == pkg { // a program beside it gives cases of the same benchmarks
			all.benchmarks = append(all.benchmarks, x.benchmarks...)
		}
		all.directives = append(all.directives, x.directives...)
		all.warnings = append(all.warnings, x.warnings...)
	}
	s, err := Parse(name, all.directives, show)
	s.Doc, s.CPP = cmp.Or(all.doc, cppDoc), pkg == "" && len(f.files) > 0
	s.Beside = f.beside
	s.Benchmarks = distinct(all.benchmarks)
	s.Warnings = append(all.warnings, s.Warnings...)
	return s, err
}

// packageName returns the package that most files of the folder belong to: a generator
// that is kept beside a package (package main under a build tag) is not part of it.
func (f *folder) packageName() string {
	count := map[string]int{}
	for _, x := range f.files {
		count[x.pkg]++
	}
	delete(count, "")
	best := ""
	for pkg, n := range count {
		better := cmp.Or(cmp.Compare(n, count[best]), // most files,
			cmp.Compare(b2i(pkg != "main"), b2i(best != "main")), // else not main,
			strings.Compare(best, pkg))                           // else the first by name
		if best == "" || better > 0 {
			best = pkg
		}
	}
	return best
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// foreign warns of directives that are not read, in a file of another package.
func (x *file) foreign(pkg string) []error {
	if len(x.directives) == 0 {
		return nil
	}
	msg := fmt.Sprintf("is not read: the file is of package %s, and the study is package %s", x.pkg, pkg)
	return []error{syntaxError(x.directives[0], msg, "")}
}

// distinct leaves out benchmarks that are declared a second time under another build
// tag, and sorts by file and line.
func distinct(bs []Benchmark) []Benchmark {
	slices.SortStableFunc(bs, func(a, b Benchmark) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(bs, func(b Benchmark) bool {
		dup := seen[b.Name]
		seen[b.Name] = true
		return dup
	})
}

// A folder collects the contents of the files of one study.
type folder struct {
	files  []*file
	beside string // BesideDir, where a Go package has a C++ program
}

// A file holds what was read from one source file.
type file struct {
	pkg        string // the package, without "_test"; "" in C++
	doc        string // first sentence of the package comment; in C++ of the comment on line 1
	benchmarks []Benchmark
	directives []Directive
	warnings   []error
	lastLine   int // of the last directive
}

// budgetVerb is of package explain: a budget is about a function or a line, and no benchmark.
const budgetVerb = "allocs"

// comment keeps a line comment that is a directive, and warns of one that a space
// keeps from being one.
func (x *file) comment(text, scope string, pos Pos) {
	if d, ok := strings.CutPrefix(text, prefix); ok {
		if d := newDirective(d, scope, pos); d.Verb != budgetVerb {
			x.directive(d)
		}
		return
	}
	body, ok := strings.CutPrefix(text, "//")
	if !ok {
		return
	}
	trimmed := strings.TrimLeft(body, " \t")
	said, ok := strings.CutPrefix(trimmed, prefix[len("//"):])
	if !ok || trimmed == body {
		return
	}
	d := newDirective(said, scope, pos)
	for _, v := range verbs { // prose may start with "memcost:", too
		if v.name == d.Verb {
			x.warnings = append(x.warnings, &SyntaxError{Pos: pos, Directive: strings.TrimSpace(text),
				Msg: "is not a directive: remove the space"})
		}
	}
}

// directive adds a directive, or continues the one on the line above.
func (x *file) directive(d Directive) {
	last := len(x.directives) - 1
	if d.Verb == moreVerb && last >= 0 && x.directives[last].Pos.File == d.Pos.File && x.lastLine == d.Pos.Line-1 {
		x.directives[last].Text += " " + d.Text
	} else {
		x.directives = append(x.directives, d)
	}
	x.lastLine = d.Pos.Line
}

// readGo reads one Go file. Of a file with syntax errors it reads what the parser made
// of it, so that wrong directives in it are reported in the same go.
func (f *folder) readGo(name string, src []byte) error {
	fset := gotoken.NewFileSet()
	tree, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if tree != nil {
		g := &goFile{fset: fset, name: name, file: &file{}}
		g.read(tree)
		f.files = append(f.files, g.file)
	}
	var list scanner.ErrorList
	if errors.As(err, &list) {
		e := list[0] // the others often follow from the first
		return fmt.Errorf("%s:%d: reading the study's Go source: %s", name, e.Pos.Line, e.Msg)
	}
	return err
}

// goFile is a Go file while it is read.
type goFile struct {
	*file
	fset *gotoken.FileSet
	name string
}

func (g *goFile) read(tree *ast.File) {
	if tree.Name != nil {
		g.pkg = tree.Name.Name
	}
	isTest := strings.HasSuffix(g.name, "_test.go")
	if isTest {
		g.pkg = strings.TrimSuffix(g.pkg, "_test")
	}
	g.doc = firstSentence(tree.Doc)
	scopes := map[*ast.CommentGroup]string{}
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !isTest {
			continue // go test runs benchmarks of _test.go files alone
		}
		bench, ok := benchmarkName(fn.Name.Name)
		if !ok {
			continue
		}
		g.benchmarks = append(g.benchmarks, Benchmark{Name: bench, Doc: firstSentence(fn.Doc), Pos: g.pos(fn.Pos())})
		if fn.Doc != nil {
			scopes[fn.Doc] = bench
		}
	}
	for _, group := range tree.Comments {
		for _, c := range group.List {
			g.comment(c.Text, scopes[group], g.pos(c.Pos()))
		}
	}
}

// pos returns the position in the file itself, ignoring //line comments.
func (g *goFile) pos(p gotoken.Pos) Pos {
	return Pos{g.name, g.fset.PositionFor(p, false).Line}
}

// firstSentence leaves out directives, as go doc does.
func firstSentence(group *ast.CommentGroup) string {
	return new(doc.Package).Synopsis(group.Text())
}

// benchmarkName strips "Benchmark" from a name that go test runs: what follows must
// not start with a lower-case letter.
func benchmarkName(fn string) (string, bool) {
	base, ok := strings.CutPrefix(fn, "Benchmark")
	first, _ := utf8.DecodeRuneInString(base)
	return base, ok && base != "" && !unicode.IsLower(first)
}

// A C++ benchmark, as Google Benchmark has it: a function of a benchmark::State, which
// may carry directives in the // comment above it, or a registration by macro or call.
var (
	cppFunction = regexp.MustCompile(`^(?:static\s+|inline\s+)*void\s+(\w+)\s*\(\s*(?:::)?benchmark::State\b`)
	cppMacro    = regexp.MustCompile(`^BENCHMARK(?:_[A-Z_]+)?\s*\(\s*(\w+)`)
	cppCall     = regexp.MustCompile(`\bRegisterBenchmark\s*\(\s*"([^"/]+)`)
)

// readCPP reads the line comments that start a line. A directive behind code is a
// warning, because telling it from a string literal takes a C++ lexer.
func (f *folder) readCPP(name, src string) {
	x := &file{}
	f.files = append(f.files, x)
	type comment struct {
		text string
		pos  Pos
	}
	var block []comment // the // lines right above
	// flush gives the comments above a line to a benchmark, or to the study, and returns their first
	// sentence where it is of use.
	flush := func(scope string, use bool) string {
		var text strings.Builder
		for _, c := range block {
			x.comment(c.text, scope, c.pos)
			if use && !strings.HasPrefix(c.text, prefix) {
				text.WriteString(strings.TrimPrefix(c.text, "//") + "\n")
			}
		}
		block = block[:0]
		if !use {
			return ""
		}
		return new(doc.Package).Synopsis(text.String())
	}
	i := 0
	for line := range strings.SplitSeq(src, "\n") {
		i++
		line = strings.TrimSpace(line)
		pos := Pos{name, i}
		if strings.HasPrefix(line, "//") {
			block = append(block, comment{line, pos})
			continue
		}
		if i := strings.Index(line, prefix); i >= 0 {
			d := newDirective(line[i+len(prefix):], "", pos)
			x.warnings = append(x.warnings, syntaxError(d, "is not read: in C++ a directive has a line of its own", ""))
		}
		bench := cppBenchmark(line)
		first := len(block) > 0 && block[0].pos.Line == 1
		text := flush(bench, first || bench != "")
		if first && bench == "" && !isLicense(text) {
			x.doc = text
		}
		if bench != "" {
			x.benchmarks = append(x.benchmarks, Benchmark{Name: bench, Doc: text, Pos: pos})
		}
	}
	flush("", false)
}

// cppBenchmark returns the name of the benchmark that a line defines or registers,
// without the prefix that C++ benchmarks carry by custom, or "".
func cppBenchmark(line string) string {
	// Most lines are of no benchmark, and three regular expressions on each took a fifth of reading all studies.
	if !strings.Contains(line, "enchmark") && !strings.HasPrefix(line, "BENCHMARK") {
		return ""
	}
	for _, re := range []*regexp.Regexp{cppFunction, cppMacro, cppCall} {
		if m := re.FindStringSubmatch(line); m != nil {
			return strings.TrimPrefix(strings.TrimPrefix(m[1], "BM_"), "Benchmark")
		}
	}
	return ""
}

func isLicense(text string) bool {
	return strings.HasPrefix(text, "Copyright") || strings.HasPrefix(text, "SPDX")
}
