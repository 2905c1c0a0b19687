package history_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"memcost/internal/measure/history"
	"memcost/internal/report/figures"
	"memcost/internal/show/markdown"
	"memcost/internal/show/terminal"
	"memcost/internal/testkit"
)

func searched() *history.Report {
	ratio := func(v, lo, hi float64) figures.Figure {
		return figures.Figure{Value: figures.Number(v), Lo: figures.Number(lo), Hi: figures.Number(hi), N: 9}
	}
	r := &history.Report{Kind: history.Releases, Label: "nightly", Margin: 0.02, Steps: 3, Built: 3, Stretch: 1,
		Left: 2}
	for i := range 4 {
		r.Points = append(r.Points, history.State{Point: history.Point{Name: fmt.Sprintf("go1.2%d.1", i)},
			Measured: i != 1})
	}
	r.Points[1].Failed = "it does not build\nwith many lines"
	of := func(name string) history.ID {
		return history.ID{Benchmark: history.Benchmark{Package: "p", Name: name}, Unit: "sec/op"}
	}
	r.Series = []history.Series{
		{ID: of("Decode"), Changes: []history.Change{{Stretch: history.Stretch{From: 2, To: 3,
			Ratio: ratio(1.5, 1.4, 1.6)}}}, Levels: []history.Level{{At: 0, Cost: ratio(1, 1, 1)},
			{At: 2, Cost: ratio(1, 0.99, 1.01)}, {At: 3, Cost: ratio(1.5, 1.4, 1.6)}}},
		{ID: of("Encode"), Undecided: []history.Stretch{{From: 0, To: 2, Ratio: ratio(1, 0.9, 1.1)}},
			Levels: []history.Level{{At: 0, Cost: ratio(1, 1, 1)}, {At: 2, Cost: ratio(1, 0.9, 1.1)}}},
	}
	return r
}

func TestDocument(t *testing.T) {
	terminalText := func(r *history.Report, s terminal.Style) string {
		var b bytes.Buffer
		if err := terminal.Write(&b, r.Document(), s); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	testkit.Golden(t, "testdata/searched.txt", terminalText(searched(), terminal.Style{Width: 100}))
	if s := terminalText(searched(), terminal.Style{Long: true}); !strings.Contains(s, "\n  Encode ") {
		t.Error(s)
	}
	var b bytes.Buffer
	if err := markdown.Write(&b, searched().Document(), markdown.Options{}); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/searched.md", b.String())
	// Of points none of which could be measured there is nothing to draw.
	none := searched()
	none.Series, none.Built = nil, 0
	if s := terminalText(none, terminal.Style{}); !strings.Contains(s, "Nothing could be compared.") {
		t.Error(s)
	}
}
