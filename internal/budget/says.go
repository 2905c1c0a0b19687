package budget

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/alloccalls"
	"memcost/internal/why"
)

// mostParts is how many sites a sentence names.
const mostParts = 3

// subject begins each sentence: "Decode has a budget of 0 allocations, and ".
func (c checker) subject() string {
	noun := "allocations"
	if c.Allocs == 1 {
		noun = "allocation"
	}
	return fmt.Sprintf("%s has a budget of %s %s, and ", c.Place(), strconv.FormatFloat(c.Allocs, 'f', -1, 64), noun)
}

func (c checker) sayMeasured(sites []int, benchmark int, sum float64, others int) string {
	sites = slices.Clone(sites)
	slices.SortStableFunc(sites, func(a, b int) int {
		x, y := objects(&c.r.Sites[a], benchmark), objects(&c.r.Sites[b], benchmark)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	var parts []string
	for _, i := range sites {
		s := &c.r.Sites[i]
		n := objects(s, benchmark)
		if n == 0 {
			break
		}
		if len(parts) == mostParts {
			parts = append(parts, "and more")
			break
		}
		parts = append(parts, fmt.Sprintf("%s at %s:%d", count(n), s.File, s.Line))
	}
	also := ""
	if others == 1 {
		also = "; another benchmark breaks it, too"
	} else if others > 1 {
		also = fmt.Sprintf("; %d other benchmarks break it, too", others)
	}
	return fmt.Sprintf("%s%s makes %s per operation there: %s%s.", c.subject(), c.named(benchmark), count(sum),
		strings.Join(parts, ", "), also)
}

// named returns a benchmark's name as its function has it.
func (c checker) named(benchmark int) string {
	name := c.r.Benchmarks[benchmark].Name
	switch {
	case c.r.Mode == "profile":
		return "the profile"
	case strings.HasPrefix(name, "Test"), strings.HasPrefix(name, "Benchmark"):
		return name
	}
	return "Benchmark" + name
}

func (c checker) sayCompiler(s *why.Site) string {
	what := s.Expr
	if what == "" {
		what = "a value"
	}
	text := fmt.Sprintf("%sthe compiler puts %s on the heap at %s:%d", c.subject(), what, s.File, s.Line)
	if s.Cause.Words != "" {
		text += ": " + s.Cause.Words
	}
	return text + "."
}

func (c checker) sayBinary(s *why.Site) string {
	call := s.Calls[slices.IndexFunc(s.Calls, alloccalls.Certain)]
	text := fmt.Sprintf("%sthe machine code of %s:%d calls %s, which %s", c.subject(), s.File, s.Line, call,
		alloccalls.Does(call))
	if s.Says == "" {
		text += "; the compiler says nothing of it"
	}
	return text + "."
}

func (c checker) sayNote(s *why.Site) string {
	what := s.Expr
	if what == "" && len(s.Calls) > 0 {
		what = "what calls " + s.Calls[0]
	}
	if what == "" {
		what = "a value"
	}
	return fmt.Sprintf("%s%s at %s:%d is allocated in some runs only, which does not break it.", c.subject(), what,
		s.File, s.Line)
}

// objects returns how many objects a site makes per operation of a benchmark.
func objects(s *why.Site, benchmark int) float64 {
	sum := 0.0
	for _, cost := range s.Costs {
		if cost.Benchmark == benchmark {
			sum += cost.Objects
		}
	}
	return sum
}

// count prints a number of allocations with three digits at most.
func count(n float64) string {
	if n >= 1000 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}
