package claim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// Keys returns the name keys of a case as a lookup.
func Keys(c *series.Series) func(string) (string, bool) {
	return language.Keys(c.Result.Name).Get
}

// Number returns the value of a key, which must be a positive number.
func Number(c *series.Series, key string) (float64, error) {
	v, ok := Keys(c)(key)
	if !ok {
		return 0, fmt.Errorf("%s has no %s= in its name", c.Case, key)
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 1) {
		return 0, fmt.Errorf("%s: %s=%s is not a positive number", c.Case, key, v)
	}
	return x, nil
}

// Value returns the value of a key, "" where the name has none.
func Value(s *series.Series, key string) string {
	v, _ := Keys(s)(key)
	return v
}

// HasKeys reports whether a name has all keys of every.
func HasKeys(c *series.Series, every []string) bool {
	return !slices.ContainsFunc(every, func(k string) bool { _, ok := Keys(c)(k); return !ok })
}

// Label returns the name of a case among others by the given keys ("size=1024"), or its
// whole name when there is none.
func Label(c *series.Series, every []string) string {
	if len(every) == 0 {
		return c.Case
	}
	get := Keys(c)
	parts := make([]string, len(every))
	for i, k := range every {
		v, _ := get(k)
		parts[i] = k + "=" + v
	}
	return strings.Join(parts, " ")
}

// Named returns the keys that the two sides of a ratio ask for.
func PairingNamed(num, den language.Selector) []string { return slices.Concat(num.Keys(), den.Keys()) }
