package explain

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/hint"
)

// A source file may say what a function or a line may allocate, which is checked against a report:
//
//	//memcost:allocs 0
//	func (d *Decoder) Decode(p []byte) error {
//
//	buf := make([]byte, n) //memcost:allocs 1
//
// The number is of heap allocations per operation of a benchmark. The comment stands in the
// doc comment of a function, at the end of a line or above one. The budget of a function is
// for all lines of it with the function literals in it, for what is inlined into them, and
// for what packages that were not asked for allocate on behalf of these lines; another
// function of the same module that it calls is not part of it.
//
// What breaks a budget:
//   - in the sites of the function or line, a benchmark counted more allocations per
//     operation than it allows;
//   - it is 0, and the compiler puts something on the heap there in any case;
//   - it is 0, and the compiler says nothing, but the machine code calls a function of the
//     runtime that always allocates.
//
// What only a panic allocates breaks none. What is allocated in some runs only (append, a
// make of variable size, a store into a map) breaks none by itself, and is listed as a note.
// A budget above 0 is checked by benchmarks alone.

// A Budget is what a source file allows a function or a line.
type Budget struct {
	File     string  // with slashes, as why.Site.File: relative to the module's folder
	Line     int     // of the comment
	Allocs   float64 // heap allocations per operation
	Function string  // that it is for, or that the line is in: "(*Decoder).Decode"; "" outside of functions
	Whole    bool    // it is for the whole function
	First    int     // line that it is for, and the last one
	Last     int

	declared int      // line of the function, 0 outside of functions
	panics   [][2]int // first and last lines of calls of panic
}

// Place is what the budget is for: "(*Decoder).Decode" or "decode.go:17".
func (b Budget) Place() string {
	if b.Whole {
		return b.Function
	}
	return fmt.Sprintf("%s:%d", b.File, b.First)
}

// has reports whether the budget is for a line.
func (b Budget) has(file string, line int) bool {
	return file == b.File && line >= b.First && line <= b.Last
}

func (b Budget) panicsAt(file string, line int) bool {
	if file != b.File {
		return false
	}
	for _, p := range b.panics {
		if line >= p[0] && line <= p[1] {
			return true
		}
	}
	return false
}

// A State is what a finding means for its budget.
type State string

const (
	Broken    State = "broken"
	Note      State = "note"      // it may allocate, and does not break the budget
	Unchecked State = "unchecked" // nothing is known of the place
)

// A Source is where a finding comes from.
type Source string

const (
	Compiler  Source = "compiler"
	Binary    Source = "binary"
	Benchmark Source = "benchmark"
)

// A Finding is something that was found about a budget.
type Finding struct {
	Budget Budget
	State  State
	Source Source // "" of an unchecked one

	Package  string // where it was found, as in why.Site
	Function string
	File     string
	Path     string
	Line     int
	Column   int
	Site     int     // index into why.Report.Sites, -1 for none
	Measured float64 // allocations per operation, of a benchmark
	Says     string  // a sentence
}

const (
	directive = "//memcost:allocs"
	advice    = "write //memcost:allocs and a number of allocations per operation, like 0 or 2.5, in a function's " +
		"doc comment, at the end of a line or above one"
)

// Read returns the budgets in the Go files of one folder, tests and files under build tags
// included, by file and line. fsys is the module's folder, so that the files have the names
// that a report has. The error joins one for each comment that is not understood; the
// budgets are the others.
func ReadBudgets(fsys fs.FS, dir string) ([]Budget, error) {
	files, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("reading the budgets in folder %s: %w", dir, err)
	}
	var out []Budget
	var errs []error
	for _, f := range files {
		if f.IsDir() || path.Ext(f.Name()) != ".go" {
			continue
		}
		name := path.Join(dir, f.Name())
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("reading the budgets in %s: %w", name, err))
			continue
		}
		if !strings.Contains(string(text), "memcost:alloc") {
			continue
		}
		found, err := readFile(name, text)
		out = append(out, found...)
		errs = append(errs, err)
	}
	return out, errors.Join(errs...)
}

func readFile(name string, text []byte) ([]Budget, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading the budgets in %s: %w", name, err)
	}
	c := codeOf(set, file)
	var out []Budget
	var errs []error
	for _, group := range file.Comments {
		for _, comment := range group.List {
			allocs, is, err := number(comment.Text)
			if !is {
				continue
			}
			b := Budget{File: name, Line: c.at(comment.Pos()).Line, Allocs: allocs, panics: c.panics}
			if err == nil {
				err = b.place(c, comment, group)
			}
			if err == nil && slices.ContainsFunc(out, b.same) {
				err = errors.New("there is a second budget for " + b.Place())
			}
			if err != nil {
				errs = append(errs, hint.Usage(advice, "%s:%d: %w", name, b.Line, err))
				continue
			}
			out = append(out, b)
		}
	}
	return out, errors.Join(errs...)
}

