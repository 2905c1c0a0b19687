// Package claim judges testable conclusions: the guards that decide whether a case
// counts at all (//memcost:expect), and the claims over the cases that do
// (//memcost:claim), on a run's samples and on figures that others published.
//
// A claim over several sizes holds when it holds at every size, each at level α (an
// intersection–union test: no correction is needed), and fails when it does at all of them, or
// at one of m at its share of α. All intervals are those of planned looks (package stat), so that a run may
// stop as soon as a verdict is reached.
package claim
