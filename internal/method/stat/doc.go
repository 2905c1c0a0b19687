// Package stat turns the paired differences of a run into estimates, intervals
// and decisions that stay right when they are looked at after every round.
//
// # The data
//
// Every function takes d, one float64 per round in the order of the rounds:
// d[i] = ln(figure of arm B) − ln(figure of arm A) in round i, so that exp(d)
// is a ratio. Exact metrics (bytes, allocations) may use plain differences.
// A positive d says that B's figure is the larger one.
//
// # The e-process
//
// With s_i(θ) = 1.4826 · median over j ≤ i of |d_j − θ| and
// u_i = clip((d_i − θ)/s_i, −2.5, 2.5),
//
//	E_n(θ) = Σ over λ in {0.3, 0.6, 1, 1.6, 2.5} of w_λ · ½ Σ over ± of Π over i ≤ n of (1 ± tanh(λ u_i))
//	         + w · mean over λ ~ N(0, 0.15²) of Π over i ≤ n of exp(λ u_i − λ² u_i²/2)
//
// with w_λ = 0.13, 0.17, 0.19, 0.19, 0.2 and w = 0.12. The last line is the normal part: a
// bet is at most 1 + tanh(λ u), and their mean has a closed form.
//
// For two identical arms whose order in each round is chosen by a fair coin,
// the sign of d_i is fair given |d_i| and the past. tanh is odd and u_i depends
// on d_i only through |d_i| and the sign, so every factor has mean 1 (in the normal part at
// most 1), and E(0) is a supermartingale that starts at 1. By Ville's inequality
// P(sup E ≥ 1/α) ≤ α whatever the drift, the autocorrelation or the tails. For θ ≠ 0 the same
// holds if d is, given the past, symmetric about θ; that is an assumption, and
// a confidence sequence rests on it everywhere but at θ = 0.
//
// [LogE] gives ln E_n(θ), [EProcess] the same one round at a time,
// [ConfidenceSequence] the interval of all θ not yet excluded, and [Decide]
// what that interval says about a margin. The tests check it against the
// Gaussian-mixture t confidence sequence, which needs normal data.
// [EBH] selects among many comparisons. [Shift] compares two samples that were not
// taken in rounds, as in two files of someone else's.
//
// [LogEAgainst] is the one-sided form, against an effect in an interval.
//
// # What protects it
//
// Rounds that depend on each other: [Lag1], [Pool] and its [Pool.Tau], the number of rounds
// that tell as much as one; [DependentSequences] and [DependentLogEAgainst]
// take it into account. Rounds that share a link: [Between], [LayoutInterval],
// [LayoutLogE], and [Links], which knows what is usual for links in a run. Counts with
// zeros: [RatioOfSums]. Kinds of machines: [Regress]. The reasons and the simulated error
// rates are in docs/method.md, docs/decisions/0007-dependence.md and 0012-narrowing.md.
//
// # When nothing can be said
//
// Before [MinRounds] rounds every confidence sequence is (−Inf, +Inf), and from
// then on it is bounded. Values that are NaN, infinite or beyond ±1e150 cannot
// be used: [LogE] and [HodgesLehmann] answer NaN, an interval is (−Inf, +Inf),
// which decides nothing. [Check] names the first such value.
package stat
