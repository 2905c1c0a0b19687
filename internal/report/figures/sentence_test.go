package figures

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"memcost/internal/study/language"
)

// A ratio near v whose interval reaches from lo to hi.
func ratioFigure(v, lo, hi float64) Figure {
	return Figure{Value: Number(v), Lo: Number(lo), Hi: Number(hi)}
}

// without returns a figure of too few rounds for an interval.
func without(v float64) Figure { return ratioFigure(v, 0, math.Inf(1)) }

func seconds(v float64) Figure {
	return Figure{Value: Number(v), Lo: Number(v * 0.9), Hi: Number(v * 1.1), Unit: "sec/op"}
}

// rows makes rows of one column.
func rows(labels string, fs ...Figure) []Row {
	var out []Row
	for i, l := range strings.Fields(labels) {
		out = append(out, Row{Label: l, Cells: []Figure{fs[i]}})
	}
	return out
}

// forest is a picture of one ratio, of the heap over the stack.
func forest(by string, rows []Row) *Picture {
	return &Picture{Kind: language.Forest, Title: "Heap over stack", By: by, Roofline: -1,
		Columns: []string{"heap/stack"}, Sides: []Sides{{Num: "the heap", Den: "the stack", Unit: "sec/op"}},
		Sets: []PictureSet{{Data: "go1.26.8", Rows: rows}}}
}

// The title of a picture of ratios says which side is dearer, how many times, where, and what
// is not decided.
func TestRatioTitles(t *testing.T) {
	dear, cheap, open := ratioFigure(3.71, 3.2, 5.7), ratioFigure(0.5, 0.4, 0.625), ratioFigure(1.04, 0.97, 1.12)
	busy := forest("size", rows("1024", dear))
	busy.Busy = true
	two := forest("size", rows("1024", dear))
	two.Sets = append(two.Sets, PictureSet{Data: "go1.27.4", Rows: rows("1024", cheap)})
	published := forest("size", rows("1024", Figure{Value: 3, Lo: Number(math.NaN()), Hi: Number(math.NaN())}))
	published.Sets[0].Data, published.Sets[0].Published = "Apple M1 Max (macOS)", true
	bytes := forest("size", rows("1024", dear))
	bytes.Sides[0].Unit = "B/op"
	for _, tt := range []struct {
		p    *Picture
		want string
	}{
		{forest("size", rows("1024", dear)), "The heap costs 3.7 [3.2, 5.7] times the stack at 1 KiB"},
		{forest("size", rows("1024 4096", dear, ratioFigure(15, 11, 21))),
			"The heap costs 3.7 [3.2, 5.7] times the stack at 1 KiB and 15 [11, 21] times at 4 KiB"},
		{forest("size", rows("1024 4096", cheap, ratioFigure(0.25, 0.2, 0.4))),
			"The stack costs 2.0 [1.6, 2.5] times the heap at 1 KiB and 4.0 [2.5, 5.0] times at 4 KiB"},
		{forest("cause", rows("a b", dear, ratioFigure(15, 11, 21))),
			"In both causes the heap costs 3.7 [3.2, 5.7] to 15 [11, 21] times the stack"},
		{forest("size", rows("64 128 256 512", cheap, open, dear, dear)),
			"Up to 64 B the heap is cheaper, from 256 B on the stack"},
		{forest("size", rows("64 128 256", dear, open, open)),
			"At 1 of 3 sizes the heap costs 3.7 [3.2, 5.7] times the stack; the others are undecided"},
		{forest("cause", rows("a b c", dear, cheap, cheap)),
			"In 1 of 3 causes the heap costs up to 3.7 [3.2, 5.7] times the stack, in 2 the stack costs up to " +
				"2.0 [1.6, 2.5] times the heap"},
		{forest("size", rows("64", open)), "Not decided here: the heap costs 1.04 [0.97, 1.12] times the stack"},
		{forest("size", rows("64", ratioFigure(0.8, 0.5, 1.25))),
			"Not decided here: the stack costs 1.2 [0.80, 2.0] times the heap"},
		{forest("size", rows("64 128", without(2.4), without(26))),
			"The heap costs 2.4 to 26 times the stack, in too few rounds for an interval"},
		{forest("size", rows("64 128", dear, without(26))), "At 1 of 2 sizes the heap costs 3.7 [3.2, 5.7] times the " +
			"stack; the others have too few rounds for an interval"},
		{busy, "Not decided here: the heap costs 3.7 [3.2, 5.7] times the stack beside other programs"},
		{two, "With go1.26.8 the heap costs 3.7 [3.2, 5.7] times the stack at 1 KiB"},
		{published, "On Apple M1 Max the heap costs 3.0 times the stack at 1 KiB"},
		{bytes, "The heap allocates 3.7 [3.2, 5.7] times the bytes of the stack at 1 KiB"},
		{forest("size", rows("64", NoFigure())), "Heap over stack: not measured"},
	} {
		got := tt.p.Sentence()
		if got != tt.want {
			t.Errorf("%s\nwant %s", got, tt.want)
		}
		plain := regexp.MustCompile(`\[[^]]*\]`).ReplaceAllString(got, "")
		if n := len(strings.Fields(plain)); n > 30 || strings.Contains(got, "×") || strings.Contains(got, "=") {
			t.Errorf("%d words: %s", n, got)
		}
	}
}

