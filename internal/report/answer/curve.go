package answer

import (
	"cmp"
	"slices"
	"strconv"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

func sidesOf(s *result.Study) []string {
	var out []string
	for _, c := range s.Cases {
		if !slices.Contains(out, c.Side) {
			out = append(out, c.Side)
		}
	}
	return out
}

// anyBroken reports whether cases of a means do not do what they say, or failed.
func anyBroken(s *result.Study, of language.Selector) bool {
	return slices.ContainsFunc(s.Cases, func(c result.Case) bool {
		return (c.Failed != "" || len(c.Invalid) > 0) && of.Match(&benchfmt.Result{Name: benchfmt.Name(c.Name)})
	})
}

// points returns the figures of a curve, by size. A case that is INVALID or failed has none.
func points(s *result.Study, side string, of language.Selector) []Point {
	var out []Point
	for i := range s.Cases {
		c := &s.Cases[i]
		if c.Side != side || c.Failed != "" || len(c.Invalid) > 0 || !c.Time.Known() ||
			!of.Match(&benchfmt.Result{Name: benchfmt.Name(c.Name)}) {
			continue
		}
		size, ok := sizeOf(c.Name)
		if !ok || slices.ContainsFunc(out, func(p Point) bool { return p.Size == size }) {
			continue
		}
		p := Point{Size: size, Case: c.Name, Figure: c.Time, Hollow: !c.Time.Bounded()}
		if len(c.Flags) > 0 {
			p.Flag, p.Hollow = c.Flags[0], true
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
	return out
}

// sizeOf returns the value of a case's key size.
func sizeOf(name string) (int64, bool) {
	_, parts := benchfmt.Name(name).Parts()
	for _, p := range parts {
		const key = "/size="
		if len(p) > len(key) && string(p[:len(key)]) == key {
			n, err := strconv.ParseInt(string(p[len(key):]), 10, 64)
			return n, err == nil && n > 0
		}
	}
	return 0, false
}
