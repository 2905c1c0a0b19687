package result

import (
	"regexp"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/report/figures"
)

// A Cause is a Problem that several cases may have; Case is then what their names share.
type Cause struct {
	Problem
	Count int
}

// Of says how many cases have it, where it is not one: "10 cases, ".
func (c Cause) Of() string {
	if c.Count == 1 {
		return ""
	}
	return units.Plural(c.Count, "case") + ", "
}

func (c Cause) String() string { return c.Of() + c.Problem.String() }

// A log's name is another for each case, and tells nothing of the cause.
var (
	logName = regexp.MustCompile(` \(logs/[^()]*\)$`)
	digits  = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+`)
)

// Causes lists what does not count and why, cases of one cause as one. Without each, reasons that
// differ in their numbers alone are one cause: those of blocks of several sizes, for instance.
func (s *Study) Causes(each bool) []Cause {
	var out []Cause
	of := map[Problem][]Problem{}
	var keys []Problem
	for _, x := range s.Problems() {
		key := Problem{Kind: x.Kind, Side: x.Side, Why: logName.ReplaceAllString(x.Why, "")}
		if !each {
			key.Why = digits.ReplaceAllString(key.Why, "0")
		}
		if of[key] == nil {
			keys = append(keys, key)
		}
		of[key] = append(of[key], x)
	}
	for _, key := range keys {
		all := of[key]
		c := Cause{all[0], len(all)}
		if len(all) > 1 {
			c.Case = figures.SharedName(namesOf(all))
			if c.Why = logName.ReplaceAllString(c.Why, ""); slices.ContainsFunc(all, func(x Problem) bool {
				return logName.ReplaceAllString(x.Why, "") != c.Why
			}) {
				c.Why += " (as an example)"
			}
		}
		out = append(out, c)
	}
	return out
}

func namesOf(all []Problem) (names []string) {
	for _, x := range all {
		names = append(names, x.Case)
	}
	return names
}
