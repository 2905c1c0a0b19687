package claim

import (
	"cmp"
	"slices"

	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// A Condition is a key of a case's name that does not say what runs, but what it runs
// under. Claims and tables compare cases under the same conditions, unless they name one.
type Condition string

const (
	GOMAXPROCS Condition = "gomaxprocs"
	Busy       Condition = "busy" // how many cores were kept busy beside it on purpose
)

// Conditions are all of them.
func Conditions() []Condition { return []Condition{GOMAXPROCS, Busy} }

// Of returns the value of the condition for a case, "" where its name has none.
func (u Condition) Of(c *series.Series) string {
	v, _ := language.Keys(c.Result.Name).Get(string(u))
	return v
}

// Suffix returns what tells a case in a label from one under another value.
func (u Condition) Suffix(c *series.Series) string {
	switch v := u.Of(c); {
	case u == GOMAXPROCS:
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
func equalOn(num, den []*series.Series, named []string) []Condition {
	return slices.DeleteFunc(Conditions(), func(u Condition) bool {
		return slices.Contains(named, string(u)) && !slices.ContainsFunc(num, func(a *series.Series) bool {
			return slices.ContainsFunc(den, func(b *series.Series) bool { return u.Of(a) == u.Of(b) })
		})
	})
}

// Procs returns the GOMAXPROCS of a case, "" for 1.
func Procs(c *series.Series) string { return GOMAXPROCS.Of(c) }
