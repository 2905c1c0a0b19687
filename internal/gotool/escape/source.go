package escape

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// A Source is the text of one package's folder, read for what the compiler leaves out:
// which function a line belongs to, what kind of call a value is passed to, and, for Go
// 1.13, which prints no explanations, how a value is used first.
//
// Other packages are not read, so their types and functions are unknown here. A Source
// is not for use by several goroutines at once.
type Source struct {
	Funcs Funcs

	// Go is the version of the compiler, as go1.16.15; "" for one of Go 1.17 or later.
	Go string

	fset  *token.FileSet
	lines map[string]map[int][]*entry // by file and line, as //line comments set them
	info  *types.Info
	named map[token.Pos]string // the type in a declaration, by the position of the declared name
	found map[string]string    // the file for each path that the compiler printed
}

// An entry is a node of the syntax tree with its parent.
type entry struct {
	node      ast.Node
	parent    *entry
	file      string
	line, col int
}

// SourceOf reads the Go files of one folder, tests and those under build tags included.
// The error joins one for each file that is not understood; Source holds the others.
func SourceOf(fsys fs.FS, dir string) (*Source, error) {
	files, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("reading the source in folder %s: %w", dir, err)
	}
	s := &Source{
		Funcs: Funcs{}, fset: token.NewFileSet(), lines: map[string]map[int][]*entry{},
		named: map[token.Pos]string{}, found: map[string]string{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
			Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}},
	}
	packages := map[string][]*ast.File{}
	var errs []error
	for _, f := range files {
		if f.IsDir() || path.Ext(f.Name()) != ".go" {
			continue
		}
		name := path.Join(dir, f.Name())
		tree, err := s.parse(fsys, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("reading the source of %w", err))
			continue
		}
		packages[tree.Name.Name] = append(packages[tree.Name.Name], tree)
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		s.check(name, packages[name])
	}
	return s, errors.Join(errs...)
}

func (s *Source) parse(fsys fs.FS, name string) (*ast.File, error) {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(s.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s.Funcs.addTree(s.fset, tree)
	s.index(tree)
	return tree, nil
}

// check determines types as far as possible without other packages. Its errors do not
// matter: imports are missing, and files for different systems declare the same names
// twice.
func (s *Source) check(name string, files []*ast.File) {
	conf := types.Config{
		Error:       func(error) {},
		Importer:    noImports{},
		FakeImportC: true,
	}
	conf.Check(name, s.fset, files, s.info) //nolint:errcheck // see above
}

type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return nil, fmt.Errorf("package %s is not read", path)
}

func (s *Source) index(tree *ast.File) {
	var up []*entry
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			up = up[:len(up)-1]
			return true
		}
		at := s.fset.Position(n.Pos())
		e := &entry{node: n, file: at.Filename, line: at.Line, col: at.Column}
		if len(up) > 0 {
			e.parent = up[len(up)-1]
		}
		up = append(up, e)
		s.declared(n)
		lines := s.lines[at.Filename]
		if lines == nil {
			lines = map[int][]*entry{}
			s.lines[at.Filename] = lines
		}
		lines[at.Line] = append(lines[at.Line], e)
		return true
	})
}

// declared records the types in declarations.
func (s *Source) declared(n ast.Node) {
	var names []*ast.Ident
	var of ast.Expr
	switch n := n.(type) {
	case *ast.Field:
		names, of = n.Names, n.Type
	case *ast.ValueSpec:
		names, of = n.Names, n.Type
	}
	if of == nil {
		return
	}
	for _, id := range names {
		s.named[id.Pos()] = types.ExprString(of)
	}
}

// onLine lists what begins on a line of the file that the compiler calls printed.
func (s *Source) onLine(printed string, line int) []*entry {
	return s.lines[fileOf(s, printed)][line]
}

// fileOf returns the file of a source that the compiler calls printed.
func fileOf(s *Source, printed string) string {
	file, ok := s.found[printed]
	if !ok {
		best := other
		for f := range s.lines {
			if n := near(printed, f); n > best {
				best, file = n, f
			}
		}
		s.found[printed] = file
	}
	return file
}

// expression returns the expression that a diagnostic is about. Columns differ by
// version (an operator, a brace, the beginning), so the text is compared first.
func (s *Source) expression(d Diagnostic) *entry {
	var best *entry
	bestRank := 0
	for _, e := range s.onLine(d.File, d.Line) {
		x, ok := e.node.(ast.Expr)
		if !ok {
			continue
		}
		rank := 0
		switch {
		case speaksOf(d.Subject, x):
			rank = 1 << 20
		case s.isResultOf(d, x):
			rank = 1 << 19
		case isInlined(d.Subject, x):
			rank = 1 << 18
		case e.col != d.Col:
			continue
		}
		if rank += 1<<16 - abs(e.col-d.Col)*16; rank > bestRank {
			best, bestRank = e, rank
		}
	}
	return best
}

// written returns a diagnostic's subject, in the source's words where the compiler has a
// name of its own.
func (s *Source) written(d Diagnostic) string {
	if isResult(d.Subject) || strings.HasPrefix(d.Subject, ".autotmp") || isLiteral(d.Subject) {
		if e := s.expression(d); e != nil {
			return types.ExprString(e.node.(ast.Expr))
		}
	}
	return d.Subject
}

// functionAt returns the function around a diagnostic's line.
func (s *Source) functionAt(d Diagnostic) *ast.FuncDecl {
	for _, e := range s.onLine(d.File, d.Line) {
		if fn := e.function(); fn != nil {
			return fn
		}
	}
	return nil
}

// isResultOf reports whether d is about the result ("~r0") of a function that was
// inlined at the call x: the compiler gives the position of its parenthesis.
func (s *Source) isResultOf(d Diagnostic, x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	return ok && isResult(d.Subject) && s.fset.Position(call.Lparen).Column == d.Col
}

// function returns the declaration of the function that contains e.
func (e *entry) function() *ast.FuncDecl {
	for ; e != nil; e = e.parent {
		if fn, ok := e.node.(*ast.FuncDecl); ok {
			return fn
		}
	}
	return nil
}

func isNode[T ast.Node](e *entry) bool {
	_, ok := e.node.(T)
	return ok
}
