package export

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/sites"
)

// unknownCause is the rule and the code of a site without a cause.
const unknownCause = "uncategorised"

// budgetRule is the rule and the code of a budget that is exceeded.
const budgetRule = "budget"

func causeKey(c sites.Cause) string {
	if c.Key == "" {
		return unknownCause
	}
	return c.Key
}

// says describes a site in sentences, the first of which says what it costs and why.
func says(r *sites.Report, s *sites.Site) string {
	out := []string{first(r, s)}
	if len(s.Costs) > 0 {
		out = append(out, costSays(r, s)...)
	}
	if s.Callee != nil {
		out = append(out, calleeSays(s.Callee))
	}
	if s.Price != nil && s.Price.Runs > 0 {
		out = append(out, fmt.Sprintf("One such object costs %s on this machine.", seconds(*s.Price)))
	}
	if fix := s.Advice; fix != "" {
		out = append(out, "The usual fix: "+fix+".")
	}
	if g := s.Gain; g != nil && g.Seconds.Runs > 0 {
		out = append(out, fmt.Sprintf("It would save %s per operation%s (an estimate).", seconds(g.Seconds),
			of(r, g.Benchmark)))
	}
	return strings.Join(out, " ")
}

// first returns the first sentence.
func first(r *sites.Report, s *sites.Site) string {
	words := s.Root().Words
	if words != "" {
		words = ": " + words
	}
	if len(s.Costs) > 0 {
		return fmt.Sprintf("%s allocates %s%s.", s.Function, amount(r, s.Costs[0]), words)
	}
	if s.Class.Idle() {
		return fmt.Sprintf("%s allocated nothing here in this run, and %s%s.", s.Function, may(s.Would), words)
	}
	return fmt.Sprintf("%s %s%s.", s.Function, may(s.Class), words)
}

// may says what a class means for code of which nothing was measured.
func may(c sites.Class) string {
	switch c {
	case sites.CertainHeap:
		return "allocates whenever this line is reached"
	case sites.Conditional:
		return "may allocate here (a conditional allocation)"
	case sites.RuntimeOnly:
		return "may allocate here, in the runtime"
	}
	return "may allocate here"
}

// amount says what a site costs in a benchmark: "2 objects (128 B) per operation of
// BenchmarkDecode, 81.0% of its bytes".
func amount(r *sites.Report, c sites.Cost) string {
	n := units.Quantity(c.Objects, "allocs/op") + " objects"
	if n == "1 objects" {
		n = "1 object"
	}
	out := fmt.Sprintf("%s (%s)%s", n, units.Quantity(c.Bytes, "B/op"), perOf(r, c.Benchmark))
	if c.Benchmark < 0 || c.Benchmark >= len(r.Benchmarks) {
		return out
	}
	if p := part(c.Bytes, r.Benchmarks[c.Benchmark].Bytes); p > 0 {
		out += ", " + units.Percent(p) + " of its bytes"
	}
	return out
}

// perOf says what a cost is of.
func perOf(r *sites.Report, benchmark int) string {
	if r.Mode == "profile" {
		return " in the profile"
	}
	if r.Mode == "tests" {
		return " in" + strings.TrimPrefix(of(r, benchmark), " of")
	}
	return " per operation" + of(r, benchmark)
}

// of names a benchmark: " of BenchmarkDecode".
func of(r *sites.Report, benchmark int) string {
	if benchmark < 0 || benchmark >= len(r.Benchmarks) {
		return ""
	}
	return " of " + benchmarkName(r, benchmark)
}

func benchmarkName(r *sites.Report, i int) string {
	if r.Mode == "tests" || r.Mode == "profile" {
		return r.Benchmarks[i].Name
	}
	return "Benchmark" + r.Benchmarks[i].Name
}

// costSays says what a site takes of the CPU time, and in how many other benchmarks it
// allocates.
func costSays(r *sites.Report, s *sites.Site) []string {
	var out []string
	if took := cpuSays(s.Costs[0]); took != "" {
		out = append(out, took)
	}
	if n := len(s.Costs) - 1; n > 0 {
		what := "other benchmark"
		if r.Mode == "tests" {
			what = "other test"
		}
		out = append(out, fmt.Sprintf("It allocates in %s, too.", units.Plural(n, what)))
	}
	return out
}

// cpuSays says what a site takes of the CPU time, "" where that is not known, or next to
// nothing.
func cpuSays(c sites.Cost) string {
	var parts []string
	for _, x := range []struct {
		what string
		of   sites.Interval
	}{{"malloc", c.Malloc}, {"mark assist", c.Assist}, {"the background collector (an estimate)", c.GC}} {
		if x.of.Runs > 0 && x.of.Value >= sites.LeastShare {
			parts = append(parts, x.what+" "+percent(x.of))
		}
	}
	switch {
	case len(parts) == 0:
		return ""
	case len(parts) > 1 && c.Share.Runs > 0:
		return fmt.Sprintf("It takes %s of the CPU time: %s.", percent(c.Share), strings.Join(parts, ", "))
	}
	return fmt.Sprintf("Of the CPU time it takes: %s.", strings.Join(parts, ", "))
}

// percent formats a share with its interval.
func percent(i sites.Interval) string {
	return units.Percent(i.Value) + " " + units.Ends(i.Value, i.Lo, i.Hi, "cpu-share")
}

func calleeSays(c *sites.Callee) string {
	if c.Via != "" && c.Via != c.Function {
		return fmt.Sprintf("The object is made in %s, which %s reaches.", c.Function, c.Via)
	}
	return fmt.Sprintf("The object is made in %s.", c.Function)
}

// seconds formats a time with its interval.
func seconds(i sites.Interval) string {
	return strings.TrimSpace(units.Seconds(i.Value) + " " + units.Interval(i.Value, i.Lo, i.Hi, "sec"))
}
