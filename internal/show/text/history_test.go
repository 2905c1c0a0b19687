package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"memcost/internal/measure/history"
	"memcost/internal/report/figures"
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

func TestHistory(t *testing.T) {
	var b bytes.Buffer
	if err := History(&b, searched(), Style{Width: 100}); err != nil {
		t.Fatal(err)
	}
	const want = `nightly: 4 releases, 3 of them built, in 3 steps
  go1.23.1: Decode takes 1.50× [1.40, 1.60] as long from there on
  undecided: Encode takes 1× [0.900, 1.10] as long from go1.20.1 to go1.22.1

  cost from go1.20.1 to go1.23.1, each row by its own scale
  benchmark          history          last/first
  Decode     sec/op  ▁▁▁█     1.50× [1.40, 1.60]
  1 figure of benchmarks in which no change was found; --long shows them

left out: go1.21.1: it does not build
note: the search is not finished: about 2 steps left
note: not found are changes of less than 2%
`
	if got := b.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	b.Reset()
	if err := History(&b, searched(), Style{Long: true}); err != nil || !strings.Contains(b.String(), "\n  Encode ") {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	if err := HistoryMarkdown(&b, searched()); err != nil ||
		!strings.Contains(b.String(), "- go1.23.1: Decode takes 1.50×") {
		t.Errorf("%v\n%s", err, b.String())
	}
	// Of points none of which could be measured there is nothing to draw.
	none := searched()
	none.Series, none.Built = nil, 0
	b.Reset()
	if err := History(&b, none, Style{}); err != nil || !strings.Contains(b.String(), "Nothing could be compared.") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
