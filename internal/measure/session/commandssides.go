package session

import (
	"memcost/internal/measure/plan"
)

// sidesOf returns the kind of the sides of a comparison, nil where it is not one of this package.
func sidesOf(q *plan.Question) Sides {
	if q.Comparison == nil || len(q.Plan.Arms) == 0 || len(q.Plan.Suites) != 1 {
		return nil
	}
	switch a, x := q.Plan.Arms[0], q.Plan.Suites[0]; {
	case a.Command != "":
		return Lines{}
	case a.Program != "":
		return Programs{}
	case x.Shipped && x.Google:
		return Malloc{}
	}
	return nil
}

// Is reports whether a question is that of a comparison of this package.
func Is(q *plan.Question) bool { return sidesOf(q) != nil }
