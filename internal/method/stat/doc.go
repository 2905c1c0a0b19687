// Package stat turns the paired differences of a run into estimates, intervals
// and decisions that stay right although they are looked at while the run goes on.
//
// # The data
//
// Every function takes d, one float64 per round in the order of the rounds:
// d[i] = ln(figure of arm B) − ln(figure of arm A) in round i, so that exp(d)
// is a ratio. Exact metrics (bytes, allocations) may use plain differences.
// A positive d says that B's figure is the larger one.
//
// # Planned looks
//
// A comparison is looked at after 8, 10, 13, 17, 22 … counted rounds, and between two looks
// stands as it stood at the earlier one. [Looks] says where they are and at which level each
// tests: together they err with probability α. At a look the interval ([Rounds.At]) is that of
// Wilcoxon's signed ranks. For two identical arms whose order in each round is chosen by a
// fair coin, the sign of d_i is fair given |d_i| and the past, so that the test of no
// difference is exact whatever the drift, the autocorrelation or the tails. For θ ≠ 0
// it is assumed that d is symmetric about θ, and that rounds are independent enough.
//
// [Decide] says what an interval says about a margin, [Least] turns what is said at a level into a
// p-value, and [Discoveries] selects among many. [Shift] compares two samples that were not
// taken in rounds, as in two files of someone else's.
//
// # What protects it
//
// Rounds that depend on each other, and rounds that share a link: [Rounds] widens its interval by
// what a [Pool] of the comparisons of a run knows of both. Counts with
// zeros: [Looks.RatioOfSums]. Kinds of machines: [Regress]. The reasons and the simulated error
// rates are in docs/method.md, docs/decisions/0007-dependence.md and 0024-looks.md.
//
// # When nothing can be said
//
// Before [MinRounds] rounds every interval is (−Inf, +Inf). Values that are NaN, infinite or beyond ±1e150 cannot
// be used: [HodgesLehmann] answers NaN, an interval is (−Inf, +Inf),
// which decides nothing. [Check] names the first such value.
package stat
