package claim

import (
	"cmp"
	"slices"

	"memcost/internal/catalog"
	"memcost/internal/series"
)

// A condition is a key of a case's name that does not say what runs, but what it runs
// under. Claims and tables compare cases under the same conditions, unless they name one.
type condition string

const (
	gomaxprocs condition = "gomaxprocs"
	busy       condition = "busy" // how many cores were kept busy beside it on purpose
)

// conditions are all of them.
func conditions() []condition { return []condition{gomaxprocs, busy} }

// of returns the value of the condition for a case, "" where its name has none.
func (u condition) of(c *series.Series) string {
	v, _ := catalog.Keys(c.Result.Name).Get(string(u))
	return v
}

// suffix returns what tells a case in a label from one under another value.
func (u condition) suffix(c *series.Series) string {
	switch v := u.of(c); {
	case u == gomaxprocs:
		return " cpu=" + cmp.Or(v, "1") // go test names no GOMAXPROCS of 1
	case v == "": // a case that is measured without asking for a load
		return ""
	default:
		return " " + string(u) + "=" + v
	}
}

// equalOn returns the conditions that both sides of a ratio must have alike. One that the
// selections name may differ, if no value of it occurs on both sides: a claim on busy:1
// against busy:0 compares loads, and one on busy:1 against busy:1 does not.
func equalOn(num, den []*series.Series, named []string) []condition {
	return slices.DeleteFunc(conditions(), func(u condition) bool {
		return slices.Contains(named, string(u)) && !slices.ContainsFunc(num, func(a *series.Series) bool {
			return slices.ContainsFunc(den, func(b *series.Series) bool { return u.of(a) == u.of(b) })
		})
	})
}

func procs(c *series.Series) string { return gomaxprocs.of(c) }
