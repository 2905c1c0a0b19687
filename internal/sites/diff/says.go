package diff

import (
	"fmt"
	"math"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/sites"
)

// count counts the kinds.
func count(all []Change) Counts {
	var n Counts
	for _, c := range all {
		if c.Probably != "" {
			n.Probably++
		}
		if c.Idle {
			n.Idle++
			continue
		}
		switch c.Kind {
		case Gone:
			n.Gone++
		case New:
			n.New++
		case Moved:
			n.Moved++
		case Same:
			n.Same++
		case Changed:
			switch c.Direction() {
			case 1:
				n.More++
			case -1:
				n.Less++
			default:
				n.Mixed++
			}
		}
	}
	return n
}

// Direction returns 1 if a site costs more, -1 if it costs less, and 0 if it costs more in one
// respect and less in another, or the same. Counts come first: a share of the CPU time also
// changes with the rest of the benchmark.
func (c Change) Direction() int {
	more, less := false, false
	look := func(changed bool, delta float64) {
		more, less = more || changed && delta > 0, less || changed && delta < 0
	}
	for _, x := range c.Costs {
		look(x.Objects.Changed, x.Objects.Delta())
		look(x.Bytes.Changed, x.Bytes.Delta())
	}
	if !more && !less {
		for _, x := range c.Costs {
			look(x.Share.Changed, x.Share.New.Value-x.Share.Old.Value)
		}
	}
	switch {
	case more && !less:
		return 1
	case less && !more:
		return -1
	}
	return 0
}

// says answers in sentences: what became of the sites and of the benchmark that changed most.
func says(d *Diff) []string {
	n := d.Counts
	var parts []string
	add := func(count int, one, many, rest string) {
		if count == 0 {
			return
		}
		noun := ""
		if len(parts) == 0 {
			if noun = " site"; count > 1 {
				noun = " sites"
			}
		}
		verb := one
		if count > 1 {
			verb = many
		}
		parts = append(parts, fmt.Sprintf("%d%s %s%s", count, noun, verb, rest))
	}
	add(n.Gone, "is gone", "are gone", effect(d, Gone))
	add(n.New, "is new", "are new", effect(d, New))
	add(n.More, "costs more", "cost more", "")
	add(n.Less, "costs less", "cost less", "")
	add(n.Mixed, "costs more in one respect and less in another", "cost more in one respect and less in another", "")
	first := strings.Join(parts, ", ")
	if first == "" {
		first = nothing(d)
	}
	if b := benchmarkSays(d); b != "" {
		first += "; " + b
	}
	out := []string{first + "."}
	if n.Probably > 0 {
		out = append(out, fmt.Sprintf("%s probably the same although the function, the expression or the cause is "+
			"called otherwise.", are(n.Probably)))
	}
	return out
}

func are(n int) string {
	if n == 1 {
		return "1 site is"
	}
	return fmt.Sprintf("%d sites are", n)
}

// nothing says that no site changed.
func nothing(d *Diff) string {
	n := d.Counts.Moved + d.Counts.Same
	if n == 0 {
		return "There is no site that both sides have, and none that allocates in a benchmark of both"
	}
	out := "No site is gone, new or changed: " + units.Plural(n, "site") + " cost what they did"
	if n == 1 {
		out = "No site is gone, new or changed: 1 site costs what it did"
	}
	if d.Counts.Moved > 0 {
		out += fmt.Sprintf(", %d at another place", d.Counts.Moved)
	}
	return out
}

