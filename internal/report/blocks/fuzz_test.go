package blocks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"memcost/internal/method/claim"
	"memcost/internal/report/answer"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/show/terminal"
	"memcost/internal/testkit"
)

// hostileTexts are what names and prose may hold.
var hostileTexts = append([]string{"C4", "heap", "example.com/a/very/long/module/path/" + strings.Repeat("sub/", 80) + "pkg",
	strings.Repeat("x", 5000)}, testkit.Hostiles...)

// A dice makes fronts of many kinds.
type dice struct{ *rand.Rand }

func (d dice) text() string {
	if d.IntN(3) > 0 {
		return []string{"stackheap", "The heap costs 3.7 times the stack", "holds 2.35× at 1 MiB",
			"results/20261122-vm"}[d.IntN(4)]
	}
	return hostileTexts[d.IntN(len(hostileTexts))]
}

func (d dice) spoken() answer.Sentence {
	var s answer.Sentence
	for range d.IntN(5) {
		s = append(s, answer.Part{Text: d.text() + " ", Kind: []string{"", answer.Number, answer.Interval}[d.IntN(3)]})
	}
	return s
}

func (d dice) status() string {
	return []string{"holds", "fails", "undecided", "not tested", "INVALID", d.text()}[d.IntN(6)]
}

func (d dice) count(most int) int { return d.IntN([]int{2, 5, most + 1}[d.IntN(3)]) }

func repeated[T any](n int, make func() T) []T {
	var out []T
	for range n {
		out = append(out, make())
	}
	return out
}

func (d dice) figure() figures.Figure {
	f := figures.NoFigure()
	f.Value = figures.Number([]float64{0, -1, math.NaN(), math.Inf(1), 1e-300, 1e300, math.Exp(40*d.Float64() - 25)}[d.IntN(7)])
	return f
}

func (d dice) points(sizes []int64) []answer.Point {
	var out []answer.Point
	for _, size := range sizes {
		if d.IntN(3) > 0 {
			out = append(out, answer.Point{Size: size, Figure: d.figure(), Flag: []string{"", "", "flagged"}[d.IntN(
				3)]})
		}
	}
	return out
}

func (d dice) axis() *answer.Axis {
	if d.IntN(4) == 0 {
		return nil
	}
	a := &answer.Axis{What: d.text(), Note: d.text()}
	for i := range d.count(30) {
		a.Sizes = append(a.Sizes, 8<<i)
	}
	a.Means = repeated(d.count(40), func() answer.Mean {
		return answer.Mean{Key: []string{"stack", "heap", "pool", d.text()}[d.IntN(4)], Label: d.text(),
			Short:  d.text(),
			Family: []string{"stack", "heap", "c", "floor"}[d.IntN(4)], Run: d.IntN(3), Data: d.text(),
			Published: d.IntN(5) == 0, Points: d.points(a.Sizes)}
	})
	if d.IntN(2) == 0 {
		a.Ratio = &answer.AxisRatio{Label: d.text(), Num: "heap", Den: "stack", Points: d.points(a.Sizes)}
	}
	a.Crossings = repeated(d.count(20), func() answer.Crossing {
		return answer.Crossing{Says: d.spoken(), Decided: d.IntN(2) == 0}
	})
	return a
}

func (d dice) tally() answer.Tally {
	return answer.Tally{Hold: d.count(2000), Fail: d.count(99), Undecided: d.count(99), NotTested: d.count(99),
		Invalid: d.count(3)}
}

func (d dice) study() answer.Study {
	s := answer.Study{Name: d.text(), Ask: d.text(), Answer: d.spoken(), Short: d.spoken(), Tally: d.tally(),
		Key: d.IntN(3) - 1, Run: d.IntN(4) - 1, Study: d.IntN(4) - 1}
	s.Claims = repeated(d.count(60), func() answer.Claim { return answer.Claim{ID: d.text(), Prose: d.text()} })
	s.Lines = repeated(d.count(12), func() answer.Line {
		n := len(s.Claims) - d.IntN(2)
		return answer.Line{Name: fmt.Sprint(d.text(), d.IntN(12)), Published: d.IntN(3) == 0,
			Cells: repeated(max(n, 0), func() answer.Cell { return answer.Cell{Status: claim.Status(d.status()), Says: d.text()} })}
	})
	return s
}

func (d dice) front() *answer.Front {
	f := &answer.Front{Question: d.text(), Machine: d.text(), Tools: repeated(d.count(5), d.text), Created: d.text(),
		Run: d.text(), Axis: d.axis(), Tally: d.tally(), Releases: d.text()}
	f.Answer = repeated(d.count(4), d.spoken)
	if d.IntN(3) == 0 {
		f.Disturbed = "On a disturbed machine:"
	}
	f.Studies = repeated(d.count(60), d.study)
	f.Advice = repeated(d.count(20), func() answer.Advice {
		return answer.Advice{Do: d.text(), When: d.text(), Times: d.text(), Claim: d.text(), Status: claim.Status(d.status())}
	})
	f.Failing = repeated(d.count(60), func() answer.Failing {
		return answer.Failing{Study: d.text(), Claim: d.text(), Prose: d.text(), Published: d.text(), Here: d.text()}
	})
	f.Trust = answer.Trust{Processes: d.count(9999), Rounds: d.count(99), Excluded: d.text(), Noise: d.text(),
		Amber: d.text(), Certificate: d.text(), Invalid: d.count(9), Warnings: repeated(d.count(40), d.text),
		Together: d.text()}
	f.LeftOut = repeated(d.count(12), func() answer.LeftOut { return answer.LeftOut{Study: d.text(), Command: d.text()} })
	f.Next = repeated(d.count(9), func() answer.Next { return answer.Next{Command: d.text(), Does: d.text()} })
	return f
}

// Whatever a front holds, it fits: fits checks lines, columns and characters.
func TestAnyFrontFits(t *testing.T) {
	answers := []*result.Answer{frontRun(t, "arms"), frontRun(t, "troubled")}
	for seed := range uint64(100) {
		d := dice{rand.New(rand.NewPCG(seed, 16))}
		r := &Report{Front: d.front(), Answers: answers[:d.IntN(3)], Page: d.text()}
		s := terminal.Style{Width: []int{0, 16, 40, 60, 80, 100, 200, 10 + d.IntN(200)}[d.IntN(8)], Color: d.IntN(2) == 0}
		got := drawFront(t, r, s)
		if again := drawFront(t, r, s); again != got {
			t.Errorf("seed %d: the same front gave another text", seed)
		}
		if seed%10 == 0 {
			renderMarkdown(t, r)
		}
		if t.Failed() {
			t.Fatalf("seed %d, %d columns", seed, s.Width)
		}
	}
}

// Colour repeats words: without it, the text is the same.
func TestColourRepeatsWords(t *testing.T) {
	for seed := range uint64(50) {
		r := &Report{Front: dice{rand.New(rand.NewPCG(seed, 5))}.front()}
		painted := drawFront(t, r, terminal.Style{Width: 100, Color: true})
		if plain := drawFront(t, r, terminal.Style{Width: 100}); escapes.ReplaceAllString(painted, "") != plain {
			t.Fatalf("seed %d: with colour another text", seed)
		}
	}
	if got := drawFront(t, &Report{Front: madeFront()}, terminal.Style{Color: true}); !strings.Contains(got, "\x1b[") {
		t.Error("no colour")
	}
}
