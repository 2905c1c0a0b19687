package stacklog

import (
	"strings"
	"testing"
)

// grown returns a log of goroutines that made these steps, all in one function.
func grown(n int64, function string, sizes ...uint64) *Log {
	l := &Log{Chains: []Chain{{Sizes: sizes, N: n}}}
	for i := 1; i < len(sizes); i++ {
		if sizes[i] < sizes[i-1] {
			l.Shrinks.N += n
			continue
		}
		l.Grows.N += n
		l.Grows.Bytes += n * int64(sizes[i-1]) / 2
		l.Largest = max(l.Largest, sizes[i])
	}
	l.Sites = []Site{{PC: 1, N: l.Grows.N, Used: l.Grows.Bytes, To: l.Largest, Func: function}}
	return l
}

func TestAdvice(t *testing.T) {
	large := grown(1, "main.work", 2048, 16<<20)
	large.Steps = []Step{{Kind: Grow, From: 2048, To: 16 << 20, N: 1, UsedMax: 200}}
	deep := grown(1, "main.walk", 1<<20, 2<<20)
	deep.Steps = []Step{{Kind: Grow, From: 1 << 20, To: 2 << 20, N: 1, UsedMax: 1<<20 - 100}}
	spread := grown(50, "a", 2048, 4096)
	spread.Grows.N, spread.Chains = 300, append(spread.Chains, Chain{Sizes: []uint64{2048, 8192}, N: 50},
		Chain{Sizes: []uint64{4096, 8192}, N: 200})
	for name, x := range map[string]struct {
		log  *Log
		want []string // what each sentence holds
	}{
		"nothing": {&Log{}, nil},
		"few":     {grown(99, "f", 2048, 4096), []string{"99 growths that copied 99 KiB in all: too few"}},
		"one":     {grown(1, "f", 2048, 4096), []string{"1 growth that"}},
		"large": {large,
			[]string{"16 MiB in main.work, of which 200 B at most were in use before: it has one large frame"}},
		"deep": {deep, []string{"2 MiB in main.walk; up to 1.00 MiB were in use before: the calls are deep"}},
		"the same": {grown(100, "f", 2048, 4096, 8192), []string{"200 of 200 growths (100.0%) happen in f: ",
			"100 goroutines grew 2 KiB → 4 KiB → 8 KiB, 100.0% of all growths"}},
		"regrown": {grown(60, "", 4096, 8192, 4096, 8192), []string{"120 of 120 growths (100.0%) happen in one " +
			"function, at 0x1, whose name", "60 of 120 growths (50.0%) restore what the collector had shrunk"}},
		"nameless": {&Log{Grows: Tally{N: 200, Bytes: 2048}, Sites: []Site{{PC: 1, N: 90},
			{PC: 2, N: 90}}}, nil},
		"several": {&Log{Several: true, Grows: Tally{N: 3}}, nil},
		"spread":  {spread, []string{"200 goroutines grew 4 KiB → 8 KiB, 66.7%"}},
		"unlike": {&Log{Grows: Tally{N: 200, Bytes: 2048},
			Sites: []Site{{N: 90, Func: "f"}, {N: 90, Func: "g"}}},
			[]string{"no single function and no single sequence of sizes accounts for most of them"}},
		"by trace": {&Log{Trace: true, Grows: Tally{N: 3}, Largest: 4096},
			[]string{"3 growths in all"}},
	} {
		got := x.log.Advice()
		if len(got) != len(x.want) {
			t.Errorf("%s: %q", name, got)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], x.want[i]) {
				t.Errorf("%s: %q, want %q", name, got[i], x.want[i])
			}
		}
	}
}

// One function, called from two places.
func TestAdviceAddsUpCallers(t *testing.T) {
	l := &Log{Grows: Tally{N: 300}, Sites: []Site{{N: 110, Func: "f", CallerPC: 1},
		{N: 100, Func: "g"}, {N: 90, Func: "f", CallerPC: 2}}}
	if got := l.Advice(); len(got) != 1 ||
		!strings.Contains(got[0], "200 of 300 growths (66.7%) happen in f: it is the first call") {
		t.Errorf("%q", got)
	}
	l.Sites[0].Caller = "f"
	if got := l.Advice(); len(got) != 1 ||
		!strings.Contains(got[0], "200 of 300 growths (66.7%) happen in f, which calls itself") {
		t.Errorf("%q", got)
	}
}
