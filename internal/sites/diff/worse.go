package diff

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/sites"
)

// Worse lists what became worse, a sentence each: sites that are new and allocate, and sites
// that make more objects or more bytes. A share of the CPU time alone is no ground: it changes
// with the rest of the benchmark, too.
func Worse(d Diff) []string {
	out := []string{}
	for _, c := range d.Sites {
		switch {
		case c.Kind == New && !c.Idle:
			out = append(out, newSays(&d, c))
		case c.Kind == Changed:
			if says := moreSays(&d, c); says != "" {
				out = append(out, says)
			}
		}
	}
	return out
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
		var more []string
		if x.Objects.Changed && x.Objects.Delta() > 0 {
			more = append(more, insteadOf(x.Objects, "allocs/op", "object"))
		}
		if x.Bytes.Changed && x.Bytes.Delta() > 0 {
			more = append(more, insteadOf(x.Bytes, "B/op", ""))
		}
		if len(more) > 0 {
			in = append(in, strings.Join(more, " and ")+" per operation of "+d.Benchmarks[x.Benchmark].Name)
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
