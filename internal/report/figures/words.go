package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A point is a figure and where it stands.
type point struct {
	label string
	Figure
}

// points returns the figures of a column, in the order of the key.
func (p *Picture) points(column int, s *PictureSet) []point {
	var out []point
	for _, r := range s.Rows {
		if f := r.Cells[column]; !math.IsNaN(float64(f.Value)) {
			out = append(out, point{r.Label, f})
		}
	}
	slices.SortStableFunc(out, func(a, b point) int { return CompareLabels(a.label, b.label) })
	return out
}

// A keyName is the key of a picture's values, as it is spoken of.
type keyName string

// firstOf returns as many of several findings as one can read, and how many there are beside.
func firstOf(say []string) []string {
	const most = 3
	if len(say) > most {
		return append(slices.Clone(say[:most]), fmt.Sprintf("and %d more", len(say)-most))
	}
	return say
}

// at says where a figure stands: " at 64 KiB", " in reflect"; "" where there are no words for it.
func (k keyName) at(x point) string {
	if k.ofCauses() {
		return " in " + x.label
	}
	if k == "busy" {
		return " " + besideBusy(x.label)
	}
	if where := Place(string(k) + "=" + x.label); where != "" {
		return " at " + where
	}
	return ""
}

// ofCauses reports whether the key tells kinds of code apart, and not values of something.
func (k keyName) ofCauses() bool {
	return k == "cause" || k == "case" || k == "by" || k == "from"
}

// values returns what several values of a key are called: a key is whatever the author of a
// benchmark called it, and need not be a word.
func (k keyName) values() string {
	switch k {
	case "size", "cause", "case":
		return string(k) + "s"
	}
	return "values of " + string(k)
}

// many counts values of the key: "13 causes".
func (k keyName) many(n int) string {
	values := k.values()
	if n == 1 {
		values = strings.TrimSuffix(strings.Replace(values, "values of ", "value of ", 1), "s")
	}
	return fmt.Sprint(n, " ", values)
}

func extremes(ps []point) (lo, hi point) {
	byValue := func(a, b point) int { return cmp.Compare(a.Value, b.Value) }
	return slices.MinFunc(ps, byValue), slices.MaxFunc(ps, byValue)
}

// in returns the word before a number of values of the key.
func (k keyName) in() string {
	if k.ofCauses() {
		return "in"
	}
	return "at"
}
