package stacklog

import (
	"fmt"

	"memcost/internal/base/units"
)

// What advice needs before it is given. Growths cost about a microsecond and
// less (study/stackgrowth), so that fewer than a hundred are not worth a change.
const (
	manyGrowths  = 100
	mostOfThem   = 0.5 // share of all growths
	regrownShare = 0.1
	largeStack   = 1 << 20
)

// Advice says what the figures suggest, each sentence with the figures that it
// rests on. There is nothing in it that was not counted, and nothing at all where
// the figures are not those of one whole run.
func (l *Log) Advice() []string {
	if l.Several || l.Partial {
		return nil
	}
	var all []string
	if l.Largest >= largeStack {
		all = append(all, adviseLarge(l))
	}
	if l.Grows.N < manyGrowths {
		if l.Grows.N > 0 && l.Largest < largeStack {
			all = append(all, fmt.Sprintf("%s %s: too few for a pool of goroutines or smaller frames to save time.",
				units.Plural(l.Grows.N, "growth"), stackTotal(l)))
		}
		return all
	}
	for _, advise := range []func(*Log) string{adviseSite, adviseChain, adviseRegrown} {
		if s := advise(l); s != "" {
			all = append(all, s)
		}
	}
	if len(all) == 0 && (l.Trace || functionsKnown(l)) {
		what := "no single function and no single sequence of sizes accounts for"
		if l.Trace {
			what = "no single sequence of sizes accounts for"
		}
		all = append(all, fmt.Sprintf("%d growths %s; %s most of them.", l.Grows.N, stackTotal(l), what))
	}
	return all
}

// functionsKnown reports whether it is known in which functions most growths happened.
func functionsKnown(l *Log) bool {
	var n int64
	for _, s := range l.Sites {
		if s.Func != "" {
			n += s.N
		}
	}
	return float64(n) > mostOfThem*float64(l.Grows.N)
}

func stackTotal(l *Log) string {
	if l.Trace {
		return "in all"
	}
	return "that copied " + units.Bytes(l.Grows.Bytes) + " in all"
}

// adviseLarge distinguishes one large frame from many: of a stack that grows for one
// frame little is in use.
func adviseLarge(l *Log) string {
	text := "A stack grew to " + units.Bytes(l.Largest)
	for _, s := range l.Sites {
		if s.To == l.Largest && s.Func != "" {
			text += " in " + s.Func
			break
		}
	}
	var last Step
	for _, s := range l.Steps {
		if s.Kind == Grow && s.To == l.Largest {
			last = s
		}
	}
	switch {
	case l.Trace:
		return text + "."
	case last.UsedMax < last.From/4:
		return fmt.Sprintf("%s, of which %s at most were in use before: it has one large frame. A "+
			"variable of that size can be allocated once and reused.", text, units.Bytes(last.UsedMax))
	}
	return fmt.Sprintf("%s; up to %s were in use before: the calls are deep.", text, units.Bytes(last.UsedMax))
}

// adviseSite names the function that makes most growths, wherever it is called.
func adviseSite(l *Log) string {
	byFunc, recursive := map[string]int64{}, map[string]int64{}
	most := ""
	for _, s := range l.Sites {
		if s.Func == "" { // of a log alone the address is all there is
			if s.PC != 0 && float64(s.N) >= mostOfThem*float64(l.Grows.N) {
				return fmt.Sprintf("%d of %d growths (%s) happen in one function, at %#x, whose name is not known.",
					s.N, l.Grows.N, units.Percent(float64(s.N)/float64(l.Grows.N)), s.PC)
			}
			continue
		}
		byFunc[s.Func] += s.N
		if s.Func == s.Caller {
			recursive[s.Func] += s.N
		}
		if most == "" || byFunc[s.Func] > byFunc[most] {
			most = s.Func
		}
	}
	n := byFunc[most]
	if float64(n) < mostOfThem*float64(l.Grows.N) {
		return ""
	}
	text := fmt.Sprintf("%d of %d growths (%s) happen in %s", n, l.Grows.N,
		units.Percent(float64(n)/float64(l.Grows.N)), most)
	if float64(recursive[most]) >= mostOfThem*float64(n) {
		return text + ", which calls itself: a smaller frame or a shallower recursion would save some of them."
	}
	return text + ": it is the first call that does not fit. Smaller frames, its own and those of its callers, " +
		"save a growth only if the calls below it fit too."
}

// adviseChain names the chain of sizes that makes most growths.
func adviseChain(l *Log) string {
	var most Chain
	var n int64
	for _, c := range l.Chains {
		if all, regrown := countGrowths(c); c.N*(all-regrown) > n {
			most, n = c, c.N*(all-regrown)
		}
	}
	if n < manyGrowths || float64(n) < mostOfThem*float64(l.Grows.N) {
		return ""
	}
	return fmt.Sprintf("%d goroutines grew %s, %s of all growths: each goroutine does so again. Goroutines that "+
		"are reused, as in a pool of workers, do so once (memcost run stackgrowth measures both).",
		most.N, most, units.Percent(float64(n)/float64(l.Grows.N)))
}

// adviseRegrown counts the growths of stacks that had been shrunk.
func adviseRegrown(l *Log) string {
	var regrown int64
	for _, c := range l.Chains {
		_, n := countGrowths(c)
		regrown += c.N * n
	}
	if float64(regrown) < regrownShare*float64(l.Grows.N) {
		return ""
	}
	return fmt.Sprintf("%d of %d growths (%s) restore what the collector had shrunk: it halves a stack of which "+
		"less than a quarter is in use. GODEBUG=gcshrinkstackoff=1 shows what that costs.",
		regrown, l.Grows.N, units.Percent(float64(regrown)/float64(l.Grows.N)))
}

// countGrowths counts the growths of a chain, and those of them after a shrink.
func countGrowths(c Chain) (all, regrown int64) {
	shrunk := false
	for i := 1; i < len(c.Sizes); i++ {
		if c.Sizes[i] < c.Sizes[i-1] {
			shrunk = true
			continue
		}
		all++
		if shrunk {
			regrown++
		}
	}
	return all, regrown
}
