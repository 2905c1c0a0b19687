package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A site is a piece of code that the compiler may keep on the stack, depending on
// a size.
type site struct {
	name   string
	what   string // for people: "var x [n]byte"
	hi     int64  // the largest size tried; the smallest is 1
	source string // statements of a function; see below
	helper string // declarations that they need
	floor  int    // allocations that it makes at any size

	// constant: the size is part of the source, so there is a function for each size.
	// Else there is one function, which is called with each size.
	constant bool

	// silent: no diagnostic on the line means that the value is on the stack.
	silent bool

	note string // what the value means, where the name leaves that open
}

func (s site) row() string { return "what=" + s.name }

// sites lists the compile-time rows. In a source, N is a constant size and n the
// parameter (the size, too); the line that ends in "// site" is the one whose
// diagnostics count. Each uses its value at an index that the compiler does not know, so
// that the value is not optimised away, and compiles with Go 1.13.
//
// The closure escapes on purpose: then a variable that it copies costs no allocation
// beside the closure's own, and one that it refers to must move to the heap.
var sites = []site{
	{name: "explicit", what: "var x [n]byte", hi: 32 << 20, constant: true, silent: true, source: `
	var x [N]byte // site
	x[n/2] = 1
	return x[n/3]`},
	{name: "new", what: "new([n]byte)", hi: 32 << 20, constant: true, source: `
	x := new([N]byte) // site
	x[n/2] = 1
	return x[n/3]`},
	{name: "literal", what: "&T{} with n bytes", hi: 32 << 20, constant: true, source: `
	x := &struct{ a [N]byte }{} // site
	x.a[n/2] = 1
	return x.a[n/3]`},
	{name: "make", what: "make([]byte, n), n a constant", hi: 32 << 20, constant: true, source: `
	x := make([]byte, N) // site
	x[n/2] = 1
	return x[n/3]`},
	{name: "make-variable", what: "make([]byte, n), n a variable", hi: 1 << 20, source: `
	x := make([]byte, n) // site
	x[n/2] = 1
	return x[n/3]`},
	{name: "string-to-bytes", what: "[]byte(s)", hi: 1 << 16, source: `
	s := text[:n]
	x := []byte(s) // site
	x[n/2] = 1
	return x[n/3]`},
	{name: "bytes-to-string", what: "string(b)", hi: 1 << 16, source: `
	b := block[:n]
	x := string(b) // site
	b[n/2]++
	return x[n/3]`},
	{name: "concat", what: "a + b of strings", hi: 1 << 16, source: `
	a, b := text[:n/2], text[n/2:n]
	x := a + b // site
	return x[n/3]`},
	{name: "append", what: "append to a nil slice, byte by byte", hi: 1 << 16, source: `
	var x []byte
	for i := 0; i < n; i++ {
		x = append(x, byte(i)) // site
	}
	return x[n/3]`},
	{name: "append-returned", what: "append to a nil slice, byte by byte, and return it", hi: 1 << 16, floor: 1,
		note: "up to this size there is one allocation, the result's own", helper: `
//go:noinline
func grow(n int) []byte {
	var x []byte
	for i := 0; i < n; i++ {
		x = append(x, byte(i)) // site
	}
	return x
}
`, source: `
	result = grow(n)
	return result[n/3]`},
	{name: "closure", what: "n bytes captured by an escaping closure", hi: 1 << 16, constant: true, silent: true,
		floor: 1,
		note:  "the closure itself is on the heap; a larger variable that it captures moves there, too", source: `
	var x [N]byte // site
	keep = func() byte { return x[n/3] }
	return x[n/2]`},
}

// program is a generated program that counts allocations.
type program struct {
	source string
	lines  map[string]int // line of a function's site, by the function's name
}

