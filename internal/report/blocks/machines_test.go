package blocks

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"memcost/internal/method/claim"
	"memcost/internal/report/across"
	"memcost/internal/report/figures"
	"memcost/internal/show/terminal"
)

// madeMachines are made-up machines: boards of kinds, with a claim about them, one on which they differ, and one
// that holds on all.
func madeMachines(kinds, boards int, name string) *across.Report {
	r := &across.Report{Kinds: kinds, Boards: kinds * boards,
		Says: fmt.Sprintf("%d machines of %d kinds", kinds*boards, kinds)}
	same, differ, all := across.Claim{ID: "C1", Says: "holds on all"}, across.Claim{ID: "C2",
		Says: "they differ"}, across.Claim{ID: "C3", Says: "undecided: 3 kinds",
		Line: &across.Line{Says: "3 kinds of machines, and fewer than four decide nothing"}}
	cost := &across.Line{Figure: "Case/size=1", Says: "what the line says"}
	for k := range kinds {
		for b := range boards {
			r.Machines = append(r.Machines, across.Machine{Name: fmt.Sprintf("%s%d-%d", name, k, b),
				Kind: fmt.Sprintf("CPU %d", k)})
			same.Cells = append(same.Cells, across.Cell{Status: "holds"})
			differ.Cells = append(differ.Cells, across.Cell{Status: []claim.Status{"holds", "fails"}[k%2]})
			all.Cells = append(all.Cells, across.Cell{Status: "undecided"})
			cost.Points = append(cost.Points, across.Point{Name: r.Machines[len(r.Machines)-1].Name,
				Kind: fmt.Sprintf("CPU %d", k), Strength: 1 << 30, Figure: figures.Figure{Value: 1e-6, Lo: 9e-7,
					Hi: 1.1e-6, Unit: "sec/op", N: 9}})
		}
	}
	r.Studies = []across.Study{{Name: "s", Claims: []across.Claim{same, differ, all}, Cost: cost,
		Spreads: []across.Spread{{Case: "Case/size=1", Kinds: 0.5, Boards: 0.03,
			Samples: figures.Number(math.NaN())}}}}
	return r
}

func TestMachines(t *testing.T) {
	f := madeFront()
	f.Machines = madeMachines(3, 2, "board")
	f.Axis, f.Advice, f.Failing = nil, nil, nil
	got := drawFront(t, &Report{Front: f}, terminal.Style{Width: 100})
	for _, want := range []string{"Claims by machine: 6 machines of 3 kinds", "✓✓  ✗✗  ✓✓", "??  ??  ??",
		"A CPU 0: board0-0, board0-1", "fewer than four decide nothing",
		"kinds differ by 50.0%, boards of one kind by 3.0%, samples of one board by an unknown share"} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if about, differ, same := strings.Index(got, "\nC3"), strings.Index(got, "\nC2"), strings.Index(got,
		"\nC1 "); about < 0 || about > differ || differ > same {
		t.Errorf("the claim about machines is first, then what machines differ on:\n%s", got)
	}
	md := renderMarkdown(t, &Report{Front: f})
	for _, want := range []string{"Claims by machine: 6 machines of 3 kinds", "| ✓✓ | ✗✗ | ✓✓ |", "1 GiB/s"} {
		if !strings.Contains(md, want) {
			t.Errorf("%q is missing in\n%s", want, md)
		}
	}
}

// However many machines there are, and whatever they are called, the text keeps to its lines and columns.
func TestMachinesFit(t *testing.T) {
	t.Parallel()
	for _, width := range []int{20, 40, 80, 200} {
		for _, boards := range []int{1, 7, 60} {
			f := madeFront()
			f.Machines = madeMachines(30, boards, "a\x1b[31m name|of\n30 columns 火")
			s := terminal.Style{Width: width}
			got := drawFront(t, &Report{Front: f}, s)
			fits(t, got, s)
			if n := strings.Count(got, "\n"); n > Lines {
				t.Errorf("%d lines at %d columns", n, width)
			}
		}
	}
}
