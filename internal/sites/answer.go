package sites

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"strings"
	"unicode"

	"memcost/internal/base/units"
)

// Answer returns what the report says, in one or two sentences.
func (r *Report) Answer() string {
	if r.Mode == "static" {
		return r.unrun()
	}
	var ran []Benchmark
	for _, b := range r.Benchmarks {
		if b.Failed == "" {
			ran = append(ran, b)
		}
	}
	whom := r.what(ran)
	if len(ran) == 0 {
		return "Nothing could be counted: " + whom + " failed."
	}
	var top []*Site
	share, cpu := 0.0, 0.0
	for i := range r.Sites {
		if s := &r.Sites[i]; s.Rank > 0 && len(top) < 3 && share < enough {
			top = append(top, s)
			part := r.PartOf(s)
			share, cpu = share+part.Bytes, cpu+part.CPU
		}
	}
	if len(top) == 0 || share == 0 {
		return fmt.Sprintf("%s %s nothing on the heap in %s.", whom, verb(ran, "allocates", "allocate"),
			map[bool]string{true: "this run", false: "the timed part"}[r.Mode != "benchmarks"])
	}
	count := func(one, many string) string {
		if len(top) == 1 {
			return "1 site " + one
		}
		return fmt.Sprintf("%d sites %s", len(top), many)
	}
	if len(ran) > 1 {
		whom += ", on average"
	}
	if r.ByCPU() {
		whose := "its"
		if len(ran) > 1 {
			whose = "their"
		}
		return fmt.Sprintf("%s %s of the CPU time of %s, and %s of %s bytes. %s", count("takes", "take"),
			units.Percent(min(cpu, 1)), whom, percent(share), whose, reason(top))
	}
	return fmt.Sprintf("%s %s of the bytes of %s. %s", count("makes", "make"), percent(share), whom, reason(top))
}

// enough of the bytes: sites beyond are not counted in the answer.
const enough = 0.8

func percent(share float64) string {
	if share > 0.995 && share < 1 {
		return "over 99%"
	}
	return fmt.Sprintf("%.0f%%", 100*math.Min(share, 1))
}

// what names what was run.
func (r *Report) what(ran []Benchmark) string {
	noun := "benchmark"
	switch r.Mode {
	case "tests":
		noun = "test"
	case "profile":
		return "the profile"
	}
	switch n := len(ran); n {
	case 0:
		return "every " + noun
	case 1:
		return ran[0].Name
	default:
		return fmt.Sprintf("%d %ss", n, noun)
	}
}

func verb(ran []Benchmark, one, many string) string {
	if len(ran) == 1 {
		return one
	}
	return many
}

// reason says why the sites that cost most allocate.
func reason(top []*Site) string {
	first := top[0]
	at := fmt.Sprintf("%s (%s:%d)", first.Function, first.File, first.Line)
	words := first.Cause.Words
	if words == "" {
		words = "for a reason that memcost does not know"
	}
	if first.Callee != nil {
		words = fmt.Sprintf("in %s, %s", Short(first.Callee.Via), words)
	}
	if len(top) == 1 {
		return fmt.Sprintf("It is in %s: %s.", at, words)
	}
	same := 1
	for _, s := range top[1:] {
		if s.Cause.Key == first.Cause.Key && s.Callee == nil && first.Callee == nil {
			same++
		}
	}
	if same == len(top) {
		return fmt.Sprintf("The largest is in %s; of all of them, %s.", at, words)
	}
	return fmt.Sprintf("The largest is in %s: %s.", at, words)
}

// unrun is the answer where nothing was run.
func (r *Report) unrun() string {
	certain, conditional := 0, 0
	for _, s := range r.Sites {
		switch s.Class {
		case CertainHeap:
			certain++
		case Conditional:
			conditional++
		}
	}
	where := r.paths()
	if len(r.Packages) > 2 {
		where = fmt.Sprintf("%d packages", len(r.Packages))
	}
	return fmt.Sprintf("Nothing was run. The compiler reports certain heap allocations at %s of %s, and "+
		"conditional ones at %d.", units.Plural(certain, "site"), where, conditional)
}

// Short returns a function with the name of its package alone: "buffer.(*Buffer).Write" for
// "example.com/buffer.(*Buffer).Write". The linker writes a dot in the last element as %2e.
func Short(function string) string {
	end := strings.IndexAny(function, "([")
	if end < 0 {
		end = len(function)
	}
	slash := strings.LastIndexByte(function[:end], '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	if slash == 0 || dot < 0 {
		return strings.ReplaceAll(function, "%2e", ".")
	}
	return packageName(strings.ReplaceAll(function[:slash+dot], "%2e", ".")) + function[slash+dot:]
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// packageName returns the name that a package most likely has, by its path, as goimports takes it: the
// last element that is no major version, without "go-" before it and what is no identifier behind it.
func packageName(importPath string) string {
	base := path.Base(importPath)
	if dir := path.Dir(importPath); majorVersion.MatchString(base) && dir != "." {
		base = path.Base(dir)
	}
	base = strings.TrimPrefix(base, "go-")
	if i := strings.IndexFunc(base, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}); i > 0 {
		base = base[:i]
	}
	return base
}
