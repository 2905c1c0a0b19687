package explain

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/hint"
)

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
