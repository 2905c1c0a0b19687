package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What an interval says of a ratio: it lies above 1, below 1, or around it.
const (
	more      = "more"
	less      = "less"
	undecided = "undecided"
)

// side returns what the interval of a ratio says; of a single figure, what that says.
func side(f Figure) string {
	lo, hi := float64(f.Lo), float64(f.Hi)
	switch v := float64(f.Value); {
	case lo > 1 || math.IsNaN(lo) && v > 1:
		return more
	case hi < 1 || math.IsNaN(hi) && v < 1:
		return less
	}
	return undecided
}

// ratio says how many times one side of a ratio costs the other.
func (p *Picture) ratio(column int, ps []point, busy bool) string {
	if column >= len(p.Sides) {
		return p.unnamed(column, ps)
	}
	by := map[string][]point{}
	for _, x := range ps {
		by[side(x.Figure)] = append(by[side(x.Figure)], x)
	}
	r := ratioOf{p, p.Sides[column]}
	switch {
	case busy:
		return notDecided + strings.TrimPrefix(r.notDecided(ps), notDecided) + " " + Beside
	case len(by[undecided]) == len(ps):
		return r.notDecided(ps)
	case len(by[less]) == 0:
		return r.dearer(by[more], len(ps), others(by[undecided]))
	case len(by[more]) == 0:
		return r.turned().dearer(inverted(by[less]), len(ps), others(by[undecided]))
	}
	if cross := r.crossover(ps); cross != "" {
		return cross
	}
	_, most := extremes(by[more])
	_, other := extremes(inverted(by[less]))
	in := r.key().in()
	return fmt.Sprintf("%s %d of %s %s, %s %d %s", in, len(by[more]), r.key().many(len(ps)), r.upTo(most), in,
		len(by[less]), r.turned().upTo(other))
}

// unnamed says what a column without named sides has: of cases that are compared, how many
// differ.
func (p *Picture) unnamed(column int, ps []point) string {
	differ, largest := 0, ps[0]
	for _, x := range ps {
		if side(x.Figure) == undecided {
			continue
		}
		if apart := math.Abs(math.Log(float64(x.Value))); differ == 0 ||
			apart > math.Abs(math.Log(float64(largest.Value))) {
			largest = x
		}
		differ++
	}
	all := keyName(p.By).many(len(ps))
	if differ == 0 {
		return fmt.Sprintf("%s: of %s none is decided to differ", p.Columns[column], all)
	}
	return fmt.Sprintf("%s: %d of %s differ, the most with a ratio of %s", p.Columns[column], differ, all,
		largest.Brief())
}

// A ratioOf is a picture with the two sides of one of its ratios.
type ratioOf struct {
	p *Picture
	Sides
}

// turned exchanges the sides.
func (r ratioOf) turned() ratioOf {
	r.Num, r.Den = r.Den, r.Num
	return r
}

// inverted returns 1 over ratios.
func inverted(ps []point) []point {
	out := make([]point, len(ps))
	for i, x := range ps {
		f := x.Figure
		f.Value, f.Lo, f.Hi = 1/x.Value, 1/x.Hi, 1/x.Lo
		out[i] = point{x.label, f}
	}
	return out
}

// dearer says how much dearer the first side is where it is, and at how many of all.
func (r ratioOf) dearer(ps []point, all int, others string) string {
	lo, hi := extremes(ps)
	where, rest := "", ""
	switch {
	case len(ps) < all:
		where, rest = fmt.Sprintf("%s %d of %s ", r.key().in(), len(ps), r.key().many(all)), others
	case r.key().ofCauses() && all > 1:
		where = "in all " + r.key().many(all) + " "
		if all == 2 {
			where = "in both " + r.key().values() + " "
		}
	case all > 1 && lo.Brief() != hi.Brief():
		return r.costs(lo) + r.key().at(lo) + " and " + hi.Brief() + " times" + r.key().at(hi)
	}
	if lo.Brief() == hi.Brief() {
		at := ""
		if len(ps) == 1 && all == 1 {
			at = r.key().at(lo)
		}
		return where + r.costs(lo) + at + rest
	}
	return where + r.Num + r.verb() + lo.Brief() + " to " + hi.Brief() + " times " + r.of() + r.Den + rest
}

