package blocks

import (
	"strings"

	"memcost/internal/method/claim"
	"memcost/internal/report/answer"
	"memcost/internal/report/figures"
)

// sentence reads a sentence: numbers stand between bars; an interval begins with a bracket.
func spoken(s string) answer.Sentence {
	var out answer.Sentence
	for i, p := range strings.Split(s, "|") {
		kind := ""
		if i%2 == 1 {
			if kind = answer.Number; strings.HasPrefix(p, "[") {
				kind = answer.Interval
			}
		}
		if p != "" {
			out = append(out, answer.Part{Text: p, Kind: kind})
		}
	}
	return out
}

func points(seconds map[int64]float64) []answer.Point {
	var out []answer.Point
	for _, size := range madeSizes {
		if v, ok := seconds[size]; ok {
			f := figures.NoFigure()
			f.Value, f.Unit = figures.Number(v), "sec/op"
			out = append(out, answer.Point{Size: size, Figure: f})
		}
	}
	return out
}

var madeSizes = []int64{16, 1 << 10, 4 << 10, 64 << 10, 256 << 10, 1 << 20, 16 << 20, 32 << 20}

// madeAxis has the figures of a real run.
func frontAxis() *answer.Axis {
	const ns, us, ms = 1e-9, 1e-6, 1e-3
	mean := func(key, label, short, family, study string, seconds ...float64) answer.Mean {
		all := map[int64]float64{}
		for i, s := range seconds {
			if s > 0 {
				all[madeSizes[i]] = s
			}
		}
		return answer.Mean{Key: key, Label: label, Short: short, Family: family, Study: study, Data: "go1.26.8",
			Points: points(all)}
	}
	return &answer.Axis{
		What:  "time to have a block of n bytes, zeroed and touched, and to give it back",
		Sizes: madeSizes,
		Means: []answer.Mean{
			mean("stack", "Go stack, by value", "stack", "stack", "stackheap", 1.3*ns, 20*ns, 77*ns, 1.2*us, 5.2*us,
				35*us),
			mean("heap", "Go heap, by pointer", "heap", "heap", "stackheap", 16*ns, 280*ns, 1.1*us, 13*us, 38*us,
				130*us),
			mean("pool-left", "sync.Pool, as left", "pool", "pool", "buffers", 0, 0, 30*ns, 400*ns, 0, 7*us),
			mean("pool", "sync.Pool, cleared", "pool, cleared", "pool", "buffers", 0, 0, 69*ns, 830*ns, 0, 27*us),
			mean("c-glibc", "C, glibc's defaults", "glibc", "c", "malloc", 0, 0, 40*ns, 420*ns, 1.7*us, 0, 0, 12*ms),
			mean("c-mmap", "C, mapped each time", "mmap", "c", "malloc", 0, 0, 0, 29*us, 93*us, 0, 5.8*ms, 12*ms),
			mean("c-locked", "C, mapped and locked", "locked", "c", "malloc", 0, 0, 0, 35*us, 110*us, 410*us, 6.9*ms,
				14*ms),
			mean("write", "one plain write", "write", "floor", "stackheap", 0, 8.9*ns, 28*ns, 720*ns, 2.3*us, 28*us),
		},
		Ratio: &answer.AxisRatio{Label: "heap / stack", Num: "heap", Den: "stack", Points: points(map[int64]float64{
			16:      13,
			1 << 10: 14, 4 << 10: 14, 64 << 10: 11, 256 << 10: 7.1, 1 << 20: 3.7})},
		Crossings: []answer.Crossing{
			{Says: spoken("Heap and stack do not cross up to 1 MiB."), Claim: "C4", Decided: true},
			{Says: spoken("From 4 KiB on a pooled block is cheaper than one on the heap."), Claim: "A2",
				Decided: true,
				Size:    4096},
		},
	}
}

