package main

import (
	"fmt"
	"math"
	"strings"

	"memcost/internal/stat"
)

func isDifferent(p pair) bool { return p.Different }
func isChanged(p pair) bool   { return p.Changed }
func isApart(p pair) bool     { return apart(p.Ratio) }

// canAlarm reports whether a pair of memcost's has the rounds without which it
// never calls anything different; disturbed rounds may not count.
func canAlarm(p pair) bool { return p.Rounds >= stat.MinRounds(aaAlpha) }

// aaAlpha is the error rate of both methods: benchstat's -alpha, and memcost's.
const aaAlpha = 0.05

func count(pairs []pair, is func(pair) bool) int {
	n := 0
	for _, p := range pairs {
		if is(p) {
			n++
		}
	}
	return n
}

// all are the pairs of several repetitions.
func all(rs []repetition) (pairs []pair, rounds, seconds []float64) {
	for _, r := range rs {
		pairs = append(pairs, r.Pairs...)
		seconds = append(seconds, r.Seconds)
		for _, p := range r.Pairs {
			rounds = append(rounds, float64(p.Rounds))
		}
	}
	return pairs, rounds, seconds
}

func (x *aa) print() {
	x.printf("### False alarms on identical arms\n\n")
	x.commands(
		fmt.Sprintf("go test -c; ordinary.test -test.bench=. -test.count=%d -test.benchtime=%s    twice, one after the other; benchstat first.txt second.txt", aaSamples, aaSampleTime),
		fmt.Sprintf("memcost run . --vary MEMCOST_AA=1 --rounds %d --sample %s --no-guards", aaSamples, aaSampleTime))
	seq, inter := x.journal.of(sequential, x.repeating), x.journal.of(interleaved, x.repeating)
	x.printf("%d ordinary benchmarks, each against itself; %d repetitions of both methods in turns, in the same session.\n\n", aaCases, x.repeating)
	x.printf("%s\n", alarmTable(seq, inter))
	x.printf("%s\n", alarmsByCase(seq, inter))
	x.printf(`Intervals: Clopper–Pearson at 95%%, as if pairs were independent; those of one repetition share the machine's mood.
"Different" is benchstat's p ≤ 0.05, and a confidence sequence of memcost's at α = 0.05 that excludes 1 (or every
value), which may be looked at after each round; "changed" asks for more than 1%% after e-BH. memcost draws a random link for each arm
and round; benchstat's two files come from one binary.
`)
	unfit := 0
	for _, r := range inter {
		if r.Unfit {
			unfit++
		}
	}
	if unfit > 0 {
		x.printf("\nIn %d of the repetitions memcost calls the machine unfit: so many rounds were disturbed that it leaves none out.\n", unfit)
	}
	if missing := aaCases*len(inter) - len(first(all(inter))); missing > 0 {
		x.printf("\n%d of memcost's pairs have no figure: no round of theirs counts, or the case failed.\n", missing)
	}
}

func first(pairs []pair, _, _ []float64) []pair { return pairs }

// alarmTable sets the two methods side by side.
func alarmTable(seq, inter []repetition) string {
	s, sRounds, sSec := all(seq)
	m, mRounds, mSec := all(inter)
	able := count(m, canAlarm)
	rounds := func(x []float64) string {
		if len(x) == 0 {
			return "?"
		}
		lo, hi := spread(x)
		return fmt.Sprintf("%.0f (%.0f to %.0f)", stat.Median(x), lo, hi)
	}
	return table([][]string{
		{"", "one after the other, benchstat", "interleaved, memcost"},
		{"identical pairs", thousands(len(s)), thousands(len(m))},
		{"with the rounds that memcost's alarm takes at least", "", share(able, len(m))},
		{"called different, of all (should be 5% or less)", share(count(s, isDifferent), len(s)), share(count(m, isDifferent), len(m))},
		{"called different, of those with enough rounds", "", share(count(m, isDifferent), able)},
		{"called changed by more than 1%", "", share(count(m, isChanged), len(m))},
		{"medians more than 25% apart", share(count(s, isApart), len(s)), share(count(m, isApart), len(m))},
		{"samples that counted, median", rounds(sRounds), rounds(mRounds)},
		{"one repetition (memcost's with its links and calibration)", seconds(stat.Median(sSec)), seconds(stat.Median(mSec))},
	})
}

// alarmsByCase shows which benchmarks the alarms come from, and how far apart
// the medians of a pair were at most.
func alarmsByCase(seq, inter []repetition) string {
	s, _, _ := all(seq)
	m, _, _ := all(inter)
	rows := [][]string{{"benchmark", "alarms, benchstat", "alarms, memcost", "farthest apart, benchstat", "farthest apart, memcost"}}
	seen := map[string]bool{}
	for _, p := range s {
		if seen[p.Case] {
			continue
		}
		seen[p.Case] = true
		name, _, _ := strings.Cut(p.Case, "-")
		one, other := ofCase(s, p.Case), ofCase(m, p.Case)
		rows = append(rows, []string{name, alarms(one), alarms(other), farthest(one), farthest(other)})
	}
	return table(rows)
}

func ofCase(pairs []pair, name string) []pair {
	var out []pair
	for _, p := range pairs {
		if p.Case == name {
			out = append(out, p)
		}
	}
	return out
}

func alarms(pairs []pair) string {
	return fmt.Sprintf("%d of %d", count(pairs, isDifferent), len(pairs))
}

func farthest(pairs []pair) string {
	worst := 0.0
	for _, p := range pairs {
		worst = max(worst, math.Abs(math.Log(p.Ratio)))
	}
	return percent(math.Exp(worst) - 1)
}
