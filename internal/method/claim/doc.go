// Package claim judges testable conclusions: the guards that decide whether a case
// counts at all (//memcost:expect), and the claims over the cases that do
// (//memcost:claim), on a run's samples and on figures that others published.
//
// A claim over several sizes holds when it holds at every size, each at level α (an
// intersection–union test: no correction is needed), and fails when some size
// contradicts it at level α/m, with m the number of sizes. All intervals are confidence
// sequences (package stat): they may be computed after every round, so that a run may
// stop as soon as a verdict is reached.
package claim
