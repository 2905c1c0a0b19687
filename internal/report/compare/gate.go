// This part of the package decides whether a comparison lets a change pass: what --gate asks for, and
// which findings close the gate.

package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/method/series"
)

// Default is what a gate without a value asks for.
const Default = "slower,allocs"

// names are what a gate can ask for, and the unit of each; "" is all of a benchmark's own
// metrics.
var names = []gateNamed{
	{"slower", Time}, {"allocs", "allocs/op"}, {"bytes", "B/op"}, {"cpu", series.UnitCPU},
	{"memory", series.UnitRSS}, {"metrics", ""},
}

type gateNamed struct{ name, unit string }

// undecided is the word that closes the gate on what is not decided, too.
const undecided = "undecided"

// A Gate is what --gate asks for.
type Gate struct {
	rules     []rule
	undecided bool
}

// A rule closes the gate on regressions of some metrics.
type rule struct {
	gateNamed
	margin float64 // NaN: that of the report
}

// Parse reads the value of --gate: names with commas between them, each with a margin of its
// own where it has one: "slower=3%,allocs,undecided".
func Parse(s string) (*Gate, error) {
	g := &Gate{}
	for word := range strings.SplitSeq(s, ",") {
		name, value, has := strings.Cut(strings.TrimSpace(word), "=")
		if name == undecided && !has {
			g.undecided = true
			continue
		}
		at := slices.IndexFunc(names, func(n gateNamed) bool { return n.name == name })
		if at < 0 {
			return nil, hint.Usage("for example --gate=slower=3%,allocs; there are "+all(),
				"--gate %q: there is no %q to ask for", s, strings.TrimSpace(word))
		}
		r := rule{names[at], math.NaN()}
		if has {
			var err error
			if r.margin, err = share(value); err != nil {
				return nil, hint.Usage("for example --gate="+name+"=3%", "--gate %q: %v", s, err)
			}
		}
		g.rules = append(g.rules, r)
	}
	if len(g.rules) == 0 { // "undecided" alone
		d, err := Parse(Default)
		if err != nil {
			return nil, err
		}
		g.rules = d.rules
	}
	return g, nil
}

// all lists the names.
func all() string {
	var out []string
	for _, n := range names {
		out = append(out, n.name)
	}
	return strings.Join(append(out, undecided), ", ")
}

// share reads a percentage, which may stand without its sign as a share of 1.
func share(s string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v < 10) {
		return 0, fmt.Errorf("%q is no margin from 0%% up", s)
	}
	return v, nil
}

// of reports whether the rule is about a metric.
func (r rule) of(m *Metric) bool {
	if r.unit == "" {
		return !series.Own(m.Unit) && !slices.ContainsFunc(names, func(n gateNamed) bool {
			return n.unit == m.Unit
		})
	}
	return r.unit == m.Unit
}

// Undecided reports whether the gate closes on what is not decided.
func (g *Gate) Undecided() bool { return g.undecided }

// Join returns the arguments of a command line with what stands behind --gate as its value,
// where that asks for something: --gate may also stand alone, so that a flag's usual rules
// take nothing behind it but =.
func Join(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		if args[i] == "--gate" && i+1 < len(args) && asks(args[i+1]) {
			out, i = append(out, "--gate="+args[i+1]), i+1
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// asks reports whether a word begins with something that a gate can ask for.
func asks(word string) bool {
	first, _, _ := strings.Cut(word, ",")
	first, _, _ = strings.Cut(first, "=")
	return first == undecided || slices.ContainsFunc(names, func(n gateNamed) bool { return n.name == first })
}
