// Package history finds the commits, or the releases of Go, that changed the cost of
// benchmarks. It says which points of a history are to be measured next, and what those
// that were measured say; it measures nothing itself.
//
// # The search
//
// Points are numbered in the order of time. A step measures two or three of them side by
// side, so that each is compared with its neighbours in the step. First come the neighbours
// of a coarse grid, which ends at the oldest and at the newest point. Between two points that
// differ, the point in the middle is measured beside both, and so on in each half that
// differs, until the two are neighbours. All benchmarks that differ between two points share
// the steps. Of 1,000 points with one change 13 are built: 5 of the grid and 8 more.
//
// A point that cannot be built or run is passed over, and one beside it is tried. A change is
// then known to lie behind one point and not later than another.
//
// # What it misses
//
// Changes that cancel each other within a stretch of the grid, a quarter of the points: one
// half makes the code slower and the other faster again. Changes that are smaller than the
// margin, or that the budget of a step leaves undecided. Both are said in the report.
//
// # Error rate
//
// On the way to a commit there are as many tests as [Search.Tests] says. Each is made at α
// over that number, so that a change is reported, and at the right place, with an error rate
// of α. [Search.Alpha] gives it.
package history
