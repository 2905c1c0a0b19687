// This part of the package reads which benchmarks a user asks for, as go test -bench does.

package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Pattern is the user's -bench, as the testing package reads it (splitRegexp in
// testing/match.go, Go 1.26): alternatives between bars, each a regular
// expression for each part of the name between slashes. Bars and slashes inside
// brackets belong to the expressions.
type Pattern [][]string

// New reads a -bench argument; "" asks for all.
func New(bench string) (Pattern, error) {
	if bench == "" {
		return nil, nil
	}
	p := Pattern{nil}
	start, square, round := 0, 0, 0
	part := func(end int) {
		last := len(p) - 1
		p[last] = append(p[last], bench[start:end])
		start = end + 1
	}
	for i := 0; i < len(bench); i++ {
		free := square == 0 && round == 0
		switch c := bench[i]; {
		case c == '\\':
			i++
		case c == '[':
			square++
		case c == ']':
			square = max(square-1, 0) // one without its other half is legal
		case c == '(' && square == 0:
			round++
		case c == ')' && square == 0:
			round--
		case c == '/' && free:
			part(i)
		case c == '|' && free:
			part(i)
			p = append(p, nil)
		}
	}
	part(len(bench))
	for _, alternative := range p {
		for _, re := range alternative {
			if _, err := regexp.Compile(re); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// Check reports what is wrong with a -bench argument.
func Check(bench string) error {
	if _, err := New(bench); err != nil {
		return fmt.Errorf("-bench %q: %w", bench, err)
	}
	return nil
}

// Top reports whether a top-level benchmark is asked for. The name begins with
// "Benchmark".
func (p Pattern) Top(name string) bool {
	return len(p) == 0 || len(p.of(name)) > 0
}

// of are the alternatives that a top-level benchmark matches.
func (p Pattern) of(name string) Pattern {
	var match Pattern
	for _, a := range p {
		if regexp.MustCompile(a[0]).MatchString(name) {
			match = append(match, a)
		}
	}
	return match
}

// Within is the -test.bench argument for one top-level benchmark, named without
// "Benchmark", and the parts of it that are asked for.
func (p Pattern) Within(name string) string {
	all := Exactly(name)
	var alternatives []string
	for _, a := range p.of("Benchmark" + name) {
		if len(a) == 1 {
			return all
		}
		alternatives = append(alternatives, all+"/"+strings.Join(a[1:], "/"))
	}
	if len(alternatives) == 0 {
		return all
	}
	return strings.Join(alternatives, "|")
}

// Unmatched are the alternatives of a -bench argument that ask for none of the
// cases and failures of a plan, as they are written; nil if there is but one.
func Unmatched(p *Plan) []string {
	all, err := New(p.Options.Bench)
	failed := slices.ContainsFunc(p.Studies, func(x Study) bool {
		return slices.ContainsFunc(p.Failures, func(f Failure) bool { return f.Name == x.Name })
	})
	if err != nil || len(all) < 2 || failed { // what a study that failed as a whole has is not known
		return nil
	}
	var none []string
	for _, a := range all {
		one := Pattern{a}
		if !slices.ContainsFunc(p.Cases, func(c Case) bool { return one.Full("Benchmark" + c.Base) }) &&
			// one that failed has no parts, which may have been meant
			!slices.ContainsFunc(p.Failures, func(f Failure) bool {
				return Pattern{a[:min(len(a), 1+strings.Count(f.Name, "/"))]}.Full("Benchmark" + f.Name)
			}) {
			none = append(none, strings.Join(a, "/"))
		}
	}
	return none
}

// Full reports whether a case is asked for by its whole name, which begins with
// "Benchmark".
func (p Pattern) Full(name string) bool {
	if len(p) == 0 {
		return true
	}
	parts := strings.Split(name, "/")
	for _, a := range p {
		match := len(a) <= len(parts)
		for i := 0; match && i < len(a); i++ {
			match = regexp.MustCompile(a[i]).MatchString(parts[i])
		}
		if match {
			return true
		}
	}
	return false
}

// Exactly is the -test.bench pattern that selects one benchmark: go test
// matches each part of the name, between slashes, on its own.
func Exactly(name string) string {
	parts := strings.Split("Benchmark"+name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// Only returns the question of the named studies and packages alone, whose samples are read without
// those of the others: their cases, comparisons and builds are numbered anew. The question itself is
// not changed.
func (q *Question) Only(names ...string) *Question {
	x := *q
	p, old := &x.Plan, &q.Plan
	p.Studies, p.Cases, p.Parts, p.Missing, x.Builds = nil, nil, nil, nil, nil
	studies := renumbered(len(old.Studies), func(i int) bool { return slices.Contains(names, old.Studies[i].Name) })
	cases := renumbered(len(old.Cases), func(i int) bool { return studies[old.Cases[i].Study] >= 0 })
	groups := map[int]int{}
	for i, s := range old.Studies {
		if studies[i] >= 0 {
			p.Studies = append(p.Studies, s)
		}
	}
	for i, c := range old.Cases {
		if cases[i] < 0 {
			continue
		}
		g, known := groups[c.Group]
		if !known {
			g = len(groups)
			groups[c.Group] = g
			p.share(old, c.Group, g)
		}
		c.Study, c.Group = studies[c.Study], g
		p.Cases = append(p.Cases, c)
	}
	p.Pairs = nil
	for _, pair := range old.Pairs {
		if a, b := cases[pair[0]], cases[pair[1]]; a >= 0 && b >= 0 {
			p.Pairs = append(p.Pairs, [2]int{a, b})
		}
	}
	p.Doubles, p.Suspects = numbersOf(old.Doubles, cases), numbersOf(old.Suspects, cases)
	p.ToFull, p.NotReached = leftOf(old.ToFull, studies), leftOf(old.NotReached, studies)
	p.Failures = nil
	for _, f := range old.Failures {
		if f.Study = studies[f.Study]; f.Study >= 0 {
			p.Failures = append(p.Failures, f)
		}
	}
	for _, b := range q.Builds {
		if b.Study = studies[b.Study]; b.Study >= 0 {
			x.Builds = append(x.Builds, b)
		}
	}
	return &x
}

// share gives the shard of a comparison of another plan to one of this plan.
func (p *Plan) share(from *Plan, was, is int) {
	if slices.Contains(from.Missing, was) {
		p.Missing = append(p.Missing, is)
	}
	switch {
	case from.Parts != nil:
		p.Parts = append(p.Parts, from.Parts[was])
	case from.Options.Shards > 1:
		p.Parts = append(p.Parts, was%from.Options.Shards+1)
	}
}

// renumbered returns the new number of each of n things, of which some are kept; -1 for the others.
func renumbered(n int, keep func(int) bool) []int {
	out, next := make([]int, n), 0
	for i := range out {
		out[i] = -1
		if keep(i) {
			out[i] = next
			next++
		}
	}
	return out
}

func numbersOf(old, numbers []int) []int {
	var out []int
	for _, i := range old {
		if numbers[i] >= 0 {
			out = append(out, numbers[i])
		}
	}
	return out
}

func leftOf(old []Left, studies []int) []Left {
	var out []Left
	for _, l := range old {
		if l.Study = studies[l.Study]; l.Study >= 0 {
			out = append(out, l)
		}
	}
	return out
}
