package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/base/units"
)

// Sentence says what a change is and where it lies: "commit abc1234 (faster maps,
// 2026-11-02): Decode takes 1.31× [1.2, 1.4] as long from there on".
func (r *Report) Sentence(x *Series, c Change) string {
	return r.Where(c.Stretch, c.Why) + ": " + r.Does(x, c)
}

// Does says what a change does: "Decode takes 1.31× [1.2, 1.4] as long from there on".
func (r *Report) Does(x *Series, c Change) string {
	return x.Name + " " + x.Effect(c.Stretch) + " from there on" + r.because(c)
}

// Where names the point that made a change, or those among which it is.
func (r *Report) Where(s Stretch, why string) string {
	if why == "" {
		return r.Full(s.To)
	}
	return fmt.Sprintf("one of the %d %s after %s up to %s", s.To-s.From, r.Kind, r.Points[s.From].Name,
		r.Points[s.To].Name)
}

// Full names a point with its subject and date.
func (r *Report) Full(at int) string {
	p := r.Points[at]
	if r.Kind == Releases || p.Source == nil {
		return p.Name
	}
	what := "commit "
	if p.Merge {
		what = "merge commit "
	}
	return fmt.Sprintf("%s%s (%s, %s)", what, p.Name, p.Source.Subject, p.Source.Date.Format("2006-01-02"))
}

// Effect says what a stretch does to the metric: "takes 1.31× [1.2, 1.4] as long".
func (x *Series) Effect(s Stretch) string {
	v := float64(s.Ratio.Value)
	times := s.Ratio.String()
	switch {
	case math.IsInf(v, 1) || math.IsNaN(v):
		return "has " + x.Unit + " that it did not have"
	case v == 0:
		return "has no " + x.Unit + " any more"
	}
	switch x.Unit {
	case "sec/op":
		return "takes " + times + " as long"
	case "B/op":
		return "allocates " + times + " as many bytes"
	case "allocs/op":
		return "makes " + times + " as many allocations"
	}
	return "has " + times + " the " + x.Unit
}

// because explains why a change is not known to be of one point.
func (r *Report) because(c Change) string {
	switch c.Why {
	case Unbuildable:
		var names []string
		for i := c.From + 1; i < c.To && len(names) < 5; i++ {
			names = append(names, r.Points[i].Name)
		}
		more := ""
		if n := c.To - c.From - 1 - len(names); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		return fmt.Sprintf(" (%s%s could not be measured)", strings.Join(names, ", "), more)
	case Spread:
		return fmt.Sprintf(" (neither half of them alone makes a difference of more than %s)",
			units.Share(r.Margin))
	case Unresolved:
		return " (which of them is undecided in the budget of a step)"
	case Unfinished:
		return " (the search was not finished)"
	}
	return ""
}

// Missed says what the search cannot have found.
func (r *Report) Missed() string {
	say := fmt.Sprintf("not found are changes of less than %s", units.Share(r.Margin))
	if r.Stretch > 1 {
		say += fmt.Sprintf(", and changes that cancel each other within %d %s", r.Stretch, r.Kind)
	}
	return say
}

// A Found is a change with the metric that it is of.
type Found struct {
	Series *Series
	Change Change
}

// Changes returns all changes in the order of time, at one point the largest first.
func (r *Report) Changes() []Found {
	var out []Found
	for i := range r.Series {
		for _, c := range r.Series[i].Changes {
			out = append(out, Found{&r.Series[i], c})
		}
	}
	size := func(f Found) float64 { return sizeOf(Comparison{Ratio: f.Change.Ratio}) }
	slices.SortStableFunc(out, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.Change.To, b.Change.To), cmp.Compare(a.Change.From, b.Change.From),
			cmp.Compare(size(b), size(a)))
	})
	return out
}

// Between says where a stretch lies: "from abc1234 to def5678".
func (r *Report) Between(s Stretch) string {
	return fmt.Sprintf("from %s to %s", r.Points[s.From].Name, r.Points[s.To].Name)
}
