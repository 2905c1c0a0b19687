package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// A ratio is an extreme from leastExtreme on; the front says mostExtremes of them.
const (
	leastExtreme = 3.0
	mostExtremes = 3
)

// An extreme is the largest ratio of a column of a table, turned so that it is above 1.
type extreme struct {
	column language.Column
	size   string
	figure figures.Figure
	turned bool
}

// extremes says where the sides of a study's table of extremes are furthest apart, whether a claim
// foresaw it or not: the largest ratio of each column, the largest first. A figure whose interval
// holds 1, or that has none, is no difference.
func (x *computing) extremes() []Sentence {
	out := []Sentence{}
	for _, s := range x.subjects {
		of := s.study.Front.Extremes
		// beside other programs ratios of different code are not those of the machine
		if s.run != 0 || of == nil || x.answers[0].Busy != "" {
			continue
		}
		found := extremesOf(s, of)
		slices.SortStableFunc(found, func(a, b extreme) int { return cmp.Compare(b.figure.Value, a.figure.Value) })
		for _, e := range found[:min(len(found), mostExtremes)] {
			out = append(out, e.says(s, of))
		}
	}
	return out
}

func extremesOf(s subject, of *language.Extremes) []extreme {
	shows := slices.IndexFunc(s.Tables, func(t figures.Table) bool { return t.Title == of.Table && t.Side == s.side })
	wrote := slices.IndexFunc(s.study.Tables, func(t language.Table) bool { return t.Title == of.Table })
	if shows < 0 || wrote < 0 {
		return nil
	}
	var out []extreme
	for i, column := range s.study.Tables[wrote].Columns {
		best := extreme{column: column}
		for _, row := range s.Tables[shows].Rows {
			f, turned := row.Cells[i], false
			if !f.Known() || !f.Bounded() {
				continue
			}
			if f.Value < 1 {
				f, turned = transformed(f, func(v float64) float64 { return 1 / v }), true
			}
			if float64(f.Value) >= leastExtreme && f.Lo > 1 && (!best.figure.Known() || best.figure.Value < f.Value) {
				best.size, best.figure, best.turned = row.Label, f, turned
			}
		}
		if best.size != "" {
			out = append(out, best)
		}
	}
	return out
}

// says says an extreme, and how often each side does what is its cause.
func (e extreme) says(s subject, of *language.Extremes) Sentence {
	num, den := e.column.Num, e.column.Den
	if e.turned {
		num, den = den, num
	}
	n, d := s.study.Sides(num, den)
	out := join("A block of "+figures.Label("size", e.size)+" costs with "+n+" ", figure(e.figure),
		" times what it costs with "+d)
	a, okA := counts(s, num, e.size, of.Counts)
	b, okB := counts(s, den, e.size, of.Counts)
	if okA && okB {
		out = join(out, causeOf(a, b, of.Counted))
	}
	return join(out, ".")
}

// causeOf says the counts of both sides, ": 64 page faults a block against none"; counts that read alike are no cause.
func causeOf(a, b float64, counted string) string {
	x, y := number(a), number(b)
	switch x {
	case y:
		return ""
	case none:
		x = "no"
	}
	return ": " + x + " " + counted + " against " + y
}

// counts returns a count of the case of a side at a size.
func counts(s subject, of language.Selector, size, unit string) (float64, bool) {
	for i := range s.Cases {
		c := &s.Cases[i]
		at, ok := sizeOf(c.Name)
		v, counted := c.Metrics[unit]
		if ok && counted && c.Side == s.side && fmt.Sprint(at) == size &&
			of.Match(&benchfmt.Result{Name: benchfmt.Name(c.Name)}) && usable(c) {
			return float64(v), true
		}
	}
	return math.NaN(), false
}

const none = "none"

// number formats a count: what happens in less than one of ten blocks is none.
func number(v float64) string {
	switch {
	case v < 0.1:
		return none
	case v < 10:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
	}
	return units.Thousands(int(math.Round(v)))
}

func usable(c *result.Case) bool { return c.Failed == "" && len(c.Invalid) == 0 }
