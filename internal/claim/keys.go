package claim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/series"
)

// InvalidNote stands where the figure of an INVALID case would.
const InvalidNote = "INVALID"

// Exponent is how the label of an element that is a scaling exponent begins.
const Exponent = "exponent"

// keys returns the name keys of a case as a lookup.
func keys(c *series.Series) func(string) (string, bool) {
	return catalog.Keys(c.Result.Name).Get
}

func number(c *series.Series, key string) (float64, error) {
	v, ok := keys(c)(key)
	if !ok {
		return 0, fmt.Errorf("%s has no %s= in its name", c.Case, key)
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 1) {
		return 0, fmt.Errorf("%s: %s=%s is not a positive number", c.Case, key, v)
	}
	return x, nil
}

func value(s *series.Series, key string) string {
	v, _ := keys(s)(key)
	return v
}

func hasKeys(c *series.Series, every []string) bool {
	return !slices.ContainsFunc(every, func(k string) bool { _, ok := keys(c)(k); return !ok })
}

// label returns the name of a case among others by the given keys ("size=1024"), or its
// whole name when there is none.
func label(c *series.Series, every []string) string {
	if len(every) == 0 {
		return c.Case
	}
	get := keys(c)
	parts := make([]string, len(every))
	for i, k := range every {
		v, _ := get(k)
		parts[i] = k + "=" + v
	}
	return strings.Join(parts, " ")
}

// named returns the keys that the two sides of a ratio ask for.
func named(num, den catalog.Selector) []string { return slices.Concat(num.Keys(), den.Keys()) }
