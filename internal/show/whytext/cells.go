package whytext

import (
	"math"
	"strings"

	"memcost/internal/show/text"
	"memcost/internal/sites"
)

// Cells write the figures and clauses of a report as all of its renderings have them.
type Cells struct{ v *overview }

// CellsOf returns the cells of a report.
func CellsOf(r *sites.Report) Cells { return Cells{&overview{newView(r, Options{})}} }

// Share is a share of the CPU time with the ends of its interval.
func (Cells) Share(i sites.Interval) string { return share(i) }

// ShareAlone is a share of the CPU time without its interval.
func (Cells) ShareAlone(i sites.Interval) string { return shareAlone(i) }

// Seconds is a time with the ends of its interval, "not measured" where there is none.
func (Cells) Seconds(i sites.Interval) string { return seconds(i) }

// Objects is a number of objects for each operation.
func (Cells) Objects(n float64) string { return objects(n) }

// Size is a number of bytes for each operation.
func (Cells) Size(n float64) string { return size(n) }

// Measured reports whether an interval has a figure.
func (Cells) Measured(i sites.Interval) bool { return measured(i) }

// Figures returns a cost's objects, bytes and share of the CPU time.
func (Cells) Figures(c sites.Cost) (objects, bytes, cpu string) {
	return objectsOf(c), size(c.Bytes), share(c.Share)
}

// Class is the class of a site in words.
func (c Cells) Class(s *sites.Site) string { return c.v.class(s) }

// Cause says why a site allocates.
func (Cells) Cause(s *sites.Site) string { return cause(s) }

// CauseOf says why a callee allocates.
func (Cells) CauseOf(c sites.Cause) string { return causeWords(c, "") }

// Fix is the usual fix of a site, a sentence, or "".
func (Cells) Fix(s *sites.Site) string { return sentence(fixOf(s)) }

// Sentence makes a clause a sentence, without a second full stop.
func Sentence(s string) string { return sentence(s) }

// Gain says what the usual fix would save, and of what that is computed; "" where nothing is
// estimated.
func (c Cells) Gain(s *sites.Site) string {
	say := c.v.gain(s)
	if say == "" {
		return ""
	}
	say = sentence(say)
	for _, x := range []string{(&detail{c.v.view}).gainShare(s), sentence(s.Gain.From)} {
		if x != "" {
			say += " " + x
		}
	}
	return say
}

// Per is what stands behind a unit: "/op" for figures of each operation of a benchmark.
func (c Cells) Per() string { return c.v.per() }

// Ran is what was run: "benchmark", "test" or "profile".
func (c Cells) Ran() string { return c.v.ran() }

// Name is the function of a site, with its package where there are several.
func (c Cells) Name(s *sites.Site) string { return c.v.name(s) }

// Bench is the name of a benchmark, with its package where there are several.
func (c Cells) Bench(i int) string {
	if b := c.v.bench(i); b != nil {
		return c.v.benchName(b)
	}
	return "?"
}

// Position is where a site is, with its column where that is known.
func (Cells) Position(s *sites.Site) string { return position(s) }

// Short is a function with the last element of its package's path alone.
func Short(function string) string { return shortFunction(function) }

// Called says by which call a callee is reached, "" where that is its own name.
func (Cells) Called(c *sites.Callee) string { return called(c) }

// Agreement says how far the three sources agree, in sentences.
func (c Cells) Agreement() []string { return c.v.agreement("") }

// Code is a line of source as it is, but for what would change the look of more than itself.
func Code(line string) string { return cleanCode(line) }

// Diff is a line of a diff: as Code, but with its tabs, for it is to be applied.
func Diff(line string) string {
	parts := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
	for i := range parts {
		parts[i] = text.Clean(parts[i])
	}
	return strings.Join(parts, "\t")
}

// Finite reports whether a figure can be drawn.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) && x > 0 }
