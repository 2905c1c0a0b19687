package result

import "memcost/internal/plan"

// RealTimeRule is what a setting has to keep to be called fit.
func RealTimeRule(r *plan.RealTime) string {
	return "no page fault, and no call longer than " + r.Limit.String() + " by the allocator's doing"
}

// Is says whether a setting is fit.
func Is(s plan.Fitness) string {
	switch {
	case s.Fit:
		return "fit"
	case s.Violations == 0:
		return "undecided"
	}
	return "not fit"
}
