package escape

import (
	"fmt"
	"slices"
	"strings"
)

// A Site is an expression or variable of a function with a diagnostic that matters for
// allocation, and its cause.
type Site struct {
	Diagnostic
	// In is the plain name of the function that was asked for; Diagnostic.Func, where the
	// compiler gives it, may be a closure in it, or an instance of it.
	In string
	// Expr is the variable or expression: as written where the compiler has a name of its
	// own ("~r0"), else as it says.
	Expr  string
	Cause Cause
	// Advice is what usually helps at this expression, "" where nothing is known to.
	Advice string
	Steps  []Step // the flow, from the value outwards; nil where the compiler gives none
	// Static reports that the value is in the program's data and is never allocated,
	// although the compiler prints "escapes to heap": a boxed constant, or a function
	// literal that captures nothing.
	Static bool

	// Large reports that the source shows an object of 16 bytes or more, or one with pointers: it
	// shares no block with others.
	Large bool

	inPanic bool // made in the call of panic that takes it
}

// Conditional reports whether the site allocates in some runs only: see
// Diagnostic.Conditional. A value made in the call of panic is conditional too, because
// a program that works never gets there; a value made before and passed to panic is made
// in any case.
func (s Site) Conditional() bool {
	return s.Diagnostic.Conditional() || s.inPanic
}

// Certain reports whether it is on the heap whatever happens, once its line is reached.
func (s Site) Certain() bool { return s.Kind.Heap() && !s.Static && !s.Conditional() }

// Sites lists the compiler's diagnostics on functions of the package pkg ("" for any):
// heap allocations, conditional allocations (Conditional), and parameters that leak, in
// the order of functions and then of the text. Closures and inlined functions are
// included.
//
// The diagnostics must be those of the very binary in question; src is the folder of the
// package. It is an error when a line was not understood, when a function is not in src,
// and when it was not compiled: its allocations are unknown then.
func Sites(log *Log, src *Source, pkg string, fns ...string) ([]Site, error) {
	if err := log.Complete(); err != nil {
		return nil, fmt.Errorf("listing the allocation sites: %w", err)
	}
	ds := log.Diagnostics
	if pkg != "" {
		ds = slices.DeleteFunc(slices.Clone(ds), func(d Diagnostic) bool { return PackagePath(d.Package) != pkg })
		if len(ds) == 0 {
			return nil, fmt.Errorf(
				"listing the allocation sites of package %s: the compiler's output speaks of %s only", pkg,
				strings.Join(log.Packages, ", "))
		}
	}
	var sites []Site
	for _, fn := range fns {
		found, err := linesOf(ds, src.Funcs, fn, func(d Diagnostic) bool {
			return d.Kind.Heap() || d.Conditional() || d.Kind == LeakingParam || d.Kind == LeakingParamContent
		})
		if err != nil {
			return nil, fmt.Errorf("listing the allocation sites: %w", err)
		}
		for _, d := range found {
			sites = append(sites, siteOf(d, src, PlainName(fn)))
		}
	}
	return sites, nil
}

// siteOf explains a diagnostic in a function; src may be nil.
func siteOf(d Diagnostic, src *Source, in string) Site {
	s := Site{Diagnostic: d, Expr: d.Subject, In: in, Cause: Classify(d, src), Steps: d.Flow()}
	s.Advice = Advice(d, s.Cause, src)
	if src != nil {
		s.Expr, s.Static, s.Large = src.written(d), src.static(d), src.large(d)
	}
	s.inPanic = s.Cause == PanicArgument && d.Kind == EscapesToHeap && inPanic(d, s.Steps)
	return s
}

// PackagePath returns the import path in a "# package" header: that of the package under
// test for "x [x.test]" and for its external test package.
func PackagePath(header string) string {
	path, _, _ := strings.Cut(header, " [")
	return strings.TrimSuffix(path, "_test")
}

// WithPrefix lists the functions whose plain names begin with prefix, sorted: a case's
// own function and its helpers, where they are named so. A prefix that ends in $ is a
// whole name.
func (f Funcs) WithPrefix(prefix string) []string {
	var names []string
	whole, exact := strings.CutSuffix(prefix, "$")
	for name := range f {
		if exact && name == whole || !exact && strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
