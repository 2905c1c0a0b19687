package sites

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

const notMeasured = "not measured"

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Finite returns a number that JSON can hold.
func Finite(x float64) float64 {
	if finite(x) {
		return x
	}
	return 0
}

// Measured reports whether an interval has a figure.
func (i Interval) Measured() bool { return i.Runs > 0 && finite(i.Value) }

// Share returns a share with the ends of its interval, "11.8% [10.6, 13.0]"; "not measured" where
// there is none. One run has no interval.
func (i Interval) Share() document.Text {
	words := units.Percent(i.Value)
	if i.Value > 0 && i.Value < LeastShare {
		words = "<0.1%"
	}
	return i.text(words, fmt.Sprintf("[%.1f, %.1f]", 100*i.Lo, 100*i.Hi))
}

// LeastShare is the least share of CPU time that is not shown as less than 0.1%.
const LeastShare = 0.0005

// Seconds returns a time with the ends of its interval: "35 ns [20, 50]".
func (i Interval) Seconds() document.Text {
	return i.text(units.Seconds(i.Value), units.Ends(i.Value, i.Lo, i.Hi, "sec/op"))
}

func (i Interval) text(words, ends string) document.Text {
	if !i.Measured() {
		return document.Say(notMeasured)
	}
	out := document.Text{{Kind: document.Number, Text: words, Value: i.Value}}
	if i.Runs > 1 && finite(i.Lo) && finite(i.Hi) {
		return append(out, document.Span{Kind: document.Interval, Text: " " + ends})
	}
	return out.Said(" (1 run)")
}

// timeOf returns the time of a benchmark in one column: "18.4 µs ±2%".
func timeOf(i Interval) document.Text {
	if !i.Measured() {
		return document.Say(notMeasured)
	}
	words := units.Seconds(i.Value)
	if i.Runs > 1 && finite(i.Lo) && finite(i.Hi) && i.Lo > 0 {
		words += " " + units.Interval(i.Value, i.Lo, i.Hi, "sec/op")
	}
	return document.Text{{Kind: document.Number, Text: words, Value: i.Value}}
}

// objects returns a count of objects for each operation.
func objects(n float64) document.Text { return counted(n, "allocs/op", 0.001, "<0.001") }

// size returns bytes for each operation.
func size(n float64) document.Text { return counted(n, "B/op", 0.1, "<0.1 B") }

func counted(n float64, unit string, least float64, little string) document.Text {
	switch {
	case !finite(n):
		return document.Say(notMeasured)
	case n > 0 && n < least:
		return document.Text{{Kind: document.Number, Text: little, Value: n}}
	}
	return document.Text{document.Quantity(n, unit)}
}

// figures returns a cost's objects, bytes and share of the CPU time, and says where the objects
// were shared out.
func (c Cost) figures() [3]document.Text {
	n := objects(c.Objects)
	if c.Estimated {
		n = document.Say("≈ ").And(n)
	}
	return [3]document.Text{n, size(c.Bytes), c.Share.Share()}
}

// figures returns what a site costs in the benchmark in which it makes most bytes.
func (s *Site) figures() [3]document.Text {
	if len(s.Costs) == 0 {
		none := document.Say(notMeasured)
		return [3]document.Text{none, none, none}
	}
	return s.Costs[0].figures()
}

// per returns what stands behind a unit: figures are for each operation of a benchmark.
func (r *Report) per() string {
	if r.Mode == "benchmarks" {
		return "/op"
	}
	return ""
}

// ran returns what was run: "benchmark", "test" or "profile".
func (r *Report) ran() string {
	switch r.Mode {
	case "tests":
		return "test"
	case "profile":
		return "profile"
	}
	return "benchmark"
}

// paths returns the import paths of the packages that were asked for.
func (r *Report) paths() string {
	var out []string
	for _, p := range r.Packages {
		out = append(out, p.Path)
	}
	return strings.Join(out, ", ")
}

// static reports whether nothing was run.
func (r *Report) static() bool { return r.Mode == "static" }