// What is compared without named sides, as configurations are, says how many differ.
func TestTitleOfConfigurations(t *testing.T) {
	p := forest("case", rows("A B C", ratioFigure(1.3, 1.2, 1.4), ratioFigure(0.5, 0.4, 0.6), ratioFigure(1, 0.9, 1.2)))
	p.Sides, p.Columns = nil, []string{"go1.27.4/go1.26.8"}
	const want = "go1.27.4/go1.26.8: 2 of 3 cases differ, the most with a ratio of 0.50 [0.40, 0.60]"
	if got := p.Sentence(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	p.Sets[0].Rows = p.Sets[0].Rows[2:]
	if got := p.Sentence(); got != "go1.27.4/go1.26.8: of 1 case none is decided to differ" {
		t.Error(got)
	}
}

// The title of a picture of costs names them, the dearest first, and divides none by another.
func TestCostTitles(t *testing.T) {
	curve := &Picture{Kind: language.Curve, Title: "Time by size", By: "size", Roofline: 2,
		Columns: []string{"stack", "heap", "plain copy"}}
	curve.Sets = []PictureSet{{Data: "go1.26.8", Rows: []Row{
		{Label: "1024", Cells: []Figure{seconds(20e-9), seconds(266e-9), seconds(9e-9)}},
		{Label: "65536", Cells: []Figure{seconds(1.14e-6), seconds(11e-6), seconds(0.7e-6)}},
		{Label: "1048576", Cells: []Figure{NoFigure(), seconds(130e-6), seconds(28e-6)}},
	}}}
	dots := &Picture{Kind: language.Dots, Title: "Create", By: "by", Roofline: -1, Columns: []string{"time"},
		Sets: []PictureSet{{Data: "go1.26.8", Rows: rows("copy pointer", seconds(6.9e-3), seconds(33e-3))}}}
	limits := &Picture{Kind: language.Dots, Title: "Time by limit", By: "gogc", Roofline: -1, Columns: []string{"time"},
		Sets: []PictureSet{{Data: "go1.26.8", Rows: rows("50 off", seconds(6e-3), seconds(5e-3))}}}
	for want, p := range map[string]*Picture{
		"Time by size: at 64 KiB heap takes 11 µs [9.9, 12], stack 1.1 µs [1.0, 1.3]": curve,
		"Create: pointer takes 33 ms [30, 36], copy 6.9 ms [6.2, 7.6]":                dots,
		"Time by limit: gogc 50 takes 6 ms [5.4, 6.6], gogc off 5 ms [4.5, 5.5]":      limits,
	} {
		if got := p.Sentence(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