// head is the program's fixed part. It measures with runtime.MemStats
// itself: package testing would be linked into every step. The collector is off
// (GOGC=off); each function is called once before, so that the stack has grown. The
// smallest count of three is the function's own: others can only add to it.
const head = `package main

import "runtime"

type probe struct {
	site string
	n    int
	f    func(int) byte
}

var (
	text   string
	block  []byte
	keep   func() byte
	result []byte
	used   byte
)

func main() {
	block = make([]byte, 1<<17)
	text = string(block)
	var m runtime.MemStats
	for _, p := range probes {
		used += p.f(p.n)
		best := -1
		for i := 0; i < 3; i++ {
			runtime.ReadMemStats(&m)
			before := m.Mallocs
			used += p.f(p.n)
			runtime.ReadMemStats(&m)
			if d := int(m.Mallocs - before); best < 0 || d < best {
				best = d
			}
		}
		println("probe", p.site, p.n, best)
		if p.n >= 1<<18 {
			runtime.GC()
		}
	}
}
`

// generate writes the program that tries the sites at the sizes, a slice parallel to
// sites; a site without sizes is left out.
func generate(sites []site, sizes [][]int64) program {
	p := program{lines: map[string]int{}}
	var text, table strings.Builder
	text.WriteString(head)
	for i, s := range sites {
		for j, n := range sizes[i] {
			fn := s.function(n)
			fmt.Fprintf(&table, "\t{%q, %d, %s},\n", s.name, n, fn)
			if !s.constant && j > 0 {
				continue
			}
			source := fmt.Sprintf("%s\n//go:noinline\nfunc %s(n int) byte {%s\n}\n", s.helper, fn, s.source)
			source = strings.NewReplacer("[N]", fmt.Sprintf("[%d]", n), ", N)", fmt.Sprintf(", %d)", n)).Replace(source)
			before, _, _ := strings.Cut(source, "// site")
			p.lines[fn] = 1 + strings.Count(text.String(), "\n") + strings.Count(before, "\n")
			text.WriteString(source)
		}
	}
	fmt.Fprintf(&text, "\nvar probes = []probe{\n%s}\n", table.String())
	p.source = text.String()
	return p
}

// function returns the name of the function that tries size n.
func (s site) function(n int64) string {
	name := strings.ReplaceAll(s.name, "-", "")
	if s.constant {
		name += fmt.Sprint("_", n)
	}
	return "try_" + name
}

// describe makes a row of what was found about a site.
func describe(r *Row, s site, found *search, answers map[int64]answer) {
	yes, no := found.bracket()
	r.Value, r.Note = float64(yes), s.note
	at := func(n int64) string {
		a := answers[n]
		return fmt.Sprintf("at %d bytes: %s, and the compiler says %s", n, times(a.allocs), a.words)
	}
	switch {
	case no > s.hi:
		r.How = at(yes)
		r.note("this is a lower bound: no larger size was tried")
	case yes == 0:
		r.How = at(no)
		r.note("it is on the heap at every size that was tried")
	default:
		r.How = at(yes) + "; " + at(no)
	}
	r.How = fmt.Sprintf("%s: %s (%d sizes compiled and run)", s.what, r.How, len(answers))
	if laterYes := found.laterYes(); len(laterYes) > 0 {
		r.note(fmt.Sprintf("there is no single limit: it is on the stack again at %d of the larger sizes, as at %d",
			len(laterYes), laterYes[0]))
	}
	r.note(disagreement(s, answers))
}

// disagreement returns where the compiler's diagnostics differ from what happened; "" if
// nowhere. A missing diagnostic is no disagreement, unless the compiler reports every
// such site that it puts on the heap. Neither is a diagnostic on a site that allocates
// at any size.
func disagreement(s site, answers map[int64]answer) string {
	var wrong []int64
	for _, n := range slices.Sorted(maps.Keys(answers)) {
		a := answers[n]
		spoken := s.silent || a.words.text != "" && s.floor == 0
		if spoken && a.words.heap != (a.allocs > s.floor) {
			wrong = append(wrong, n)
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	a := answers[wrong[0]]
	return fmt.Sprintf("the compiler's diagnostics and the count disagree at %d of %d sizes, and the count is used: "+
		"at %d bytes it says %s, and the count is %s",
		len(wrong), len(answers), wrong[0], a.words, times(a.allocs))
}

func times(allocs int) string {
	switch allocs {
	case 0:
		return "no allocation"
	case 1:
		return "1 allocation"
	}
	return fmt.Sprint(allocs, " allocations")
}