// Root returns the cause of a site that is to be cured: that of the callee where only it has one.
func (s *Site) Root() Cause {
	if s.Cause.Key == "" && s.Callee != nil {
		return s.Callee.Cause
	}
	return s.Cause
}

// Position returns where a site is: "decode.go:12".
func (s *Site) Position() string { return at(s.File, s.Line) }

func at(file string, line int) string { return file + ":" + strconv.Itoa(line) }

// class returns the class of a site in words; of one that allocated nothing, the class that it would
// have, too.
func (s *Site) class() string {
	if s.Class.Idle() && s.Would != "" {
		return string(s.Class) + ", would be " + string(s.Would)
	}
	return string(s.Class)
}

// byClass counts the sites of each class where nothing was run; "" where something was, or there
// are none.
func (r *Report) byClass() string {
	if !r.static() || len(r.Sites) == 0 {
		return ""
	}
	counts := map[Class]int{}
	for _, s := range r.Sites {
		counts[s.Class]++
	}
	return fmt.Sprintf("%s: %d certain heap, %d conditional, %d runtime only.", units.Plural(len(r.Sites), "site"),
		counts[CertainHeap], counts[Conditional], counts[RuntimeOnly])
}

// cause returns why a site allocates, as a clause.
func (s *Site) cause() string {
	if s.Callee == nil {
		return s.Cause.clause(s.Named)
	}
	via := s.Callee.Via
	if via == "" {
		via = s.Callee.Function
	}
	words := s.Callee.Cause.clause("")
	if s.Callee.Cause.Key == "" && s.Cause.Words != "" {
		words = s.Cause.Words
	}
	return fmt.Sprintf("callee %s allocates: %s", Short(via), words)
}

// clause returns a cause as a clause, or the named reason for having no diagnostic.
func (c Cause) clause(named string) string {
	switch {
	case c.Words != "":
		return c.Words
	case named != "":
		return named
	}
	return "for a reason that memcost does not know"
}

// name returns the function of a site, with its package where there are several.
func (r *Report) name(s *Site) string {
	if s.Package == "" || len(r.Packages) == 1 && r.Packages[0].Path == s.Package {
		return s.Function
	}
	return packageName(s.Package) + "." + s.Function
}

// bench returns the name of a benchmark, with its package where there are several.
func (r *Report) bench(i int) string {
	if i < 0 || i >= len(r.Benchmarks) {
		return "?"
	}
	b := &r.Benchmarks[i]
	if len(r.Packages) < 2 || b.Package == "" {
		return b.Name
	}
	return packageName(b.Package) + "." + b.Name
}

// where says in which benchmark the site has its figures, where there are several: "in Decode".
func (r *Report) where(s *Site) string {
	if len(r.Benchmarks) < 2 || len(s.Costs) == 0 {
		return ""
	}
	if more := len(s.Costs) - 1; more > 0 {
		return fmt.Sprintf("in %s and %d more", r.bench(s.Costs[0].Benchmark), more)
	}
	return "in " + r.bench(s.Costs[0].Benchmark)
}

// reason returns the class and the cause of a site, and in which benchmark it has its figures.
func (r *Report) reason(s *Site) string {
	if where := r.where(s); where != "" {
		return s.class() + ": " + s.cause() + " (" + where + ")"
	}
	return s.class() + ": " + s.cause()
}

// gain says what the usual fix would save; "" where nothing is estimated.
func (r *Report) gain(s *Site) string {
	if s.Gain == nil || !s.Gain.Seconds.Measured() {
		return ""
	}
	of := ""
	if i := s.Gain.Benchmark; i >= 0 && i < len(r.Benchmarks) && r.Benchmarks[i].Time.Measured() {
		of = " of " + units.Seconds(r.Benchmarks[i].Time.Value)
	}
	return "≈ " + s.Gain.Seconds.Seconds().String() + of + " could go: estimate."
}

// sentence makes a clause a sentence, without a second full stop.
func sentence(s string) string {
	if s = strings.TrimSpace(s); s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// sentences joins those that say something.
func sentences(all ...string) string {
	out := ""
	for _, s := range all {
		if s != "" {
			out += " " + s
		}
	}
	return strings.TrimSpace(out)
}
