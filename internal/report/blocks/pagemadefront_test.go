package blocks

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"memcost/internal/report/answer"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// frontOf returns a front of some answers: their own verdicts, and on the axis figures of a real
// run, with further series of the same curves where there are several runs.
func frontOf(t testing.TB, answers ...*result.Answer) *answer.Front {
	t.Helper()
	f := &answer.Front{Question: "What does memory cost here?",
		Machine: "AMD EPYC, 2 CPUs, 23.5 GiB, linux, virtual (kvm)",
		Tools:   []string{"go1.26.8", "g++ 12.2.0"}, Created: "2026-11-22", Run: "results/20261122-041708-vm",
		Answer: []answer.Sentence{{{Text: "A block from the Go heap costs "}, {Text: "3.7", Kind: answer.Number},
			{Text: " "}, {Text: "[3.2, 5.7]", Kind: answer.Interval}, {Text: " to "}, {Text: "15", Kind: answer.Number},
			{Text: " "}, {Text: "[11, 21]", Kind: answer.Interval},
			{Text: " times what the same block costs on the stack, at every size from 1 KiB to 1 MiB."}}},
		Axis: madeAxis(len(answers)),
		Trust: answer.Trust{Processes: 5000, Rounds: 10,
			Noise: "a binary against itself 0.99–1.01× [0.86, 1.12]", Warnings: answers[0].Warnings},
		LeftOut: []answer.LeftOut{{Study: "limits", Command: "memcost limits"}},
		Next:    []answer.Next{{Command: "memcost run --full", Does: "decides more of what is open (30 minutes)"}}}
	for i, a := range answers {
		for j := range a.Studies {
			s := studyOf(answers, i, j)
			if slices.ContainsFunc(f.Studies, func(x answer.Study) bool { return x.Name == s.Name }) {
				continue
			}
			f.Studies = append(f.Studies, s)
			f.Tally.Add(s.Tally)
			f.Advice = append(f.Advice, advices(s)...)
			f.Failing = append(f.Failing, failings(s)...)
		}
	}
	f.Advice = f.Advice[:min(len(f.Advice), answer.MaxAdvice)]
	return f
}

func studyOf(answers []*result.Answer, run, study int) answer.Study {
	own := &answers[run].Studies[study]
	s := answer.Study{Name: own.Name, Ask: own.Question, Key: -1, Run: run, Study: study,
		Answer: answer.Sentence{{Text: "In all 13 causes the escaping version costs "},
			{Text: "2.3", Kind: answer.Number},
			{Text: " "}, {Text: "[1.9, 2.8]", Kind: answer.Interval}, {Text: " times the fixed one."}}}
	s.Key = slices.IndexFunc(own.Pictures, func(p figures.Picture) bool { return p.HasFigures() })
	for _, c := range own.Claims {
		s.Claims = append(s.Claims, answer.Claim{ID: c.ID, Prose: c.Prose})
	}
	for i, a := range answers {
		for j := range a.Studies {
			if a.Studies[j].Name == own.Name {
				name := "here"
				if i != run {
					name = fmt.Sprint("run ", i)
				}
				s.Lines = append(s.Lines, lineOf(name, s, &a.Studies[j], false, ""))
			}
		}
	}
	for _, c := range own.Claims {
		for _, x := range c.Verdicts {
			known := func(l answer.Line) bool { return l.Name == x.Data }
			if x.Published && !slices.ContainsFunc(s.Lines, known) {
				s.Lines = append(s.Lines, lineOf(x.Data, s, own, true, x.Data))
			}
		}
	}
	for _, c := range s.Lines[0].Cells {
		switch c.Status {
		case "holds":
			s.Tally.Hold++
		case "fails":
			s.Tally.Fail++
		case "undecided":
			s.Tally.Undecided++
		default:
			s.Tally.NotTested++
		}
	}
	return s
}

func lineOf(name string, s answer.Study, from *result.Study, published bool, data string) answer.Line {
	l := answer.Line{Name: name, Published: published}
	for _, want := range s.Claims {
		cell := answer.Cell{Status: "not tested", Says: "not tested"}
		for _, c := range from.Claims {
			at := slices.IndexFunc(c.Verdicts, func(v result.Verdict) bool {
				return v.Published == published && (data == "" || v.Data == data)
			})
			if c.ID == want.ID && at >= 0 {
				cell = answer.Cell{Status: c.Verdicts[at].Status, Says: c.Verdicts[at].Short()}
			}
		}
		l.Cells = append(l.Cells, cell)
	}
	return l
}

func advices(s answer.Study) []answer.Advice {
	var out []answer.Advice
	for i, c := range s.Lines[0].Cells {
		if len(out) < 2 && (c.Status == "holds" || c.Status == "fails") {
			out = append(out, answer.Advice{Do: "Pass and return values, not pointers, up to 1 MiB",
				When: "values made in one function and handed to its caller", Times: "3.7–15×", Study: s.Name,
				Because: answer.Sentence{{Text: "The heap costs "}, {Text: "3.7", Kind: answer.Number},
					{Text: " [3.2, 5.7]", Kind: answer.Interval}, {Text: " times the stack."}},
				Claim: s.Claims[i].ID, Status: c.Status, Prose: s.Claims[i].Prose, Family: "go"})
		}
	}
	return out
}

