package explain

import (
	"fmt"
	"strconv"
	"strings"

	"memcost/internal/gotool/binary"
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

// sayMeasured takes the sites in the order of what they made.
func (c checker) sayMeasured(sites []int, benchmark int, sum float64, others int) string {
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
		parts = append(parts, fmt.Sprintf("%s at %s:%d", countOf(n), s.File, s.Line))
	}
	also := ""
	if others == 1 {
		also = "; another benchmark breaks it, too"
	} else if others > 1 {
		also = fmt.Sprintf("; %d other benchmarks break it, too", others)
	}
	return fmt.Sprintf("%s%s makes %s per operation there: %s%s.", c.subject(), c.named(benchmark), countOf(sum),
		strings.Join(parts, ", "), also)
}

// named returns a benchmark's name as its function has it.
func (c checker) named(benchmark int) string {
	name := c.r.Benchmarks[benchmark].Name
	switch {
	case c.r.Mode == "profile":
		return "the profile"
	case c.r.Mode == "tests", strings.HasPrefix(name, "Benchmark"):
		return name
	}
	return "Benchmark" + name
}

func (c checker) sayCompiler(what string, line int, cause string) string {
	text := fmt.Sprintf("%sthe compiler puts %s on the heap at %s:%d", c.subject(), what, c.File, line)
	if cause != "" {
		text += ": " + cause
	}
	return text + "."
}

func (c checker) sayBinary(x called) string {
	return fmt.Sprintf("%sthe machine code of %s:%d calls %s, which %s; the compiler does not say so.", c.subject(),
		c.File, x.line, x.target, binary.Does(x.target))
}

func (c checker) sayNote(what string, line int) string {
	return fmt.Sprintf("%s%s at %s:%d allocates in some runs only, which does not break it.", c.subject(), what,
		c.File, line)
}

// count prints a number of allocations with three digits at most.
func countOf(n float64) string {
	if n >= 1000 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}
