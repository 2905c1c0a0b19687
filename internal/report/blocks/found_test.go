package blocks

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/exectrace"
	"memcost/internal/gotool/stacklog"
	"memcost/internal/measure/history"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/stacks"
	"memcost/internal/report/figures"
	"memcost/internal/show/html"
	"memcost/internal/show/pagetest"
	"memcost/internal/testkit"
)

// searched is the report of a small search, with a hostile subject.
func searched() *history.Report {
	figure := func(v float64) figures.Figure {
		return figures.Figure{Value: figures.Number(v), Lo: figures.Number(v * 0.98), Hi: figures.Number(v * 1.02),
			N: 9}
	}
	r := &history.Report{Format: history.Format, Kind: history.Commits, Margin: 0.01, Alpha: 0.05, Steps: 2, Built: 3,
		Stretch: 2}
	for i, name := range []string{"aaaaaaa", "bbbbbbb", "ccccccc", "ddddddd"} {
		r.Points = append(r.Points, history.State{Measured: i != 1, Point: history.Point{Name: name,
			Source: &plan.Source{Commit: name, Subject: "<script>alert(1)</script>\x1b[31m",
				Date: time.Date(2026, 11, 2+i, 0, 0, 0, 0, time.UTC)}}})
	}
	id := history.ID{Benchmark: history.Benchmark{Package: "p", Name: "Decode-2"}, Unit: "sec/op"}
	infinite := figures.Figure{Value: figures.Number(math.Inf(1)), Lo: figures.Number(math.NaN()),
		Hi: figures.Number(math.Inf(1))}
	r.Series = []history.Series{
		{ID: id, Changes: []history.Change{
			{Stretch: history.Stretch{From: 2, To: 3, Ratio: figure(1.31)}},
			{Stretch: history.Stretch{From: 0, To: 2, Ratio: figure(0.9)}, Why: history.Unbuildable},
		}, Levels: []history.Level{{At: 0, Cost: figure(1)}, {At: 2, Cost: figure(0.9)}, {At: 3, Cost: figure(1.18)}}},
		{ID: history.ID{Benchmark: history.Benchmark{Package: "p", Name: "Empty"}, Unit: "allocs/op"},
			Changes: []history.Change{{Stretch: history.Stretch{From: 2, To: 3, Ratio: infinite}}},
			Levels: []history.Level{{At: 0, Cost: figure(1)}, {At: 2, Cost: figure(1)},
				{At: 3, Cost: figure(1), Apart: true}}},
	}
	return r
}

// drawnPage opens a page, whose pictures are drawn, and returns its HTML.
func drawnPage(t *testing.T, write func(*strings.Builder) error, pictures int) (*pagetest.Tab, string) {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	p := pagetest.Open(t, pagetest.Page{HTML: b.String(), OwnData: true})
	p.Run(`document.querySelectorAll("figure.picture").forEach(drawNow)`)
	if n := pagetest.Eval[int](p, `document.querySelectorAll(".drawing svg:not(.gc-bar)").length`); n != pictures {
		t.Errorf("%d pictures, want %d", n, pictures)
	}
	p.Check("nothing is drawn nowhere", `!/NaN|Infinity|undefined/.test(document.querySelector("main").innerHTML)`)
	return p, b.String()
}

// The page says each change, and draws each metric.
func TestHistoryPage(t *testing.T) {
	p, page := drawnPage(t, func(b *strings.Builder) error { return html.Write(b, searched().Document()) }, 2)
	for _, want := range []string{
		"Decode-2 takes 1.31× [1.28, 1.34] as long from there on",
		"one of the 2 commits after aaaaaaa up to ccccccc: Decode-2 takes",
		"(bbbbbbb could not be measured)", "Empty has allocs/op that it did not have from there on",
		"2026-11-05", "changes that cancel each other within 2 commits",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	p.Picture("history")
	p.Check("a change has a line, one of several commits a band",
		`document.querySelectorAll(".change line").length === 2 && document.querySelectorAll(".among rect").length === 1`)
}

// growth is what the runtime writes when a stack grows.
const growth = "runtime: newstack sp=0xc000034388 stack=[0xc000034000, 0xc000034800]\n" +
	"\tmorebuf={pc:0x11 sp:0xc000034398 lr:0x0}\n\tsched={pc:0x22 sp:0xc000034390 lr:0x0 ctxt:0x0}\n" +
	"stackalloc 4096\n  allocated 0xc000060000\n" +
	"copystack gp=0xc000000180 [0xc000034000 0xc000034390 0xc000034800] -> [0xc000060000 0xc000060b90 " +
	"0xc000061000]/4096\n" +
	"stackfree 0xc000034000 2048\nstack grow done\n"

func TestStacksPage(t *testing.T) {
	l, err := stacklog.Read(strings.NewReader(strings.Repeat(growth, 1500)), stacklog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	runs := []*stacks.Run{{Name: "a", Cmd: proc.Cmd{Path: "./a"}, Notes: []string{"a note"}, Log: l}, {Name: "nothing"}}
	p, page := drawnPage(t, func(b *strings.Builder) error { return html.Write(b, stacks.Document(runs)) }, 1)
	if !strings.Contains(page, "500 after these were counted") {
		t.Error("the page does not say that rows are left out")
	}
	if n := strings.Count(page, ">0xc000000180<"); n != 1000 {
		t.Errorf("%d rows, want %d", n, 1000)
	}
	p.Check("the growth is drawn", `document.querySelectorAll("line.grow").length === 1`)
	l.Chains = []stacklog.Chain{{Sizes: []uint64{2048, 4096}, N: 300},
		{Sizes: []uint64{2048, 4096, 8192, 4096}, N: 100}, {Sizes: []uint64{2048, 32768}, N: 1},
		{Sizes: []uint64{2048, 4096, 2048}, More: true, N: 1}}
	p, _ = drawnPage(t, func(b *strings.Builder) error { return html.Write(b, stacks.Document(runs)) }, 1)
	p.Picture("stacks")
	p.Check("as wide as the goroutines are many", `["401 goroutines: 2 KiB to 4 KiB 22",
		"100 goroutines: 4 KiB to 8 KiB 5.49", "1 goroutine: 2 KiB to 32 KiB 1.50"].every(s =>
		[...document.querySelectorAll("line.grow")].some(l => s === l.textContent + " " +
		Number(l.getAttribute("stroke-width")).toPrecision(l.getAttribute("stroke-width") === "22" ? 2 : 3)))`)
	p.Check("those that kept a size have a circle", `document.querySelectorAll("circle.end").length === 3`)
}

// aTrace returns one of those that package exectrace keeps.
func aTrace(t *testing.T) *exectrace.Trace {
	t.Helper()
	data := testkit.Captured(t, "../../gotool/exectrace/testdata/go1.27.4.trace.gz")
	trace, err := exectrace.Read(bytes.NewReader(data), exectrace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestTracePage(t *testing.T) {
	trace := aTrace(t)
	p, _ := drawnPage(t, func(b *strings.Builder) error { return html.Write(b, trace.Document("x.trace")) }, 1)
	p.Check("the heap, its goal, the lanes and two bars are drawn",
		`document.querySelectorAll(".gc-heap, .gc-goal").length === 2 &&
		document.querySelectorAll(".gc-over rect").length > 0 && document.querySelectorAll(".gc-bar").length === 2`)
	p.Picture("trace")
}