func failings(s answer.Study) []answer.Failing {
	var out []answer.Failing
	for _, l := range s.Lines {
		for i, c := range l.Cells {
			if l.Published && c.Status == "holds" && s.Lines[0].Cells[i].Status == "fails" {
				out = append(out, answer.Failing{Study: s.Name, Claim: s.Claims[i].ID, Prose: s.Claims[i].Prose,
					Published: c.Says, Here: s.Lines[0].Cells[i].Says})
			}
		}
	}
	return out
}

// madeAxis returns curves with the figures of a real run.
func madeAxis(runs int) *answer.Axis {
	a := &answer.Axis{What: "Time to have a block of n bytes, zeroed and touched, and to give it back",
		Note: "Stand-ins: where two overlap, they differ by up to 1.7 times.",
		Caches: []answer.Cache{{Label: "L1 cache 48 KiB", Bytes: 48 << 10}, {Label: "L2 cache 1 MiB", Bytes: 1 << 20},
			{Label: "L3 cache 32 MiB", Bytes: 32 << 20}},
		Crossings: []answer.Crossing{{Says: answer.Sentence{{Text: "Heap and stack do not cross up to 1 MiB."}},
			Claim: "C4", Decided: true}},
		Missing: []string{"Go stack above 1 MiB: a frame may not be larger",
			"arena above 2 MiB: an arena holds no larger block"}}
	for size := int64(8); size <= 64<<20; size *= 2 {
		a.Sizes = append(a.Sizes, size)
	}
	for _, m := range []struct {
		key, label, short, family string
		dash                      int
		base, perByte             float64
		from, to                  int64
	}{
		{"heap", "Go heap, by pointer", "heap", "heap", 0, 12e-9, 2.6e-10, 8, 64 << 20},
		{"stack", "Go stack, by value", "stack", "stack", 0, 1.2e-9, 2e-11, 8, 1 << 20},
		{"pool", "sync.Pool, cleared", "pool", "pool", 0, 9e-9, 2.2e-11, 8, 64 << 20},
		{"pool-left", "sync.Pool, as left", "pool left", "pool", 1, 8e-9, 7e-12, 8, 64 << 20},
		{"arena", "arena, by block", "arena", "arena", 0, 30e-9, 3e-10, 8, 2 << 20},
		{"slab", "slab of blocks", "slab", "slab", 0, 3e-9, 2.1e-11, 8, 64 << 20},
		{"c-glibc", "C, glibc's defaults", "C", "c", 0, 14e-9, 2.3e-11, 8, 64 << 20},
		{"c-mmap", "C, mapped each time", "C mapped", "c", 1, 9e-6, 3.6e-10, 4096, 64 << 20},
		{"c-locked", "C, mapped and locked", "C locked", "c", 2, 11e-6, 4e-10, 4096, 64 << 20},
		{"write", "one plain write", "write", "floor", 0, 5e-10, 1.8e-11, 8, 64 << 20},
	} {
		x := answer.Mean{Key: m.key, Label: m.label, Short: m.short, Family: m.family, Dash: m.dash, Study: "stackheap",
			Data: "go1.26.8", Note: "block zeroed, touched, given back"}
		if m.to < 64<<20 {
			x.Ends = "it cannot be larger"
		}
		for size := m.from; size <= m.to; size *= 2 {
			v := m.base + m.perByte*float64(size)*(1+0.3*math.Sin(float64(size%13)))
			x.Points = append(x.Points, answer.Point{Size: size, Case: m.key, Figure: madeFigure(v, "sec/op")})
		}
		a.Means = append(a.Means, x)
	}
	a.Ratio = &answer.AxisRatio{Label: "heap / stack", Num: "heap", Den: "stack"}
	for i, p := range a.Means[1].Points {
		a.Ratio.Points = append(a.Ratio.Points, answer.Point{Size: p.Size,
			Figure: madeFigure(float64(a.Means[0].Points[i].Figure.Value/p.Figure.Value), "")})
	}
	here := slices.Clone(a.Means)
	for run := 1; run < runs; run++ {
		a.Means = append(a.Means, others(here, run, false)...)
	}
	a.Means = append(a.Means, others(here[:2], 0, true)...)
	return a
}

func madeFigure(v float64, unit string) figures.Figure {
	return figures.Figure{Value: figures.Number(v), Lo: figures.Number(v * 0.93), Hi: figures.Number(v * 1.06),
		Medians: figures.Number(v), N: 10, Unit: unit}
}

// others returns the same curves of another run, or of a published machine.
func others(here []answer.Mean, run int, published bool) []answer.Mean {
	var out []answer.Mean
	for _, m := range here {
		m.Run, m.Published = run, published
		if published {
			m.Data = "Apple M1 Max (go1.21)"
		}
		m.Points = slices.Clone(m.Points)
		for i := range m.Points {
			m.Points[i].Figure = madeFigure(float64(m.Points[i].Figure.Value)*(1.5+float64(run)), "sec/op")
			m.Points[i].Hollow = i%3 == 0
		}
		m.Label = strings.ToUpper(m.Label[:1]) + m.Label[1:]
		out = append(out, m)
	}
	return out
}
