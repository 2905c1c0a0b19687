package escape

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
)

// A Range is the lines of one function, from its "func" to its closing brace.
type Range struct {
	File     string // path inside the fs.FS
	From, To int
}

// ErrNotCompiled is of a function that the source has and the compiler's output does not.
var ErrNotCompiled = errors.New("the compiler did not compile it")

// Funcs maps the plain names of functions (see PlainName) to their positions. A name has
// several when build tags choose among files.
type Funcs map[string][]Range

// Lookup takes a function's name in any form that PlainName takes.
func (f Funcs) Lookup(name string) []Range { return f[PlainName(name)] }

// addTree takes positions as //line comments set them, as the compiler does.
func (f Funcs) addTree(fset *token.FileSet, tree *ast.File) {
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		id := fn.Name.Name
		if fn.Recv != nil && len(fn.Recv.List) > 0 {
			id = PlainName(types.ExprString(fn.Recv.List[0].Type)) + "." + id
		}
		from := fset.Position(fn.Pos())
		f[id] = append(f[id], Range{from.Filename, from.Line, fset.Position(fn.End()).Line})
	}
}

// PlainName drops from a function's name what source and compiler write differently:
// pointer and parentheses of a receiver, and type arguments. "(*T[go.shape.int]).M",
// "(T).M" and "T.M" are all T.M: a type has one method of a name.
func PlainName(name string) string {
	if !strings.ContainsAny(name, "[(* ") {
		return name
	}
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		case '(', ')', '*', ' ':
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// HeapLines returns the diagnostics that report a heap allocation inside the function
// fn, its closures and functions inlined into it included. Every such line counts, also
// those of a constant or of panic's argument, which the compiler reports although they
// may cost nothing at run time.
//
// It is an error when fn is not in funcs, when ds shows which functions were compiled
// and fn is not among them (a file that a build tag leaves out, a generic function that
// is never instantiated), and when a line cannot be assigned to any function: none of
// these shows that fn's memory stays on the stack.
func HeapLines(ds []Diagnostic, funcs Funcs, fn string) ([]Diagnostic, error) {
	return linesOf(ds, funcs, fn, func(d Diagnostic) bool { return d.Kind.Heap() })
}

// linesOf returns the wanted diagnostics inside fn; its errors are those of HeapLines.
func linesOf(ds []Diagnostic, funcs Funcs, fn string, wanted func(Diagnostic) bool) ([]Diagnostic, error) {
	ranges := funcs.Lookup(fn)
	if len(ranges) == 0 {
		return nil, fmt.Errorf("looking for heap lines of %s: there is no such function", fn)
	}
	var lines []Diagnostic
	verdicts, compiled := false, false
	nearest := nearestFile(ds, ranges)
	for _, d := range ds {
		inside := d.inside(ranges, PlainName(fn), nearest)
		switch {
		case d.Kind == Compiled:
			verdicts = true
			compiled = compiled || inside
		case !wanted(d):
		case d.Line == 0 && d.Func == "":
			return nil, fmt.Errorf("looking for heap lines of %s: the compiler does not say where this is: %s", fn, d)
		case inside:
			lines = append(lines, d)
		}
	}
	if verdicts && !compiled {
		return nil, fmt.Errorf("looking for heap lines of %s (%s:%d): %w: is its file under a build tag, or is it "+
			"generic and never instantiated?",
			fn, ranges[0].File, ranges[0].From, ErrNotCompiled)
	}
	return lines, nil
}

// inside places a diagnostic by its line or, where it has none, by its function.
func (d Diagnostic) inside(ranges []Range, plain string, nearest nearness) bool {
	if d.Line == 0 {
		closure, ok := strings.CutPrefix(PlainName(d.Func), plain) // F, F.func1 or F-range1
		return ok && (closure == "" || closure[0] == '.' || closure[0] == '-')
	}
	for _, r := range ranges {
		if r.From <= d.Line && d.Line <= r.To && near(d.File, r.File) == nearest {
			return true
		}
	}
	return false
}

// nearness is how closely a printed path matches a path inside an fs.FS. The two start
// at different folders, and a package's output also holds lines of generic code of other
// packages, whose files may have the same base name.
type nearness int

const (
	other    nearness = iota
	absolute          // a path from the root, as for GOROOT, ends in the other
	relative          // a relative path ends in the other
	same
)

// nearestFile returns the best match that ds holds for a file of ranges: lesser ones are
// other files then.
func nearestFile(ds []Diagnostic, ranges []Range) nearness {
	best := absolute
	for _, d := range ds {
		for _, r := range ranges {
			best = max(best, near(d.File, r.File))
		}
	}
	return best
}

func near(printed, inside string) nearness {
	printed, inside = path.Clean(strings.ReplaceAll(printed, `\`, "/")), path.Clean(inside)
	abs := path.IsAbs(printed) || len(printed) > 1 && printed[1] == ':'
	for strings.HasPrefix(printed, "../") {
		printed = printed[len("../"):]
	}
	long, short := printed, inside
	if len(long) < len(short) {
		long, short = short, long
	}
	switch {
	case long == short:
		return same
	case !strings.HasSuffix(long, "/"+short):
		return other
	case abs:
		return absolute
	}
	return relative
}

// All lists the diagnostics on a package ("" for any) that matter for allocation, whatever
// function they are in: heap allocations, conditional ones, and statements that something does
// not escape, in the order of the text. A line that was not understood is passed over.
//
// src is the folder of the package, nil where it is not at hand: then fewer causes are known.
func All(log *Log, src *Source, pkg string) []Site {
	if log == nil {
		return nil
	}
	at := functions{}
	if src != nil {
		at = src.Funcs.byFile()
	}
	var sites []Site
	for _, d := range log.Diagnostics {
		if !d.Kind.Heap() && d.Kind != DoesNotEscape || pkg != "" && PackagePath(d.Package) != pkg {
			continue
		}
		in := ""
		if src != nil {
			in = at.around(fileOf(src, d.File), d.Line)
		}
		sites = append(sites, siteOf(d, src, cmp.Or(in, PlainName(d.Func))))
	}
	return sites
}

// functions are the functions of each file, by their first lines.
type functions map[string][]function

type function struct {
	Range
	name string
}

func (f Funcs) byFile() functions {
	out := functions{}
	for name, ranges := range f {
		for _, r := range ranges {
			out[r.File] = append(out[r.File], function{r, name})
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b function) int { return a.From - b.From })
	}
	return out
}

// around returns the function around a line, "" outside of functions.
func (f functions) around(file string, line int) string {
	list := f[file]
	i, found := slices.BinarySearchFunc(list, line, func(x function, line int) int { return x.From - line })
	if !found {
		i--
	}
	if i >= 0 && i < len(list) && line <= list[i].To {
		return list[i].name
	}
	return ""
}