func (b Budget) same(other Budget) bool {
	return b.Whole == other.Whole && b.First == other.First && b.Last == other.Last
}

// number reads a comment. What begins like a budget and is none is an error: a budget that
// nobody checks is worse than none.
func number(comment string) (allocs float64, is bool, err error) {
	text := strings.TrimRight(comment, " \t\r")
	after, ok := strings.CutPrefix(text, directive)
	if !ok {
		if strings.HasPrefix(text, "//memcost:alloc") {
			return 0, true, fmt.Errorf("%s is no directive of memcost", strings.Fields(text)[0])
		}
		after, ok := strings.CutPrefix(text, "// memcost:allocs ")
		if _, err := strconv.ParseFloat(after, 64); ok && err == nil {
			return 0, true, errors.New("a space stands between // and memcost:allocs")
		}
		return 0, false, nil
	}
	after, _, _ = strings.Cut(after, " //") // a remark
	words := strings.Fields(after)
	if len(words) != 1 || after[0] != ' ' && after[0] != '\t' {
		return 0, true, fmt.Errorf("%q is not %s with one number", text, directive)
	}
	allocs, err = strconv.ParseFloat(words[0], 64)
	if err != nil || allocs < 0 || math.IsNaN(allocs) || math.IsInf(allocs, 0) {
		return 0, true, fmt.Errorf("%q is not a number of allocations", words[0])
	}
	return allocs, true, nil
}

// place sets what the budget is for.
func (b *Budget) place(c *code, comment *ast.Comment, group *ast.CommentGroup) error {
	line := c.target(comment, group)
	if line == 0 {
		return errors.New("the budget stands neither in a function's doc comment, nor beside or above code")
	}
	b.First, b.Last = line, line
	f := c.around(line)
	if f == nil {
		return nil
	}
	b.Function, b.declared = nameOf(f), c.at(f.Name.Pos()).Line
	if f.Doc == group || line == c.at(f.Pos()).Line {
		if f.Body == nil {
			return fmt.Errorf("%s has no body in Go", b.Function)
		}
		b.Whole, b.First, b.Last = true, c.at(f.Pos()).Line, c.at(f.End()).Line
	}
	return nil
}

// code is what is known of one file: where its functions are, and which lines hold code.
type code struct {
	set     *token.FileSet
	funcs   []*ast.FuncDecl
	columns map[int]int // of each line with code → the first column of a node that begins there
	ends    map[int]bool
	panics  [][2]int
}

func codeOf(set *token.FileSet, file *ast.File) *code {
	c := &code{set: set, columns: map[int]int{}, ends: map[int]bool{}}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			c.funcs = append(c.funcs, f)
		}
		ast.Inspect(d, c.visit)
	}
	return c
}

func (c *code) visit(n ast.Node) bool {
	switch n := n.(type) {
	case nil, *ast.Comment, *ast.CommentGroup:
		return false
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "panic" {
			c.panics = append(c.panics, [2]int{c.at(n.Pos()).Line, c.at(n.End()).Line})
		}
	}
	at := c.at(n.Pos())
	if first, ok := c.columns[at.Line]; !ok || at.Column < first {
		c.columns[at.Line] = at.Column
	}
	c.ends[c.at(n.End()).Line] = true
	return true
}

// at returns the position in the file itself, whatever //line comments say.
func (c *code) at(p token.Pos) token.Position { return c.set.PositionFor(p, false) }

// around returns the function around a line, nil if there is none.
func (c *code) around(line int) *ast.FuncDecl {
	for _, f := range c.funcs {
		if line >= c.at(f.Pos()).Line && line <= c.at(f.End()).Line {
			return f
		}
	}
	return nil
}

// target returns the line that a comment is for: its own, where code stands before it, else
// the one below the group of comments that it is in. It is 0 if there is no code.
func (c *code) target(comment *ast.Comment, group *ast.CommentGroup) int {
	at := c.at(comment.Pos())
	if first, ok := c.columns[at.Line]; ok && first < at.Column || !ok && c.ends[at.Line] {
		return at.Line
	}
	below := c.at(group.End()).Line + 1
	if _, ok := c.columns[below]; ok {
		return below
	}
	return 0
}

// nameOf returns the name of a function as the compiler has it: "(*Decoder).Decode".
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	receiver, _, _ := strings.Cut(types.ExprString(f.Recv.List[0].Type), "[") // type parameters are not part of the name
	if strings.HasPrefix(receiver, "*") {
		receiver = "(" + receiver + ")"
	}
	return receiver + "." + f.Name.Name
}
