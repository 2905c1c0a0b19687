package sites

import (
	"fmt"
	"math"
	"strings"

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
	share := 0.0
	for i := range r.Sites {
		if s := &r.Sites[i]; s.Rank > 0 && len(top) < 3 && share < enough {
			top = append(top, s)
			share += r.PartOf(s).Bytes
		}
	}
	if len(top) == 0 || share == 0 {
		return fmt.Sprintf("%s %s nothing on the heap in %s.", whom, verb(ran, "allocates", "allocate"),
			map[bool]string{true: "this run", false: "the timed part"}[r.Mode != "benchmarks"])
	}
	count := "1 site makes"
	if len(top) > 1 {
		count = fmt.Sprintf("%d sites make", len(top))
	}
	if len(ran) > 1 {
		whom += ", on average"
	}
	return fmt.Sprintf("%s %s of the bytes of %s. %s", count, percent(share), whom, reason(top))
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

// Short returns a function with the last element of its package's path alone:
// "buffer.(*Buffer).Write" for "example.com/buffer.(*Buffer).Write". The linker writes a dot in
// that element as %2e.
func Short(function string) string {
	end := strings.IndexAny(function, "([")
	if end < 0 {
		end = len(function)
	}
	return strings.ReplaceAll(function[strings.LastIndexByte(function[:end], '/')+1:], "%2e", ".")
}
