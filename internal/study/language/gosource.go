package language

import (
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/scanner"
	gotoken "go/token"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
