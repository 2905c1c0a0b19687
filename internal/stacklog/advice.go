package stacklog

import "fmt"

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
		all = append(all, l.adviseLarge())
	}
	if l.Grows.N < manyGrowths {
		if l.Grows.N > 0 && l.Largest < largeStack {
			all = append(all, fmt.Sprintf("%s %s: too few for a pool of goroutines or smaller frames to gain anything.", count(l.Grows.N, "growth"), l.inAll()))
		}
		return all
	}
	for _, advise := range []func() string{l.adviseSite, l.adviseChain, l.adviseRegrown} {
		if s := advise(); s != "" {
			all = append(all, s)
		}
	}
	if len(all) == 0 && (l.Trace || l.named()) {
		what := "no function and no chain of sizes makes"
		if l.Trace {
			what = "no chain of sizes makes"
		}
		all = append(all, fmt.Sprintf("%d growths %s; %s most of them.", l.Grows.N, l.inAll(), what))
	}
	return all
}

// named tells whether it is known in which functions most growths happened.
func (l *Log) named() bool {
	var n int64
	for _, s := range l.Sites {
		if s.Func != "" {
			n += s.N
		}
	}
	return float64(n) > mostOfThem*float64(l.Grows.N)
}

func (l *Log) inAll() string {
	if l.Trace {
		return "in all"
	}
	return "that copied " + about(l.Grows.Bytes) + " in all"
}

func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func percent(part, all int64) string {
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(all))
}

// adviseLarge tells one large frame from many: of a stack that grows for one
// frame little is in use.
func (l *Log) adviseLarge() string {
	text := "A stack grew to " + bytesText(l.Largest)
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
		return fmt.Sprintf("%s, of which %s at most were in use before: one large frame. A variable that large can be allocated once and kept.", text, about(int64(last.UsedMax)))
	}
	return fmt.Sprintf("%s; up to %s were in use before: many calls deep.", text, about(int64(last.UsedMax)))
}

// adviseSite names the function that makes most growths, wherever it is called.
func (l *Log) adviseSite() string {
	byFunc, recursive := map[string]int64{}, map[string]int64{}
	most := ""
	for _, s := range l.Sites {
		if s.Func == "" { // of a log alone the address is all there is
			if s.PC != 0 && float64(s.N) >= mostOfThem*float64(l.Grows.N) {
				return fmt.Sprintf("%d of %d growths (%s) happen in one function, at %#x, whose name is not known.", s.N, l.Grows.N, percent(s.N, l.Grows.N), s.PC)
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
	text := fmt.Sprintf("%d of %d growths (%s) happen in %s", n, l.Grows.N, percent(n, l.Grows.N), most)
	if float64(recursive[most]) >= mostOfThem*float64(n) {
		return text + ", which calls itself: a smaller frame, or fewer calls deep, would save some."
	}
	return text + ": it is the first call that does not fit. Smaller frames, its own and its callers', save a growth only if what follows fits too."
}

// adviseChain names the chain of sizes that makes most growths.
func (l *Log) adviseChain() string {
	var most Chain
	var n int64
	for _, c := range l.Chains {
		if ups, again := c.ups(); c.N*(ups-again) > n {
			most, n = c, c.N*(ups-again)
		}
	}
	if n < manyGrowths || float64(n) < mostOfThem*float64(l.Grows.N) {
		return ""
	}
	return fmt.Sprintf("%d goroutines grew %s, %s of all growths: each does it anew. Goroutines that are kept, as in a pool of workers, do it once (memcost run stackgrowth measures both).",
		most.N, most, percent(n, l.Grows.N))
}

// adviseRegrown counts the growths of stacks that had been shrunk.
func (l *Log) adviseRegrown() string {
	var regrown int64
	for _, c := range l.Chains {
		_, again := c.ups()
		regrown += c.N * again
	}
	if float64(regrown) < regrownShare*float64(l.Grows.N) {
		return ""
	}
	return fmt.Sprintf("%d of %d growths (%s) regain what the collector took: it halves a stack of which less than a quarter is in use. GODEBUG=gcshrinkstackoff=1 shows what that costs.",
		regrown, l.Grows.N, percent(regrown, l.Grows.N))
}

// ups counts the growths of a chain, and those of them after a shrink.
func (c Chain) ups() (all, again int64) {
	shrunk := false
	for i := 1; i < len(c.Sizes); i++ {
		if c.Sizes[i] < c.Sizes[i-1] {
			shrunk = true
			continue
		}
		all++
		if shrunk {
			again++
		}
	}
	return all, again
}

// about is a number of bytes with a decimal.
func about(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, u := float64(n), 0
	for v >= 1024 && u < len(units)-1 {
		v /= 1024
		u++
	}
	if u == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[u])
}