// notDecided says between which figures a ratio lies whose intervals all hold 1.
func (r ratioOf) notDecided(ps []point) string {
	lo, hi := extremes(ps)
	if hi.Value < 1 || lo.Value > 0 && lo.Value*hi.Value < 1 {
		r, ps = r.turned(), inverted(ps)
		lo, hi = extremes(ps)
	}
	open, few := notDecided, ""
	if tooFew(ps) {
		open, few = "", ", in too few rounds for an interval"
	}
	if lo.Brief() == hi.Brief() {
		return open + r.costs(lo) + few
	}
	return open + r.Num + r.verb() + lo.Brief() + " to " + hi.Brief() + " times " + r.of() + r.Den + few
}

// notDecided begins what no interval decides.
const notDecided = "Not decided here: "

// tooFew reports whether figures have no interval yet, which is another thing than an interval
// that holds 1.
func tooFew(ps []point) bool {
	return !slices.ContainsFunc(ps, func(x point) bool { return x.Bounded() })
}

// others says of the places that a sentence leaves out why.
func others(undecided []point) string {
	if tooFew(undecided) {
		return "; the others have too few rounds for an interval"
	}
	return "; the others are undecided"
}

// crossover says up to where which side is the dearer one, where there is one such place;
// values without a verdict may lie between.
func (r ratioOf) crossover(ps []point) string {
	if !r.p.Numeric() || r.key().ofCauses() || r.Does() != "costs" {
		return ""
	}
	first, last, from, turns := "", "", 0, 0
	upto := 0
	for i, x := range ps {
		s := side(x.Figure)
		switch {
		case s == undecided:
		case first == "":
			first, last, upto = s, s, i
		case s != last:
			last, from = s, i
			turns++
		case turns == 0:
			upto = i
		}
	}
	if turns != 1 {
		return ""
	}
	cheap, then := r.Den, r.Num
	if first == less {
		cheap, then = then, cheap
	}
	where := func(i int) string { return strings.TrimPrefix(r.key().at(ps[i]), " at ") }
	return fmt.Sprintf("up to %s %s is cheaper, from %s on %s", where(upto), cheap, where(from), then)
}

// costs says how many times as much the first side costs.
func (r ratioOf) costs(x point) string {
	return r.Num + r.verb() + x.Brief() + " times " + r.of() + r.Den
}

func (r ratioOf) upTo(x point) string {
	return r.Num + r.verb() + "up to " + x.Brief() + " times " + r.of() + r.Den
}

func (r ratioOf) key() keyName { return keyName(r.p.By) }

func (r ratioOf) verb() string { return " " + r.Does() + " " }

// Sides are the two sides of a ratio, as they are called in a sentence, and the unit
// that both have.
type Sides struct {
	Num  string `json:"numerator"`
	Den  string `json:"denominator"`
	Unit string `json:"unit"`
}

// Does returns the verb that says that one side has so many times of what the other has.
func (s Sides) Does() string {
	switch s.Unit {
	case "sec/op", "":
		return "costs"
	case "B/op":
		return "allocates"
	case "allocs/op":
		return "makes"
	}
	return "has"
}

// Costs reports whether the unit is one that a side costs, allocates or makes.
func (s Sides) Costs() bool { return s.Does() != "has" }

// of returns what stands before the side that a multiple is of: "the bytes of "; "" of costs.
func (s Sides) of() string {
	switch s.Unit {
	case "sec/op", "":
		return ""
	case "B/op":
		return "the bytes of "
	case "allocs/op":
		return "the allocations of "
	}
	return "the " + s.Unit + " of "
}

// Short names the ratio in a table: "heap/stack"; "" where that would be long.
func (s Sides) Short() string {
	const most = 24
	bare := func(side string) string {
		for _, article := range []string{"the ", "an ", "a "} {
			if rest, ok := strings.CutPrefix(side, article); ok {
				return rest
			}
		}
		return side
	}
	name := bare(s.Num) + "/" + bare(s.Den)
	if utf8.RuneCountInString(name) > most {
		return ""
	}
	return name
}

// Sentence says that one side has so many times of what the other has, where that is:
// "The heap costs 2.8 times the stack at 1 MiB".
func (s Sides) Sentence(times, where string) string {
	return fmt.Sprintf("%s %s %s times %s%s%s", Upper(s.Num), s.Does(), times, s.of(), s.Den, where)
}

// Upper returns a sentence that begins in upper case.
func Upper(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