// made is the front of a quick run of all studies.
func madeFront() *answer.Front {
	study := func(name string, hold, fail, undecided, untested int, short string) answer.Study {
		return answer.Study{Name: name, Ask: "?", Key: -1, Short: spoken(short), Answer: spoken(short + "."),
			Tally: answer.Tally{Hold: hold, Fail: fail, Undecided: undecided, NotTested: untested}}
	}
	advice := func(do, when, times, name, id string, status claim.Status) answer.Advice {
		return answer.Advice{Do: do, When: when, Times: times, Study: name, Claim: id, Status: status}
	}
	f := &answer.Front{
		Question: "What does memory cost here?",
		Answer: []answer.Sentence{spoken(
			"A block from the Go heap costs |3.7| |[3.2, 5.7]| times what the same block " +
				"costs on the stack at 1 MiB and |15| |[11, 21]| times at 8 KiB.")},
		Machine: "AMD EPYC, 2 CPUs, 23.5 GiB, kvm", Tools: []string{"go1.26.8", "g++ 12.2.0"}, Created: "2026-11-22",
		Run: "results/20261122-041708-vm", Axis: frontAxis(),
		Studies: []answer.Study{
			study("stackheap", 6, 2, 3, 0, "the heap costs |3.7| (1 MiB) to |15| (8 KiB) times the stack"),
			study("escape", 8, 0, 1, 0, "in all 13 causes the escape costs |2.3| to |34| times the usual fix"),
			study("gccost", 11, 2, 1, 3, "a million 80-byte values take |5.7| |[4.7, 6.7]| times as long by pointer"),
			study("buffers", 2, 0, 6, 0,
				"stack buffers cost |1.9| (4 KiB) to |4.0| (1 MiB) times uncleared pooled ones"),
			study("arena", 4, 10, 1, 2, "no collections (heap: 20), yet |1.7| to |2.9| times the heap's time"),
			study("parallel", 3, 0, 11, 0, "undecided: on both CPUs the heap costs |1.1| to |1.4| times that on one"),
			study("stackgrowth", 4, 1, 2, 0, "the first deep call costs |2.4| (4 KiB) to |22| (2 MiB) times the next"),
			study("malloc", 12, 0, 5, 4, "M_MMAP_THRESHOLD=0 costs |490| to |700| times glibc's defaults"),
		},
		Advice: []answer.Advice{
			advice("Pass and return values, not pointers, up to 1 MiB",
				"values made in one function and handed to its caller",
				"3.7–15×", "stackheap", "C4", "holds"),
			advice("Remove escapes from hot code", "the 13 causes of the study", "2.3–34×", "escape", "fix", "holds"),
			advice("Pool buffers, and do not clear them", "a buffer without system calls", "1.9–4.0×", "buffers",
				"pool-alone",
				"holds"),
			advice("Take a slab instead of an arena", "10,000 objects", "8.3–11×", "arena", "G1-slab", "fails"),
			advice("Leave the collector on", "a heap of 4 MiB", "1.4×", "gccost", "gogc-off", "fails"),
			advice("Reuse goroutines whose stacks have grown", "calls that need 4 KiB or more", "2.4–22×",
				"stackgrowth",
				"D8-copies", "holds"),
			advice("Leave glibc's mmap threshold alone", "blocks from 64 KiB", "490–700×", "malloc", "E1", "holds"),
			advice("Touch or lock C memory before time counts", "the first use of a page", "100–430×", "malloc", "E8",
				"holds"),
		},
		Failing: []answer.Failing{
			{Study: "arena", Claim: "G1-time", Prose: "Slices in an arena take 0.6 to 0.7 times as long as on the heap",
				Published: "0.65×", Here: "2.6×"},
			{Study: "arena", Claim: "G3",
				Prose:     "Complex structs take 1.4 to 1.5 times as long in an arena as on the heap",
				Published: "1.4×", Here: "0.54×"},
			{Study: "stackheap", Claim: "C7", Prose: "The heap's cost grows faster than the size",
				Published: "exponent 1.10",
				Here:      "exponent 0.92"},
			{Study: "gccost", Claim: "gogc-off", Prose: "Without the collector a program is faster", Published: "",
				Here: "1.4×"},
		},
		Trust: answer.Trust{Processes: 5000, Rounds: 10, Noise: "a binary against itself 0.99–1.01×",
			Warnings: []string{"g++ is of another version than published"}},
		LeftOut: []answer.LeftOut{{Study: "busy", Command: "memcost run busy"}},
		Next: []answer.Next{{Command: "memcost run --full",
			Does: "decides more of the 29 that are undecided (30 minutes)"}},
	}
	for _, s := range f.Studies {
		f.Tally.Add(s.Tally)
	}
	return f
}
