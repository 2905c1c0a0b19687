package language

import (
	"strings"
)

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

// budgetVerb is of package budget: a budget is about a function or a line, and no benchmark.
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
