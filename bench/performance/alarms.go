package main

import (
	"fmt"
	"math"
	"strings"

	"memcost/internal/method/stat"
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

// all returns the pairs of several repetitions.
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
		{"called different, of all (should be 5% or less)", share(count(s, isDifferent), len(s)),
			share(count(m, isDifferent), len(m))},
		{"called different, of those with enough rounds", "", share(count(m, isDifferent), able)},
		{"called changed by more than 1%", "", share(count(m, isChanged), len(m))},
		{"medians more than 25% apart", share(count(s, isApart), len(s)), share(count(m, isApart), len(m))},
		{"samples that counted, median", rounds(sRounds), rounds(mRounds)},
		{"one repetition (memcost's with its links and calibration)", seconds(stat.Median(sSec)),
			seconds(stat.Median(mSec))},
	})
}

// alarmsByCase returns which benchmarks the alarms come from, and how far apart the
// medians of a pair were at most.
func alarmsByCase(seq, inter []repetition) string {
	s, _, _ := all(seq)
	m, _, _ := all(inter)
	rows := [][]string{{"benchmark", "alarms, benchstat", "alarms, memcost", "farthest apart, benchstat",
		"farthest apart, memcost"}}
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
