package commands

import (
	"context"

	"memcost/internal/plan"
)

// Sides are what is compared. Each kind knows how to begin with what the user wrote, and how to go
// on with what run.json has.
type Sides interface {
	// choose puts the arms and the suite into the plan.
	choose(ctx context.Context, r *Run) error
	// targets finds what runs on each arm, and puts the builds into the question.
	targets(ctx context.Context, r *Run) error
	// list finds the cases that all sides have.
	list(ctx context.Context, r *Run) error
	// check says what is to be known of the sides before they are measured.
	check(ctx context.Context, r *Run) error
}

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
