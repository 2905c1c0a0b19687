package answer

import (
	"math"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// filled fills a template with the figures of a verdict; false where one is missing, or where it tells the lowest from the
// highest and there is one place alone: "2.5 at 512 KiB and 2.5 at 512 KiB".
func filled(text string, v *result.Verdict) (Sentence, bool) {
	t, err := language.ParseTemplate(text)
	if err != nil {
		return nil, false
	}
	f := filling{v: v, shown: counted(v)}
	if len(f.shown) == 1 && strings.Contains(text, "{lo") && strings.Contains(text, "{hi") {
		return nil, false
	}
	return t.Fill(f.value)
}

// counted returns the elements with a figure that counts.
func counted(v *result.Verdict) []result.Element {
	var out []result.Element
	for _, e := range v.Elements {
		if e.Figure.Known() && e.Status != claim.Untested && !strings.HasPrefix(e.Label, "against ") {
			out = append(out, e)
		}
	}
	return out
}

// A filling is what a template's placeholders stand for.
type filling struct {
	v     *result.Verdict
	shown []result.Element // with a figure that counts
}

func (f filling) value(name string) (Sentence, bool) {
	if len(f.shown) == 0 {
		return nil, false
	}
	switch name {
	case "n":
		return count(len(f.shown)), true
	case "failing":
		return count(len(f.of(claim.Fails))), len(f.of(claim.Fails)) > 0
	case "lo", "lo.at":
		return f.figureOr(name, f.extreme(func(a, b float64) bool { return a < b }))
	case "hi", "hi.at":
		return f.figureOr(name, f.extreme(func(a, b float64) bool { return a > b }))
	case "first":
		return at(&f.shown[0])
	case "last":
		return at(&f.shown[len(f.shown)-1])
	case "from", "upto":
		return f.turning(name)
	}
	return f.ofOne(name)
}

// ofOne fills what is about one element: the one that decides, or the first of a verdict.
func (f filling) ofOne(name string) (Sentence, bool) {
	if kind, ok := strings.CutPrefix(name, "first."); ok {
		status := map[string]claim.Status{"failing": claim.Fails, "holding": claim.Holds}[kind]
		if all := f.of(status); len(all) > 0 {
			return at(&all[0])
		}
		return nil, false
	}
	d := f.v.Deciding
	if d == nil || !d.Figure.Known() {
		if len(f.shown) != 1 {
			return nil, false
		}
		d = &f.shown[0]
	}
	switch name {
	case "value":
		return figure(d.Figure), true
	case "at":
		return at(d)
	case "inverse":
		return figure(transformed(d.Figure, func(v float64) float64 { return 1 / v })), d.Figure.Value > 0
	case "times":
		return figure(transformed(d.Figure, math.Exp2)), strings.HasPrefix(d.Label, claim.Exponent)
	}
	return nil, false
}

// figureOr returns the figure of an element, or its place for a name that ends with .at.
func (f filling) figureOr(name string, e *result.Element) (Sentence, bool) {
	if strings.HasSuffix(name, ".at") {
		return at(e)
	}
	return figure(e.AsChosen()), true
}

func (f filling) extreme(better func(a, b float64) bool) *result.Element {
	best := &f.shown[0]
	for i := range f.shown {
		if better(float64(f.shown[i].Figure.Value), float64(best.Figure.Value)) {
			best = &f.shown[i]
		}
	}
	return best
}

func (f filling) of(status claim.Status) []result.Element {
	var out []result.Element
	for _, e := range f.shown {
		if e.Status == status {
			out = append(out, e)
		}
	}
	return out
}

// turning returns the first place from which on all hold, or the last before it.
func (f filling) turning(name string) (Sentence, bool) {
	i := f.turn()
	if name == "upto" {
		i--
	}
	if i < 0 || i >= len(f.shown) {
		return nil, false
	}
	return at(&f.shown[i])
}

// turn returns the index of the first element from which on all hold.
func (f filling) turn() int {
	i := len(f.shown)
	for i > 0 && f.shown[i-1].Status == claim.Holds {
		i--
	}
	return i
}

// at returns where an element is, in words.
func at(e *result.Element) (Sentence, bool) {
	where := figures.Place(e.Label)
	return language.Plain(where), where != ""
}

func count(n int) Sentence { return Sentence{{Text: strconv.Itoa(n), Kind: Number}} }

// unbounded stands where an interval would, of a figure with too few rounds for one.
const unbounded = "±?"

// figure returns a figure with its interval, with two digits.
func figure(f figures.Figure) Sentence {
	words, ends := units.BriefWith(float64(f.Value), float64(f.Lo), float64(f.Hi), f.Unit)
	out := Sentence{{Text: words, Kind: Number}}
	if ends != "" {
		return append(out, Part{Text: " "}, Part{Text: ends, Kind: Interval})
	}
	if f.N > 1 && !f.Exact() {
		return append(out, Part{Text: " "}, Part{Text: unbounded, Kind: Interval})
	}
	return out
}

// transformed applies a monotone function to a figure and its interval.
func transformed(f figures.Figure, with func(float64) float64) figures.Figure {
	lo, hi := figures.Number(with(float64(f.Lo))), figures.Number(with(float64(f.Hi)))
	f.Value, f.Lo, f.Hi, f.Unit = figures.Number(with(float64(f.Value))), min(lo, hi), max(lo, hi), ""
	return f
}