// effect says what sites of a kind mean for the benchmark in which they mean most objects:
// " (-2 allocs/op of Decode)".
func effect(d *Diff, kind Kind) string {
	sum := make([]float64, len(d.Benchmarks))
	for _, c := range d.Sites {
		if c.Kind != kind || c.Idle {
			continue
		}
		for _, x := range c.Costs {
			sum[x.Benchmark] += x.Objects.Delta()
		}
	}
	best := -1
	for i, v := range sum {
		if v != 0 && (best < 0 || math.Abs(v) > math.Abs(sum[best])) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return fmt.Sprintf(" (%s allocs/op of %s)", signed(sum[best], units.Quantity(math.Abs(sum[best]), "allocs/op")),
		d.Benchmarks[best].Name)
}

// signed puts the sign of a difference before its amount: "-2", "+64 B", "0".
func signed(delta float64, amount string) string {
	switch {
	case delta > 0:
		return "+" + amount
	case delta < 0:
		return "-" + amount
	}
	return amount
}

// benchmarkSays says how the benchmark changed whose objects changed most, and how many others
// did.
func benchmarkSays(d *Diff) string {
	best, others := -1, 0
	ratio := func(b Benchmark) float64 {
		return math.Abs(b.Objects.Delta()) / max(b.Objects.Old, b.Objects.New, 1e-9)
	}
	for i, b := range d.Benchmarks {
		if b.Only != "" || !b.Objects.Changed {
			continue
		}
		others++
		if best < 0 || ratio(b) > ratio(d.Benchmarks[best]) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	b := d.Benchmarks[best]
	out := fmt.Sprintf("%s allocates %s", b.Name, insteadOf(b.Objects, "allocs/op", "object"))
	if others > 1 {
		out += fmt.Sprintf(", and %s changed, too", units.Plural(others-1, "other benchmark"))
	}
	return out
}

// insteadOf says two figures of a unit: "3 instead of 5 objects".
func insteadOf(p Pair, unit, noun string) string {
	old, now := units.Quantity(p.Old, unit), units.Quantity(p.New, unit)
	if noun != "" {
		if old != "1" {
			noun += "s"
		}
		noun = " " + noun
	}
	return now + " instead of " + old + noun
}

// Worse lists what became worse, a sentence each: benchmarks that make more objects or more bytes
// in all, by the sites that are new and by those that make more. What one site makes more and
// another less of the same benchmark is no ground, and neither is a share of the CPU time alone,
// which changes with the rest of the benchmark. Where nothing was run, new sites are.
func Worse(d Diff) []string {
	out := []string{}
	said := map[int]bool{} // benchmarks of which a site is named
	for _, c := range d.Sites {
		c.Costs = inWorse(&d, c.Costs)
		switch {
		case c.Kind == New && len(c.Costs) == 0 && (c.Idle || len(d.Benchmarks) > 0):
			continue
		case c.Kind == New:
			out = append(out, newSays(&d, c))
		case c.Kind == Changed:
			if says := moreSays(&d, c); says != "" {
				out = append(out, says)
			}
		default:
			continue
		}
		for _, x := range c.Costs {
			said[x.Benchmark] = true
		}
	}
	for i, b := range d.Benchmarks {
		if says := b.more(); says != "" && !said[i] {
			out = append(out, "More: "+b.Name+" allocates "+says+" per operation, at sites that cannot be told apart.")
		}
	}
	return out
}

// worse reports whether a figure rose by more than counting can be wrong.
func (p Pair) worse() bool { return p.Changed && p.Delta() > 0 }

// inWorse returns the costs that rose in benchmarks that allocate more in all: of objects where
// those do, and of bytes where those do.
func inWorse(d *Diff, all []CostChange) (out []CostChange) {
	for _, x := range all {
		b := d.Benchmarks[x.Benchmark]
		x.Objects.Changed = x.Objects.worse() && b.Objects.worse()
		x.Bytes.Changed = x.Bytes.worse() && b.Bytes.worse()
		if x.Objects.Changed || x.Bytes.Changed {
			out = append(out, x)
		}
	}
	return out
}

// more says of what a benchmark allocates more, "" if of nothing.
func (b Benchmark) more() string {
	var more []string
	if b.Objects.worse() {
		more = append(more, insteadOf(b.Objects, "allocs/op", "object"))
	}
	if b.Bytes.worse() {
		more = append(more, insteadOf(b.Bytes, "B/op", ""))
	}
	return strings.Join(more, " and ")
}

// at names a site: "(*Decoder).Decode at decode.go:12".
func at(p *Place) string {
	if p.File == "" {
		return p.Function
	}
	return p.Function + " at " + p.position()
}

func newSays(d *Diff, c Change) string {
	words := ""
	if c.New.Cause.Words != "" {
		words = ": " + c.New.Cause.Words
	}
	if len(c.Costs) == 0 {
		verb := "may allocate"
		if c.New.Class == sites.CertainHeap {
			verb = "allocates whenever it is reached"
		}
		return fmt.Sprintf("New: %s %s%s.", at(c.New), verb, words)
	}
	x := c.Costs[0]
	return fmt.Sprintf("New: %s allocates %s allocs/op, %s of %s%s.", at(c.New),
		units.Quantity(x.Objects.New, "allocs/op"), units.Quantity(x.Bytes.New, "B/op"),
		d.Benchmarks[x.Benchmark].Name, words)
}

// moreSays says in which benchmarks a site allocates more, "" if in none.
func moreSays(d *Diff, c Change) string {
	var in []string
	for _, x := range c.Costs {
		if more := (Benchmark{Objects: x.Objects, Bytes: x.Bytes}).more(); more != "" {
			in = append(in, more+" per operation of "+d.Benchmarks[x.Benchmark].Name)
		}
	}
	if len(in) == 0 {
		return ""
	}
	const most = 3
	if n := len(in) - most; n > 0 {
		in = append(in[:most], units.Plural(n, "more benchmark"))
	}
	return fmt.Sprintf("More: %s allocates %s.", at(c.New), strings.Join(in, "; "))
}
