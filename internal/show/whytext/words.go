package whytext

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/sites"
)

const notMeasured = "not measured"

// measured reports whether an interval has a figure.
func measured(i sites.Interval) bool {
	return i.Runs > 0 && !math.IsNaN(i.Value) && !math.IsInf(i.Value, 0)
}

// bounded reports whether the ends of an interval are known: one run has none.
func bounded(i sites.Interval) bool {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	return i.Runs > 1 && finite(i.Lo) && finite(i.Hi)
}

// share formats a share with the ends of its interval: "11.8% [10.6, 13.0]".
func share(i sites.Interval) string {
	switch {
	case !measured(i):
		return notMeasured
	case !bounded(i):
		return shareAlone(i) + " (1 run)"
	}
	return fmt.Sprintf("%s [%.1f, %.1f]", shareAlone(i), 100*i.Lo, 100*i.Hi)
}

// seconds formats a time with the ends of its interval: "35 ns [20, 50]".
func seconds(i sites.Interval) string {
	switch {
	case !measured(i):
		return notMeasured
	case !bounded(i):
		return units.Seconds(i.Value) + " (1 run)"
	}
	return units.Seconds(i.Value) + " " + units.Ends(i.Value, i.Lo, i.Hi, "sec/op")
}

// shareAlone formats a share without its interval, for tables that are read for their order.
func shareAlone(i sites.Interval) string {
	switch {
	case !measured(i):
		return notMeasured
	case i.Value > 0 && i.Value < 0.0005:
		return "<0.1%"
	}
	return units.Percent(i.Value)
}

// objects formats a count of objects for each operation.
func objects(n float64) string {
	switch {
	case math.IsNaN(n):
		return notMeasured
	case n > 0 && n < 0.001:
		return "<0.001"
	}
	return units.Quantity(n, "allocs/op")
}

// objectsOf formats the objects of a cost, and says where they were shared out.
func objectsOf(c sites.Cost) string {
	if c.Estimated {
		return "≈ " + objects(c.Objects)
	}
	return objects(c.Objects)
}

// size formats bytes for each operation.
func size(n float64) string {
	switch {
	case math.IsNaN(n):
		return notMeasured
	case n > 0 && n < 0.1:
		return "<0.1 B"
	}
	return units.Quantity(n, "B/op")
}

// per returns what stands behind a unit: figures are for each operation of a benchmark.
func (v *view) per() string {
	if v.r.Mode == "benchmarks" {
		return "/op"
	}
	return ""
}

// ran returns what the rows of the first table are.
func (v *view) ran() string {
	switch v.r.Mode {
	case "tests":
		return "test"
	case "profile":
		return "profile"
	}
	return "benchmark"
}

// letters stand for classes in the margin of source.
var letters = map[sites.Class]string{sites.CertainHeap: "H", sites.Conditional: "C", sites.RuntimeOnly: "R",
	sites.NeverExecuted: "n"}

// class returns the class of a site in words; of one that was never executed, the class
// that it would have, too. Where nothing was run, that is the only one.
func (v *view) class(s *sites.Site) string {
	switch {
	case s.Class != sites.NeverExecuted || s.Would == "":
		return string(s.Class)
	case v.static():
		return string(s.Would)
	}
	return string(s.Class) + ", would be " + string(s.Would)
}

// cause returns why a site allocates, as a clause.
func cause(s *sites.Site) string {
	if s.Callee == nil {
		return causeWords(s.Cause, s.Named)
	}
	via := s.Callee.Via
	if via == "" {
		via = s.Callee.Function
	}
	words := causeWords(s.Callee.Cause, "")
	if s.Callee.Cause.Key == "" && s.Cause.Words != "" {
		words = s.Cause.Words
	}
	return fmt.Sprintf("callee %s allocates: %s", shortFunction(via), words)
}

// shortFunction returns a function with the last element of its package's path alone:
// "buffer.(*Buffer).Write" for "example.com/buffer.(*Buffer).Write".
func shortFunction(name string) string {
	end := strings.IndexAny(name, "([")
	if end < 0 {
		end = len(name)
	}
	return name[strings.LastIndexByte(name[:end], '/')+1:]
}

// causeWords returns a cause as a clause, or the named reason for having no diagnostic.
func causeWords(c sites.Cause, named string) string {
	switch {
	case c.Words != "":
		return c.Words
	case named != "":
		return named
	}
	return "for a reason that memcost does not know"
}

// at returns a position.
func at(file string, line int) string { return file + ":" + strconv.Itoa(line) }

// name returns the function of a site, with its package where there are several.
func (v *view) name(s *sites.Site) string {
	if len(v.r.Packages) < 2 || s.Package == "" {
		return s.Function
	}
	return path.Base(s.Package) + "." + s.Function
}

// benchName returns the name of a benchmark, with its package where there are several.
func (v *view) benchName(b *sites.Benchmark) string {
	if len(v.r.Packages) < 2 || b.Package == "" {
		return b.Name
	}
	return path.Base(b.Package) + "." + b.Name
}

// gain says what the usual fix would save, "" where nothing is estimated.
func (v *view) gain(s *sites.Site) string {
	if s.Gain == nil || !measured(s.Gain.Seconds) {
		return ""
	}
	of := ""
	if b := v.bench(s.Gain.Benchmark); b != nil && measured(b.Time) {
		of = " of " + units.Seconds(b.Time.Value)
	}
	return "≈ " + seconds(s.Gain.Seconds) + of + " could go: estimate"
}

// sentence makes a clause a sentence, without a second full stop.
func sentence(s string) string {
	if s = strings.TrimSpace(s); s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}
